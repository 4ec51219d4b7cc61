// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler of a CTA, and the launch of a grid.

#include "lib/Emulator/Machine/Cta.h"

#include <algorithm>
#include <random>

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
      sharedRaces(shared.data.size()), globalRaces(globalRaces) {
  uint32_t threads = countThreads(options.block);
  localMemory.resize(threads);
  unsigned count = (threads + warpSize - 1) / warpSize;
  warps.reserve(count);
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

void Cta::run() {
  // A turn is long enough to be cheap, and short enough that warps mix.
  constexpr uint64_t turn = 64;
  std::mt19937_64 random(options.seed ^ (index[0] + (uint64_t(index[1]) << 20) +
                                         (uint64_t(index[2]) << 40)));
  while (!stopped) {
    bool progressed = false;
    unsigned start = options.seed ? random() % warps.size() : 0;
    for (unsigned i = 0; i < warps.size() && !stopped; ++i) {
      Warp &warp = warps[(start + i) % warps.size()];
      if (warp.state != Warp::State::Ready)
        continue;
      clock += warp.run(options.seed ? 1 + random() % turn : turn);
      progressed = true;
    }
    if (clock > options.maximumSteps) {
      Fault fault;
      fault.message = "expects an end within " +
                      std::to_string(options.maximumSteps) +
                      " warp instructions of a CTA";
      report(std::move(fault));
      return;
    }
    releaseBarriers();
    if (progressed)
      continue;
    bool waiting = false, ready = false;
    for (const Warp &warp : warps) {
      waiting |= warp.state == Warp::State::AtBarrier;
      ready |= warp.state == Warp::State::Ready;
    }
    if (ready)
      continue;
    if (waiting)
      reportDeadlock();
    return;
  }
}

/// A barrier opens when as many threads have come as it expects.
void Cta::releaseBarriers() {
  uint32_t live = 0;
  for (const Warp &warp : warps)
    live += std::popcount(warp.live);
  for (unsigned number = 0; number < barriers.size(); ++number) {
    BarrierState &barrier = barriers[number];
    uint32_t expected = barrier.expected ? barrier.expected : live;
    if (barrier.arrived == 0 || barrier.arrived < expected)
      continue;
    barrier = BarrierState();
    order.openBarrier(number);
    for (Warp &warp : warps)
      if (warp.state == Warp::State::AtBarrier && warp.barrier == number)
        warp.state = Warp::State::Ready;
  }
}

void Cta::reportDeadlock() {
  if (!checks(Check::Deadlock))
    return;
  std::string waiters;
  const Warp *first = nullptr;
  for (const Warp &warp : warps) {
    if (warp.state != Warp::State::AtBarrier)
      continue;
    if (!first)
      first = &warp;
    waiters += (waiters.empty() ? "warp " : ", warp ") +
               std::to_string(warp.number) + " at barrier " +
               std::to_string(warp.barrier) + " (line " +
               std::to_string(kernel.locations[warp.current].line) + ")";
  }
  Fault fault;
  fault.check = Check::Deadlock;
  fault.message = "every warp waits: " + waiters;
  fault.location = kernel.locations[first->current];
  fault.source = kernel.sources[first->current];
  fault.warp = first->number;
  report(std::move(fault));
}

LaunchResult tilewright::emulator::launch(
    const Kernel &kernel, const std::vector<uint8_t> &parameters,
    GlobalMemory &memory, const LaunchOptions &options) {
  LaunchResult result;
  result.counts.resize(kernel.code.size());
  auto refuse = [&](std::string message) {
    Fault fault;
    fault.message = std::move(message);
    fault.kernel = kernel.name;
    result.faults.push_back(std::move(fault));
    return result;
  };
  uint64_t threads =
      uint64_t(options.block[0]) * options.block[1] * options.block[2];
  if (threads == 0 || threads > 1024)
    return refuse("expects 1 to 1024 threads in a CTA, but got " +
                  std::to_string(threads));
  for (unsigned axis = 0; axis < 3; ++axis)
    if (kernel.requiredThreads[0] &&
        kernel.requiredThreads[axis] != options.block[axis])
      return refuse("expects the CTA of .reqntid, " +
                    std::to_string(kernel.requiredThreads[axis]) +
                    " threads along axis " + std::to_string(axis) +
                    ", but got " + std::to_string(options.block[axis]));
  if (parameters.size() != kernel.parameterBytes)
    return refuse("expects " + std::to_string(kernel.parameterBytes) +
                  " bytes of parameters, but got " +
                  std::to_string(parameters.size()));
  GlobalRaces races;
  for (uint32_t z = 0; z < options.grid[2]; ++z)
    for (uint32_t y = 0; y < options.grid[1]; ++y)
      for (uint32_t x = 0; x < options.grid[0]; ++x) {
        Cta cta(kernel, parameters, memory, options, {x, y, z}, races, result);
        cta.run();
        if (cta.stopped)
          return result;
      }
  return result;
}
