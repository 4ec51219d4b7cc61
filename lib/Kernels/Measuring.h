// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long configurations take, by the device's clock: asked for by people
// (`tilewright kernels tune`) or, where they said so, at the first call of a
// plan. What was measured goes before what is predicted.

#ifndef TILEWRIGHT_LIB_KERNELS_MEASURING_H
#define TILEWRIGHT_LIB_KERNELS_MEASURING_H

#include "lib/Kernels/Choice.h"
#include "lib/Kernels/Execution.h"

namespace tilewright::kernels {

/// What came of one configuration on a device.
struct Measurement {
  Configuration configuration;
  /// Of all its launches, the median.
  double seconds = 0;
  /// Why it did not run, in a line; empty where it did.
  std::string failure;
};

struct MeasuringOptions {
  /// How many configurations are to be timed.
  unsigned most = 8;
  /// Times of each, of which the median counts.
  unsigned repeat = 10;
  /// Of the random inputs.
  uint64_t seed = 0;
  /// So many bytes of them are read before the same ones are read again, so
  /// that a cache of half as many has none of them: a product's weights are
  /// used once in a while. 0: the same ones each time.
  uint64_t coldBytes = 0;
  /// Has the inputs come from the memory of `device`.
  void passL2(const target::Device &device) { coldBytes = 2 * device.l2Bytes; }
  /// Told of each candidate that was tried.
  std::function<void(const Candidate &, const Measurement &)> onMeasured = {};
};

/// Times the first candidates, with inputs of their own. One that does not
/// compile, load or launch has its reason, and the next is tried in its place,
/// up to twice as many as are wanted. Fails where the device takes no memory,
/// or no work any more.
Result<std::vector<Measurement>> measure(std::span<const Candidate> candidates,
                                         const Problem &problem,
                                         run::ExecutionDevice &device,
                                         const CompileKernel &compile,
                                         const MeasuringOptions &options);

/// Puts the measured candidates in front, the fastest first, and refuses those
/// that failed.
void applyMeasurements(std::span<const Measurement> measurements,
                       std::vector<Candidate> &candidates);

/// As text that parseMeasurements() takes: a line each.
std::string toText(std::span<const Measurement> measurements);
std::optional<std::vector<Measurement>>
parseMeasurements(std::string_view text);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_MEASURING_H
