// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops on integers are the arithmetic of indices and of their bounds, for
// those who follow both through a kernel and need not know the ops' names.

#ifndef TILEWRIGHT_DIALECTS_INTERFACES_INDEXARITHMETIC_H
#define TILEWRIGHT_DIALECTS_INTERFACES_INDEXARITHMETIC_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace tilewright {

/// What an op on integers, or on tiles of them element by element, gives of its
/// operands a, b (and c).
enum class IndexOp {
  Sum,
  Difference,
  Product,
  /// a / b, as signed numbers, towards zero.
  SignedQuotient,
  /// a * 2^b.
  ShiftLeft,
  /// a, as a signed number of other bits: where they are fewer it fits, as the
  /// first assumption of AxisInfo.h says.
  Resize,
  SignedMinimum,
  SignedMaximum,
  UnsignedMinimum,
  /// a < b, and so on, of signed numbers; a < b of unsigned ones.
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  UnsignedLess,
  /// Of truth values.
  And,
  /// a ? b : c.
  Select,
};

/// What `op` computes; none where it is nothing of these.
std::optional<IndexOp> getIndexOp(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECTS_INTERFACES_INDEXARITHMETIC_H
