// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass `--test-print-axis-info`: prints the axis analysis of a module to
// the standard error stream, and changes nothing.

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/TileToTileGPU/AxisAnalysis.h"

using namespace mlir;

namespace tilewright::tilegpu {

namespace {
struct TestPrintAxisInfoPass
    : PassWrapper<TestPrintAxisInfoPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintAxisInfoPass)

  StringRef getArgument() const override { return "test-print-axis-info"; }
  StringRef getDescription() const override {
    return "Print what the axis analysis knows of each integer and pointer";
  }

  void runOnOperation() override {
    getAnalysis<AxisAnalysis>().print(llvm::errs());
    markAllAnalysesPreserved();
  }
};
} // namespace

std::unique_ptr<Pass> createTestPrintAxisInfoPass() {
  return std::make_unique<TestPrintAxisInfoPass>();
}

void registerTestPrintAxisInfoPass() {
  PassRegistration<TestPrintAxisInfoPass>();
}

} // namespace tilewright::tilegpu
