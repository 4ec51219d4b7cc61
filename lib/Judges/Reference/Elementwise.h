// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of numbers, applied to each element of an operation's operands.

#ifndef TILEWRIGHT_LIB_JUDGES_REFERENCE_ELEMENTWISE_H
#define TILEWRIGHT_LIB_JUDGES_REFERENCE_ELEMENTWISE_H

#include "lib/Judges/Reference/Interpreter.h"

namespace tilewright::reference {

/// Sets the op's first result to what `function` gives for each index of an
/// element.
inline mlir::LogicalResult
setElements(Interpreter &interpreter, mlir::Operation *op,
            llvm::function_ref<Element(size_t)> function) {
  mlir::Value result = op->getResult(0);
  RuntimeValue value = RuntimeValue::uninitialized(getShape(result.getType()));
  for (auto [index, element] : llvm::enumerate(value.elements))
    element = function(index);
  interpreter.set(result, std::move(value));
  return mlir::success();
}

} // namespace tilewright::reference

#endif // TILEWRIGHT_LIB_JUDGES_REFERENCE_ELEMENTWISE_H
