// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of a kernel: what `tilewright run` does once its command line is
// read. In: an artifact, a device, arguments, a grid, what to expect. Out: a
// report, output files, and lines of text through a callback. It parses no
// command line and opens no artifact.

#ifndef TILEWRIGHT_LIB_RUN_RUN_H
#define TILEWRIGHT_LIB_RUN_RUN_H

#include "lib/Run/Arguments.h"
#include "lib/Run/ExecutionDevice.h"

#include <functional>

namespace tilewright::run {

/// What to run.
struct RunOptions {
  /// Name of the kernel; may be empty when the artifact has one.
  std::string kernel;
  runtime::Dimensions grid;
  /// One for each parameter of the kernel, in order (parseArgument). An array
  /// goes where the kernel wants a pointer or a descriptor (whose shape and
  /// strides are then those of the array in C order), a scalar where it wants a
  /// number.
  std::vector<RunArgument> arguments;
  /// Checked after the first launch (parseExpectation).
  std::vector<Expectation> expectations;
  /// Launches to time after the first; 0: none. They run on the memory that the
  /// launches before have left.
  unsigned repeat = 0;
  /// Launches before these, to warm up.
  unsigned warmup = 3;
};

/// One expectation's outcome.
struct CheckedArgument {
  size_t argument = 0;
  Comparison comparison;
};

/// What happened.
struct RunReport {
  std::string kernel;
  std::string device;
  std::string image;
  /// The arrays after the first launch, by argument; scalars as they were.
  std::vector<HostTensor> results;
  std::vector<CheckedArgument> checks;
  /// Microseconds on the device, when timed.
  std::optional<double> medianMicroseconds;
  double minimumMicroseconds = 0;
  double maximumMicroseconds = 0;

  /// Whether every expectation was met.
  bool matches() const;
};

/// Takes text: whole lines, with their ends.
using PrintFunction = std::function<void(std::string_view)>;

/// Copies the arrays to the device, launches once, waits, copies the arrays
/// back, writes the output files, compares, then times. Prints a table of one
/// row, and a line for each comparison. An unmet expectation is no error: see
/// RunReport::matches(). `print` may be empty.
Result<RunReport> runArtifact(const runtime::Artifact &artifact,
                              ExecutionDevice &device,
                              const RunOptions &options,
                              const PrintFunction &print);

/// Parses "64", "64x2" or "64x2x1" (',' in place of 'x' too).
Result<runtime::Dimensions> parseDimensions(std::string_view text);

} // namespace tilewright::run

#endif // TILEWRIGHT_LIB_RUN_RUN_H
