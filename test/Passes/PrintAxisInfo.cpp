// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/IR/BuiltinOps.h"
#include "passes/Analysis/AxisAnalysis.h"
#include "test/Passes/Passes.h"

namespace tilewright::test {
#define GEN_PASS_DEF_PRINTAXISINFO
#include "test/Passes/Passes.h.inc"
} // namespace tilewright::test

using namespace mlir;
using namespace tilewright;

namespace {

struct PrintAxisInfo : test::impl::PrintAxisInfoBase<PrintAxisInfo> {
  void runOnOperation() override {
    getAnalysis<tilegpu::AxisAnalysis>().print(llvm::errs());
    markAllAnalysesPreserved();
  }
};

} // namespace
