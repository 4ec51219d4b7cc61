// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dots that are computed transposed (C^T = B^T A^T) share: the last two
// dimensions of tensors and tiles exchanged, without moving anything. Private
// to this folder.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_TRANSPOSEDDOTS_H
#define TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_TRANSPOSEDDOTS_H

#include "dialects/TileGPU/Placement/Placement.h"

namespace tilewright::tilegpu {

/// The layout of a tensor of `shape` under `layout` after its last two
/// dimensions are exchanged and nothing moved.
RegisterLayoutInterface transposeLayout(RegisterLayoutInterface layout,
                                        llvm::ArrayRef<int64_t> shape);

/// `value` with its last two dimensions exchanged, under `layout`, which moves
/// nothing.
mlir::Value transposeInRegisters(mlir::OpBuilder &builder, mlir::Value value,
                                 RegisterLayoutInterface layout);

/// `tile`, arranged for a descriptor, with its dimensions permuted: dimension d
/// was dimension from[d]. Nothing moves.
mlir::Value transposeTile(mlir::OpBuilder &builder, mlir::Location location,
                          mlir::Value tile, llvm::ArrayRef<int32_t> from);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_TRANSPOSEDDOTS_H
