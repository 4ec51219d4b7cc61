// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a launch takes, by what it does: the one place that the choice of
// configurations asks.

#ifndef TILEWRIGHT_LIB_KERNELS_PREDICTION_H
#define TILEWRIGHT_LIB_KERNELS_PREDICTION_H

#include "dialects/Target/Machine.h"
#include "lib/Kernels/Counting.h"
#include "lib/Kernels/Operator.h"

namespace tilewright::kernels {

/// What one CTA takes of a multiprocessor.
struct Footprint {
  double sharedBytes = 0;
  /// Of a thread.
  double registers = 0;
  /// CTAs of a multiprocessor at a time; 0: it does not fit.
  unsigned occupancy = 0;
  /// Why it does not; empty where it does.
  std::string refusal;
};
Footprint estimateFootprint(const Kernel &kernel, const Counts &counts,
                            const target::Target &target);

struct Prediction {
  double seconds = 0;
  /// What bounds it.
  std::string_view bound;
};
Prediction predict(const Kernel &kernel, const Counts &counts,
                   const Footprint &footprint, const target::Target &target,
                   const target::Machine &machine);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_PREDICTION_H
