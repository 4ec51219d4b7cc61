// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright-reduce: makes a file of IR smaller while a script still finds in
// it what is looked for (see docs/Testing.md).

#include "dialects/Triton/Triton.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "passes/Pipelines/Pipelines.h"
#include "tools/tilewright-reduce/ReductionPatterns.h"

using namespace tilewright;

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registry.addExtension(+[](mlir::MLIRContext *, tt::TritonDialect *dialect) {
    reduce::addReductionPatterns(dialect);
  });
  // For --opt-reduction-pass.
  registerAllPasses();
  registerPipelines();
  mlir::MLIRContext context(registry);
  // Variants that do not verify are expected, and not the user's concern.
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
      llvm::errs() << "tilewright-reduce: warning: " << diagnostic << "\n";
  });
  context.loadDialect<tt::TritonDialect>();
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
