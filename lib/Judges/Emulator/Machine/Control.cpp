// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, ends, barriers and fences (PTX ISA, "Control Flow", "Parallel
// Synchronization").

#include "lib/Judges/Emulator/Machine/Cluster.h"
#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Decoder.h"
#include "lib/Judges/Emulator/Machine/RegisterBudget.h"
#include "lib/Judges/Emulator/Machine/Synchronization.h"

using namespace tilewright::emulator;

namespace {

void executeNothing(Warp &, const Decoded &, uint32_t) {}

bool decodeBranch(DecodeContext &context) {
  context.take("uni");
  if (!context.expectOperands(1))
    return false;
  const auto *label = std::get_if<SymbolOperand>(&context.in.operands[0].value);
  std::optional<uint32_t> target =
      label ? context.decoder.getLabel(label->name) : std::nullopt;
  if (!target)
    return context.fail("expects a label of this function");
  context.out.control = Control::Branch;
  context.out.target = *target;
  return true;
}

/// brx.idx index, list;
bool decodeIndexedBranch(DecodeContext &context) {
  context.take("uni");
  if (!context.take("idx") || !context.expectOperands(2))
    return false;
  const auto *list = std::get_if<SymbolOperand>(&context.in.operands[1].value);
  std::optional<BranchTable> table =
      list ? context.decoder.getBranchTable(list->name) : std::nullopt;
  if (!table)
    return context.fail("expects a list of '.branchtargets'");
  context.out.control = Control::IndexedBranch;
  context.out.details = std::make_shared<BranchTable>(std::move(*table));
  return context.source(0, 32);
}

bool decodeExit(DecodeContext &context) {
  context.take("uni");
  context.out.control = Control::Exit;
  return context.expectOperands(0);
}

void executeTrap(Warp &warp, const Decoded &, uint32_t mask) {
  warp.report(Check::Execution, "the kernel stops itself", mask);
  warp.cta.stopped = true;
}

bool decodeTrap(DecodeContext &context) {
  context.out.control = Control::Stop;
  context.out.execute = executeTrap;
  return context.expectOperands(0);
}

void executeProxyFence(Warp &warp, const Decoded &, uint32_t mask) {
  // Its writes may be in any CTA's memory.
  for (std::unique_ptr<Cta> &cta : warp.cta.cluster.ctas)
    cta->proxyFences.fence(warp.party, mask, cta->order.epoch(warp.party));
  warp.cta.memoryBarriers.fence(warp.number, mask);
}

/// fence.mbarrier_init.release.cluster.
void executeInitializationFence(Warp &warp, const Decoded &, uint32_t mask) {
  warp.cta.memoryBarriers.fence(warp.number, mask);
}

/// fence.proxy.async, of all spaces or one.
bool decodeProxyFence(DecodeContext &context) {
  std::optional<unsigned> space =
      context.takeOneOf({"global", "shared", "shared::cta", "shared::cluster"});
  bool isOfShared = space != 0u;
  context.out.execute = isOfShared ? executeProxyFence : executeNothing;
  return context.expectOperands(0);
}

/// What only orders memory, or waits for time, changes nothing: accesses are
/// performed one after the other.
bool decodeFence(DecodeContext &context) {
  if (context.take("proxy")) {
    if (context.take("async"))
      return decodeProxyFence(context);
    if (context.take("tensormap::generic"))
      return decodeTensorMapFence(context);
  }
  if (context.take("mbarrier_init")) {
    context.out.execute = executeInitializationFence;
    return context.take("release") && context.take("cluster") &&
           context.expectOperands(0);
  }
  while (context.takeOneOf({"cta", "gl", "sys", "gpu", "cluster", "sc",
                            "acq_rel", "acquire", "release", "u32", "alias"}))
    ;
  context.out.execute = executeNothing;
  return true;
}

/// Launches never overlap here; what a dependent one may not do before it has
/// waited is reported where it does it.
void executeGridDependencyWait(Warp &warp, const Decoded &, uint32_t mask) {
  warp.awaited |= mask;
}

bool decodeGridDependency(DecodeContext &context) {
  context.out.execute = executeNothing;
  if (context.take("wait"))
    context.out.execute = executeGridDependencyWait;
  else if (!context.take("launch_dependents"))
    return false;
  return context.expectOperands(0);
}

/// In flags: [0] the number falls. Values stay in their registers, whatever
/// their number: what a smaller one loses is ptxas' concern.
void executeSetRegisters(Warp &warp, const Decoded &instruction,
                         uint32_t mask) {
  if (mask != warp.live)
    warp.report(Check::Divergence,
                "expects all lanes of the warp, but some are elsewhere",
                warp.live & ~mask);
  unsigned lane = std::countr_zero(mask);
  uint32_t count = warp.read<uint32_t>(instruction.sources[0])[lane];
  if (count < 24 || count > 256 || count % 8)
    return warp.report(Check::Execution,
                       "expects a number of registers that is a multiple of 8 "
                       "from 24 to 256, but got " +
                           std::to_string(count),
                       mask);
  setRegisters(warp, count, instruction.flags[0]);
}

bool decodeSetRegisters(DecodeContext &context) {
  context.out.isCollective = true;
  context.out.execute = executeSetRegisters;
  std::optional<unsigned> direction = context.takeOneOf({"inc", "dec"});
  context.out.flags[0] = direction == 1u;
  return direction && context.take("sync") && context.take("aligned") &&
         context.take("u32") && context.expectOperands(1) &&
         context.source(0, 32);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

enum class BarrierKind : uint8_t { Sync, Arrive, Reduce };
enum class BarrierReduction : uint8_t { Count, And, Or };

std::string describeMismatch(uint32_t number, uint32_t expected,
                             const Cta &cta) {
  if (number >= cta.barriers.size())
    return "expects a barrier from 0 to 15, but got " + std::to_string(number);
  if (expected % warpSize != 0)
    return "expects a multiple of 32 threads, but got " +
           std::to_string(expected);
  const BarrierState &barrier = cta.barriers[number];
  if (barrier.arrived && barrier.expected != expected)
    return "expects " + std::to_string(barrier.expected) +
           " threads (0: all) as the others at barrier " +
           std::to_string(number) + ", but got " + std::to_string(expected);
  return "";
}

/// In flags: [0] the kind, [1] all lanes must come together, [2] the reduction,
/// [3] the number of threads is given. Sources: the barrier, the number of
/// threads if given, a reduction's predicate.
void executeBarrier(Warp &warp, const Decoded &instruction, uint32_t mask) {
  for (const Source &source : instruction.sources)
    mask = warp.requireDefined(source, mask, "a barrier");
  if (!mask)
    return;
  bool isAligned = instruction.flags[1];
  if (isAligned && mask != warp.live)
    warp.report(Check::Divergence,
                "expects all lanes of the warp, but some are elsewhere",
                warp.live & ~mask);
  unsigned lane = std::countr_zero(mask);
  uint32_t number = warp.read<uint32_t>(instruction.sources[0])[lane];
  uint32_t expected = instruction.flags[3]
                          ? warp.read<uint32_t>(instruction.sources[1])[lane]
                          : 0;
  std::string mismatch = describeMismatch(number, expected, warp.cta);
  if (!mismatch.empty())
    warp.report(Check::BarrierMismatch, std::move(mismatch), mask);
  if (number >= warp.cta.barriers.size())
    return;
  BarrierState &barrier = warp.cta.barriers[number];
  // Who comes after the last one that it waits for is the next one's first.
  if (barrier.expected && barrier.arrived >= barrier.expected)
    warp.cta.open(number);
  barrier.expected = expected;
  // With a number of threads, a warp counts as a whole.
  barrier.arrived += expected && isAligned ? warpSize : std::popcount(mask);
  auto kind = static_cast<BarrierKind>(instruction.flags[0]);
  if (kind == BarrierKind::Reduce) {
    uint32_t votes = warp.readPredicate(instruction.sources.back()) & mask;
    barrier.trueVotes += std::popcount(votes);
    barrier.falseVotes += std::popcount(mask & ~votes);
  }
  bool waits = kind != BarrierKind::Arrive;
  warp.cta.order.arrive(warp.party, number, waits);
  if (waits)
    warp.waitAt(number);
}

/// popc, and, or of bar.red.
bool decodeBarrierReduction(DecodeContext &context) {
  std::optional<unsigned> operation = context.takeOneOf({"popc", "and", "or"});
  if (!operation)
    return false;
  context.out.flags[2] = *operation;
  bool isCount =
      static_cast<BarrierReduction>(*operation) == BarrierReduction::Count;
  return context.take(isCount ? "u32" : "pred") &&
         context.destination(0, isCount ? 32 : 1);
}

/// In flags: [0] it waits.
void executeClusterBarrier(Warp &warp, const Decoded &instruction,
                           uint32_t mask) {
  if (mask != warp.live)
    warp.report(Check::Divergence,
                "expects all lanes of the warp, but some are elsewhere",
                warp.live & ~mask);
  if (instruction.flags[0])
    warp.cta.cluster.wait(warp);
  else
    warp.cta.cluster.arrive(warp, mask);
}

/// barrier.cluster.arrive and .wait, of warps as a whole.
bool decodeClusterBarrier(DecodeContext &context) {
  std::optional<unsigned> operation = context.takeOneOf({"arrive", "wait"});
  context.takeOneOf({"release", "relaxed", "acquire"});
  context.take("aligned");
  context.out.flags[0] = operation == 1u;
  context.out.execute = executeClusterBarrier;
  return operation && context.expectOperands(0);
}

bool decodeBarrier(DecodeContext &context) {
  Decoded &out = context.out;
  out.isCollective = true;
  if (context.take("cluster"))
    return decodeClusterBarrier(context);
  context.take("cta");
  if (context.take("warp")) {
    out.execute = executeNothing;
    return context.take("sync") && context.expectOperands(1) &&
           context.source(0, 32) && decodeWarpSynchronization(context);
  }
  std::optional<unsigned> kind = context.takeOneOf({"sync", "arrive", "red"});
  if (!kind)
    return false;
  out.flags[0] = *kind;
  out.flags[1] = context.take("aligned") || context.in.name == "bar";
  out.execute = executeBarrier;
  // Before the barrier there is a result, behind it a predicate.
  size_t isReduction = static_cast<BarrierKind>(*kind) == BarrierKind::Reduce;
  if (!context.expectOperands(1 + 2 * isReduction, 2 + 2 * isReduction) ||
      (isReduction && !decodeBarrierReduction(context)))
    return false;
  size_t last = context.in.operands.size() - isReduction;
  out.flags[3] = last - isReduction == 2;
  for (size_t i = isReduction; i < last; ++i)
    if (!context.source(i, 32))
      return false;
  return !isReduction || context.source(last, 1);
}

} // namespace

void tilewright::emulator::finishBarrier(Warp &warp, const Decoded &instruction,
                                         uint32_t mask,
                                         const BarrierState &barrier) {
  if (static_cast<BarrierKind>(instruction.flags[0]) != BarrierKind::Reduce)
    return;
  const Destination &destination = instruction.destinations[0];
  warp.define(destination, mask);
  switch (static_cast<BarrierReduction>(instruction.flags[2])) {
  case BarrierReduction::Count: {
    uint32_t *d = warp.write<uint32_t>(destination);
    return forLanes(mask, [&](unsigned lane) { d[lane] = barrier.trueVotes; });
  }
  case BarrierReduction::And:
    return warp.writePredicate(destination, barrier.falseVotes ? 0 : allLanes,
                               mask);
  case BarrierReduction::Or:
    return warp.writePredicate(destination, barrier.trueVotes ? allLanes : 0,
                               mask);
  }
}

Family tilewright::emulator::controlFamily() {
  return {{"bra", decodeBranch},
          {"brx", decodeIndexedBranch},
          {"exit", decodeExit},
          {"trap", decodeTrap},
          {"bar", decodeBarrier},
          {"barrier", decodeBarrier},
          {"membar", decodeFence},
          {"fence", decodeFence},
          {"nanosleep", decodeFence},
          {"pmevent", decodeFence},
          {"griddepcontrol", decodeGridDependency},
          {"setmaxnreg", decodeSetRegisters}};
}
