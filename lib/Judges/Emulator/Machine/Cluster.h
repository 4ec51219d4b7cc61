// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CTAs of a cluster while they run (PTX ISA, "Cooperative Thread Arrays and
// Clusters"): they take turns, see each other's shared memory, and have one
// order among all their warps. A CTA without a cluster is one of its own.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CLUSTER_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CLUSTER_H

#include "lib/Judges/Emulator/Machine/Cta.h"

namespace tilewright::emulator {

class Cluster {
public:
  /// Of cluster number `number` of the grid, in the order of clusters. The
  /// grid is a multiple of the cluster in each direction.
  Cluster(const Kernel &kernel, const std::vector<uint8_t> &parameters,
          GlobalMemory &memory, const LaunchOptions &options, uint64_t number,
          GlobalTables &tables, LaunchResult &result);

  /// Runs until the end, a fault that ends the launch, or about `steps` warp
  /// instructions more; false: it goes on.
  bool run(uint64_t steps);
  bool isStopped() const;
  /// Warp instructions so far, of all its CTAs.
  uint64_t countSteps() const;

  /// Whether barrier.cluster has opened once: all its CTAs have begun.
  bool hasSynchronized() const { return phase > 1; }
  /// The lanes of a warp come to barrier.cluster, and wait for the others
  /// there.
  void arrive(Warp &warp, uint32_t lanes);
  void wait(Warp &warp);

  /// By rank.
  std::vector<std::unique_ptr<Cta>> ctas;

private:
  friend class Cta;
  bool resolveVainWaits();
  void releaseBarrier();
  void reportDeadlock();

  CtaOrder order;
  /// Threads that have come to barrier.cluster in this phase, what they know,
  /// and what those of the phase before knew.
  uint32_t arrived = 0, phase = 1;
  std::vector<uint32_t> arriving, complete;
  /// Rounds in which every warp waited in vain.
  unsigned vainRounds = 0;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CLUSTER_H
