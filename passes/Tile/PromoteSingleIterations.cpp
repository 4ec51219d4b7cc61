// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that cannot run twice: those over the parts of a block that is no
// larger than a part.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/Analysis/IndexConstraints.h"
#include "passes/Tile/LoopUtils.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_PROMOTESINGLEITERATIONS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

namespace {

/// How often a loop runs that runs once at most.
enum class Iterations { One, OneOrNone };

} // namespace

/// None for loops that may run twice, for all that is known.
static std::optional<Iterations> getIterations(scf::ForOp loop) {
  APInt step;
  if (loop.getUnsignedCmp() ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      !step.isStrictlyPositive())
    return std::nullopt;
  IndexConstraints constraints(loop);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  if (!constraints.isLess(upper, lower, step.getSExtValue() + 1))
    return std::nullopt;
  return constraints.isLess(lower, upper) ? Iterations::One
                                          : Iterations::OneOrNone;
}

/// Makes a branch of a loop that runs once or not at all.
static void replaceByBranch(scf::ForOp loop, RewriterBase &rewriter) {
  Location location = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value any =
      arith::CmpIOp::create(rewriter, location, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto branch = scf::IfOp::create(rewriter, location, loop.getResultTypes(),
                                  any, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  rewriter.replaceAllUsesWith(loop.getResults(), branch.getResults());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(rewriter, location, loop.getInitArgs());
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  auto yield = scf::YieldOp::create(rewriter, location, loop.getResults());
  rewriter.moveOpBefore(loop, yield);
  tile::inlineIteration(loop, rewriter);
}

namespace {

struct PromoteSingleIterations
    : tile::impl::PromoteSingleIterationsBase<PromoteSingleIterations> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](scf::ForOp loop) {
      std::optional<Iterations> iterations = getIterations(loop);
      if (iterations == Iterations::One)
        tile::inlineIteration(loop, rewriter);
      else if (iterations == Iterations::OneOrNone)
        replaceByBranch(loop, rewriter);
    });
  }
};

} // namespace
