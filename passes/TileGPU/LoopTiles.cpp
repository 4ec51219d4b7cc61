// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/LoopTiles.h"

#include "passes/TileGPU/LoopSchedule.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Whether the tile is allocated and has uses at `op` of the body or behind:
/// those of its views too, and of products up to their waits.
static bool isLive(Value tile, Operation *op, Block *body) {
  Operation *allocation = body->findAncestorOpInBlock(*tile.getDefiningOp());
  auto isBehind = [&](Operation *user) {
    Operation *here = body->findAncestorOpInBlock(*user);
    return here && (here == op || op->isBeforeInBlock(here));
  };
  return (op == allocation || allocation->isBeforeInBlock(op)) &&
         llvm::any_of(listUsers(tile), [&](Operation *user) {
           return isBehind(user) || (isa<AsyncStepOpInterface>(user) &&
                                     llvm::any_of(user->getUsers(), isBehind));
         });
}

int64_t tilegpu::countBytesBeside(scf::ForOp loop, ArrayRef<Value> tiles,
                                  const SharedMemoryBudget &budget) {
  int64_t most = 0;
  for (Operation &op : *loop.getBody()) {
    int64_t own = 0;
    for (Value tile : tiles)
      if (isLive(tile, &op, loop.getBody()))
        own += cast<MemDescType>(tile.getType()).getBufferBytes();
    op.walk([&](Operation *inner) {
      most = std::max(most, budget.getTakenBytes(inner) - own);
    });
  }
  return most;
}

int64_t tilegpu::countTileBytes(RankedTensorType type) {
  return type.getNumElements() * getMemoryBits(type.getElementType()) / 8;
}
