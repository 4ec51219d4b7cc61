// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sinks stores to global memory behind the start of the next products by warp
// groups: they go on under those, which otherwise start when the elements have
// come from shared memory.

#include "dialects/TileGPU/SharedAccess.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DELAYSTORES
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// The load from shared memory that `op`, a store, takes alone, in its block;
/// null where its elements come from elsewhere.
static LocalLoadOp findOwnLoad(Operation *op) {
  auto store = dyn_cast<tt::StoreOp>(op);
  auto load =
      store ? store.getValue().getDefiningOp<LocalLoadOp>() : LocalLoadOp();
  return load && load->hasOneUse() && load->getBlock() == op->getBlock()
             ? load
             : LocalLoadOp();
}

/// The tile that `op` writes, if threads write one.
static Value findWrittenTile(Operation *op) {
  if (auto store = dyn_cast<LocalStoreOp>(op))
    return findMemory(store.getDestination());
  if (auto allocation = dyn_cast<LocalAllocOp>(op))
    return allocation.getSource() ? Value(allocation) : Value();
  return {};
}

/// Whether stores may change places with `op`, but for tiles that it writes: it
/// reads and writes no global memory, and tells nobody that it is done.
static bool isPassable(Operation *op) {
  return isa<WgmmaOp, LocalLoadOp, LocalStoreOp, LocalAllocOp, ProxyFenceOp>(
             op) ||
         (isMemoryEffectFree(op) && op->getNumRegions() == 0);
}

/// Products whose left operand is in registers: what runs beside them may take
/// these, which CUDA's assembler waits for (C7513).
static bool readsRegisters(Operation *op) {
  auto product = dyn_cast<WgmmaOp>(op);
  return product && isa<RankedTensorType>(product.getLhs().getType());
}

/// Stores before the first product that `wait` waits for, each with the load of
/// its elements, the last one first.
static SmallVector<std::pair<LocalLoadOp, Operation *>>
findStores(WgmmaWaitOp wait) {
  SmallVector<std::pair<LocalLoadOp, Operation *>> stores;
  llvm::SmallDenseSet<Value> written;
  bool hasProduct = false;
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    if (LocalLoadOp load = hasProduct ? findOwnLoad(op) : LocalLoadOp()) {
      // What is written between the load and the store counts as well.
      bool isKept = !written.contains(findMemory(load.getSource()));
      for (Operation *between = load->getNextNode(); isKept && between != op;
           between = between->getNextNode())
        isKept = isPassable(between) &&
                 findWrittenTile(between) != findMemory(load.getSource());
      if (!isKept)
        break;
      stores.push_back({load, op});
      continue;
    }
    if (!isPassable(op) || readsRegisters(op))
      break;
    hasProduct |= isa<WgmmaOp>(op);
    if (Value tile = findWrittenTile(op))
      written.insert(tile);
  }
  return stores;
}

namespace {
struct DelayStores : tilegpu::impl::DelayStoresBase<DelayStores> {
  void runOnOperation() override {
    getOperation().walk([](WgmmaWaitOp wait) {
      Operation *place = wait;
      for (auto [load, store] : findStores(wait)) {
        store->moveBefore(place);
        load->moveBefore(store);
        place = load;
      }
    });
  }
};
} // namespace
