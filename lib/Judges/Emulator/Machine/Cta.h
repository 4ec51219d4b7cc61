// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA while it runs: its warps, its shared and local memory, its barriers.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CTA_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CTA_H

#include "lib/Judges/Emulator/Machine/BulkCopies.h"
#include "lib/Judges/Emulator/Machine/Launch.h"
#include "lib/Judges/Emulator/Machine/MemoryBarriers.h"
#include "lib/Judges/Emulator/Machine/ProxyFences.h"
#include "lib/Judges/Emulator/Machine/Races.h"
#include "lib/Judges/Emulator/Machine/RegisterBudget.h"
#include "lib/Judges/Emulator/Machine/TensorMapFences.h"
#include "lib/Judges/Emulator/Machine/Warp.h"

#include <random>

namespace tilewright::emulator {

/// Generic addresses of shared and local memory begin here.
constexpr uint64_t sharedWindow = uint64_t(1) << 40;
constexpr uint64_t localWindow = uint64_t(2) << 40;
/// Addresses of parameters, as cvta.param gives them.
constexpr uint64_t parameterWindow = (uint64_t(3) << 40) + parameterSpaceStart;
constexpr uint64_t windowBytes = uint64_t(1) << 32;

/// Bytes, and which of them were written.
struct CheckedBytes {
  std::vector<uint8_t> data, written;

  explicit CheckedBytes(uint64_t bytes)
      : data(bytes, 0xcd), written(bytes, 0) {}
};

/// A named barrier's arrivals.
struct BarrierState {
  uint32_t arrived = 0;
  /// Threads that it waits for; 0: all live ones.
  uint32_t expected = 0;
  /// bar.red: threads that came with a true predicate, and with a false one.
  uint32_t trueVotes = 0, falseVotes = 0;
};

/// What a launch keeps of its accesses to global memory.
struct GlobalTables {
  explicit GlobalTables(bool areConcurrent) : races(areConcurrent) {}

  GlobalRaces races;
  TensorMapFences tensorMapFences;
};

class Cluster;

class Cta {
public:
  Cta(Cluster &cluster, unsigned rank, const Kernel &kernel,
      const std::vector<uint8_t> &parameters, GlobalMemory &memory,
      const LaunchOptions &options, std::array<uint32_t, 3> index,
      GlobalTables &tables, LaunchResult &result);

  /// Its number in the grid.
  uint32_t number() const {
    return index[0] + options.grid[0] * (index[1] + options.grid[1] * index[2]);
  }

  /// Gives each of its warps a turn; whether any got on.
  bool advance();
  /// Every warp has ended.
  bool hasEnded() const;
  /// What must not be open when its cluster ends.
  void finish();
  /// Adds who waits where, "warp 0 at barrier 1 (line 20)".
  void describeWaits(Fault &fault) const;

  bool checks(Check check) const {
    return options.checks[static_cast<unsigned>(check)];
  }
  void report(Fault fault);

  Cluster &cluster;
  const unsigned rank;
  /// The party of its first warp.
  const unsigned firstParty;
  const Kernel &kernel;
  const std::vector<uint8_t> &parameters;
  GlobalMemory &memory;
  const LaunchOptions &options;
  const std::array<uint32_t, 3> index;
  LaunchResult &result;

  CheckedBytes shared;
  /// The order of its cluster's warps, and the races in shared memory and in
  /// the launch's global memory.
  CtaOrder &order;
  RaceTable sharedRaces;
  ProxyFences proxyFences;
  GlobalRaces &globalRaces;
  TensorMapFences &tensorMapFences;
  /// Of each thread, made when it is first touched.
  CheckedBytes &local(unsigned thread);

  /// Counts copies that are not waited for and will write these bytes.
  void markInFlight(uint64_t offset, unsigned bytes, int change);
  bool touchesInFlight(uint64_t offset, unsigned bytes) const;
  /// The same of products and copies that may still read them. Counts whole
  /// units of 16 bytes, as they do.
  void markPendingRead(uint64_t offset, unsigned bytes, int change);
  bool touchesPendingRead(uint64_t offset, unsigned bytes) const;

  /// Everybody has come to a barrier.
  void open(unsigned number);

  /// What a warp of another CTA has done last in its shared memory.
  struct RemoteAccess {
    /// 0: nothing.
    uint32_t epoch = 0, instruction = 0;
  };
  /// By party; empty: nobody.
  std::vector<RemoteAccess> remoteAccesses;
  void noteRemoteAccess(const Warp &warp);

  std::vector<Warp> warps;
  std::vector<WarpGroup> warpGroups;
  std::array<BarrierState, 16> barriers;
  MemoryBarriers memoryBarriers;
  BulkCopies bulkCopies;
  RegisterBudget registerBudget;
  bool stopped = false;
  /// Steps of all warps so far.
  uint64_t clock = 0;
  /// What a seed decides.
  std::mt19937_64 random;

private:
  /// Such copies of each word of shared memory; empty: there was none.
  std::vector<uint16_t> inFlight;
  /// Reads to come of each 16 bytes of shared memory; empty: there was none.
  std::vector<uint32_t> pendingReads;

  bool takeTurns();
  void releaseBarriers();
  void reportEndless();
  void reportUnbalanced();
  void reportLateAccesses();

  std::vector<std::unique_ptr<CheckedBytes>> localMemory;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CTA_H
