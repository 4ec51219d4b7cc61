// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, ends, barriers and fences (PTX ISA, "Control Flow", "Parallel
// Synchronization").

#include "lib/Emulator/Machine/Cta.h"
#include "lib/Emulator/Machine/Decode.h"
#include "lib/Emulator/Machine/Decoder.h"

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

/// What only orders memory, or waits for time, changes nothing: accesses are
/// performed one after the other.
bool decodeFence(DecodeContext &context) {
  while (context.takeOneOf({"cta", "gl", "sys", "gpu", "cluster", "sc",
                            "acq_rel", "acquire", "release", "u32"}))
    ;
  context.out.execute = executeNothing;
  return true;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// In flags: [0] arrives without waiting, [1] all lanes must come together.
void executeBarrier(Warp &warp, const Decoded &instruction, uint32_t mask) {
  for (const Source &source : instruction.sources)
    mask = warp.requireDefined(source, mask, "a barrier");
  if (!mask)
    return;
  if (instruction.flags[1] && mask != warp.live)
    warp.report(Check::Divergence,
                "expects all lanes of the warp, but some are elsewhere",
                warp.live & ~mask);
  unsigned lane = std::countr_zero(mask);
  uint32_t number = warp.read<uint32_t>(instruction.sources[0])[lane];
  uint32_t expected = instruction.sources.size() > 1
                          ? warp.read<uint32_t>(instruction.sources[1])[lane]
                          : 0;
  if (number >= warp.cta.barriers.size())
    return warp.report(Check::BarrierMismatch,
                       "expects a barrier from 0 to 15, but got " +
                           std::to_string(number),
                       mask);
  if (expected % warpSize != 0)
    warp.report(Check::BarrierMismatch,
                "expects a multiple of 32 threads, but got " +
                    std::to_string(expected),
                mask);
  BarrierState &barrier = warp.cta.barriers[number];
  if (barrier.arrived && barrier.expected != expected)
    warp.report(Check::BarrierMismatch,
                "expects " + std::to_string(barrier.expected) +
                    " threads (0: all) as the others at barrier " +
                    std::to_string(number) + ", but got " +
                    std::to_string(expected),
                mask);
  barrier.expected = expected;
  // With a number of threads, a warp counts as a whole.
  barrier.arrived += expected ? warpSize : std::popcount(mask);
  warp.cta.order.arrive(warp.number, number, /*waits=*/!instruction.flags[0]);
  if (!instruction.flags[0]) {
    warp.barrier = number;
    warp.state = Warp::State::AtBarrier;
  }
}

bool decodeBarrier(DecodeContext &context) {
  Decoded &out = context.out;
  context.take("cta");
  if (context.take("warp")) {
    out.execute = executeNothing;
    return context.take("sync") && context.expectOperands(1) &&
           context.source(0, 32) && decodeWarpSynchronization(context);
  }
  std::optional<unsigned> kind = context.takeOneOf({"sync", "arrive"});
  if (!kind)
    return false;
  out.flags[0] = *kind;
  out.flags[1] = context.take("aligned") || context.in.name == "bar";
  out.execute = executeBarrier;
  if (!context.expectOperands(1, 2))
    return false;
  for (size_t i = 0; i < context.in.operands.size(); ++i)
    if (!context.source(i, 32))
      return false;
  return true;
}

} // namespace

Family tilewright::emulator::controlFamily() {
  return {{"bra", decodeBranch},      {"brx", decodeIndexedBranch},
          {"exit", decodeExit},       {"trap", decodeTrap},
          {"bar", decodeBarrier},     {"barrier", decodeBarrier},
          {"membar", decodeFence},    {"fence", decodeFence},
          {"nanosleep", decodeFence}, {"pmevent", decodeFence}};
}
