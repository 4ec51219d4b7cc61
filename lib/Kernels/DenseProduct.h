// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense products as launches: of an operator of their own, or of one that makes
// an operand in a launch before.

#ifndef TILEWRIGHT_LIB_KERNELS_DENSEPRODUCT_H
#define TILEWRIGHT_LIB_KERNELS_DENSEPRODUCT_H

#include "lib/Kernels/Operator.h"
#include "lib/Kernels/ProductEpilogue.h"

#include <optional>

namespace tilewright::kernels {

/// c = epilogue(a b), of a: [batch x] m x k, b: [batch x] k x n, c: [batch x]
/// m x n. All are indices in a signature.
struct DenseProduct {
  /// How many products; none: one, of tensors of two dimensions.
  std::optional<unsigned> batch;
  unsigned m = 0, n = 0, k = 0;
  unsigned a = 0, b = 0, c = 0;
  Precision precision = Precision::Full;
  ProductEpilogue epilogue;

  /// Ways to cut it up, the plain one first: tiles of rows, columns and depth.
  std::vector<Configuration> configurations(const Signature &signature) const;
  /// Its launch, `name`, or two where the sum is split, of which the other adds
  /// the parts that the first one keeps in a workspace.
  std::vector<Kernel> kernels(const std::string &name,
                              const Signature &signature,
                              const Configuration &c) const;
};

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_DENSEPRODUCT_H
