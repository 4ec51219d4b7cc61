// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a block of a strided tensor in memory, as a tile of pointers
// and a mask. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILE_BLOCKACCESS_H
#define TILEWRIGHT_PASSES_TILE_BLOCKACCESS_H

#include "dialects/Triton/Triton.h"
#include "mlir/IR/Builders.h"

namespace tilewright::tile {

/// A block of a tensor in memory: element i of the block is element
/// `offsets` + i of the tensor.
struct TensorBlock {
  /// Size and elements of the block.
  mlir::RankedTensorType type;
  /// Pointer to the tensor's first element.
  mlir::Value base;
  /// The tensor, in elements; i64, one a dimension.
  llvm::SmallVector<mlir::Value> shape, strides;
  /// The block's first element; i32, one a dimension.
  llvm::SmallVector<mlir::Value> offsets;
};

/// The pointers to the elements of `block`, a tile of its shape. Products of
/// offsets and strides have 64 bits.
mlir::Value createPointers(mlir::OpBuilder &builder, mlir::Location location,
                           const TensorBlock &block);

/// True for the elements of `block` that lie inside the tensor in the
/// dimensions `checked`; null where that is none.
mlir::Value createBoundsMask(mlir::OpBuilder &builder, mlir::Location location,
                             const TensorBlock &block,
                             llvm::ArrayRef<int32_t> checked);

/// A tile of `type` whose elements are all `NaN` (or 0, for what has none)
/// where `padsNaN`, an i1, is true, and 0 elsewhere.
mlir::Value createPadding(mlir::OpBuilder &builder, mlir::Location location,
                          mlir::RankedTensorType type, mlir::Value padsNaN);

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_BLOCKACCESS_H
