// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps between the coordinates of tensors, for ops that rearrange elements:
// result[c] = source[map(c)]. All sizes are powers of two.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_COORDINATEMAPS_H
#define TILEWRIGHT_DIALECTS_LAYOUT_COORDINATEMAPS_H

#include "dialects/Layout/LinearLayout.h"

#include <functional>
#include <span>

namespace tilewright::layout {

/// The map that sends result dimension d to source dimension `target(d)`, or
/// nowhere where that is negative. Bits that the source dimension does not have
/// (it has one element, and is broadcast) go nowhere either.
LinearLayout makeDimensionMap(std::span<const int64_t> result,
                              std::span<const int64_t> source,
                              const std::function<int(unsigned)> &target);

/// The map between two shapes that number the same elements in row-major order.
LinearLayout makeReshapeMap(std::span<const int64_t> result,
                            std::span<const int64_t> source);

/// The map between shapes of one rank in which each element of the source
/// serves neighbours of the result: c goes to c / (result size / source size)
/// in each dimension, whose sizes divide so.
LinearLayout makeGroupMap(std::span<const int64_t> result,
                          std::span<const int64_t> source);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_COORDINATEMAPS_H
