// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversions that are tried, by number.

#ifndef TILEWRIGHT_TEST_CONVERSIONS_CASES_H
#define TILEWRIGHT_TEST_CONVERSIONS_CASES_H

#include "dialects/Layout/ConversionPlan.h"
#include "dialects/Target/Target.h"
#include "test/Conversions/Families.h"

namespace tilewright::conversions {

/// One conversion.
struct ConversionCase {
  uint64_t number;
  const target::Target *target;
  unsigned elementBits;
  /// Indices of allFamilies().
  unsigned from, to;
  Tensor tensor;
  layout::LinearLayout source, destination;
  /// What the conversion is asked to be done by; none: the cheapest.
  std::optional<layout::Means> means;

  /// "case 7: m16n8 -> blocked-rows, 64x32, 16 bits, 4 warps, sm_80".
  std::string describe() const;
};

/// How the cases follow each other.
struct Enumeration {
  uint64_t seed;
  std::vector<const target::Target *> targets;
  /// What every conversion is asked to be done by; none: half of them as is
  /// cheapest, the others by shuffles, through shared memory, and in rounds,
  /// where they can be.
  std::optional<layout::Means> means;

  /// Successive cases of one target.
  static constexpr unsigned groupSize = 24;
  /// As many as have every pair of families with every element width on every
  /// target.
  uint64_t countOfAllPairs() const;
  ConversionCase getCase(uint64_t number) const;
};

} // namespace tilewright::conversions

#endif // TILEWRIGHT_TEST_CONVERSIONS_CASES_H
