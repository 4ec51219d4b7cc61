// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/HeldTiles.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Analysis/LiveRanges.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tilewright;
using tilegpu::forEachUse;

namespace {
/// The tiles held across one op.
class HeldTiles {
public:
  explicit HeldTiles(Operation *across) : across(across) { find(); }

  uint64_t countBits() const { return bits; }

private:
  void find();
  void addBehind(Operation *op);
  void addCarried(LoopLikeOpInterface loop);
  bool isThereBefore(Value value) const;
  void add(Value value);

  Operation *across;
  /// What is computed of the op's results.
  llvm::SmallDenseSet<Value> dependent;
  llvm::SmallDenseSet<Value> seen;
  uint64_t bits = 0;
};
} // namespace

void HeldTiles::find() {
  for (Operation *op = across; !isa<FunctionOpInterface>(op);
       op = op->getParentOp()) {
    dependent.insert(op->result_begin(), op->result_end());
    addBehind(op);
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      addCarried(loop);
  }
}

/// Adds what is taken, in the block of `op`, by what needs the results. What
/// does not need them may be computed before, or beside: two sums of a tile
/// hold nothing of it.
void HeldTiles::addBehind(Operation *op) {
  for (Operation *later = op->getNextNode(); later;
       later = later->getNextNode()) {
    bool depends = false;
    forEachUse(later,
               [&](Value value) { depends |= dependent.contains(value); });
    if (!depends || later->hasTrait<OpTrait::IsTerminator>())
      continue;
    forEachUse(later, [&](Value value) { add(value); });
    dependent.insert(later->result_begin(), later->result_end());
  }
}

/// Adds what the loop carries, and what its next iteration takes from outside.
void HeldTiles::addCarried(LoopLikeOpInterface loop) {
  for (BlockArgument carried : loop.getRegionIterArgs())
    add(carried);
  forEachUse(loop, [&](Value value) {
    if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
      add(value);
  });
}

bool HeldTiles::isThereBefore(Value value) const {
  Operation *here = value.getParentBlock()->findAncestorOpInBlock(*across);
  Operation *definition = value.getDefiningOp();
  return here && (!definition || definition->isBeforeInBlock(here));
}

void HeldTiles::add(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isThereBefore(value) || !seen.insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (op && makesTileOfScalars(op))
    return;
  if (op && (isElementwise(op) || isView(op)) && isMemoryEffectFree(op)) {
    for (Value operand : op->getOperands())
      add(operand);
    return;
  }
  // Masks are bits of words, and pointers mostly one for many elements.
  if (type.getElementType().isIntOrFloat() &&
      !type.getElementType().isInteger(1))
    bits += type.getNumElements() * type.getElementTypeBitWidth();
}

uint64_t compiler::countBitsHeldAcross(Operation *op) {
  return HeldTiles(op).countBits();
}
