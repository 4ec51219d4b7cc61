// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator as an execution device, and what it counts.

#ifndef TILEWRIGHT_LIB_RUN_EMULATORDEVICE_H
#define TILEWRIGHT_LIB_RUN_EMULATORDEVICE_H

#include "lib/Judges/Emulator/Machine/Launch.h"
#include "lib/Run/ExecutionDevice.h"

#include <bitset>
#include <deque>

namespace tilewright::run {

/// How the emulator runs.
struct EmulatorOptions {
  /// Bit i: emulator::Check(i).
  std::bitset<emulator::numChecks> checks =
      std::bitset<emulator::numChecks>().set();
  /// As emulator::LaunchOptions::seed.
  uint64_t seed = 0;
  /// Warp instructions of a launch, and of any of its CTAs, after which it
  /// counts as endless; 0: the emulator's own limits.
  uint64_t maximumSteps = 0;
  /// Bytes of device memory; 0: the emulator's own limit.
  uint64_t maximumMemory = 0;
  /// Threads of the host that CTAs may run in; 0: as many as it has.
  unsigned hostThreads = 0;
  /// As emulator::LaunchOptions::progress.
  std::function<void(uint64_t, uint64_t)> progress;
};

/// What one instruction of a kernel did, over all launches.
struct InstructionStatistics {
  /// As it is written, with its modifiers.
  std::string name;
  uint32_t ptxLine = 0;
  /// Where it comes from; no file: unknown.
  std::string file;
  uint32_t line = 0;
  emulator::InstructionCounts counts;
};

/// What the launches of one kernel did.
struct KernelStatistics {
  std::string kernel;
  std::vector<InstructionStatistics> instructions;
};

/// Of several kernels, whose addresses stay as they are.
using AllStatistics = std::deque<KernelStatistics>;

/// Bytes to and from global memory, or a cache of it: sectors of 32 bytes that
/// warps access or copy, and what bulk copies move.
uint64_t countGlobalBytes(const KernelStatistics &statistics);

/// Runs an artifact's PTX on the CPU. What its checks find is the error of
/// synchronize(), a line for each finding. `statistics` (may be null) gets an
/// entry for each kernel that is prepared, in their order, and must outlive the
/// device.
std::unique_ptr<ExecutionDevice> openEmulator(const EmulatorOptions &options,
                                              AllStatistics *statistics);

/// Reads "all", "none", or names of checks with commas between them, each with
/// '-' before it to leave it out ("all,-shared-race").
Result<std::bitset<emulator::numChecks>> parseChecks(std::string_view text);

/// A table by source line: warp instructions, lanes, shared-memory wavefronts,
/// global sectors, bytes, matrix instructions, barriers; and the sums.
std::string formatStatistics(const KernelStatistics &statistics);
/// The same and each instruction, as JSON.
std::string formatStatisticsAsJson(const KernelStatistics &statistics);

} // namespace tilewright::run

#endif // TILEWRIGHT_LIB_RUN_EMULATORDEVICE_H
