// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be known of an integer or a pointer along each dimension of a tile.
//
// Every claim holds for every execution under two assumptions, which kernels
// meet and which no compiler could do without:
//  1. Signed arithmetic on, and truncation to, 32 bits and more does not
//     overflow (Triton assumes this too). Unsigned arithmetic, and anything on
//     narrower integers, may wrap: claims about those hold nevertheless.
//  2. A divisor of unknown sign is not negative, so that dividing a number that
//     is not negative (a program id, say, by a number of tiles) gives another.
//     Kernels divide by sizes, and those come as arguments without a sign.
// Attributes `tt.divisibility`, `tt.contiguity` and `tt.constancy`, on
// arguments and on ops, are promises of the kernel's author: they are believed.

#ifndef TILEWRIGHT_DIALECTS_INTERFACES_AXISINFO_H
#define TILEWRIGHT_DIALECTS_INTERFACES_AXISINFO_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>

namespace tilewright {

/// What is known of an integer or a pointer, or of a tile of them, in each
/// dimension. A scalar counts as one dimension of one element. An *aligned run*
/// of r elements along d is [k r, (k + 1) r) for an integer k, the coordinates
/// in the other dimensions being fixed. All sizes are powers of two.
struct AxisInfo {
  /// contiguity[d]: the longest c known such that each aligned run of c
  /// elements along d holds consecutive values (pointers: consecutive elements
  /// of the pointee's size).
  llvm::SmallVector<int64_t> contiguity;
  /// divisibility[d]: the largest power of two known, at most 2^30, that
  /// divides the first value of every aligned run of contiguity[d] elements
  /// along d (pointers: in bytes).
  llvm::SmallVector<int64_t> divisibility;
  /// constancy[d]: the longest c known such that each aligned run of c elements
  /// along d holds one value.
  llvm::SmallVector<int64_t> constancy;
  /// prefixes[d], of an i1: the longest p known such that in each aligned run
  /// of p elements along d those that are true come first; constancy[d] of
  /// others.
  llvm::SmallVector<int64_t> prefixes;
  /// spacing[d]: the largest power of two known, at most 2^30, that divides the
  /// difference of any two elements along d (pointers: in bytes): 2^30 where
  /// all are equal. More than an element's size, and they are not contiguous.
  llvm::SmallVector<int64_t> spacing;
  /// The value of all elements, sign-extended; integers only.
  std::optional<int64_t> constant;
  /// Every element is known to be at least 0 as a signed number; integers only.
  bool nonNegative = false;
  /// Some of this is what the kernel's author says of an op (`tl.multiple_of`
  /// and its like): neither proved, nor checked by the launch.
  bool reliesOnHints = false;

  bool operator==(const AxisInfo &) const = default;

  /// `contiguity = [..], divisibility = [..], constancy = [..]`, followed by
  /// `, prefixes = [..]` and `, spacing = [..]` where these say more than the
  /// others, `, constant = N`, `, non-negative` and `, by hints` where they
  /// hold.
  void print(llvm::raw_ostream &os) const;
};

/// What one access may leave out of the elements that it takes together.
enum class MaskedVectors : uint8_t {
  /// All or none: the mask is constant over them.
  Whole,
  /// Those behind the first few: of cp.async, which is told how many bytes, and
  /// of stores, which take such vectors apart. Not where hints say that the
  /// addresses are aligned: Triton's accesses are no wider there than runs of
  /// the mask, and there are programs whose hints hold for no more than these
  /// (flash-linear-attention's attnres, rows of 7186).
  Prefixes,
};

} // namespace tilewright

#endif // TILEWRIGHT_DIALECTS_INTERFACES_AXISINFO_H
