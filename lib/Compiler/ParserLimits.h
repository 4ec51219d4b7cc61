// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a text may ask of the parser. It, the verifier and passes call
// themselves for what is within what, so that a text could make them run out of
// stack; and it keeps a place for each result of a value's number, so that one
// number could make it run out of memory.

#ifndef TILEWRIGHT_LIB_COMPILER_PARSERLIMITS_H
#define TILEWRIGHT_LIB_COMPILER_PARSERLIMITS_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::compiler {

/// Brackets within each other, and regions within each other, that a module may
/// have. Kernels have some twenty; a stack of 8 MiB has room for thousands.
inline constexpr unsigned maximumNesting = 256;

/// Emits an error at the first bracket of `text` (of `fileName`) that is nested
/// more deeply, whatever the text is. Strings and comments do not count.
llvm::LogicalResult verifyTextNesting(llvm::StringRef text,
                                      llvm::StringRef fileName,
                                      mlir::MLIRContext &context);

/// Numbers of results, as in `%tile#7`, are below this. An operation of a
/// kernel has as many as a loop carries values.
inline constexpr unsigned maximumResults = 65536;

/// Emits an error at the first number of a result in `text` that is larger,
/// whatever the text is. Strings and comments do not count.
llvm::LogicalResult verifyResultNumbers(llvm::StringRef text,
                                        llvm::StringRef fileName,
                                        mlir::MLIRContext &context);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_PARSERLIMITS_H
