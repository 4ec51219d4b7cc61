// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How tile.dequantize is computed on a target, and what that takes.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_DEQUANTIZATION_H
#define TILEWRIGHT_DIALECTS_TILEGPU_DEQUANTIZATION_H

#include "dialects/Target/Target.h"
#include "dialects/Tile/Tile.h"

namespace tilewright::tilegpu {

/// Whether two numbers at a time are made in the result's type, which rounds as
/// the definition does; else each is made in f32.
bool dequantizesInPairs(tile::DequantizeOp op, const target::Target &target);

/// Whether a code's bits are its number, once others are masked out: as f16
/// without an exponent it is itself times 2^-24 (IEEE 754, subnormal numbers).
/// So it is where the scale is 2^-24, and zeros are the least number of the
/// codes, which flipping their sign brings to 0.
bool standsInPlace(tile::DequantizeOp op);

/// Instructions that one number takes of a warp.
struct DequantizeInstructions {
  double integer = 0, floating = 0, shuffles = 0;
};
DequantizeInstructions countDequantize(tile::DequantizeOp op,
                                       const target::Target &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_DEQUANTIZATION_H
