// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/ExpandTileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Tile/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

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
    SmallVector<std::function<LogicalResult()>> expansions;
    getOperation().walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<tt::MapElementwiseOp>([&](auto map) {
            expansions.push_back(
                [=] { return tile::expandMapElementwise(map); });
          })
          .Case<tt::DotScaledOp>([&](auto dot) {
            expansions.push_back(
                [=] { return tile::expandScaledDot(dot), success(); });
          })
          .Case<tile::SolveUnitLowerOp>([&](auto solve) {
            expansions.push_back(
                [=] { return tile::expandSolve(solve), success(); });
          });
    });
    for (const std::function<LogicalResult()> &expand : expansions)
      if (failed(expand()))
        return signalPassFailure();
  }
};
} // namespace
