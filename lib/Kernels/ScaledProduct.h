// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of products whose scales multiply sums (ScaledMatmul.cpp has what is
// asked of them).

#ifndef TILEWRIGHT_LIB_KERNELS_SCALEDPRODUCT_H
#define TILEWRIGHT_LIB_KERNELS_SCALEDPRODUCT_H

#include "lib/Kernels/CodedWeights.h"
#include "lib/Kernels/Pieces.h"

namespace tilewright::kernels {

/// Where in the signature things are, and what is known of them.
struct ScaledParameters {
  /// `columns`: of the weights, n or, of gates, 2 n.
  unsigned m = 0, n = 0, k = 0, columns = 0;
  unsigned a = 0, c = 0;
  /// Of operands of dots: a's type, or one that has its numbers and those of
  /// codes.
  ElementType product = ElementType::I8;
  /// Weights that are numbers, k x columns, or coded ones.
  std::optional<unsigned> w;
  std::optional<CodedWeights> coded;
  /// Of rows, or of rows and groups of columns; of columns, or of blocks of
  /// weights that are numbers.
  std::optional<unsigned> aScales, scales;
  /// Columns of a and rows of w that share scales (0: all), and columns of w.
  int64_t aGroup = 0, group = 0, block = 1;
  /// What is subtracted from a's rows, and the sums of w's columns.
  std::optional<unsigned> aZeros, sums;
  std::optional<unsigned> bias, residual, partial;
  Activation activation = Activation::None;
  /// Whether the second half of the columns multiplies the activation of the
  /// first one's.
  bool isGated = false;
  /// A power of two that divides n, as far as it is known.
  int64_t divisor = 1;
  /// Weights of which each row has one, by the rows' bounds; 0: one of all.
  int64_t experts = 0;
  std::optional<unsigned> offsets;
  /// Which row of a each row of c is of; none: the same one.
  std::optional<unsigned> rows;

  /// Where the scales of weights are multiplied.
  enum class Scaling : uint8_t {
    None,
    Weights,    ///< each weight
    Iterations, ///< what an iteration adds to the sums, of one group
    Sums,       ///< the sums of all iterations
  };
  /// By tiles with few rows or with many.
  Scaling weightScaling(bool isFewRows) const;
  bool addsScaled(bool isFewRows) const {
    return aGroup || weightScaling(isFewRows) == Scaling::Iterations;
  }
  /// What dots add to.
  ElementType dotType() const {
    return product == ElementType::I8 ? ElementType::I32 : ElementType::F32;
  }
  /// What iterations add to: that, or f32 where scales have been multiplied.
  ElementType sumType() const {
    return addsScaled(true) || addsScaled(false) ? ElementType::F32 : dotType();
  }
  /// The largest size of a tile along k, up to `size`, and no less than 16,
  /// that groups and words allow.
  int64_t depthTile(int64_t size, bool isFewRows) const;
  /// The same along n, where blocks have scales of their own.
  int64_t columnTile(int64_t size) const;
};

/// A tile of c, or of a part of its sums.
void scaledProduct(Reading &k, const ScaledParameters &p,
                   const Configuration &c);
/// A tile of c of the sum of so many parts, in their order.
void addScaledParts(Reading &k, const ScaledParameters &p,
                    const Configuration &c, int64_t parts);

/// Fills c by the formula, in float64.
void recomputeScaled(const Signature &signature, const ScaledParameters &p,
                     NamedArrays &tensors);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_SCALEDPRODUCT_H
