// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a warp goes from instruction to instruction.

#include "lib/Judges/Emulator/Machine/Warp.h"

#include "lib/Judges/Emulator/Machine/Synchronization.h"

#include <algorithm>

using namespace tilewright::emulator;

Warp::Warp(Cta &cta, const Kernel &kernel, unsigned number, uint32_t lanes)
    : cta(cta), kernel(kernel), number(number), party(cta.firstParty + number),
      lanes(lanes), live(lanes),
      awaited(cta.options.isDependent ? 0 : allLanes),
      file(kernel.registerWords, 0xcdcdcdcd),
      undefined(kernel.numRegisters, allLanes), groups(lanes) {
  if (kernel.usesWarpGroups)
    products = std::make_unique<WarpProducts>(kernel.numRegisters);
  for (const SpecialRegister &special : kernel.specialRegisters) {
    undefined[special.place.index] = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      file[special.place.offset + lane] = getSpecial(special.kind, lane);
  }
}

uint32_t Warp::getSpecial(SpecialRegister::Kind kind, unsigned lane) const {
  using Kind = SpecialRegister::Kind;
  const std::array<uint32_t, 3> &block = cta.options.block;
  uint32_t thread = number * warpSize + lane;
  switch (kind) {
  case Kind::TidX:
    return thread % block[0];
  case Kind::TidY:
    return thread / block[0] % block[1];
  case Kind::TidZ:
    return thread / block[0] / block[1];
  case Kind::NtidX:
  case Kind::NtidY:
  case Kind::NtidZ:
    return block[unsigned(kind) - unsigned(Kind::NtidX)];
  case Kind::CtaidX:
  case Kind::CtaidY:
  case Kind::CtaidZ:
    return cta.index[unsigned(kind) - unsigned(Kind::CtaidX)];
  case Kind::NctaidX:
  case Kind::NctaidY:
  case Kind::NctaidZ:
    return cta.options.grid[unsigned(kind) - unsigned(Kind::NctaidX)];
  case Kind::LaneId:
    return lane;
  case Kind::WarpId:
    return number;
  case Kind::LanemaskEq:
    return 1u << lane;
  case Kind::LanemaskLt:
    return (1u << lane) - 1;
  case Kind::LanemaskLe:
    return (2u << lane) - 1;
  case Kind::LanemaskGt:
    return ~((2u << lane) - 1);
  case Kind::LanemaskGe:
    return ~((1u << lane) - 1);
  case Kind::ClusterIdX:
  case Kind::ClusterIdY:
  case Kind::ClusterIdZ: {
    unsigned axis = unsigned(kind) - unsigned(Kind::ClusterIdX);
    return cta.index[axis] / cta.options.cluster[axis];
  }
  case Kind::NClusterIdX:
  case Kind::NClusterIdY:
  case Kind::NClusterIdZ: {
    unsigned axis = unsigned(kind) - unsigned(Kind::NClusterIdX);
    return cta.options.grid[axis] / cta.options.cluster[axis];
  }
  case Kind::ClusterCtaidX:
  case Kind::ClusterCtaidY:
  case Kind::ClusterCtaidZ: {
    unsigned axis = unsigned(kind) - unsigned(Kind::ClusterCtaidX);
    return cta.index[axis] % cta.options.cluster[axis];
  }
  case Kind::ClusterNctaidX:
  case Kind::ClusterNctaidY:
  case Kind::ClusterNctaidZ:
    return cta.options.cluster[unsigned(kind) - unsigned(Kind::ClusterNctaidX)];
  case Kind::ClusterCtaRank:
    return cta.rank;
  case Kind::ClusterNctaRank:
    return cta.options.cluster[0] * cta.options.cluster[1] *
           cta.options.cluster[2];
  case Kind::DynamicSharedSize:
    return cta.options.dynamicSharedBytes;
  case Kind::TotalSharedSize:
    return cta.shared.data.size();
  }
  return 0;
}

InstructionCounts &Warp::counts() { return cta.result.counts[current]; }

void Warp::report(Check check, std::string message, uint32_t mask) {
  if (!cta.checks(check))
    return;
  Fault fault;
  fault.check = check;
  fault.instruction = current;
  fault.message = kernel.names[current] + ": " + std::move(message);
  fault.location = kernel.locations[current];
  fault.source = kernel.sources[current];
  fault.warp = number;
  fault.lane = mask ? std::countr_zero(mask) : 0;
  cta.report(std::move(fault));
}

