// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/MemoryBarriers.h"

#include "lib/Judges/Emulator/Machine/Races.h"

#include <algorithm>
#include <cstdlib>

using namespace tilewright::emulator;

static std::string checkCount(uint32_t count) {
  if (count >= 1 && count <= MemoryBarriers::maximumCount)
    return "";
  return "expects a count from 1 to " +
         std::to_string(MemoryBarriers::maximumCount) + ", but got " +
         std::to_string(count);
}

MemoryBarriers::Object *MemoryBarriers::find(uint64_t offset,
                                             std::string &problem) {
  auto found = objects.find(offset);
  if (found != objects.end())
    return &found->second;
  problem = "expects an mbarrier that was initialized, but there is none at " +
            std::to_string(offset);
  return nullptr;
}

std::string MemoryBarriers::initialize(uint64_t offset, uint32_t count,
                                       uint32_t thread) {
  if (std::string problem = checkCount(count); !problem.empty())
    return problem;
  if (objects.count(offset))
    return "expects an mbarrier that was invalidated before it is initialized "
           "again, but it was not";
  Object &object = objects[offset];
  object.expected = object.pending = count;
  object.initializer = thread;
  return "";
}

void MemoryBarriers::fence(uint32_t warp, uint32_t lanes) {
  for (auto &[offset, object] : objects)
    if (object.initializer / 32 == warp &&
        (lanes >> object.initializer % 32 & 1))
      object.isFenced = true;
}

std::string MemoryBarriers::track(uint64_t offset) {
  std::string problem;
  const Object *object = find(offset, problem);
  if (object && !object->isFenced)
    return "expects an mbarrier that the thread which initialized it has made "
           "known to the asynchronous proxy, by fence.mbarrier_init or "
           "fence.proxy.async, but it was not";
  return problem;
}

std::optional<uint32_t> MemoryBarriers::agentOf(CtaOrder &order,
                                                uint64_t offset) {
  auto found = objects.find(offset);
  if (found == objects.end())
    return std::nullopt;
  if (!found->second.agent)
    found->second.agent = order.addAgent();
  return found->second.agent;
}

void MemoryBarriers::complete(CtaOrder &order, uint64_t offset,
                              uint64_t bytes) {
  std::optional<uint32_t> agent = agentOf(order, offset);
  if (!agent)
    return;
  objects[offset].bytes -= bytes;
  order.complete(*agent, objects[offset].arriving);
  settle(order, offset);
}

std::string MemoryBarriers::describe(uint64_t offset) const {
  auto found = objects.find(offset);
  if (found == objects.end())
    return "";
  const Object &object = found->second;
  return "phase " + std::to_string(object.phase) + ": " +
         std::to_string(object.pending) + " arrivals and " +
         std::to_string(object.bytes) + " bytes to come";
}

std::vector<uint64_t> MemoryBarriers::findUnbalanced() const {
  std::vector<uint64_t> offsets;
  for (const auto &[offset, object] : objects)
    if (object.bytes)
      offsets.push_back(offset);
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

std::string MemoryBarriers::invalidate(uint64_t offset) {
  std::string problem;
  if (find(offset, problem))
    objects.erase(offset);
  return problem;
}

std::string MemoryBarriers::arrive(CtaOrder &order, uint32_t warp,
                                   uint64_t offset, uint32_t count, bool drop,
                                   uint64_t &token) {
  std::string problem = checkCount(count);
  Object *object = problem.empty() ? find(offset, problem) : nullptr;
  if (!object)
    return problem;
  if (count > object->pending)
    return "expects at most " + std::to_string(object->pending) +
           " more arrivals in this phase, but got " + std::to_string(count);
  token = object->phase << 20 | object->pending;
  object->pending -= count;
  if (drop)
    object->expected -= count;
  order.arrive(warp, object->arriving);
  settle(order, offset);
  return "";
}

std::string MemoryBarriers::expectArrival(uint64_t offset) {
  std::string problem;
  if (Object *object = find(offset, problem))
    ++object->pending;
  return problem;
}

std::string MemoryBarriers::expectBytes(uint64_t offset, int64_t bytes) {
  std::string problem;
  Object *object = find(offset, problem);
  if (!object)
    return problem;
  object->bytes += bytes;
  // "Tx-count": PTX ISA, "Contents of the mbarrier object".
  if (std::abs(object->bytes) > maximumCount)
    return "expects at most " + std::to_string(maximumCount) +
           " bytes in a phase, but got " + std::to_string(object->bytes);
  return "";
}

void MemoryBarriers::settle(CtaOrder &order, uint64_t offset) {
  Object &object = objects[offset];
  if (object.pending || object.bytes)
    return;
  object.pending = object.expected;
  ++object.phase;
  object.complete = std::move(object.arriving);
  object.arriving.clear();
  order.beginPhase();
}

std::string MemoryBarriers::test(CtaOrder &order, uint32_t warp,
                                 uint64_t offset, uint64_t token, bool isParity,
                                 bool &isComplete) {
  std::string problem;
  const Object *object = find(offset, problem);
  if (!object)
    return problem;
  isComplete =
      isParity ? (object->phase ^ token) & 1 : object->phase != token >> 20;
  if (isComplete)
    order.acquire(warp, object->complete);
  return "";
}
