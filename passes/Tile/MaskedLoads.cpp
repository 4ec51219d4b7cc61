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

Value tile::getConditionOf(scf::IfOp branch, Block *block,
                           RewriterBase &rewriter) {
  Value condition = branch.getCondition();
  if (block == branch.thenBlock())
    return condition;
  Location location = branch.getLoc();
  rewriter.setInsertionPoint(branch);
  Value one = arith::ConstantIntOp::create(rewriter, location, 1, 1);
  return arith::XOrIOp::create(rewriter, location, condition, one);
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

void tile::moveBefore(scf::IfOp branch, ArrayRef<Operation *> ops,
                      Value condition, RewriterBase &rewriter) {
  for (Operation *op : ops) {
    rewriter.moveOpBefore(op, branch);
    if (tt::LoadOp load = getPlainLoad(op))
      addCondition(load, condition, rewriter);
  }
}
