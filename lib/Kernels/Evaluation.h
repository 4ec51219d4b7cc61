// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reading of a kernel that computes on the host: every float in float64,
// unrounded, and beside it a bound of how far what the compiled kernel computes
// may be from it. The bound follows each value through the kernel (running
// error analysis: N. Higham, "Accuracy and Stability of Numerical Algorithms",
// 2nd ed., section 3.3): roundings to the types that the text names, sums in
// any order, functions within 2^-22. Where nothing is rounded, as with integers
// of a few bits, it is 0: the kernel is to give that number.

#ifndef TILEWRIGHT_LIB_KERNELS_EVALUATION_H
#define TILEWRIGHT_LIB_KERNELS_EVALUATION_H

#include "lib/Kernels/Notation.h"

namespace tilewright::kernels {

/// The contents of one tensor: an element for each place from the first to the
/// last, strides included.
struct Array {
  std::vector<double> values;
  /// |computed - values| is at most this.
  std::vector<double> bounds;
};

/// How many programs a launch has.
struct Grid {
  int64_t x = 1, y = 1, z = 1;
  int64_t programs() const { return x * y * z; }
};

/// Runs `text` for each program of `grid` on `arrays`, one for each tensor of
/// the signature. Fails where a box leaves its tensor in a dimension that the
/// kernel does not mask.
Result<void> evaluate(const Signature &signature, const Grid &grid,
                      const std::function<void(Reading &)> &text,
                      std::vector<Array> &arrays);

/// How far rounding to a type may move a number: a factor of it, and a distance
/// (half of the smallest subnormal).
struct Rounding {
  double relative = 0, absolute = 0;
};
Rounding roundingOf(ElementType type);
/// The largest finite number of a floating-point type.
double largestOf(ElementType type);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_EVALUATION_H
