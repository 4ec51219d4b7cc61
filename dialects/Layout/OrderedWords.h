// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole matrices of packed words, brought into an order (WordOrder.h) and back,
// where they are: in memory, on the host.
//
// In: an order and the size of a matrix, which need be no power of two. Out:
// where each word goes. Words are moved, never taken apart: what codes mean,
// and where in a word each one is, stays as it was.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_ORDEREDWORDS_H
#define TILEWRIGHT_DIALECTS_LAYOUT_ORDEREDWORDS_H

#include "dialects/Layout/WordOrder.h"

#include <array>

namespace tilewright::layout {

/// The places of a matrix' words in an order.
class OrderedWords {
public:
  /// (dim0, dim1), the depth in words: a size, or which word.
  using Word = std::array<uint64_t, 2>;
  /// Words between neighbours along each dimension, in a matrix that is not in
  /// order: {1, rows} or {columns, 1}, or more where rows are padded.
  using Strides = std::array<uint64_t, 2>;

  /// None where `shape` is no whole number of units in both dimensions.
  static std::optional<OrderedWords> of(const WordOrder &order, Word shape);

  /// How many there are.
  uint64_t size() const { return shape[0] * shape[1]; }
  /// The place of a word of the matrix, and the word at a place: inverses of
  /// each other.
  uint64_t offsetOf(Word word) const;
  Word wordAt(uint64_t offset) const;

  /// Brings a matrix into the order. `from` has all words that `strides` reach,
  /// `to` has size().
  void arrange(std::span<const uint32_t> from, Strides strides,
               std::span<uint32_t> to) const;
  /// The inverse. What `to` has between the words of the matrix is left alone.
  void restore(std::span<const uint32_t> from, std::span<uint32_t> to,
               Strides strides) const;

private:
  /// (dim0, dim1) of a unit's words, by their offsets in it; `offsets` is the
  /// inverse, by dim0 + dim1 * unit[0].
  std::vector<Word> words;
  std::vector<uint64_t> offsets;
  Word unit, shape;
  unsigned depth;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_ORDEREDWORDS_H
