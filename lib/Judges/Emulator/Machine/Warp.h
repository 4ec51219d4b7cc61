// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a warp: registers by lane, and which lanes stand where.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_WARP_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_WARP_H

#include "lib/Judges/Emulator/Machine/LaneGroups.h"
#include "lib/Judges/Emulator/Machine/Program.h"
#include "lib/Judges/Emulator/Machine/Report.h"
#include "lib/Judges/Emulator/Machine/WarpGroups.h"

#include <bit>

namespace tilewright::emulator {

class Cta;

/// The number of barrier.cluster among the places where lanes wait, behind the
/// CTA's own barriers.
constexpr uint8_t clusterBarrier = 16;

/// A cp.async of one lane that was not waited for.
struct PendingCopy {
  static constexpr uint32_t open = ~0u;
  unsigned lane = 0;
  /// Which of the lane's groups it is in.
  uint32_t group = open;
  uint32_t instruction = 0;
  uint64_t destination = 0, source = 0;
  unsigned bytes = 0, sourceBytes = 0;
  /// Its number among the warp's copies.
  uint64_t number = 0;
  /// With a seed: the warp's clock when its bytes move, if that comes before it
  /// is waited for; and the bytes that have moved.
  uint64_t moment = ~uint64_t(0);
  bool hasMoved = false;
  uint8_t content[16] = {};
};

/// A cp.async.mbarrier.arrive of one lane that has not happened yet: it does
/// when the copies that the lane has begun before are done.
struct PendingArrival {
  unsigned lane = 0;
  uint32_t instruction = 0;
  uint64_t address = 0;
  /// It waits for the lane's copies of smaller numbers.
  uint64_t firstLaterCopy = 0;
};

class Warp {
public:
  Warp(Cta &cta, const Kernel &kernel, unsigned number, uint32_t lanes);

  /// Runs until a barrier, the end, a wait in vain, or `steps` instructions.
  /// Returns how many it ran.
  uint64_t run(uint64_t steps);

  enum class State : uint8_t { Ready, AtBarrier, Exited };
  State state = State::Ready;

  /// The running lanes wait at a barrier.
  void waitAt(uint8_t barrier);
  /// Those that wait there go on.
  void open(uint8_t barrier);
  /// The turn ends after this instruction: it has waited in vain for the
  /// mbarrier at `offset`.
  void waitInVain(uint64_t offset) { vainOffset = offset; }
  /// The mbarrier where its last turn has ended by that.
  std::optional<uint64_t> vainWait() const { return vainOffset; }
  const std::vector<LaneGroup> &places() const { return groups.places(); }

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
  uint32_t undefinedLanes(const Destination &destination) const {
    return destination.index == noRegister ? 0 : undefined[destination.index];
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
  /// Its number among the warps of its cluster.
  const unsigned party;
  /// Lanes that exist, and that have not ended.
  const uint32_t lanes;
  uint32_t live;

  /// Lanes that know the launch ahead of this one to have ended.
  uint32_t awaited;

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
  std::vector<PendingArrival> arrivals;
  uint32_t committedGroups[warpSize] = {};
  uint64_t numCopies = 0;
  /// The phase of barrier.cluster that it has come to and not waited for; 0:
  /// none.
  uint32_t clusterPhase = 0;
  /// Products of its warp group; null in kernels that have none.
  std::unique_ptr<WarpProducts> products;
  /// Instructions so far.
  uint64_t clock = 0;

private:
  uint32_t getSpecial(SpecialRegister::Kind kind, unsigned lane) const;
  void branch(const Decoded &instruction, uint32_t taken, uint32_t target,
              uint32_t next);
  void branchByIndex(const Decoded &instruction, uint32_t mask);
  void exitLanes(uint32_t mask);
  void moveLanesApart();
  void step();
  /// After a change of groups: `canRun` is whether one is active that can.
  void settle(bool canRun);

  std::vector<uint32_t> file;
  std::vector<uint32_t> undefined;
  LaneGroups groups;
  std::optional<uint64_t> vainOffset;
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

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_WARP_H
