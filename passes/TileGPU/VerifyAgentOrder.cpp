// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that accesses to the same bytes of shared memory by different agents
// are in order.

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "passes/Analysis/AgentHazards.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_VERIFYAGENTORDER
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static LogicalResult diagnose(const AgentHazard &hazard) {
  switch (hazard.kind) {
  case AgentHazard::Unordered: {
    InFlightDiagnostic diagnostic = hazard.second->emitOpError(
        "expects barriers that order it with an access of the same bytes by "
        "another agent, but got none on some path; let the one arrive at a "
        "named barrier or an mbarrier behind its access and the other wait "
        "before its own");
    diagnostic.attachNote(hazard.first->getLoc())
        << "the other agent's access is here";
    return diagnostic;
  }
  case AgentHazard::ArrivesAgain:
    return hazard.first->emitOpError(
        "expects the arrival before it at the same barrier to be taken by a "
        "wait, but the agent may come here again before; let it wait for "
        "the other agent between");
  case AgentHazard::NeverTaken:
    return hazard.first->emitOpError(
        "expects a tilegpu.barrier_wait for each arrival, but the agents may "
        "end with one left");
  case AgentHazard::NeverEnds:
    return hazard.first->emitOpError(
        "expects agents that come to their ends in some order, but one waits "
        "here for an arrival that does not come");
  case AgentHazard::TooMany:
    break;
  }
  return hazard.first->emitOpError(
      "expects agents whose orders can be followed, but got too many; use "
      "fewer agents, named barriers, or accesses to shared memory");
}

namespace {
struct VerifyAgentOrder
    : tilegpu::impl::VerifyAgentOrderBase<VerifyAgentOrder> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      for (auto op : function.getFunctionBody().getOps<WarpSpecializeOp>())
        if (auto hazard = findAgentHazard(op, getOffset)) {
          (void)diagnose(*hazard);
          return signalPassFailure();
        }
  }
};
} // namespace
