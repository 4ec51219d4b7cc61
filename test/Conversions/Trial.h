// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles conversions, runs them on the emulator with all its checks, and
// compares every register of every thread with what the layouts say, and what
// the emulator counts with what the plans say.

#ifndef TILEWRIGHT_TEST_CONVERSIONS_TRIAL_H
#define TILEWRIGHT_TEST_CONVERSIONS_TRIAL_H

#include "test/Conversions/Cases.h"

#include <map>

namespace tilewright::conversions {

/// What came of one conversion.
struct Outcome {
  /// What is wrong, or "".
  std::string problem;
  layout::Means means = layout::Means::Registers;
  /// Wavefronts beyond the fewest that the accesses' bytes take.
  unsigned conflicts = 0;
  /// What a warp executed on average that moves or picks data, by name: shared
  /// memory, shuffles, selects, permutations of bytes.
  std::map<std::string, unsigned> instructions;
};

/// The kernel of a conversion as IR: each thread loads every register of the
/// source layout from a place of its own, and stores every register of the
/// destination layout to a place of its own, copies included.
std::string writeKernel(const ConversionCase &conversion);

/// Runs conversions of one target, compiled together: an outcome each.
std::vector<Outcome> runTrial(const std::vector<ConversionCase> &conversions);

} // namespace tilewright::conversions

#endif // TILEWRIGHT_TEST_CONVERSIONS_TRIAL_H
