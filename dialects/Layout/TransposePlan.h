// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout conversions that an instruction for the transposition of 8x8 matrices
// in registers does (PTX ISA, "movmatrix").
//
// In: the map of a conversion. Out: which registers form the matrices and where
// the results go, as data, which passes/TileGPUToLLVM emits and
// ConversionPlan.h prices. It knows no target.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_TRANSPOSEPLAN_H
#define TILEWRIGHT_DIALECTS_LAYOUT_TRANSPOSEPLAN_H

#include "dialects/Layout/Conversion.h"

namespace tilewright::layout {

/// One conversion by transpositions of matrices of 16-bit elements, of which a
/// lane holds two, in one word.
struct TransposePlan {
  /// Source registers of a matrix's word, the lower half first.
  struct Word {
    unsigned low, high;
  };
  /// Half of a transposed matrix's word.
  struct Part {
    unsigned word;
    bool isHigh;
  };
  std::vector<Word> words;
  /// For each destination register where it is.
  std::vector<Part> values;
};

/// The plan of `conversion`, of 16-bit elements; none where its map is not the
/// transposition of 8x8 matrices up to the numbers of registers.
std::optional<TransposePlan> planTransposition(const Conversion &conversion);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_TRANSPOSEPLAN_H
