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

/// Instructions that one number takes of a warp.
struct DequantizeInstructions {
  double integer = 0, floating = 0, shuffles = 0;
};
DequantizeInstructions countDequantize(tile::DequantizeOp op,
                                       const target::Target &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_DEQUANTIZATION_H
