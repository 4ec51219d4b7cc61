// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler of a CTA.

#include "lib/Judges/Emulator/Machine/Cta.h"

#include "lib/Judges/Emulator/Machine/Synchronization.h"

#include <algorithm>
#include <utility>

using namespace tilewright::emulator;

static uint32_t countThreads(const std::array<uint32_t, 3> &block) {
  return block[0] * block[1] * block[2];
}

Cta::Cta(const Kernel &kernel, const std::vector<uint8_t> &parameters,
         GlobalMemory &memory, const LaunchOptions &options,
         std::array<uint32_t, 3> index, GlobalRaces &globalRaces,
         LaunchResult &result)
    : kernel(kernel), parameters(parameters), memory(memory), options(options),
      index(index), result(result),
      shared(options.dynamicSharedBytes
                 ? kernel.dynamicSharedOffset + options.dynamicSharedBytes
                 : kernel.staticSharedBytes),
      order((countThreads(options.block) + warpSize - 1) / warpSize),
      sharedRaces(shared.data.size(),
                  (countThreads(options.block) + warpSize - 1) / warpSize),
      proxyFences(kernel.usesAsyncProxy ? shared.data.size() : 0,
                  (countThreads(options.block) + warpSize - 1) / warpSize),
      globalRaces(globalRaces), bulkCopies(countThreads(options.block)),
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

bool Cta::run(uint64_t steps) {
  for (uint64_t end = clock + steps; !stopped && clock < end;) {
    bool progressed = takeTurns();
    if (clock > options.maximumSteps) {
      reportEndless();
      return true;
    }
    releaseBarriers();
    if (progressed || resolveVainWaits())
      continue;
    bool waiting = false, ready = false;
    for (const Warp &warp : warps) {
      waiting |= warp.state == Warp::State::AtBarrier || warp.vainWait();
      ready |= warp.state == Warp::State::Ready && !warp.vainWait();
    }
    if (ready)
      continue;
    if (waiting)
      reportDeadlock();
    finish();
    return true;
  }
  return stopped;
}

/// What must not be open when a CTA ends.
void Cta::finish() {
  endBulkCopies(*this);
  checkWarpGroups(*this);
  checkRegisterBudget(*this);
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

/// Whether warps that wait in vain may yet go on: copies that they wait for are
/// done now, or somebody has work beside its waiting.
bool Cta::resolveVainWaits() {
  // In one such round nothing else may have been done; in this many a warp that
  // counts its attempts would have given up.
  constexpr unsigned patience = 10000;
  bool waits = false, arrived = false;
  for (const Warp &waiting : warps) {
    if (waiting.state != Warp::State::Ready || !waiting.vainWait())
      continue;
    waits = true;
    for (Warp &warp : warps)
      arrived |= completeArrivals(warp, waiting.vainWait());
    arrived |= completeBulkLoads(*this, *waiting.vainWait());
  }
  vainRounds = arrived ? 0 : vainRounds + 1;
  return waits && vainRounds < patience;
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
  order.openBarrier(number);
  for (Warp &warp : warps) {
    for (const LaneGroup &group : warp.places())
      if (group.barrier == number)
        finishBarrier(warp, kernel.code[group.next - 1], group.mask, barrier);
    warp.open(number);
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

/// "warp 0 at barrier 1 (line 20), warp 1 ..."
void Cta::reportDeadlock() {
  if (!checks(Check::Deadlock))
    return;
  Fault fault;
  fault.check = Check::Deadlock;
  auto add = [&](const Warp &warp, std::string where, uint32_t instruction) {
    if (fault.message.empty()) {
      fault.message = "every warp waits: ";
      fault.location = kernel.locations[instruction];
      fault.source = kernel.sources[instruction];
      fault.warp = warp.number;
    } else {
      fault.message += ", ";
    }
    fault.message += "warp " + std::to_string(warp.number) + " at " + where +
                     " (line " +
                     std::to_string(kernel.locations[instruction].line) + ")";
  };
  for (const Warp &warp : warps) {
    if (warp.vainWait())
      add(warp,
          "the mbarrier at " + std::to_string(*warp.vainWait()) + " (" +
              memoryBarriers.describe(*warp.vainWait()) + ")",
          warp.current);
    for (const LaneGroup &group : warp.places())
      if (group.barrier != LaneGroup::none)
        add(warp, "barrier " + std::to_string(group.barrier), group.next - 1);
  }
  report(std::move(fault));
}
