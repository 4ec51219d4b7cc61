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
  /// Of finite elements, the sums of squared errors and of squared numbers.
  double squaredErrors = 0, squares = 0;
  /// The root mean square error, in that of the numbers.
  double relativeError() const;
  /// Microseconds of all launches, the median; 0 where not timed.
  double microseconds = 0;
  /// The first wrong element, in words.
  std::string first;
};

/// Compiles, runs and judges. `repeat`: launches to time. Fails where the
/// kernels do not compile, the device finds a fault, or what their texts give
/// in float64 is not what `problem`, where given, says by itself.
Result<TrialReport> tryOut(const std::vector<Kernel> &kernels,
                           run::ExecutionDevice &device,
                           const CompileOptions &options, uint64_t seed,
                           unsigned repeat, const Problem *problem = nullptr);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_TRIAL_TRIAL_H
