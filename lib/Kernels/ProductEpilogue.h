// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a product goes through on its way to memory.

#ifndef TILEWRIGHT_LIB_KERNELS_PRODUCTEPILOGUE_H
#define TILEWRIGHT_LIB_KERNELS_PRODUCTEPILOGUE_H

#include "lib/Kernels/Pieces.h"

#include <optional>

namespace tilewright::kernels {

/// activation(scale * sum + bias) + residual. The tensors and the number are
/// indices in the signature; the bias has an element for each column.
struct ProductEpilogue {
  Activation activation = Activation::None;
  std::optional<unsigned> scale, bias, residual;

  bool isNone() const {
    return activation == Activation::None && !scale && !bias && !residual;
  }
  /// Stores what becomes of `sum`, the elements of `box` of the tensor
  /// `result`, whose last dimensions are rows and columns. `isTransposed`: sum
  /// has columns first.
  void store(Reading &k, unsigned result, const Box &box, const Value &sum,
             bool isTransposed = false) const;
};

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_PRODUCTEPILOGUE_H
