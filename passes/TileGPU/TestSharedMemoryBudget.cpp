// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass `--test-print-shared-memory-budget`: says at each layout conversion
// how many bytes of shared memory it may have, and changes nothing.

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/SharedLiveness.h"

using namespace mlir;

namespace tilewright::tilegpu {

namespace {
struct TestPrintSharedMemoryBudgetPass
    : PassWrapper<TestPrintSharedMemoryBudgetPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintSharedMemoryBudgetPass)

  StringRef getArgument() const override {
    return "test-print-shared-memory-budget";
  }
  StringRef getDescription() const override {
    return "Print the bytes of shared memory that each conversion may have";
  }

  void runOnOperation() override {
    const target::Target *target =
        target::lookup(lookupTargetName(getOperation()));
    if (!target) {
      getOperation().emitError("expects a module that names its target");
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      SharedMemoryBudget budget(function, *target);
      function.walk([&](ConvertLayoutOp op) {
        op.emitRemark() << budget.getFreeBytes(op) << " of "
                        << budget.getLimit() << " bytes are free";
      });
    }
    markAllAnalysesPreserved();
  }
};
} // namespace

void registerTestPrintSharedMemoryBudgetPass() {
  PassRegistration<TestPrintSharedMemoryBudgetPass>();
}

} // namespace tilewright::tilegpu
