// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families of register layouts, and random members of them.
//
// In: the shape of a tensor of rank 2, a number of warps, a random generator.
// Out: layouts (register, lane, warp) -> (dim0, dim1) that reach every element.

#ifndef TILEWRIGHT_TEST_CONVERSIONS_FAMILIES_H
#define TILEWRIGHT_TEST_CONVERSIONS_FAMILIES_H

#include "dialects/Layout/LinearLayout.h"

#include <random>

namespace tilewright::conversions {

/// The same numbers everywhere: distributions differ between standard
/// libraries.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// A number below `bound`.
  unsigned below(unsigned bound) { return engine() % bound; }
  /// A number from `first` to `last`.
  unsigned between(unsigned first, unsigned last) {
    return first + below(last - first + 1);
  }
  uint64_t bits() { return engine(); }

private:
  std::mt19937_64 engine;
};

/// A tensor and those who hold it, by log2 of each size.
struct Tensor {
  unsigned rows, columns, warps;
};

/// A family of layouts.
struct Family {
  const char *name;
  /// A member for the tensor.
  layout::LinearLayout (*make)(const Tensor &tensor, Random &random);
};

/// Every family, in the order of reports.
const std::vector<Family> &allFamilies();

} // namespace tilewright::conversions

#endif // TILEWRIGHT_TEST_CONVERSIONS_FAMILIES_H
