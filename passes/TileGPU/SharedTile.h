// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making a tile in shared memory for a tensor. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_SHAREDTILE_H
#define TILEWRIGHT_PASSES_TILEGPU_SHAREDTILE_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/IR/Builders.h"

namespace tilewright::tilegpu {

/// The type of a tile, of one buffer and mutable, for a tensor of `type`,
/// placed as `shared` says (offset -> the tensor's coordinates, a bijection).
MemDescType getSharedTileType(mlir::RankedTensorType type,
                              const layout::LinearLayout &shared);

/// Stores `source`, a tensor with a register layout, to a fresh tile in shared
/// memory placed as `shared` says: the tile. Makes no barrier.
mlir::Value createSharedTile(mlir::OpBuilder &builder, mlir::Location location,
                             mlir::Value source,
                             const layout::LinearLayout &shared);

/// A fresh tile in shared memory, mutable and of one buffer: `count` words of
/// type `element`, one after the other.
mlir::Value createSharedWords(mlir::OpBuilder &builder, mlir::Location location,
                              int64_t count, mlir::Type element);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_SHAREDTILE_H
