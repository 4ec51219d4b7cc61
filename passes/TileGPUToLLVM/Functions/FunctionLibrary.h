// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of floats that the hardware has no instruction for. Each that a
// module uses becomes one internal LLVM function of it, which the optimizer
// inlines: no library is read. Error bounds: docs/Numbers.md.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_FUNCTIONLIBRARY_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_FUNCTIONLIBRARY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace tilewright::functions {

/// A letter for each type of a function, the result's first: r for f32 or f64,
/// the same everywhere, i for i32; "" where none of that name gives one number.
/// Names are C's, without the `f` of its float form: "sin", "log1p".
llvm::StringRef getSignature(llvm::StringRef name);

/// Calls the function of that name on operands of its signature. Beside those
/// that give one number there is "sincos", of a number: a structure of two.
mlir::Value callFunction(mlir::OpBuilder &builder, mlir::Location location,
                         llvm::StringRef name, mlir::ValueRange operands);

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_FUNCTIONLIBRARY_H
