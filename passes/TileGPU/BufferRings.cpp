// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives loops whose bulk copies wait for the readers of their tiles at
// mbarriers the buffers that their schedules ask for, and leaves them
// otherwise as they are: so other warps may run the copies of each iteration
// by themselves.

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/TileGPU/CopyingAgent.h"
#include "passes/TileGPU/LoopBuffers.h"
#include "passes/TileGPU/LoopSchedule.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/TileReleases.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_BUFFERRINGS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// Copies of scheduled loops that wait for their tiles' readers.
SmallVector<BulkCopyOp> listCopies(FunctionOpInterface function) {
  SmallVector<BulkCopyOp> copies;
  function.walk([&](BulkCopyOp copy) {
    auto loop = dyn_cast<scf::ForOp>(copy->getParentOp());
    if (loop && isScheduled(loop) && !isBuffered(loop) && findAcquire(copy))
      copies.push_back(copy);
  });
  return copies;
}

bool isInNestedLoop(BulkCopyOp copy) {
  return isa<scf::ForOp>(copy->getParentOp()->getParentOp());
}

struct BufferRings : tilegpu::impl::BufferRingsBase<BufferRings> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && failed(bufferRings(function)))
        return signalPassFailure();
  }

private:
  static LogicalResult bufferRings(FunctionOpInterface function) {
    SmallVector<BulkCopyOp> copies = listCopies(function);
    // The checks follow rings through nested loops where copies have warps of
    // their own, and no predicates.
    if (llvm::any_of(copies, isInNestedLoop))
      if (auto obstacle = CopyingAgent(function, copies).findObstacle()) {
        remarkOnObstacle(copies.front(), *obstacle);
        llvm::for_each(copies, dropAcquire);
        return success();
      }
    llvm::SmallSetVector<Operation *, 2> loops;
    for (BulkCopyOp copy : copies)
      loops.insert(copy->getParentOp());
    for (Operation *op : loops) {
      auto loop = cast<scf::ForOp>(op);
      if (failed(verifySchedule(loop)))
        return failure();
      bufferTiles(loop);
    }
    return success();
  }
};

} // namespace
