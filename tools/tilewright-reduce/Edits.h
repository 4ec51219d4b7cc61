// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways to make a program smaller at one operation. None keeps the program's
// meaning; each gives a valid program where it can be applied, mostly, and ends
// (an operation is removed, or an attribute or argument).

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_REDUCE_EDITS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_REDUCE_EDITS_H

#include "mlir/IR/PatternMatch.h"

namespace tilewright::reduce {

/// How many edits there are for an operation. Not all of them apply.
unsigned countEdits(mlir::Operation *operation);

/// Makes an edit, which is below `countEdits`, or fails and leaves everything
/// as it is.
llvm::LogicalResult applyEdit(unsigned number, mlir::Operation *operation,
                              mlir::RewriterBase &rewriter);

} // namespace tilewright::reduce

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_REDUCE_EDITS_H
