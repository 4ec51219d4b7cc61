// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several kernels of the library are made of.

#ifndef TILEWRIGHT_LIB_KERNELS_PIECES_H
#define TILEWRIGHT_LIB_KERNELS_PIECES_H

#include "lib/Kernels/Notation.h"

#include <utility>

namespace tilewright::kernels {

inline constexpr double log2e = 1.4426950408889634;

/// (size + tile - 1) / tile.
Value tilesOf(const Value &size, int64_t tile);

/// The first index of part number `part` of `size` indices that are cut into
/// `parts` parts of whole tiles, and the index behind its last one.
std::pair<Value, Value> partOf(const Value &size, int64_t tile, int64_t parts,
                               const Value &part);

/// The tile of an m x n result that program `program` makes, as first row and
/// first column. Programs next to each other make `group` rows of tiles column
/// by column, so that they share what they load.
std::pair<Value, Value> programTile(const Value &program, const Value &m,
                                    const Value &n, int64_t tileM,
                                    int64_t tileN, int64_t group);

/// A tile of one of several sequences that lie one behind the other.
struct PackedPlace {
  /// Its number, or how many there are where `place` is beyond all tiles.
  Value sequence;
  /// The tile's number in that sequence.
  Value tile;
};

/// Of all tiles of `rows` rows of `count` sequences, the one at `place`. The
/// sequences' bounds are `offsets`, count + 1 of them, each of which counts
/// `rowsOfOne` rows; a tile has rows of one sequence alone.
PackedPlace findPacked(Reading &k, const Tensor &offsets, int64_t count,
                       const Value &place, int64_t rows, int64_t rowsOfOne = 1);

/// The sum, in their order, of what `parts` parts have in the rest of `box`:
/// which part it is is the first dimension of `partial`.
Value sumOfParts(Reading &k, const Tensor &partial, Box box, int64_t parts);

/// A function of each element of f32.
enum class Activation : uint8_t { None, Relu, Gelu, GeluTanh, Silu, Sigmoid };
std::vector<std::string_view> activationNames();
Activation activationFromName(std::string_view name);
Value activate(const Value &x, Activation activation);

/// The softmax of rows that come piece by piece, in powers of 2: M. Milakov, N.
/// Gimelshein, "Online normalizer calculation for softmax" (2018).
struct OnlineSoftmax {
  /// Of each row: the largest x so far, the sum of 2^(factor (x - largest)).
  Value largest, sum;
  /// What sums over earlier pieces are to be multiplied by.
  Value correction;
  /// 2^(factor (x - largest)) of the piece.
  Value weights;

  /// Before the first piece, of `rows` rows.
  static OnlineSoftmax begin(Reading &k, int64_t rows);
  /// With a piece more. `factor`, a scalar above 0, is applied after the
  /// largest is taken off, where it is a multiply-add. `mayBeEmpty`: a row may
  /// have had nothing but minus infinity.
  OnlineSoftmax add(const Value &x, const Value &factor, bool mayBeEmpty) const;
};

/// tanh x.
Value hyperbolicTangent(const Value &x);

/// 1 / (1 + e^-x).
Value sigmoid(const Value &x);

/// f32 to a type that is stored: to nearest even, where i8 saturates; to i32
/// towards zero.
Value toStored(const Value &x, ElementType type);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_PIECES_H
