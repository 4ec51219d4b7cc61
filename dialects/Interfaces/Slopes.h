// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By how much integers grow with something: with a program's number, say.

#ifndef TILEWRIGHT_DIALECTS_INTERFACES_SLOPES_H
#define TILEWRIGHT_DIALECTS_INTERFACES_SLOPES_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace tilewright {

/// By how much a value grows, about, as something else grows by one; none where
/// that is not known.
using Slope = std::optional<double>;

/// That of the only result of `op`, integer arithmetic, by those of its
/// operands: sums and differences, products and quotients by constants,
/// extensions, minima and maxima of what does not go opposite ways. None for
/// other ops, and for what is at most a constant (what is left of a chunk, less
/// in the last one alone).
Slope inferSlope(mlir::Operation *op, llvm::ArrayRef<Slope> operands);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECTS_INTERFACES_SLOPES_H
