// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler of a CTA.

#include "lib/Judges/Emulator/Machine/Cta.h"

#include "lib/Judges/Emulator/Machine/Cluster.h"

#include "lib/Judges/Emulator/Machine/Synchronization.h"

#include <algorithm>
#include <utility>

using namespace tilewright::emulator;

static uint32_t countThreads(const std::array<uint32_t, 3> &block) {
  return block[0] * block[1] * block[2];
}

static uint32_t countWarps(const std::array<uint32_t, 3> &block) {
  return (countThreads(block) + warpSize - 1) / warpSize;
}

Cta::Cta(Cluster &cluster, unsigned rank, const Kernel &kernel,
         const std::vector<uint8_t> &parameters, GlobalMemory &memory,
         const LaunchOptions &options, std::array<uint32_t, 3> index,
         GlobalTables &tables, LaunchResult &result)
    : cluster(cluster), rank(rank),
      firstParty(rank * countWarps(options.block)), kernel(kernel),
      parameters(parameters), memory(memory), options(options), index(index),
      result(result),
      shared(options.dynamicSharedBytes
                 ? kernel.dynamicSharedOffset + options.dynamicSharedBytes
                 : kernel.staticSharedBytes),
      order(cluster.order),
      sharedRaces(shared.data.size(),
                  countWarps(options.block) * countThreads(options.cluster)),
      proxyFences(kernel.usesAsyncProxy ? shared.data.size() : 0,
                  countWarps(options.block) * countThreads(options.cluster)),
      globalRaces(tables.races), tensorMapFences(tables.tensorMapFences),
      bulkCopies(countThreads(options.block)),
      random(options.seed ^ (index[0] + (uint64_t(index[1]) << 20) +
                             (uint64_t(index[2]) << 40))) {
  uint32_t threads = countThreads(options.block);
  localMemory.resize(threads);
  unsigned count = (threads + warpSize - 1) / warpSize;
  warps.reserve(count);
  if (kernel.usesWarpGroups)
    warpGroups.resize((count + warpsPerGroup - 1) / warpsPerGroup);
  for (unsigned number = 0; number < count; ++number) {
    uint32_t left = threads - number * warpSize;
    warps.emplace_back(*this, kernel, number,
                       left >= warpSize ? allLanes : (1u << left) - 1);
  }
}

CheckedBytes &Cta::local(unsigned thread) {
  std::unique_ptr<CheckedBytes> &bytes = localMemory[thread];
  if (!bytes)
    bytes = std::make_unique<CheckedBytes>(kernel.localBytes);
  return *bytes;
}

/// Copies have 4, 8 or 16 bytes at a multiple of them; an address that is not
/// in shared memory is reported when the copy is performed.
void Cta::markInFlight(uint64_t offset, unsigned bytes, int change) {
  uint64_t first = offset / 4, end = (offset + bytes) / 4;
  if (inFlight.empty())
    inFlight.resize((shared.data.size() + 3) / 4);
  for (uint64_t word = first; word < end && word < inFlight.size(); ++word)
    inFlight[word] += change;
}

void Cta::markPendingRead(uint64_t offset, unsigned bytes, int change) {
  constexpr unsigned unit = 16;
  if (pendingReads.empty())
    pendingReads.resize((shared.data.size() + unit - 1) / unit);
  for (uint64_t i = offset / unit; i < (offset + bytes + unit - 1) / unit; ++i)
    pendingReads[i] += change;
}

bool Cta::touchesPendingRead(uint64_t offset, unsigned bytes) const {
  constexpr unsigned unit = 16;
  if (pendingReads.empty())
    return false;
  for (uint64_t i = offset / unit; i <= (offset + bytes - 1) / unit; ++i)
    if (pendingReads[i])
      return true;
  return false;
}

