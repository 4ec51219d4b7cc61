// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a kernel, runs it on the emulator with all its checks or on a GPU,
// and compares with the reference. Comes in: a kernel and its launch. Goes out:
// whether they agree, or what went wrong.

#ifndef TILEWRIGHT_TEST_RANDOM_TRIAL_H
#define TILEWRIGHT_TEST_RANDOM_TRIAL_H

#include "test/Random/KernelCase.h"

namespace tilewright::fuzz {

/// What came of a kernel. The first three are results of the compiler, the
/// others of the test itself.
enum class Verdict : uint8_t {
  /// Compiled, and the device and the reference agree.
  Passed,
  /// A diagnostic that a user may expect for such a kernel: it needs more of a
  /// resource than the target has.
  Refused,
  /// Another diagnostic of the compiler.
  Rejected,
  /// The device reports a fault, or cannot run what was compiled.
  Faulted,
  /// Results differ.
  Differs,
  /// The process ended; see the tool.
  Crashed,
  TimedOut,
  /// The generator made a kernel that is no valid tile IR, or does something
  /// undefined.
  Invalid,
};

/// "passed", "refused", ...
const char *getName(Verdict verdict);
/// Whether the compiler did as it should.
inline bool isGood(Verdict verdict) {
  return verdict == Verdict::Passed || verdict == Verdict::Refused;
}

struct Outcome {
  Verdict verdict = Verdict::Passed;
  /// Diagnostics, faults, or the first difference.
  std::string message;
};

/// Runs the case on the first GPU (`onGpu`) or the emulator.
Outcome runTrial(const KernelCase &kernel, bool onGpu);

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_RANDOM_TRIAL_H
