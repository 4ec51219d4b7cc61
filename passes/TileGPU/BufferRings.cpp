// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives loops whose bulk copies wait for the readers of their tiles at
// mbarriers the buffers that their schedules ask for, and leaves them
// otherwise as they are: so other warps may run the copies of each iteration
// by themselves.

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

struct BufferRings : tilegpu::impl::BufferRingsBase<BufferRings> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      auto copies = loop.getBody()->getOps<BulkCopyOp>();
      if (isScheduled(loop) && !isBuffered(loop) &&
          llvm::any_of(copies,
                       [](BulkCopyOp copy) { return bool(findAcquire(copy)); }))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      if (failed(verifySchedule(loop)))
        return signalPassFailure();
      bufferTiles(loop);
    }
  }
};

} // namespace
