// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What no NVIDIA target compiles through LLVM whatever its capabilities: types
// (128-bit integers, scalable vectors), and forms of admitted operations
// (dynamic allocas, initialised shared memory, unknown memory scopes). Private
// to the target verifier.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_VERIFYTARGET_TYPESANDFORMS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_VERIFYTARGET_TYPESANDFORMS_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace tilewright::tilegpu {

/// Checks the types of `op`'s operands and results, and its form. Emits an
/// error for the first violation.
llvm::LogicalResult checkTypesAndForm(mlir::Operation *op);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_VERIFYTARGET_TYPESANDFORMS_H
