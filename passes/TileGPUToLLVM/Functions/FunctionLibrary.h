// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of floats that the hardware has no instruction for. Each that a
// module uses becomes one internal LLVM function of it, which the optimizer
// inlines: no library is read. Error bounds: docs/Numbers.md.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_FUNCTIONLIBRARY_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_FUNCTIONLIBRARY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace tilewright::functions {

/// The number of operands of a function; nothing where there is none of that
/// name. Names are C's, without the `f` of its float form: "sin", "log1p".
std::optional<unsigned> getArity(llvm::StringRef name);

/// Calls the function of that name on operands of f32 or f64, all of one type,
/// which is also the result's.
mlir::Value callFunction(mlir::OpBuilder &builder, mlir::Location location,
                         llvm::StringRef name, mlir::ValueRange operands);

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_FUNCTIONLIBRARY_H
