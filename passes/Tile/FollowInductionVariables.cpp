// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that a loop carries in step with its induction variable are computed
// of that, so that what is derived of either is the same: a persistent kernel
// counts its tiles once for its products and once more for its results.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "passes/Analysis/IndexSums.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_FOLLOWINDUCTIONVARIABLES
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
struct FollowInductionVariables
    : tile::impl::FollowInductionVariablesBase<FollowInductionVariables> {
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](scf::ForOp loop) { changed |= follow(loop); });
    if (!changed)
      return;
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }

private:
  /// Whether anything is carried so.
  static bool follow(scf::ForOp loop) {
    IndexSums sums;
    bool changed = false;
    for (BlockArgument carried : loop.getRegionIterArgs()) {
      if (carried.use_empty() ||
          carried.getType() != loop.getInductionVar().getType())
        continue;
      // What is added to it first, too: most often that makes up for where it
      // begins.
      SmallVector<Value> values;
      for (Operation *user : carried.getUsers())
        if (isa<arith::AddIOp, arith::SubIOp>(user))
          values.push_back(user->getResult(0));
      values.push_back(carried);
      for (Value value : values)
        changed |= replace(value, loop, sums);
    }
    return changed;
  }

  /// Replaces `value` by the induction variable of `loop` plus a constant, if
  /// it is that.
  static bool replace(Value value, scf::ForOp loop, IndexSums &sums) {
    Value counter = loop.getInductionVar();
    std::optional<int64_t> distance =
        (sums.getSum(value) - sums.getSum(counter)).getConstant();
    if (!distance)
      return false;
    OpBuilder builder(loop.getBody(), loop.getBody()->begin());
    if (*distance != 0)
      counter = arith::AddIOp::create(
          builder, loop.getLoc(), counter,
          arith::ConstantIntOp::create(builder, loop.getLoc(), value.getType(),
                                       *distance));
    value.replaceAllUsesWith(counter);
    return true;
  }
};
} // namespace
