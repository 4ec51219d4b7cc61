// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/TensorMapFences.h"

#include "lib/Judges/Emulator/Machine/Program.h"
#include "lib/Judges/Emulator/Machine/TensorMap.h"

using namespace tilewright::emulator;

/// A thread's number; a cluster has at most 16 CTAs of 32 warps.
static uint64_t numberOf(const Accessor &thread) {
  return (uint64_t(thread.cta) << 9 | thread.warp) * warpSize + thread.lane;
}

/// The numbers of a map's halves.
static std::array<uint64_t, 2> halvesOf(uint64_t address) {
  uint64_t first = address / TensorMap::alignment;
  return {first, first + 1};
}

void TensorMapFences::write(const CtaOrder &order, const Accessor &writer,
                            uint64_t address, bool isReleased) {
  std::lock_guard<std::mutex> lock(mutex);
  for (uint64_t number : halvesOf(address))
    halves[number] = {writer,
                      order.epoch(writer.warp),
                      releases[numberOf(writer)],
                      isReleased,
                      {}};
}

void TensorMapFences::release(const Accessor &thread) {
  std::lock_guard<std::mutex> lock(mutex);
  ++releases[numberOf(thread)];
}

bool TensorMapFences::isReleased(const Half &half) const {
  return half.isReleased || releases.at(numberOf(half.writer)) > half.releases;
}

/// Between CTAs nothing is known of the order; a race there is the race
/// table's to find.
void TensorMapFences::acquire(const CtaOrder &order, const Accessor &thread,
                              uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  for (uint64_t number : halvesOf(address)) {
    auto found = halves.find(number);
    if (found == halves.end() || !isReleased(found->second))
      continue;
    const Accessor &writer = found->second.writer;
    if (writer.cta != thread.cta || writer.warp == thread.warp ||
        order.isBefore(writer.warp, found->second.epoch, thread.warp))
      found->second.acquirers.insert(numberOf(thread));
  }
}

std::string TensorMapFences::findUnfenced(const Accessor &thread,
                                          uint64_t address) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (uint64_t number : halvesOf(address)) {
    auto found = halves.find(number);
    if (found == halves.end())
      continue;
    if (!isReleased(found->second))
      return "the thread that has written it has not released by "
             "fence.proxy.tensormap::generic.release";
    if (!found->second.acquirers.contains(numberOf(thread)))
      return "the kernel has written, and that this thread has not acquired "
             "since by fence.proxy.tensormap::generic.acquire of its address";
  }
  return "";
}
