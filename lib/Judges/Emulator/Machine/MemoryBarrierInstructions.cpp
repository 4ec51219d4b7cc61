// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier.* (PTX ISA, "Parallel Synchronization: mbarrier"), on objects in the
// CTA's own shared memory.

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Lanes.h"
#include "lib/Judges/Emulator/Machine/MemoryAccess.h"

using namespace tilewright::emulator;

namespace {

/// The object's place in shared memory, with the access checked; nothing where
/// it was refused.
std::optional<MemoryPlace> findObject(Warp &warp, const Decoded &instruction,
                                      unsigned lane, AccessKind kind) {
  MemoryPlace place =
      accessMemory(warp, lane, instruction.space,
                   getAddress(warp, instruction, lane), 8, 8, kind);
  if (!place.data)
    return std::nullopt;
  if (place.space == StateSpace::Shared)
    return place;
  warp.report(Check::BarrierMismatch,
              "expects an mbarrier in shared memory, but got another space",
              1u << lane);
  return std::nullopt;
}

/// Calls `function(barriers, lane, offset)`, which returns what is wrong or "",
/// for each lane of `mask` whose operands have values. `barriers`: of the CTA
/// whose memory it is.
template <typename Function>
void forObjects(Warp &warp, const Decoded &instruction, uint32_t mask,
                AccessKind kind, Function function) {
  mask = warp.requireDefined(instruction.address.base, mask, "an address");
  for (const Source &source : instruction.sources)
    mask = warp.requireDefined(source, mask, "an operand of an mbarrier");
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    std::optional<MemoryPlace> place =
        findObject(warp, instruction, lane, kind);
    if (!place)
      continue;
    std::string problem =
        function(place->owner->memoryBarriers, lane, place->offset);
    if (!problem.empty())
      warp.report(Check::BarrierMismatch, std::move(problem), 1u << lane);
  }
}

StateSpace takeSharedSpace(DecodeContext &context) {
  return context.takeOneOf({"shared", "shared::cta", "shared::cluster"})
             ? StateSpace::Shared
             : StateSpace::Generic;
}

void takeOrder(DecodeContext &context) {
  context.takeOneOf({"release", "acquire", "relaxed"});
  context.takeOneOf({"cta", "cluster"});
}

//===----------------------------------------------------------------------===//
// The life of an object
//===----------------------------------------------------------------------===//

void executeInitialize(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const uint32_t *counts = warp.read<uint32_t>(instruction.sources[0]);
  forObjects(warp, instruction, mask, AccessKind::Store,
             [&](MemoryBarriers &barriers, unsigned lane, uint64_t offset) {
               return barriers.initialize(offset, counts[lane],
                                          warp.number * warpSize + lane);
             });
}

