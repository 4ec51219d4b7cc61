// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a warp: registers by lane, and which lanes stand where.

#ifndef TILEWRIGHT_LIB_EMULATOR_MACHINE_WARP_H
#define TILEWRIGHT_LIB_EMULATOR_MACHINE_WARP_H

#include "lib/Emulator/Machine/Program.h"
#include "lib/Emulator/Machine/Report.h"

#include <bit>

namespace tilewright::emulator {

class Cta;

/// Lanes that run together, until they meet others at `reconvergence`.
struct Frame {
  uint32_t next = 0;
  uint32_t reconvergence = ~0u;
  uint32_t mask = 0;
};

/// A cp.async of one lane that was not waited for.
struct PendingCopy {
  static constexpr uint32_t open = ~0u;
  unsigned lane = 0;
  /// Which of the lane's groups it is in.
  uint32_t group = open;
  uint32_t instruction = 0;
  uint64_t destination = 0, source = 0;
  unsigned bytes = 0, sourceBytes = 0;
};

class Warp {
public:
  Warp(Cta &cta, const Kernel &kernel, unsigned number, uint32_t lanes);

  /// Runs until a barrier, the end, or `steps` instructions. Returns how many
  /// it ran.
  uint64_t run(uint64_t steps);

  enum class State : uint8_t { Ready, AtBarrier, Exited };
  State state = State::Ready;

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  /// The lanes of a source, as uint32_t or uint64_t.
  template <typename Word>
  const Word *read(const Source &source) const {
    return static_cast<const Word *>(
        source.constant
            ? source.constant
            : static_cast<const void *>(file.data() + source.offset));
  }
  /// The lanes of a destination; a place for what nobody wants has lanes too.
  template <typename Word>
  Word *write(const Destination &destination) {
    return reinterpret_cast<Word *>(file.data() + destination.offset);
  }
  /// A predicate's lanes as a mask.
  uint32_t readPredicate(const Source &source) const {
    uint32_t lanes = *read<uint32_t>(source);
    return source.isNegated ? ~lanes : lanes;
  }
  void writePredicate(const Destination &destination, uint32_t lanes,
                      uint32_t mask) {
    uint32_t &word = file[destination.offset];
    word = (word & ~mask) | (lanes & mask);
  }

  /// Lanes of a source that hold no value.
  uint32_t undefinedLanes(const Source &source) const {
    return source.index == noRegister ? 0 : undefined[source.index];
  }
  uint32_t undefinedLanes(const Decoded &instruction) const {
    uint32_t lanes = 0;
    for (const Source &source : instruction.sources)
      lanes |= undefinedLanes(source);
    return lanes;
  }
  /// After a write of the lanes of `mask`: those of `unknown` hold no value.
  void define(const Destination &destination, uint32_t mask,
              uint32_t unknown = 0) {
    if (destination.index == noRegister)
      return;
    uint32_t &lanes = undefined[destination.index];
    lanes = (lanes & ~mask) | (unknown & mask);
  }

  //===--------------------------------------------------------------------===//
  // Where it is
  //===--------------------------------------------------------------------===//

  Cta &cta;
  const Kernel &kernel;
  const unsigned number;
  /// Lanes that exist, and that have not ended.
  const uint32_t lanes;
  uint32_t live;

  /// The instruction that runs.
  uint32_t current = 0;

  /// Reports at the running instruction for the lowest lane of `mask`.
  void report(Check check, std::string message, uint32_t mask);
  /// Reports lanes of `mask` whose `source` was never written; `use` says for
  /// what: "an address". Returns the lanes that have a value; with the check
  /// off, all of `mask`.
  uint32_t requireDefined(const Source &source, uint32_t mask, const char *use);

  /// Counts of the running instruction.
  InstructionCounts &counts();

  std::vector<PendingCopy> copies;
  uint32_t committedGroups[warpSize] = {};

  /// The barrier that it waits at.
  uint32_t barrier = 0;

private:
  uint32_t getSpecial(SpecialRegister::Kind kind, unsigned lane) const;
  void branch(const Decoded &instruction, uint32_t taken, uint32_t target,
              uint32_t next);
  void branchByIndex(const Decoded &instruction, uint32_t mask);
  void exitLanes(uint32_t mask);
  void mergeFrames();
  bool step();

  std::vector<uint32_t> file;
  std::vector<uint32_t> undefined;
  std::vector<Frame> frames;
};

/// Calls `function` with each lane of `mask`; the usual case, all lanes, as a
/// loop that the host's compiler can make vectors of.
template <typename Function>
inline void forLanes(uint32_t mask, Function function) {
  if (mask == allLanes) {
#pragma clang loop vectorize(assume_safety)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      function(lane);
    return;
  }
  for (; mask; mask &= mask - 1)
    function(static_cast<unsigned>(std::countr_zero(mask)));
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_MACHINE_WARP_H
