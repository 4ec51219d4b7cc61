// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/DelayedWaits.h"

#include "dialects/TileGPU/SharedAccess.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// The product of the same block whose sums the wait gives back; null where it
/// is another iteration's, or stays in flight.
static WgmmaOp findProduct(WgmmaWaitOp wait) {
  auto product = wait.getProduct().getDefiningOp<WgmmaOp>();
  bool isOwn = product && product->getBlock() == wait->getBlock() &&
               isa<RankedTensorType>(wait.getType());
  return isOwn ? product : WgmmaOp();
}

static Value findMemory(Value tile) {
  while (auto view = tile.getDefiningOp<MemDescTransOp>())
    tile = view.getSource();
  return tile;
}

/// Bits of the elements that a thread holds of `values`, times the threads.
static int64_t countBits(ValueRange values) {
  int64_t bits = 0;
  for (Value value : values)
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      bits += type.getNumElements() * type.getElementTypeBitWidth();
  return bits;
}

/// Whether the op is arithmetic on sums of the products that holds no more
/// registers where it runs later: nothing else uses these sums, or its result
/// takes as many.
static bool isArithmetic(Operation *op, const llvm::DenseSet<Value> &sums) {
  if (!isPure(op) || op->getNumRegions() != 0 || op->getNumResults() != 1)
    return false;
  SmallVector<Value> made;
  llvm::copy_if(op->getOperands(), std::back_inserter(made),
                [&](Value operand) { return sums.contains(operand); });
  return !made.empty() &&
         (countBits(op->getResults()) >= countBits(made) ||
          llvm::all_of(made, [](Value value) { return value.hasOneUse(); }));
}

/// Whether the op stores sums, or what was made of them, to global memory.
static bool isStore(Operation *op, const llvm::DenseSet<Value> &sums) {
  return getGlobalAccess(op) && hasSingleEffect<MemoryEffects::Write>(op) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return sums.contains(operand); });
}

/// Where a store runs under a later product: behind the last one that starts
/// before anything else touches global memory.
static void moveBehindProducts(Operation *store) {
  Operation *last = nullptr;
  for (Operation *op = store->getNextNode(); op; op = op->getNextNode()) {
    if (isa<WgmmaOp>(op))
      last = op;
    else if (!isMemoryEffectFree(op) &&
             !isa<WgmmaWaitOp, AsyncWaitOp, LocalAllocOp, LocalLoadOp>(op))
      break;
  }
  if (last)
    store->moveAfter(last);
}

/// The first op behind `op` that must follow it: what uses its result, or the
/// block's end; for the wait for `product`, also the next product, and what
/// writes a tile that this one reads.
static Operation *findFollower(Operation *op, WgmmaOp product) {
  Block *block = op->getBlock();
  Operation *first = block->getTerminator();
  for (Operation *user : op->getUsers())
    if (Operation *here = block->findAncestorOpInBlock(*user);
        here && here->isBeforeInBlock(first))
      first = here;
  if (!product)
    return first;
  llvm::SmallDenseSet<Value> read;
  for (const SharedOperand &operand : product.getSharedOperands())
    read.insert(findMemory(operand.descriptor));
  for (Operation *other = op->getNextNode(); other != first;
       other = other->getNextNode())
    if (isa<WgmmaOp>(other) ||
        llvm::any_of(listSharedEffects(other),
                     [&](const SharedOperand &effect) {
                       return effect.isWrite &&
                              read.contains(findMemory(effect.descriptor));
                     }))
      return other;
  return first;
}

void tilegpu::delayWaits(scf::ForOp loop) {
  Block *body = loop.getBody();
  auto products = body->getOps<WgmmaOp>();
  if (std::distance(products.begin(), products.end()) < 2)
    return;
  llvm::DenseSet<Value> sums;
  SmallVector<Operation *> delayed;
  for (Operation &op : body->without_terminator()) {
    auto wait = dyn_cast<WgmmaWaitOp>(op);
    bool isSum = wait ? bool(findProduct(wait)) : isArithmetic(&op, sums);
    if (isSum)
      sums.insert(op.getResult(0));
    if (isSum || isStore(&op, sums))
      delayed.push_back(&op);
  }
  // What needs them first.
  for (Operation *op : llvm::reverse(delayed)) {
    auto wait = dyn_cast<WgmmaWaitOp>(op);
    if (op->getNumResults() == 0)
      moveBehindProducts(op);
    else
      op->moveBefore(findFollower(op, wait ? findProduct(wait) : WgmmaOp()));
  }
}
