// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_EMULATOR_MACHINE_LAUNCH_H
#define TILEWRIGHT_LIB_EMULATOR_MACHINE_LAUNCH_H

#include "lib/Emulator/Machine/GlobalMemory.h"
#include "lib/Emulator/Machine/Program.h"
#include "lib/Emulator/Machine/Report.h"

#include <bitset>

namespace tilewright::emulator {

/// How to run.
struct LaunchOptions {
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  /// Dynamic shared memory of a CTA, in bytes.
  uint32_t dynamicSharedBytes = 0;
  /// What is looked for: bit i is Check(i).
  std::bitset<numChecks> checks = std::bitset<numChecks>().set();
  /// 0: warps take turns in order; else their order and turns come from it.
  uint64_t seed = 0;
  /// Faults, of different instructions, after which a launch ends.
  uint32_t maximumFaults = 20;
  /// Warp instructions of a CTA after which it counts as endless.
  uint64_t maximumSteps = uint64_t(1) << 36;
};

/// What came of it.
struct LaunchResult {
  /// In the order of CTAs.
  std::vector<Fault> faults;
  /// Of each instruction of the kernel.
  std::vector<InstructionCounts> counts;
  /// What vprintf has printed, in the order of CTAs.
  std::string printed;
};

/// Runs `kernel` on every CTA of the grid. `parameters`: the bytes of the
/// kernel's parameters at their places. Faults are in the result; nothing
/// throws or aborts.
LaunchResult launch(const Kernel &kernel,
                    const std::vector<uint8_t> &parameters,
                    GlobalMemory &memory, const LaunchOptions &options);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_MACHINE_LAUNCH_H
