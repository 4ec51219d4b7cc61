// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a warp goes from instruction to instruction.

#include "lib/Emulator/Machine/Warp.h"

#include "lib/Emulator/Machine/Synchronization.h"

#include <algorithm>

using namespace tilewright::emulator;

Warp::Warp(Cta &cta, const Kernel &kernel, unsigned number, uint32_t lanes)
    : cta(cta), kernel(kernel), number(number), lanes(lanes), live(lanes),
      file(kernel.registerWords, 0xcdcdcdcd),
      undefined(kernel.numRegisters, allLanes), frames(lanes) {
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
  return mask & ~unknown;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

uint64_t Warp::run(uint64_t steps) {
  uint64_t begin = clock;
  vainOffset.reset();
  if (cta.options.seed)
    moveCopies(*this);
  if (frames.areApart())
    settle(cta.options.seed ? frames.choose(cta.random() % warpSize)
                            : frames.chooseNext());
  while (clock - begin < steps && state == State::Ready && !vainOffset &&
         !cta.stopped)
    step();
  return clock - begin;
}

void Warp::settle(bool canRun) {
  if (!canRun)
    state = live ? State::AtBarrier : State::Exited;
}

void Warp::waitAt(uint8_t barrier) { settle(frames.wait(barrier)); }

void Warp::open(uint8_t barrier) {
  if (frames.open(barrier))
    state = State::Ready;
}

/// With a seed: some lanes run ahead of the others, as far as lanes may that no
/// instruction keeps together.
void Warp::moveLanesApart() {
  const Frame &frame = frames.active();
  uint32_t meeting = kernel.togetherAt[frame.next];
  // Where others wait for all these lanes, none runs past them.
  if (frame.reconvergence > frame.next)
    meeting = std::min(meeting, frame.reconvergence);
  if (meeting <= frame.next + 1 || cta.random() % 16)
    return;
  uint32_t ahead = cta.random() & frame.mask;
  if (ahead && ahead != frame.mask)
    settle(frames.part(ahead, frame.next, frame.next, meeting));
}

/// Runs one instruction.
void Warp::step() {
  ++clock;
  if (frames.active().next == frames.active().reconvergence)
    return settle(frames.meet());
  if (frames.active().next >= kernel.code.size())
    return exitLanes(frames.active().mask);
  if (cta.options.seed)
    moveLanesApart();
  Frame &frame = frames.active();
  current = frame.next;
  const Decoded &instruction = kernel.code[current];
  uint32_t mask = frame.mask;
  if (instruction.guard.index != noRegister) {
    mask = requireDefined(instruction.guard, mask, "the instruction's guard");
    mask &= readPredicate(instruction.guard);
  }
  InstructionCounts &count = counts();
  count.warps += mask != 0;
  count.lanes += std::popcount(mask);
  switch (instruction.control) {
  case Control::Next:
    ++frame.next;
    if (mask)
      instruction.execute(*this, instruction, mask);
    break;
  case Control::Branch:
    branch(instruction, mask);
    break;
  case Control::IndexedBranch:
    branchByIndex(instruction, mask);
    break;
  case Control::Exit:
    ++frame.next;
    if (mask)
      exitLanes(mask);
    break;
  }
}

/// The lanes of `taken` go to the target, the others on.
void Warp::branch(const Decoded &instruction, uint32_t taken) {
  Frame &frame = frames.active();
  uint32_t next = frame.next + 1;
  if (!taken || taken == frame.mask)
    frame.next = taken ? instruction.target : next;
  else
    settle(frames.part(taken, instruction.target, next,
                       instruction.reconvergence));
}

/// The lanes that go where the first of `taken` goes part from the others, who
/// come to the same branch again.
void Warp::branchByIndex(const Decoded &instruction, uint32_t taken) {
  const Source &index = instruction.sources[0];
  taken = requireDefined(index, taken, "a branch's index");
  const uint32_t *indices = read<uint32_t>(index);
  uint32_t first = taken ? indices[std::countr_zero(taken)] : 0;
  if (taken && first >= instruction.targets.size()) {
    report(Check::Execution,
           "expects an index below " +
               std::to_string(instruction.targets.size()) + ", but got " +
               std::to_string(first),
           taken);
    cta.stopped = true;
    return;
  }
  Frame &frame = frames.active();
  if (!taken) {
    ++frame.next;
    return;
  }
  uint32_t alike = 0;
  for (uint32_t left = taken; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    alike |= uint32_t(indices[lane] == first) << lane;
  }
  uint32_t target = instruction.targets[first];
  if (alike == frame.mask)
    frame.next = target;
  else
    settle(frames.part(alike, target, frame.next, instruction.reconvergence));
}

void Warp::exitLanes(uint32_t mask) {
  live &= ~mask;
  settle(frames.end(mask));
}
