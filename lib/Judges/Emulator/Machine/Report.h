// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulator finds wrong with a run, and what it counts.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_REPORT_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_REPORT_H

#include "lib/Judges/Emulator/Syntax/Syntax.h"

#include <array>

namespace tilewright::emulator {

/// The checks, each of which can be switched off.
enum class Check : uint8_t {
  /// Access outside every allocation, or beyond shared or local memory.
  OutOfBounds,
  /// Address that is not a multiple of the access's size.
  Misaligned,
  /// A value that was never written decides an address, a branch, a barrier or
  /// what is stored.
  UninitializedRegister,
  UninitializedMemory,
  /// An `.aligned` or full-mask instruction in a warp whose lanes are apart.
  Divergence,
  /// A barrier that the arriving threads do not agree on.
  BarrierMismatch,
  /// Every warp waits.
  Deadlock,
  /// Two unordered accesses to one place, one of them a write.
  SharedRace,
  GlobalRace,
  /// A copy's memory is touched before the copy is waited for.
  AsynchronousCopy,
  /// Registers or memory of a warp group's product are touched before it is
  /// waited for, or no wgmma.fence orders them.
  AsynchronousProduct,
  /// No fence.proxy.async orders ordinary writes and the asynchronous proxy.
  ProxyFence,
  /// Beyond the limit of steps, or an instruction's own rules.
  Execution,
};
constexpr unsigned numChecks = 13;

/// "out-of-bounds", as on the command line.
const char *checkName(Check check);

/// One thing found. Lower case, with the values.
struct Fault {
  Check check = Check::Execution;
  std::string message;
  TextLocation location;
  SourceLocation source;
  std::array<uint32_t, 3> cta = {0, 0, 0};
  uint32_t warp = 0, lane = 0;
  std::string kernel;
  /// The instruction, and how many times the check has failed there: a fault
  /// tells of the first time.
  uint32_t instruction = ~0u;
  uint64_t times = 1;
};

/// "KERNEL: check at file:line:column (PTX line L), CTA (x, y, z), warp w, lane
/// l: message (n times)". `files`: the `.file` table of the fault's program.
std::string describe(const Fault &fault, const std::vector<std::string> &files);

/// Counts of one instruction of a kernel, over all warps.
struct InstructionCounts {
  /// Executions by warps with at least one active lane, and their active lanes.
  uint64_t warps = 0, lanes = 0;
  /// Shared-memory wavefronts, global 32-byte sectors, and bytes moved.
  uint64_t wavefronts = 0, sectors = 0, bytes = 0;
  /// Cycles that products of warp groups keep a matrix unit busy, by the peak
  /// rate of sm_90, over the warps: an SM has a unit for each of four.
  uint64_t matrixCycles = 0;
  /// Bytes that bulk copies move, those beyond tensors too.
  uint64_t bulkBytes = 0;

  InstructionCounts &operator+=(const InstructionCounts &other) {
    warps += other.warps;
    lanes += other.lanes;
    wavefronts += other.wavefronts;
    sectors += other.sectors;
    bytes += other.bytes;
    matrixCycles += other.matrixCycles;
    bulkBytes += other.bulkBytes;
    return *this;
  }
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_REPORT_H
