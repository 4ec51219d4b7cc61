// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long types and attributes are when they are written out. A few aliases,
// each with the one before twice, stand for a type of 2^40 letters: whatever
// prints it, a diagnostic say, would never end.

#ifndef TILEWRIGHT_LIB_COMPILER_WRITTENSIZE_H
#define TILEWRIGHT_LIB_COMPILER_WRITTENSIZE_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::compiler {

/// Types and attributes that one may have in it, each counted as often as it is
/// there. Those of kernels have some tens, locations of inlined functions
/// hundreds.
inline constexpr uint64_t maximumWrittenSize = 1 << 16;

/// Emits an error at the first definition of an alias in `text` (of `fileName`)
/// that stands for more, or for what is nested more deeply than
/// maximumNesting.
llvm::LogicalResult verifyAliases(llvm::StringRef text,
                                  llvm::StringRef fileName,
                                  mlir::MLIRContext &context);

/// Emits an error at the first operation of the module with such a type or
/// attribute, which definitions of several lines can have. Locations do not
/// count.
llvm::LogicalResult verifyWrittenSizes(mlir::ModuleOp module);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_WRITTENSIZE_H
