// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks barriers by another way than the one that places them: it lists which
// warp touches which byte, thread by thread, and follows every path from each
// access, op by op, with what has happened on it so far.
//
// It shares no code with SharedMemoryHazards and the footprints there, and uses
// no algebra of layouts beyond applying one.

#include "test/Passes/Barriers/Agents.h"
#include "test/Passes/Barriers/Paths.h"
#include "test/Passes/Barriers/ProxyFences.h"
#include "test/Passes/Passes.h"

namespace tilewright::test {
#define GEN_PASS_DEF_VERIFYBARRIERS
#include "test/Passes/Passes.h.inc"
} // namespace tilewright::test

using namespace mlir;
using namespace tilewright;
using namespace tilewright::test;
using namespace tilewright::tilegpu;

namespace {

struct VerifyBarriers : test::impl::VerifyBarriersBase<VerifyBarriers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && failed(verify(function)))
        signalPassFailure();
  }

private:
  static LogicalResult verify(FunctionOpInterface function) {
    TouchList touches;
    PathCheck check(function, touches);
    if (auto finding = check.run(function, nullptr, Role::AsItIs))
      return diagnose(*finding);
    if (auto finding = findMissingFence(function, touches))
      return diagnose(*finding);
    Counting counting(listRegions(function));
    for (auto op : function.getFunctionBody().getOps<WarpSpecializeOp>())
      if (auto finding = findUnknownAccess(op, counting, touches))
        return diagnoseAgents(*finding);
    LogicalResult result = success();
    SmallVector<BarrierOp> barriers;
    function.walk([&](BarrierOp op) {
      if (op.getShared())
        barriers.push_back(op);
    });
    for (BarrierOp op : barriers) {
      if (!check.run(function, op, Role::Absent)) {
        result = op.emitOpError("orders nothing that others do not: it can be "
                                "removed");
      } else if (!op.getWarp() && !check.run(function, op, Role::OfWarp)) {
        result = op.emitOpError("orders accesses of the same warps alone: a "
                                "barrier of the warp is enough");
      }
    }
    return result;
  }

  static LogicalResult diagnoseAgents(const Finding &finding) {
    if (finding.missing == Finding::TooLong)
      return finding.first->emitOpError("expects agents whose orders can be "
                                        "followed in 300000 states, but they "
                                        "have more");
    InFlightDiagnostic diagnostic = finding.second->emitOpError(
        "expects its agent to know that an access of the same bytes by another "
        "one is done, but it need not");
    diagnostic.attachNote(finding.first->getLoc()) << "that access is here";
    return diagnostic;
  }

  static LogicalResult diagnose(const Finding &finding) {
    constexpr StringLiteral names[] = {
        "a barrier of all warps", "a barrier", "a wait",
        "a proxy fence and a barrier behind it", "fewer orders"};
    StringRef missing = names[finding.missing];
    InFlightDiagnostic diagnostic = finding.second->emitOpError("expects ")
                                    << missing
                                    << " before it on every path from an "
                                       "access of the same bytes, but got "
                                       "none on one";
    diagnostic.attachNote(finding.first->getLoc()) << "that access is here";
    return diagnostic;
  }
};

} // namespace
