// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What formulas of operators are made of: plain float64, which shares nothing
// with the kernels' texts and judges them (Problem::recompute).

#ifndef TILEWRIGHT_LIB_KERNELS_FORMULA_H
#define TILEWRIGHT_LIB_KERNELS_FORMULA_H

#include "lib/Kernels/CodedWeights.h"
#include "lib/Kernels/ProductEpilogue.h"

#include <initializer_list>

namespace tilewright::kernels {

/// A tensor's elements by their coordinates.
class Elements {
public:
  Elements(const Signature &signature, unsigned index, NamedArrays &arrays)
      : strides(signature.stridesOf(signature.tensors[index])),
        values(&arrays[signature.tensors[index].name].values) {}
  /// Coordinates of dimensions that the tensor lacks come first, as experts do.
  double &at(std::initializer_list<int64_t> place) const {
    int64_t offset = 0;
    size_t d = place.size() - strides.size();
    for (size_t s = 0; s < strides.size(); ++s)
      offset += strides[s] * *(place.begin() + d + s);
    return (*values)[offset];
  }

private:
  std::vector<int64_t> strides;
  std::vector<double> *values;
};

/// Coded weights by their rows and columns.
class WeightFormula {
public:
  WeightFormula(const Signature &signature, const CodedWeights &weights,
                NamedArrays &arrays);
  /// Of row `z` and column `y` of expert `e`: the weight, and its code, 0
  /// beyond the words.
  double at(int64_t e, int64_t z, int64_t y) const;
  uint64_t codeAt(int64_t e, int64_t z, int64_t y) const;

private:
  std::optional<Elements> find(std::optional<unsigned> index) const {
    return index ? std::optional(Elements(s, *index, arrays)) : std::nullopt;
  }
  /// Where in the words' tensor its code is: row, column, and which of the
  /// word's codes.
  std::array<int64_t, 3> place(int64_t z, int64_t y) const;

  const Signature &s;
  const CodedWeights &weights;
  NamedArrays &arrays;
  Elements words;
  std::optional<Elements> scales, zeros, book;
  int64_t rows, columns;                      ///< that have codes
  std::optional<layout::OrderedWords> places; ///< of prepacked words
};

/// What becomes of a finished sum, at row `x` and column `y` of c.
double finished(double sum, const ProductEpilogue &epilogue,
                const Signature &signature, NamedArrays &arrays, int64_t x,
                int64_t y);

double activated(double x, Activation activation);

/// A number as a tensor of that type has it: infinite, where f16 does not hold
/// it.
double overflown(double x, ElementType type);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_FORMULA_H
