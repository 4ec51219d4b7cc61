// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order words of packed codes lie in memory so that the threads of a
// warp load those of a dot's operand at full width, next to each other.
//
// In: the register layout of the operand. Out: the order, as a map. It holds no
// IR and knows no instruction: what a fragment is, the layout says.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_WORDORDER_H
#define TILEWRIGHT_DIALECTS_LAYOUT_WORDORDER_H

#include "dialects/Layout/Encodings.h"

namespace tilewright::layout {

/// Words of codes that are packed along one dimension of a matrix, the depth of
/// the products that it is an operand of.
struct PackedWords {
  Axis depth; ///< dim0 or dim1
  /// log2 of the codes of a word.
  unsigned codeBits;
  /// The bit of a code's index in its word that goes to the bit of the depth
  /// that is the lowest in a thread's registers: elements that differ in it
  /// share a register, and cost the least to unpack where their codes are as
  /// far apart as the halves of one.
  unsigned pairBit;
};

/// An order of words, the same for all tiles: those of a unit, which a warp
/// loads at once, are next to each other, and units go along the depth first.
class WordOrder {
public:
  /// The order by which threads that hold `operand`, of two dimensions, load
  /// 2^vectorBits of their words at a time. None where no thread has all codes
  /// of a word, or where a warp's words are no box: tiles that are too small.
  static std::optional<WordOrder> of(const LinearLayout &operand,
                                     PackedWords packed, unsigned vectorBits);

  /// dim0 or dim1.
  Axis depthAxis() const { return packed.depth; }
  /// offset (in words) -> (dim0, dim1) of one unit, the depth in words.
  const LinearLayout &unit() const { return words; }
  /// The same for a matrix of 2^shape words, at least a unit in each dimension.
  LinearLayout over(ShapeBits shape) const;
  /// Bit b of an index along the depth of the operand is bit depth(…)[b] of the
  /// index in the matrix, for 2^bits elements, at least a unit's: a product may
  /// take the elements of its depth in any order, the same for both operands.
  std::vector<unsigned> depth(unsigned bits) const;
  /// Whether threads that hold `operand`, of units at least, have what they
  /// load in registers of their own, and each warp whole units.
  bool serves(const LinearLayout &operand) const;

private:
  WordOrder(PackedWords packed, unsigned vectorBits)
      : packed(packed), vectorBits(vectorBits) {}

  PackedWords packed;
  unsigned vectorBits;
  std::vector<unsigned> depthOrder; ///< of a unit
  LinearLayout words;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_WORDORDER_H
