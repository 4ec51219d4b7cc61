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
  /// Whether `base` and all strides but the last one are known to be multiples
  /// of tt::rowAlignment bytes.
  bool hasAlignedRows = false;
};

/// The block that the parts of a block pointer or a descriptor speak of: base,
/// sizes and strides come first. Without offsets.
TensorBlock getBlockOfParts(mlir::RankedTensorType type,
                            mlir::ValueRange parts);

/// The pointers to the elements of `block`, a tile of its shape. Products of
/// offsets and strides have 64 bits. What is known of the alignment of rows is
/// in attributes (axis::knownDivisibilityAttrName).
mlir::Value createPointers(mlir::OpBuilder &builder, mlir::Location location,
                           const TensorBlock &block);

/// Leaves out the leading dimensions of `block` of one element, but not all
/// dimensions, as its base then begins there: few passes see tiles of several
/// ranks. Gives a mask of the block that is left, true where it is inside the
/// tensor in these; null where there are none.
mlir::Value dropUnitDimensions(mlir::OpBuilder &builder,
                               mlir::Location location, TensorBlock &block);

/// Notes what the alignment of the rows of `block` says of `value`, the result
/// of an op: a pointer to the begin of a row, or its distance to another one's,
/// in elements; one or a tile of them.
void noteAlignment(const TensorBlock &block, mlir::Value value);

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
