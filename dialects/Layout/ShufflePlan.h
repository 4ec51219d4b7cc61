// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a layout conversion within warps is done by shuffles and selects, and
// what it costs.
//
// In: two register layouts and the width of an element. Out: the steps, as
// data, which passes/TileGPUToLLVM emits and ConversionPlan.h prices.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_SHUFFLEPLAN_H
#define TILEWRIGHT_DIALECTS_LAYOUT_SHUFFLEPLAN_H

#include "dialects/Layout/Conversion.h"

namespace tilewright::layout {

/// A linear map over F2 from the bits of a thread's lane and warp: the XOR of
/// the columns of the bits that are set.
struct ThreadMap {
  std::vector<uint64_t> lane;
  std::vector<uint64_t> warp;

  /// A basis of the image: each vector has a highest bit that no other has.
  std::vector<uint64_t> image() const;
  /// The lanes and warps in which bit `bit` of the value is odd: the masks
  /// whose parities add up to it.
  std::pair<uint64_t, uint64_t> parityMasks(unsigned bit) const;
  bool isZero() const { return image().empty(); }
};

/// One conversion within warps, in five stages. A thread is (lane, warp);
/// indices of registers are vectors over F2.
///
///  1. source exchange: register i of a thread is its source register i ^
///  sourceExchange(thread);
///  2. fetches: thread t receives the words of the lane laneIndex(t) ^
///  laneOffset, each packed from the named
///     registers; a fetch that is no shuffle takes the thread's own;
///  3. alternatives: a value is the one of its parts that the index
///  alternative(t) picks;
///  4. destination exchange: destination register i is value i ^
///  destinationExchange(thread).
///
/// A transposition of k register bits with k lane bits costs (2^k - 1) / 2^k
/// shuffles for each word in this form.
struct ShufflePlan {
  struct Fetch {
    uint64_t laneOffset;
    /// The registers of one word, the lowest bits first: one, or as many as fit
    /// 32 bits.
    std::vector<unsigned> registers;
    bool isShuffle;
  };
  /// Element `position` of the word that `fetch` brings.
  struct Part {
    unsigned fetch;
    unsigned position;
  };

  ThreadMap sourceExchange;
  ThreadMap laneIndex;
  /// laneIndex is the thread's own lane: a fetch is a butterfly by its offset.
  bool isButterfly;
  std::vector<Fetch> fetches;
  /// For each destination register the parts to choose from: 2^(bits of
  /// alternative's index) of them.
  std::vector<std::vector<Part>> values;
  ThreadMap alternative;
  /// The bits of alternative(t) that, in this order, make up the index.
  std::vector<unsigned> alternativeBits;
  ThreadMap destinationExchange;
  unsigned sourceRegisters;
  unsigned elementBits;

  /// Instructions shfl.sync.
  unsigned countShuffles() const;
  /// Selects, each of up to 32 bits.
  unsigned countSelects() const;
};

/// The plan of the conversion from `source` to `destination` of elements of
/// `elementBits` (8, 16, 32 or 64; others travel alone). Layouts as
/// classifyConversion takes them; none where data cross warps or the source
/// lacks an element.
std::optional<ShufflePlan> planShuffles(const LinearLayout &source,
                                        const LinearLayout &destination,
                                        unsigned elementBits);

/// The same for a conversion of `source` that is classified, and stays within
/// warps.
ShufflePlan planShuffles(const Conversion &conversion,
                         const LinearLayout &source, unsigned elementBits);

/// Shuffles that the conversion takes (see planShuffles); none where shuffles
/// cannot do it.
std::optional<unsigned> countShuffles(const LinearLayout &source,
                                      const LinearLayout &destination,
                                      unsigned elementBits);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_SHUFFLEPLAN_H
