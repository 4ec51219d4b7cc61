// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that indices pick from a described tensor, and updates of its blocks, as
// accesses through tiles of pointers. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILE_DESCRIPTORACCESSES_H
#define TILEWRIGHT_PASSES_TILE_DESCRIPTORACCESSES_H

#include "mlir/Transforms/DialectConversion.h"
#include "passes/Tile/BlockAccess.h"

namespace tilewright::tile {

/// A tensor in memory as its descriptor has it.
struct DescribedTensor {
  /// The block, of signless elements; its offsets are not set.
  TensorBlock block;
  /// An i1.
  mlir::Value padsNaN;
};

/// The tensor of a descriptor that became `parts`: its base, sizes, strides,
/// and two constants of type i1, whether it pads with NaN and has aligned rows.
/// `type`: its block, of signless elements.
DescribedTensor getDescribedTensor(mlir::OpBuilder &builder,
                                   mlir::Location location,
                                   mlir::RankedTensorType type,
                                   mlir::ValueRange parts);

/// The rows `op` reads of `tensor`, which `op` is replaced by.
mlir::Value createGather(mlir::OpBuilder &builder, tt::DescriptorGatherOp op,
                         DescribedTensor tensor);
/// Writes the rows that `op` writes to `tensor`.
void createScatter(mlir::OpBuilder &builder, tt::DescriptorScatterOp op,
                   DescribedTensor tensor);
/// Updates the block that `op` updates in `tensor`.
void createUpdate(mlir::OpBuilder &builder, tt::DescriptorReduceOp op,
                  DescribedTensor tensor);

/// Patterns that rewrite these three ops, where `converter` has descriptors
/// become the parts that getDescribedTensor takes.
void populateDescriptorAccessPatterns(const mlir::TypeConverter &converter,
                                      mlir::RewritePatternSet &patterns);

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_DESCRIPTORACCESSES_H
