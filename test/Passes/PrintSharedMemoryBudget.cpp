// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/IR/BuiltinOps.h"
#include "passes/Analysis/SharedLiveness.h"
#include "test/Passes/Passes.h"

namespace tilewright::test {
#define GEN_PASS_DEF_PRINTSHAREDMEMORYBUDGET
#include "test/Passes/Passes.h.inc"
} // namespace tilewright::test

using namespace mlir;
using namespace tilewright;

namespace {

struct PrintSharedMemoryBudget
    : test::impl::PrintSharedMemoryBudgetBase<PrintSharedMemoryBudget> {
  void runOnOperation() override {
    const target::Target *target = tilegpu::requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      tilegpu::SharedMemoryBudget budget(function, *target);
      function.walk([&](tilegpu::ConvertLayoutOp op) {
        op.emitRemark() << budget.getFreeBytes(op) << " of "
                        << budget.getLimit() << " bytes are free";
      });
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
