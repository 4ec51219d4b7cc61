// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/MaskedLoads.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Tile/TileBuilder.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

tt::LoadOp tile::getPlainLoad(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  return load && !load.mustReread() ? load : tt::LoadOp();
}

bool tile::isCheap(Operation *op) {
  if (op->getNumRegions() || !isMemoryEffectFree(op) || !isSpeculatable(op))
    return false;
  bool isOfScalars = llvm::none_of(op->getResultTypes(), [](Type type) {
    return isa<RankedTensorType>(type);
  });
  return isOfScalars || isElementwise(op) || isView(op) ||
         makesTileOfScalars(op) || isMoveOfOne(op);
}

void tile::addCondition(tt::LoadOp load, Value condition,
                        RewriterBase &rewriter) {
  rewriter.setInsertionPoint(load);
  TileBuilder tiles(rewriter, load.getLoc());
  if (isa<RankedTensorType>(load.getType()))
    condition = tiles.splat(condition, getShape(load.getPtr()));
  if (Value mask = load.getMask())
    condition = arith::AndIOp::create(tiles.builder, mask, condition);
  rewriter.modifyOpInPlace(load,
                           [&] { load.getMaskMutable().assign(condition); });
}