bool Cta::touchesInFlight(uint64_t offset, unsigned bytes) const {
  if (inFlight.empty())
    return false;
  for (uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
    if (inFlight[word])
      return true;
  return false;
}

void Cta::report(Fault fault) {
  for (Fault &known : result.faults)
    if (known.instruction == fault.instruction && known.check == fault.check &&
        fault.instruction != ~0u) {
      ++known.times;
      return;
    }
  fault.cta = index;
  fault.kernel = kernel.name;
  result.faults.push_back(std::move(fault));
  if (result.faults.size() >= options.maximumFaults)
    stopped = true;
}

bool Cta::advance() {
  bool progressed = takeTurns();
  if (clock > options.maximumSteps) {
    reportEndless();
    stopped = true;
  }
  releaseBarriers();
  return progressed;
}

bool Cta::hasEnded() const {
  return std::all_of(warps.begin(), warps.end(), [](const Warp &warp) {
    return warp.state == Warp::State::Exited;
  });
}

void Cta::finish() {
  endBulkCopies(*this);
  checkWarpGroups(*this);
  checkRegisterBudget(*this);
  reportLateAccesses();
  reportUnbalanced();
}

/// Every warp that can runs for a while. False: none could, or each that did
/// has waited in vain.
bool Cta::takeTurns() {
  // A turn is long enough to be cheap, and short enough that warps mix.
  constexpr uint64_t turn = 64;
  bool progressed = false;
  unsigned start = options.seed ? random() % warps.size() : 0;
  for (unsigned i = 0; i < warps.size() && !stopped; ++i) {
    Warp &warp = warps[(start + i) % warps.size()];
    if (warp.state != Warp::State::Ready)
      continue;
    clock += warp.run(options.seed ? 1 + random() % turn : turn);
    if (options.seed && !bulkCopies.pending.empty())
      moveBulkCopies(*this);
    progressed |= !warp.vainWait();
  }
  return progressed;
}

void Cta::reportEndless() {
  Fault fault;
  fault.message = "expects an end within " +
                  std::to_string(options.maximumSteps) +
                  " warp instructions of a CTA";
  report(std::move(fault));
}

/// A barrier opens when as many threads have come as it expects.
void Cta::releaseBarriers() {
  uint32_t live = 0;
  for (const Warp &warp : warps)
    live += std::popcount(warp.live);
  for (unsigned number = 0; number < barriers.size(); ++number) {
    const BarrierState &barrier = barriers[number];
    uint32_t expected = barrier.expected ? barrier.expected : live;
    if (barrier.arrived == 0 || barrier.arrived < expected)
      continue;
    open(number);
  }
}

void Cta::open(unsigned number) {
  BarrierState barrier = std::exchange(barriers[number], BarrierState());
  order.openBarrier(rank, number);
  for (Warp &warp : warps) {
    for (const LaneGroup &group : warp.places())
      if (group.barrier == number)
        finishBarrier(warp, kernel.code[group.next - 1], group.mask, barrier);
    warp.open(number);
  }
}

void Cta::noteRemoteAccess(const Warp &warp) {
  if (remoteAccesses.size() <= warp.party)
    remoteAccesses.resize(warp.party + 1);
  remoteAccesses[warp.party] = {order.epoch(warp.party), warp.current};
}

/// A CTA may end, and its shared memory with it, before others access it,
/// unless one of its warps has waited for them.
void Cta::reportLateAccesses() {
  for (uint32_t party = 0; party < remoteAccesses.size(); ++party) {
    const RemoteAccess &access = remoteAccesses[party];
    bool isKnown =
        std::any_of(warps.begin(), warps.end(), [&](const Warp &warp) {
          return order.isBefore(party, access.epoch, warp.party);
        });
    if (!access.epoch || isKnown || !checks(Check::SharedRace))
      continue;
    Fault fault;
    fault.check = Check::SharedRace;
    fault.instruction = access.instruction;
    fault.location = kernel.locations[access.instruction];
    fault.source = kernel.sources[access.instruction];
    fault.warp = party % warps.size();
    fault.message = kernel.names[access.instruction] +
                    ": accesses shared memory of CTA " + std::to_string(rank) +
                    " of the cluster, which may have ended: none of its warps "
                    "has waited for CTA " +
                    std::to_string(party / warps.size()) + ", warp " +
                    std::to_string(party % warps.size());
    report(std::move(fault));
  }
}

/// mbarriers that bytes were promised to, or told to, but not both.
void Cta::reportUnbalanced() {
  if (!checks(Check::BarrierMismatch) || !result.faults.empty())
    return;
  for (uint64_t offset : memoryBarriers.findUnbalanced()) {
    Fault fault;
    fault.check = Check::BarrierMismatch;
    fault.message = "expects as many bytes as were promised to the mbarrier "
                    "at " +
                    std::to_string(offset) + ", but the CTA has ended in " +
                    memoryBarriers.describe(offset);
    report(std::move(fault));
  }
}

void Cta::describeWaits(Fault &fault) const {
  auto add = [&](const Warp &warp, std::string where, uint32_t instruction) {
    if (fault.message.empty()) {
      fault.message = "every warp waits: ";
      fault.location = kernel.locations[instruction];
      fault.source = kernel.sources[instruction];
      fault.warp = warp.number;
    } else {
      fault.message += ", ";
    }
    fault.message +=
        (rank ? "CTA " + std::to_string(rank) + " of the cluster: warp "
              : "warp ") +
        std::to_string(warp.number) + " at " + where + " (line " +
        std::to_string(kernel.locations[instruction].line) + ")";
  };
  for (const Warp &warp : warps) {
    if (warp.vainWait())
      add(warp,
          "the mbarrier at " + std::to_string(*warp.vainWait()) + " (" +
              memoryBarriers.describe(*warp.vainWait()) + ")",
          warp.current);
    for (const LaneGroup &group : warp.places())
      if (group.barrier == clusterBarrier)
        add(warp, "the cluster's barrier", group.next - 1);
      else if (group.barrier != LaneGroup::none)
        add(warp, "barrier " + std::to_string(group.barrier), group.next - 1);
  }
}
