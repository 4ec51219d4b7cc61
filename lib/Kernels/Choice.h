// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which configuration a problem gets: each is counted (Counting.h), refused
// where it exceeds what a CTA of the target has, predicted (Prediction.h), and
// the fastest is taken. The plain configuration is never refused, so that there
// is always one (but for problems beyond what a grid can be).

#ifndef TILEWRIGHT_LIB_KERNELS_CHOICE_H
#define TILEWRIGHT_LIB_KERNELS_CHOICE_H

#include "dialects/Target/Device.h"
#include "lib/Kernels/Operator.h"

namespace tilewright::kernels {

/// A configuration and what is thought of it.
struct Candidate {
  Configuration configuration;
  /// Predicted, of all launches; 0 where refused.
  double seconds = 0;
  /// The same by the compiler's estimate of its code, where that was asked for
  /// (Refinement.h).
  std::optional<double> estimate = {};
  /// The same by a device's clock, where that was asked for (Measuring.h).
  std::optional<double> measured = {};
  /// Why it cannot be; empty where it can.
  std::string refusal;
  /// What bounds the time: "memory", "matrix units".
  std::string bound;
};

/// All candidates, those that can be first, by their predicted time; of equal
/// ones the earlier configuration. There always is one that can be, unless the
/// problem has more programs than any grid.
std::vector<Candidate> rank(const Problem &problem,
                            const target::Target &target,
                            const target::Device &device);

/// The device of that name as predictions know it: its row, or else that of the
/// target, with this number of multiprocessors.
target::Device modelDevice(std::string_view name, int multiprocessors,
                           const target::Target &target);

/// The first candidates and those refused, a line each: what `--explain` says.
std::string explain(const std::vector<Candidate> &candidates, size_t most);

/// The best configuration, or the one `wanted`, or the error that it is none of
/// the problem's (with the nearest few that are), or cannot be (with the
/// reason).
Result<Configuration> choose(const std::vector<Candidate> &candidates,
                             const std::optional<Configuration> &wanted);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_CHOICE_H
