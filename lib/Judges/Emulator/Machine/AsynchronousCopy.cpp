// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async, its groups and waits (PTX ISA, "Data Movement: Non-bulk copy").
//
// A copy is performed at the latest moment that is legal, the wait that names
// its group or mbarrier; with a seed, at any moment before. Until the wait its
// bytes are in flight, and touching them is reported.

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/MemoryAccess.h"
#include "lib/Judges/Emulator/Machine/Synchronization.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace tilewright::emulator;

namespace {

/// In flags: [0] the bytes written. The second source, if any, is how many of
/// them come from memory; the others are zero.
void executeCopy(Warp &warp, const Decoded &instruction, uint32_t mask) {
  mask = warp.requireDefined(instruction.address.base, mask, "an address");
  const Source &from = instruction.sources[0];
  mask = warp.requireDefined(from, mask, "an address");
  unsigned bytes = instruction.flags[0];
  // Thousands of times what shared memory holds.
  constexpr size_t maximumPending = 1 << 18;
  if (warp.copies.size() >= maximumPending)
    return warp.report(Check::Execution,
                       "expects fewer than " + std::to_string(maximumPending) +
                           " copies of a warp that nobody has waited for",
                       mask);
  uint64_t sources[warpSize];
  uint32_t reading = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    unsigned sourceBytes = bytes;
    if (instruction.sources.size() > 1)
      sourceBytes =
          std::min(bytes, warp.read<uint32_t>(instruction.sources[1])[lane]);
    PendingCopy copy;
    copy.lane = lane;
    copy.instruction = warp.current;
    copy.destination = getAddress(warp, instruction, lane);
    copy.source = warp.read<uint64_t>(from)[lane] + instruction.sourceOffset;
    copy.bytes = bytes;
    copy.sourceBytes = sourceBytes;
    sources[lane] = copy.source;
    reading |= uint32_t(sourceBytes != 0) << lane;
    copy.number = warp.numCopies++;
    // Half of them soon, the others when they are waited for.
    uint64_t draw = warp.cta.options.seed ? warp.cta.random() : 1;
    if (draw % 2 == 0)
      copy.moment = warp.clock + draw / 2 % 256;
    warp.copies.push_back(copy);
    warp.cta.markInFlight(copy.destination, bytes, 1);
  }
  countRequest(warp, StateSpace::Global, sources, reading, bytes);
}

bool decodeCopy(DecodeContext &context) {
  std::optional<unsigned> cache = context.takeOneOf({"ca", "cg"});
  bool isShared = context.take("shared") || context.take("shared::cta");
  if (!cache || !isShared || !context.take("global"))
    return false;
  bool hasPolicy = context.take("L2::cache_hint");
  context.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  size_t count = context.in.operands.size() - hasPolicy;
  if (count < 3 || count > 4 || !context.address(1, StateSpace::Global))
    return false;
  // The first address read is that of the source.
  context.out.sources.push_back(context.out.address.base);
  context.out.sourceOffset = context.out.address.offset;
  if (!context.out.address.is64Bit || !context.address(0, StateSpace::Shared))
    return false;
  const auto *size = std::get_if<IntegerOperand>(&context.in.operands[2].value);
  if (!size || (size->bits != 4 && size->bits != 8 && size->bits != 16))
    return context.fail("expects 4, 8 or 16 bytes");
  context.out.flags[0] = size->bits;
  context.out.execute = executeCopy;
  return count == 3 || context.source(3, 32);
}

void executeCommit(Warp &warp, const Decoded &, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    uint32_t group = warp.committedGroups[lane]++;
    for (PendingCopy &copy : warp.copies)
      if (copy.lane == lane && copy.group == PendingCopy::open)
        copy.group = group;
  });
}

void perform(Warp &warp, const PendingCopy &copy) {
  warp.cta.markInFlight(copy.destination, copy.bytes, -1);
  uint8_t content[16];
  std::memcpy(content, copy.content, sizeof(content));
  // Reports speak of the copy, not of the wait.
  uint32_t waiting = warp.current;
  warp.current = copy.instruction;
  if (copy.sourceBytes) {
    MemoryPlace from =
        accessMemory(warp, copy.lane, StateSpace::Global, copy.source,
                     copy.sourceBytes, copy.bytes, AccessKind::Load);
    if (from.data && !copy.hasMoved)
      std::memcpy(content, from.data, copy.sourceBytes);
  }
  MemoryPlace to =
      accessMemory(warp, copy.lane, StateSpace::Shared, copy.destination,
                   copy.bytes, copy.bytes, AccessKind::Store, content);
  if (to.data)
    std::memcpy(to.data, content, copy.bytes);
  warp.current = waiting;
}

/// Performs the copies for which `isDue`, in the order in which they began.
template <typename Predicate>
void performIf(Warp &warp, Predicate isDue) {
  std::vector<PendingCopy> left;
  for (const PendingCopy &copy : warp.copies)
    if (isDue(copy))
      perform(warp, copy);
    else
      left.push_back(copy);
  warp.copies = std::move(left);
}

