// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives each named barrier, and each agent that has barriers of its own, one of
// the CTA's sixteen.

#include "dialects/TileGPU/Agents.h"
#include "mlir/Pass/Pass.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ALLOCATENAMEDBARRIERS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// Barrier 0 is of all warps (PTX ISA, "bar").
constexpr unsigned firstBarrier = 1, barriersOfCta = 16;

/// Whether the agent's warps wait for each other.
bool hasBarriers(const Agent &agent) {
  if (agent.numWarps == 1 || agent.isAlone())
    return false;
  return agent.region()
      .walk([](Operation *op) {
        auto barrier = dyn_cast<BarrierOp>(op);
        bool isOfAgent = barrier && !barrier.getWarp() && !barrier.getCluster();
        return isa<ConvertInRoundsOp>(op) || isOfAgent ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

struct AllocateNamedBarriers
    : tilegpu::impl::AllocateNamedBarriersBase<AllocateNamedBarriers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && failed(allocate(function)))
        return signalPassFailure();
  }

private:
  static LogicalResult allocate(FunctionOpInterface function) {
    unsigned next = firstBarrier;
    WalkResult result = function.walk([&](NamedBarrierOp op) {
      if (next == barriersOfCta)
        return WalkResult(diagnose(op));
      op.setId(next++);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    for (auto op : function.getFunctionBody().getOps<WarpSpecializeOp>())
      if (failed(allocate(op, next)))
        return failure();
    return success();
  }

  static LogicalResult allocate(WarpSpecializeOp op, unsigned next) {
    SmallVector<int32_t> ids;
    for (const Agent &agent : getAgents(op)) {
      bool needsOne = hasBarriers(agent);
      if (needsOne && next == barriersOfCta)
        return diagnose(op);
      ids.push_back(needsOne ? next++ : 0);
    }
    op.setBarrierIds(ids);
    return success();
  }

  static LogicalResult diagnose(Operation *op) {
    return op->emitOpError("expects the ")
           << barriersOfCta - firstBarrier
           << " barriers that a CTA has beside that of all its warps to be "
              "enough for named barriers and agents, but got more; use fewer "
              "named barriers or agents";
  }
};

} // namespace
