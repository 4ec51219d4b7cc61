// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A problem on a device beside its float64 reading: random inputs, launches,
// every element of every output within its bound, and nothing written anywhere
// else.

#ifndef TILEWRIGHT_LIB_KERNELS_TRIAL_TRIAL_H
#define TILEWRIGHT_LIB_KERNELS_TRIAL_TRIAL_H

#include "lib/Kernels/Operator.h"
#include "lib/Run/ExecutionDevice.h"
#include "tilewright/CompileOptions.h"

namespace tilewright::kernels {

/// What came of a trial.
struct TrialReport {
  uint64_t elements = 0, wrong = 0;
  /// Of which no bound allows another number than the expected one.
  uint64_t exact = 0;
  /// The largest |computed - expected| / bound, over elements with a bound.
  double worst = 0;
  /// Microseconds of all launches, the median; 0 where not timed.
  double microseconds = 0;
  /// The first wrong element, in words.
  std::string first;
};

/// Compiles, runs and, if asked to, judges. `repeat`: launches to time. Fails
/// where the kernels do not compile, or the device finds a fault.
Result<TrialReport> tryOut(const std::vector<Kernel> &kernels,
                           run::ExecutionDevice &device,
                           const CompileOptions &options, uint64_t seed,
                           unsigned repeat, bool isJudged = true);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_TRIAL_TRIAL_H
