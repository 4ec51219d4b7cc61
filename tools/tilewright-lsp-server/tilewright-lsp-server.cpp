// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright-lsp-server: diagnostics, hover and go-to-definition for .mlir and
// .ttir files in an editor.

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "passes/Pipelines/Pipelines.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