void executeInvalidate(Warp &warp, const Decoded &instruction, uint32_t mask) {
  forObjects(warp, instruction, mask, AccessKind::Store,
             [&](MemoryBarriers &barriers, unsigned, uint64_t offset) {
               return barriers.invalidate(offset);
             });
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

/// In flags: [0] bytes are expected first, [1] later phases expect fewer, [2]
/// a count is given.
void executeArrive(Warp &warp, const Decoded &instruction, uint32_t mask) {
  bool isWide = instruction.destinations[0].bits == 64;
  forObjects(
      warp, instruction, mask, AccessKind::Atomic,
      [&](MemoryBarriers &barriers, unsigned lane,
          uint64_t offset) -> std::string {
        uint32_t operand =
            instruction.sources.empty()
                ? 1
                : warp.read<uint32_t>(instruction.sources[0])[lane];
        if (instruction.flags[0])
          if (std::string problem = barriers.expectBytes(offset, operand);
              !problem.empty())
            return problem;
        uint64_t token = 0;
        std::string problem = barriers.arrive(
            warp.cta.order, warp.party, offset,
            instruction.flags[2] ? operand : 1, instruction.flags[1], token);
        if (isWide)
          warp.write<uint64_t>(instruction.destinations[0])[lane] = token;
        return problem;
      });
  warp.define(instruction.destinations[0], mask);
}

bool decodeArrive(DecodeContext &context, bool isDrop) {
  Decoded &out = context.out;
  takeOrder(context);
  out.flags[0] = context.take("expect_tx");
  out.flags[1] = isDrop;
  context.take("noComplete");
  StateSpace space = takeSharedSpace(context);
  out.execute = executeArrive;
  out.flags[2] = !out.flags[0] && context.in.operands.size() == 3;
  return context.take("b64") && context.expectOperands(2, 3) &&
         context.destination(0, 64) && context.address(1, space) &&
         (context.in.operands.size() == 2 || context.source(2, 32));
}

/// In flags: [0] they have come instead.
void executeExpect(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const uint32_t *bytes = warp.read<uint32_t>(instruction.sources[0]);
  forObjects(warp, instruction, mask, AccessKind::Atomic,
             [&](MemoryBarriers &barriers, unsigned lane, uint64_t offset) {
               int64_t change = bytes[lane];
               std::string problem = barriers.expectBytes(
                   offset, instruction.flags[0] ? -change : change);
               if (problem.empty())
                 barriers.settle(warp.cta.order, offset);
               return problem;
             });
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// In flags: [0] the phase is given by its parity.
void executeTest(Warp &warp, const Decoded &instruction, uint32_t mask) {
  uint32_t complete = 0;
  bool isParity = instruction.flags[0];
  forObjects(warp, instruction, mask, AccessKind::Atomic,
             [&](MemoryBarriers &barriers, unsigned lane, uint64_t offset) {
               const Source &source = instruction.sources[0];
               uint64_t token = isParity ? warp.read<uint32_t>(source)[lane]
                                         : warp.read<uint64_t>(source)[lane];
               bool isComplete = false;
               std::string problem =
                   barriers.test(warp.cta.order, warp.party, offset, token,
                                 isParity, isComplete);
               complete |= uint32_t(isComplete) << lane;
               if (!isComplete)
                 warp.waitInVain(offset);
               return problem;
             });
  warp.writePredicate(instruction.destinations[0], complete, mask);
  warp.define(instruction.destinations[0], mask);
}

bool decodeTest(DecodeContext &context) {
  bool isParity = context.take("parity");
  takeOrder(context);
  StateSpace space = takeSharedSpace(context);
  context.out.flags[0] = isParity;
  context.out.execute = executeTest;
  // A hint of how long to wait may follow.
  return context.take("b64") && context.expectOperands(3, 4) &&
         context.destination(0, 1) && context.address(1, space) &&
         context.source(2, isParity ? 32 : 64);
}

void executePendingCount(Warp &warp, const Decoded &instruction,
                         uint32_t mask) {
  const uint64_t *tokens = warp.read<uint64_t>(instruction.sources[0]);
  uint32_t *counts = warp.write<uint32_t>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) {
    counts[lane] = MemoryBarriers::pendingOf(tokens[lane]);
  });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction));
}

bool decodeMemoryBarrier(DecodeContext &context) {
  Decoded &out = context.out;
  std::optional<unsigned> operation = context.takeOneOf(
      {"init", "inval", "arrive", "arrive_drop", "test_wait", "try_wait",
       "expect_tx", "complete_tx", "pending_count"});
  if (!operation)
    return false;
  switch (*operation) {
  case 0:
    out.execute = executeInitialize;
    break;
  case 1:
    out.execute = executeInvalidate;
    return context.address(0, takeSharedSpace(context)) &&
           context.take("b64") && context.expectOperands(1);
  case 2:
  case 3:
    return decodeArrive(context, /*isDrop=*/*operation == 3);
  case 4:
  case 5:
    return decodeTest(context);
  case 6:
  case 7:
    takeOrder(context);
    out.flags[0] = *operation == 7;
    out.execute = executeExpect;
    break;
  default:
    out.execute = executePendingCount;
    return context.take("b64") && context.expectOperands(2) &&
           context.destination(0, 32) && context.source(1, 64);
  }
  return context.address(0, takeSharedSpace(context)) && context.take("b64") &&
         context.expectOperands(2) && context.source(1, 32);
}

} // namespace

Family tilewright::emulator::memoryBarrierFamily() {
  return {{"mbarrier", decodeMemoryBarrier}};
}