uint32_t Warp::requireDefined(const Source &source, uint32_t mask,
                              const char *use) {
  uint32_t unknown = undefinedLanes(source) & mask;
  if (unknown)
    report(Check::UninitializedRegister,
           std::string("expects a value for ") + use +
               ", but got a register that was never written",
           unknown);
  // Unchecked, what the register happens to hold is the value.
  return cta.checks(Check::UninitializedRegister) ? mask & ~unknown : mask;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

uint64_t Warp::run(uint64_t steps) {
  uint64_t begin = clock;
  vainOffset.reset();
  if (cta.options.seed)
    moveCopies(*this);
  if (cta.options.seed && products)
    performDueProducts(*this);
  if (groups.areApart())
    settle(cta.options.seed ? groups.choose(cta.random() % warpSize)
                            : groups.chooseNext());
  while (clock - begin < steps && state == State::Ready && !vainOffset &&
         !cta.stopped)
    step();
  return clock - begin;
}

void Warp::settle(bool canRun) {
  if (!canRun)
    state = live ? State::AtBarrier : State::Exited;
}

void Warp::waitAt(uint8_t barrier) { settle(groups.wait(barrier)); }

void Warp::open(uint8_t barrier) {
  if (groups.open(barrier))
    state = State::Ready;
}

/// With a seed: some lanes run ahead of the others, as far as lanes may that no
/// instruction keeps together.
void Warp::moveLanesApart() {
  const LaneGroup &group = groups.active();
  uint32_t meeting = kernel.togetherAt[group.next];
  // Where others wait for all these lanes, none runs past them.
  if (group.reconvergence > group.next)
    meeting = std::min(meeting, group.reconvergence);
  if (meeting <= group.next + 1 || cta.random() % 16)
    return;
  uint32_t ahead = cta.random() & group.mask;
  if (ahead && ahead != group.mask)
    settle(groups.part(ahead, group.next, group.next, meeting));
}

/// Runs one instruction.
void Warp::step() {
  ++clock;
  if (groups.active().next == groups.active().reconvergence)
    return settle(groups.meet());
  if (groups.active().next >= kernel.code.size())
    return exitLanes(groups.active().mask);
  if (cta.options.seed)
    moveLanesApart();
  LaneGroup &group = groups.active();
  current = group.next;
  const Decoded &instruction = kernel.code[current];
  uint32_t mask = group.mask;
  if (instruction.guard.index != noRegister) {
    mask = requireDefined(instruction.guard, mask, "the instruction's guard");
    mask &= readPredicate(instruction.guard);
  }
  InstructionCounts &count = counts();
  count.warps += mask != 0;
  count.lanes += std::popcount(mask);
  if (instruction.touchesProducts && mask)
    touchProductRegisters(*this, instruction, mask);
  switch (instruction.control) {
  case Control::Next:
  case Control::Stop:
    ++group.next;
    if (mask)
      instruction.execute(*this, instruction, mask);
    break;
  case Control::Branch:
    // Calls and returns hand values on.
    if (instruction.execute && mask)
      instruction.execute(*this, instruction, mask);
    branch(instruction, mask, instruction.target, group.next + 1);
    break;
  case Control::IndexedBranch:
    branchByIndex(instruction, mask);
    break;
  case Control::Exit:
    ++group.next;
    if (mask)
      exitLanes(mask);
    break;
  }
}

/// The lanes of `taken` go to `target`, the others to `next`.
void Warp::branch(const Decoded &instruction, uint32_t taken, uint32_t target,
                  uint32_t next) {
  LaneGroup &group = groups.active();
  if (!taken || taken == group.mask)
    group.next = taken ? target : next;
  else
    settle(groups.part(taken, target, next, instruction.reconvergence));
}

/// The lanes that go where the lowest lane goes do so; the others execute the
/// branch again, until none is left that takes it.
void Warp::branchByIndex(const Decoded &instruction, uint32_t mask) {
  const auto &table =
      *static_cast<const BranchTable *>(instruction.details.get());
  mask = requireDefined(instruction.sources[0], mask, "the index of a branch");
  if (!mask)
    return branch(instruction, 0, current + 1, current + 1);
  const uint32_t *index = read<uint32_t>(instruction.sources[0]);
  unsigned first = std::countr_zero(mask);
  if (index[first] >= table.size()) {
    report(Check::Execution,
           "expects an index below " + std::to_string(table.size()) +
               " of the branch's targets, but got " +
               std::to_string(index[first]),
           1u << first);
    cta.stopped = true;
    return;
  }
  uint32_t taken = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    bool isSame =
        index[lane] < table.size() && table[index[lane]] == table[index[first]];
    taken |= uint32_t(isSame) << lane;
  }
  counts().lanes -= std::popcount(mask & ~taken);
  branch(instruction, taken, table[index[first]], current);
}

void Warp::exitLanes(uint32_t mask) {
  if (uint32_t early = mask & ~awaited)
    report(Check::GlobalRace,
           "ends without griddepcontrol.wait, so that what follows this launch "
           "may begin before the one ahead of it has ended",
           early);
  live &= ~mask;
  if (!live && products)
    endProducts(*this);
  settle(groups.end(mask));
}
