// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A conversion through shared memory that holds only a part of the tensor at a
// time.
//
// In: two register layouts, the width of an element, a number of bytes. Out:
// the parts, how registers are stored and loaded part by part, and the
// placement, as data. It holds no IR and knows no target.
//
// A part is a coset of a subspace of the coordinates, named by the values of
// linear functionals. Functionals that neither side's lanes and warps reach are
// best: a part is then some registers of every thread. Where there are too few
// of them, threads differ in what they hold of a part, and predicates say so.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_ROUNDSPLAN_H
#define TILEWRIGHT_DIALECTS_LAYOUT_ROUNDSPLAN_H

#include "dialects/Layout/SharedLayout.h"
#include "dialects/Layout/ShufflePlan.h"

namespace tilewright::layout {

/// One side of the conversion. Registers are numbered anew: those that differ
/// in the low bits of their number alone form a class, whose elements a thread
/// moves in one round.
struct RoundsSide {
  /// (new register, lane, warp) -> the place in a round, which has one
  /// coordinate.
  LinearLayout places;
  /// The register of each new number.
  std::vector<unsigned> registers;
  /// The round of each class in threads where threadRound is 0; elsewhere the
  /// two are XORed.
  std::vector<uint64_t> classRounds;
  ThreadMap threadRound;
  /// How a class is accessed, by the numbers within it.
  VectorAccess access;
  /// Whether every thread moves the same class in a round.
  bool isUniform;

  /// Registers of a class.
  unsigned classSize() const { return registers.size() / classRounds.size(); }
  /// Whether some thread moves class `index` in round `round`.
  bool moves(unsigned index, uint64_t round) const;
};

struct RoundsPlan {
  /// Masks of flat coordinates, in reduced echelon form, ascending: the part of
  /// an element is the number whose bit i is the parity of what functional i
  /// picks.
  std::vector<uint64_t> functionals;
  /// offset -> the place in a round.
  LinearLayout shared;
  RoundsSide store, load;
  unsigned elementBits;
  /// Wavefronts of all warps and rounds.
  uint64_t storeWavefronts, loadWavefronts;
  /// Instructions of one warp, in all rounds.
  uint64_t storeInstructions, loadInstructions;

  unsigned rounds() const { return 1u << functionals.size(); }
  /// Bytes of shared memory.
  uint64_t bytes() const {
    return (uint64_t(1) << shared.totalInputBits()) * elementBits / 8;
  }
};

/// The plan with the fewest rounds whose part takes at most `bytes` bytes. Both
/// layouts reach every element of the same coordinates in the same order;
/// elements have 8, 16, 32 or 64 bits. None where not even one element fits, or
/// where the whole tensor does.
std::optional<RoundsPlan> planRounds(const LinearLayout &source,
                                     const LinearLayout &destination,
                                     unsigned elementBits, uint64_t bytes);

/// The plan with these functionals and this placement.
RoundsPlan makeRounds(const LinearLayout &source,
                      const LinearLayout &destination, unsigned elementBits,
                      std::vector<uint64_t> functionals,
                      const LinearLayout &shared);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_ROUNDSPLAN_H
