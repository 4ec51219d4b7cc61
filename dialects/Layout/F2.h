// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear algebra over F2 on bit vectors of up to 64 bits.
//
// In: vectors as uint64_t, matrices as one uint64_t for each column. Out:
// spans, solutions, kernels, complements. It knows no axes: those are
// LinearLayout's.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_F2_H
#define TILEWRIGHT_DIALECTS_LAYOUT_F2_H

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tilewright::layout::f2 {

/// A list of as many entries as a vector has bits, at most, kept in place:
/// conversions are priced by spans and systems that live for a few instructions
/// each, of which allocating would be the larger part.
template <typename T>
class ShortList {
public:
  ShortList() = default;
  ShortList(const ShortList &other) : count(other.count) {
    std::copy(other.begin(), other.end(), begin());
  }
  ShortList &operator=(const ShortList &other) {
    count = other.count;
    std::copy(other.begin(), other.end(), begin());
    return *this;
  }

  T *begin() { return entries.data(); }
  T *end() { return begin() + count; }
  const T *begin() const { return entries.data(); }
  const T *end() const { return begin() + count; }
  unsigned size() const { return count; }
  /// `place` is within begin() to end().
  void insert(T *place, T entry) {
    assert(count < entries.size() && "at most 64 entries");
    std::copy_backward(place, end(), end() + 1);
    *place = entry;
    ++count;
  }

private:
  unsigned count = 0;
  /// Those from `count` on are not initialized.
  std::array<T, 64> entries;
};

/// The span of a growing set of vectors, kept in reduced echelon form: each
/// basis vector has a leading (highest) bit that no other basis vector has.
class Span {
public:
  Span() = default;
  explicit Span(std::span<const uint64_t> vectors);

  /// Adds a vector. False where the span had it already.
  bool add(uint64_t vector);
  /// The smallest number in vector + span; zero exactly where the span contains
  /// the vector.
  uint64_t reduce(uint64_t vector) const;
  bool contains(uint64_t vector) const { return reduce(vector) == 0; }
  unsigned dimension() const { return echelon.size(); }
  /// In reduced echelon form, ascending.
  std::span<const uint64_t> basis() const & { return echelon; }
  std::vector<uint64_t> basis() && { return {echelon.begin(), echelon.end()}; }

private:
  ShortList<uint64_t> echelon;
};

/// The equations A x = b for a matrix A given by its columns (at most 64 of
/// them).
class System {
public:
  explicit System(std::span<const uint64_t> columns);

  /// The numerically smallest x with A x = b: columns that depend on earlier
  /// ones are never used, so x is linear in b.
  std::optional<uint64_t> solve(uint64_t b) const;
  unsigned rank() const { return rows.size(); }
  /// A basis of { x : A x = 0 } in reduced echelon form, ascending.
  std::span<const uint64_t> kernel() const & { return null.basis(); }
  std::vector<uint64_t> kernel() && { return std::move(null).basis(); }

private:
  /// A vector of the image and one of its preimages.
  struct Row {
    uint64_t image, preimage;
  };
  /// Clears the leading bits of `rows` from `row`.
  Row reduce(Row row) const;

  ShortList<Row> rows;
  Span null;
};

/// A x: the sum of the columns that x names.
uint64_t apply(std::span<const uint64_t> columns, uint64_t x);

/// A basis of the intersection of two spans, in reduced echelon form,
/// ascending.
std::vector<uint64_t> intersection(std::span<const uint64_t> a,
                                   std::span<const uint64_t> b);

/// Those of `candidates`, in order, that extend `vectors` to a basis of the
/// span of both.
std::vector<uint64_t> extension(std::span<const uint64_t> vectors,
                                std::span<const uint64_t> candidates);

/// Unit vectors below 2^bits, ascending, that complete `vectors` to a basis of
/// all of F2^bits.
std::vector<uint64_t> complement(std::span<const uint64_t> vectors,
                                 unsigned bits);

} // namespace tilewright::layout::f2

#endif // TILEWRIGHT_DIALECTS_LAYOUT_F2_H
