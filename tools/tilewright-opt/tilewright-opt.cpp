// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright-opt: runs passes and pipelines on IR at any level, for tests and
// for looking into the compiler.

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/Pipelines/Pipelines.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerAllDialects(registry);
  tilewright::registerAllPasses();
  tilewright::registerPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Tilewright's modular optimizer driver\n", registry));
}
