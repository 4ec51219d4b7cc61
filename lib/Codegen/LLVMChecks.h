// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands between an llvm::Module and an abort of the back end: LLVM's
// errors as MLIR diagnostics, and checks of the module for what NVPTX cannot
// compile. Private to lib/Codegen.

#ifndef TILEWRIGHT_LIB_CODEGEN_LLVMCHECKS_H
#define TILEWRIGHT_LIB_CODEGEN_LLVMCHECKS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <string>
#include <utility>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace tilewright::codegen {

/// Where LLVM's errors of one translation go. It must outlive the context
/// that it is installed in.
struct DiagnosticState {
  explicit DiagnosticState(mlir::ModuleOp module) : module(module) {}
  mlir::ModuleOp module;
  bool sawError = false;
};

/// Reports LLVM's errors and warnings as MLIR diagnostics, at the debug
/// location if LLVM knows one, or else at the function's or the module's.
void installDiagnosticHandler(llvm::LLVMContext &context,
                              DiagnosticState &state);

/// Rewrites the paths of all debug-info files by a prefix map, and such that
/// every assembler takes them: without '"' and '\\', of at most 4,095 bytes.
void mapSourcePaths(
    llvm::Module &llvmModule,
    llvm::ArrayRef<std::pair<std::string, std::string>> prefixMap);

/// Emits an error for each function that is used and defined nowhere, except
/// those that the CUDA driver provides.
llvm::LogicalResult checkCallees(mlir::ModuleOp module,
                                 const llvm::Module &llvmModule);

/// Emits an error for each intrinsic call that the NVPTX back end would abort
/// on. LLVM's optimiser can form such calls from others.
llvm::LogicalResult checkSelectable(mlir::ModuleOp module,
                                    const llvm::Module &llvmModule);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_LLVMCHECKS_H
