// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_LAUNCH_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_LAUNCH_H

#include "lib/Judges/Emulator/Machine/GlobalMemory.h"
#include "lib/Judges/Emulator/Machine/Program.h"
#include "lib/Judges/Emulator/Machine/Report.h"

#include <bitset>
#include <functional>

namespace tilewright::emulator {

/// CTAs that run at once, and so may wait for each other: as many as a large
/// GPU holds.
constexpr uint64_t maximumResidents = 1024;

/// How to run.
struct LaunchOptions {
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  /// CTAs of a cluster; a kernel's `.reqnctapercluster` comes before it.
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  /// Dynamic shared memory of a CTA, in bytes.
  uint32_t dynamicSharedBytes = 0;
  /// The launch may begin before the one ahead of it in its stream has ended
  /// (programmatic dependent launch).
  bool isDependent = false;
  /// What is looked for: bit i is Check(i).
  std::bitset<numChecks> checks = std::bitset<numChecks>().set();
  /// 0: warps take turns in order, the lanes of a warp keep together as far as
  /// branches let them, and copies are done when they are waited for. Else the
  /// order and turns of warps, of lanes between instructions that keep them
  /// together, and the moment of each copy come from it.
  uint64_t seed = 0;
  /// Threads of the host that CTAs may run in; what comes of a launch does not
  /// depend on it.
  unsigned hostThreads = 1;
  /// Faults, of different instructions, after which a launch ends.
  uint32_t maximumFaults = 20;
  /// Warp instructions of a CTA after which it counts as endless.
  uint64_t maximumSteps = uint64_t(1) << 28;
  /// Warp instructions of all CTAs together after which the launch is given up:
  /// some minutes.
  uint64_t maximumLaunchSteps = uint64_t(1) << 34;
  /// Told, by one thread at a time, when a CTA has ended: how many have, of how
  /// many. May be empty.
  std::function<void(uint64_t, uint64_t)> progress;
};

/// What came of it.
struct LaunchResult {
  /// In the order in which they were found, the same on every run.
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

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_LAUNCH_H
