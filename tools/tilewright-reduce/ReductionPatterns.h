// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tilewright-reduce tries besides removing runs of operations.

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_REDUCE_REDUCTIONPATTERNS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_REDUCE_REDUCTIONPATTERNS_H

namespace mlir {
class Dialect;
} // namespace mlir

namespace tilewright::reduce {

/// Lets the reducer's passes simplify operations of all dialects by the edits
/// of Edits.h, each only where the tester still finds the result interesting.
/// To be called for one dialect.
void addReductionPatterns(mlir::Dialect *dialect);

} // namespace tilewright::reduce

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_REDUCE_REDUCTIONPATTERNS_H
