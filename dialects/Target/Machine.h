// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a GPU is not its architecture's: how many multiprocessors, how fast.
// For each target the GPU that stands for it where none is at hand.

#ifndef TILEWRIGHT_DIALECTS_TARGET_MACHINE_H
#define TILEWRIGHT_DIALECTS_TARGET_MACHINE_H

#include "dialects/Target/Target.h"

namespace tilewright::target {

struct Machine {
  /// "A100".
  std::string_view name;
  unsigned multiprocessors;
  /// In 10^9 cycles a second, while all multiprocessors work.
  double clock;
  /// Memory's, in 10^9 bytes a second, as a copy reaches it.
  double memoryBandwidth;
  /// Of the second-level cache, for one multiprocessor in bytes a cycle.
  double cacheBytesPerCycle;
  /// Multiply-adds of 16-bit matrix instructions by `mma.sync` in one cycle of
  /// one multiprocessor; 8-bit ones are twice as many, tf32 half.
  double matrixRate;
};

/// The GPU that stands for a target. Clocks and rates: NVIDIA's architecture
/// whitepapers; of Hopper what `mma.sync` reached on an H200.
const Machine &representative(const Target &target);

} // namespace tilewright::target

#endif // TILEWRIGHT_DIALECTS_TARGET_MACHINE_H
