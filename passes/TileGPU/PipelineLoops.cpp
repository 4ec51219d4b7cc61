// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands loops by the schedules that stand on their ops: stages of several
// iterations run in one step, and tiles that live from stage to stage get as
// many buffers as iterations have them (LoopBuffers).

#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/TileGPU/LoopBuffers.h"
#include "passes/TileGPU/LoopGuards.h"
#include "passes/TileGPU/LoopSchedule.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PIPELINELOOPS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

void getSchedule(scf::ForOp loop,
                 std::vector<std::pair<Operation *, unsigned>> &schedule) {
  // Of one order they run as they stand.
  SmallVector<std::tuple<int, size_t, Operation *>> ops;
  for (Operation &op : loop.getBody()->without_terminator())
    ops.emplace_back(getScheduledTime(&op)->order, ops.size(), &op);
  llvm::sort(ops);
  for (auto &[order, place, op] : ops)
    schedule.emplace_back(op, getScheduledTime(op)->stage);
}

struct PipelineLoops : tilegpu::impl::PipelineLoopsBase<PipelineLoops> {
  void runOnOperation() override {
    // The outermost first: what is made around an inner loop has no time in
    // the one outside.
    while (scf::ForOp loop = findScheduledLoop())
      if (failed(verifySchedule(loop)) || failed(expand(loop)))
        return signalPassFailure();
    getOperation().walk([](Operation *op) {
      op->removeAttr(TileGPUDialect::scheduleAttrName);
      op->removeAttr(TileGPUDialect::bufferedAttrName);
    });
  }

private:
  scf::ForOp findScheduledLoop() {
    scf::ForOp found;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (!isScheduled(loop))
        return WalkResult::advance();
      found = loop;
      return WalkResult::interrupt();
    });
    return found;
  }

  static LogicalResult diagnoseUnguarded(scf::ForOp loop) {
    return loop.emitOpError("expects ops of early stages that may be left out "
                            "by a mask, but got others");
  }

  /// Memory for the tiles of the function's pipelines.
  static llvm::SmallDenseSet<Value> findBuffers(scf::ForOp loop) {
    llvm::SmallDenseSet<Value> buffers;
    loop->getParentOfType<FunctionOpInterface>().walk(
        [&](LocalAllocOp allocation) {
          if (allocation->hasAttr(TileGPUDialect::bufferedAttrName))
            buffers.insert(allocation);
        });
    return buffers;
  }

  static LogicalResult expand(scf::ForOp loop) {
    if (!isBuffered(loop))
      loop = bufferTiles(loop);
    bool hasGroups = !loop.getBody()->getOps<AsyncCommitOp>().empty();
    IRRewriter rewriter(loop);
    llvm::SmallDenseSet<Value> buffers = findBuffers(loop);
    bool isGuarded = mayOverflow(loop, getLastStage(loop));
    if (isGuarded && failed(guardByFlag(loop, buffers, rewriter)))
      return diagnoseUnguarded(loop);
    scf::PipeliningOption options;
    options.getScheduleFn = getSchedule;
    options.supportDynamicLoops = true;
    options.peelEpilogue = false;
    options.predicateFn = [&](RewriterBase &rewriter, Operation *op,
                              Value isThere) {
      return isGuarded ? op : guardOp(rewriter, op, isThere, buffers);
    };
    rewriter.setInsertionPoint(loop);
    options.annotateFn =
        [](Operation *op, scf::PipeliningOption::PipelinerPart part, unsigned) {
          op->removeAttr(TileGPUDialect::scheduleAttrName);
          Attribute early = op->removeAttr(earlyPendingName);
          if (early && part == scf::PipeliningOption::PipelinerPart::Prologue)
            op->setAttr("pending", early);
        };
    FailureOr<scf::ForOp> pipeline =
        scf::pipelineForLoop(rewriter, loop, options);
    if (failed(pipeline))
      return diagnoseUnguarded(loop);
    if (!hasGroups)
      return success();
    // The last steps' copies, of nothing, are on their way yet: their bytes are
    // free when they have come.
    rewriter.setInsertionPointAfter(*pipeline);
    AsyncWaitOp::create(rewriter, pipeline->getLoc(), ValueRange(),
                        /*pending=*/0);
    return success();
  }
};

} // namespace
