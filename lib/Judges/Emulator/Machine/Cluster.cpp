// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler of a cluster.

#include "lib/Judges/Emulator/Machine/Cluster.h"

#include "lib/Judges/Emulator/Machine/Synchronization.h"

#include <algorithm>
#include <numeric>
#include <utility>

using namespace tilewright::emulator;

static uint32_t countWarps(const std::array<uint32_t, 3> &block) {
  return (block[0] * block[1] * block[2] + warpSize - 1) / warpSize;
}

static uint32_t countCtas(const std::array<uint32_t, 3> &cluster) {
  return cluster[0] * cluster[1] * cluster[2];
}

Cluster::Cluster(const Kernel &kernel, const std::vector<uint8_t> &parameters,
                 GlobalMemory &memory, const LaunchOptions &options,
                 uint64_t number, GlobalTables &tables, LaunchResult &result)
    : order(countWarps(options.block), countCtas(options.cluster)) {
  const auto &[gridX, gridY, gridZ] = options.grid;
  const auto &[x, y, z] = options.cluster;
  uint64_t row = number / (gridX / x);
  std::array<uint32_t, 3> first = {uint32_t(number % (gridX / x)) * x,
                                   uint32_t(row % (gridY / y)) * y,
                                   uint32_t(row / (gridY / y)) * z};
  for (uint32_t rank = 0; rank < countCtas(options.cluster); ++rank) {
    std::array<uint32_t, 3> index = {
        first[0] + rank % x, first[1] + rank / x % y, first[2] + rank / x / y};
    ctas.push_back(std::make_unique<Cta>(*this, rank, kernel, parameters,
                                         memory, options, index, tables,
                                         result));
  }
  // Its CTAs are ordered with each other, which the table of global memory does
  // not follow.
  order.mayKnowOtherCtas = ctas.size() > 1;
}

bool Cluster::isStopped() const {
  return std::any_of(ctas.begin(), ctas.end(),
                     [](const auto &cta) { return cta->stopped; });
}

uint64_t Cluster::countSteps() const {
  return std::accumulate(
      ctas.begin(), ctas.end(), uint64_t(0),
      [](uint64_t sum, const auto &cta) { return sum + cta->clock; });
}

bool Cluster::run(uint64_t steps) {
  uint64_t end = ctas.front()->clock + steps;
  while (!isStopped() && ctas.front()->clock < end) {
    bool progressed = false;
    for (std::unique_ptr<Cta> &cta : ctas) {
      progressed |= cta->advance();
      if (cta->stopped)
        return true;
    }
    releaseBarrier();
    if (progressed || resolveVainWaits())
      continue;
    bool waiting = false, ready = false;
    for (const std::unique_ptr<Cta> &cta : ctas)
      for (const Warp &warp : cta->warps) {
        waiting |= warp.state == Warp::State::AtBarrier || warp.vainWait();
        ready |= warp.state == Warp::State::Ready && !warp.vainWait();
      }
    if (ready)
      continue;
    if (waiting)
      reportDeadlock();
    for (std::unique_ptr<Cta> &cta : ctas)
      cta->finish();
    return true;
  }
  return isStopped();
}

/// Whether warps that wait in vain may yet go on: copies that they wait for are
/// done now, or somebody has work beside its waiting.
bool Cluster::resolveVainWaits() {
  // In one such round nothing else may have been done; in this many a warp that
  // counts its attempts would have given up.
  constexpr unsigned patience = 10000;
  bool waits = false, arrived = false;
  for (std::unique_ptr<Cta> &cta : ctas)
    for (const Warp &waiting : cta->warps) {
      if (waiting.state != Warp::State::Ready || !waiting.vainWait())
        continue;
      waits = true;
      for (Warp &warp : cta->warps)
        arrived |= completeArrivals(warp, waiting.vainWait());
      arrived |= completeBulkLoads(*cta, *waiting.vainWait());
    }
  vainRounds = arrived ? 0 : vainRounds + 1;
  return waits && vainRounds < patience;
}

//===----------------------------------------------------------------------===//
// barrier.cluster
//===----------------------------------------------------------------------===//

void Cluster::arrive(Warp &warp, uint32_t lanes) {
  if (warp.clusterPhase == phase)
    return warp.report(Check::BarrierMismatch,
                       "expects a barrier.cluster.wait after the last "
                       "barrier.cluster.arrive, but there was none",
                       lanes);
  warp.clusterPhase = phase;
  arrived += std::popcount(lanes);
  order.arrive(warp.party, arriving);
}

void Cluster::wait(Warp &warp) {
  if (warp.clusterPhase == 0)
    return warp.report(Check::BarrierMismatch,
                       "expects a barrier.cluster.arrive before it, but there "
                       "was none",
                       warp.live);
  if (warp.clusterPhase == phase)
    return warp.waitAt(clusterBarrier);
  order.acquire(warp.party, complete);
  warp.clusterPhase = 0;
}

/// Threads that have ended count as if they had come (PTX ISA,
/// "barrier.cluster").
void Cluster::releaseBarrier() {
  uint32_t live = 0;
  for (const std::unique_ptr<Cta> &cta : ctas)
    for (const Warp &warp : cta->warps)
      live += std::popcount(warp.live);
  if (arrived == 0 || arrived < live)
    return;
  complete = std::move(arriving);
  arriving.clear();
  arrived = 0;
  ++phase;
  order.beginPhase();
  for (std::unique_ptr<Cta> &cta : ctas)
    for (Warp &warp : cta->warps) {
      bool waits =
          std::any_of(warp.places().begin(), warp.places().end(),
                      [](const LaneGroup &group) {
                        return group.mask && group.barrier == clusterBarrier;
                      });
      if (!waits)
        continue;
      order.acquire(warp.party, complete);
      warp.clusterPhase = 0;
      warp.open(clusterBarrier);
    }
}

/// "warp 0 at barrier 1 (line 20), warp 1 ..."
void Cluster::reportDeadlock() {
  Cta &first = *ctas.front();
  if (!first.checks(Check::Deadlock))
    return;
  Fault fault;
  fault.check = Check::Deadlock;
  for (const std::unique_ptr<Cta> &cta : ctas)
    cta->describeWaits(fault);
  first.report(std::move(fault));
}
