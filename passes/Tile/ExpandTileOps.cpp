// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/ExpandTileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_EXPANDTILEOPS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

namespace {
struct ExpandTileOps : tile::impl::ExpandTileOpsBase<ExpandTileOps> {
  void runOnOperation() override {
    // New ops are none of these.
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<tt::DotScaledOp, tt::MapElementwiseOp, tile::SolveUnitLowerOp>(
              op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(expand(op)))
        return signalPassFailure();
  }

private:
  static LogicalResult expand(Operation *op) {
    if (auto map = dyn_cast<tt::MapElementwiseOp>(op))
      return tile::expandMapElementwise(map);
    if (auto dot = dyn_cast<tt::DotScaledOp>(op))
      tile::expandScaledDot(dot);
    else
      tile::expandSolve(cast<tile::SolveUnitLowerOp>(op));
    return success();
  }
};
} // namespace