/// In flags: [0] the groups that may stay in flight; 255: none, and not even
/// copies that are in no group.
void executeWait(Warp &warp, const Decoded &instruction, uint32_t mask) {
  uint32_t inFlight = instruction.flags[0];
  performIf(warp, [&](const PendingCopy &copy) {
    if (!(mask >> copy.lane & 1) || inFlight == 255)
      return bool(mask >> copy.lane & 1);
    return copy.group != PendingCopy::open &&
           copy.group + inFlight < warp.committedGroups[copy.lane];
  });
  completeArrivals(warp, /*awaited=*/std::nullopt);
}

//===----------------------------------------------------------------------===//
// Copies tracked by an mbarrier
//===----------------------------------------------------------------------===//

/// In flags: [0] the phase does not expect the arrival yet.
void executeTracking(Warp &warp, const Decoded &instruction, uint32_t mask) {
  mask = warp.requireDefined(instruction.address.base, mask, "an address");
  for (uint32_t left = mask; left; left &= left - 1) {
    PendingArrival arrival;
    arrival.lane = std::countr_zero(left);
    arrival.instruction = warp.current;
    arrival.address = getAddress(warp, instruction, arrival.lane);
    arrival.firstLaterCopy = warp.numCopies;
    if (instruction.flags[0])
      if (std::string problem =
              warp.cta.memoryBarriers.expectArrival(arrival.address);
          !problem.empty())
        return warp.report(Check::BarrierMismatch, std::move(problem), left);
    warp.arrivals.push_back(arrival);
  }
  completeArrivals(warp, /*awaited=*/std::nullopt);
}

/// cp.async.mbarrier.arrive{.noinc}.shared.b64 [address].
bool decodeTracking(DecodeContext &context) {
  context.out.flags[0] = !context.take("noinc");
  context.out.execute = executeTracking;
  return context.take("arrive") &&
         (context.take("shared") || context.take("shared::cta")) &&
         context.take("b64") && context.expectOperands(1) &&
         context.address(0, StateSpace::Shared);
}

bool decodeAsynchronous(DecodeContext &context) {
  bool isReduction =
      !context.in.modifiers.empty() && context.in.modifiers.front() == "reduce";
  if (!context.take("async"))
    return false;
  if (context.take("bulk"))
    return decodeBulkCopy(context);
  if (isReduction)
    return false;
  Decoded &out = context.out;
  if (context.take("commit_group")) {
    out.execute = executeCommit;
    return context.expectOperands(0);
  }
  if (context.take("wait_all")) {
    out.flags[0] = 255;
    out.execute = executeWait;
    return context.expectOperands(0);
  }
  if (context.take("wait_group")) {
    const auto *count =
        context.expectOperands(1)
            ? std::get_if<IntegerOperand>(&context.in.operands[0].value)
            : nullptr;
    if (!count || count->bits > 254)
      return false;
    out.flags[0] = count->bits;
    out.execute = executeWait;
    return true;
  }
  if (context.take("mbarrier"))
    return decodeTracking(context);
  return context.in.operands.size() >= 3 && decodeCopy(context);
}

} // namespace

bool tilewright::emulator::completeArrivals(Warp &warp,
                                            std::optional<uint64_t> awaited) {
  bool any = false;
  std::vector<PendingArrival> left;
  for (const PendingArrival &arrival : std::exchange(warp.arrivals, {})) {
    auto isBefore = [&](const PendingCopy &copy) {
      return copy.lane == arrival.lane && copy.number < arrival.firstLaterCopy;
    };
    if (arrival.address == awaited)
      performIf(warp, isBefore);
    if (std::any_of(warp.copies.begin(), warp.copies.end(), isBefore)) {
      left.push_back(arrival);
      continue;
    }
    any = true;
    uint64_t token;
    std::string problem = warp.cta.memoryBarriers.arrive(
        warp.cta.order, warp.party, arrival.address, 1, /*drop=*/false, token);
    if (problem.empty())
      continue;
    warp.current = arrival.instruction;
    warp.report(Check::BarrierMismatch, std::move(problem), 1u << arrival.lane);
  }
  warp.arrivals = std::move(left);
  return any;
}

void tilewright::emulator::moveCopies(Warp &warp) {
  std::vector<uint8_t> &shared = warp.cta.shared.data;
  for (PendingCopy &copy : warp.copies) {
    if (copy.hasMoved || copy.moment > warp.clock ||
        copy.destination > shared.size() ||
        copy.bytes > shared.size() - copy.destination)
      continue;
    copy.hasMoved = true;
    warp.cta.memory.read(copy.source, copy.content, copy.sourceBytes);
    std::memcpy(&shared[copy.destination], copy.content, copy.bytes);
  }
}

Family tilewright::emulator::asynchronousFamily() {
  return {{"cp", decodeAsynchronous}};
}
