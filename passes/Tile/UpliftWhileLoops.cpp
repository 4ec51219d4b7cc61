// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that count without saying so.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_UPLIFTWHILELOOPS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

/// Whether something uses what the loop has counted up to: that would be
/// computed from its bounds, as if it ran at least once.
static bool isCountUsed(scf::WhileOp loop) {
  auto more =
      loop.getConditionOp().getCondition().getDefiningOp<arith::CmpIOp>();
  if (!more)
    return true;
  for (auto [passed, result] :
       llvm::zip_equal(loop.getConditionOp().getArgs(), loop.getResults()))
    if (llvm::is_contained(more->getOperands(), passed) && !result.use_empty())
      return true;
  return false;
}

namespace {
struct UpliftWhileLoops : tile::impl::UpliftWhileLoopsBase<UpliftWhileLoops> {
  void runOnOperation() override {
    SmallVector<scf::WhileOp> loops;
    getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::WhileOp loop : loops) {
      rewriter.setInsertionPoint(loop);
      if (!isCountUsed(loop))
        // Others stay.
        (void)scf::upliftWhileToForLoop(rewriter, loop);
    }
  }
};
} // namespace
