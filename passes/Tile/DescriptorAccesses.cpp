// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/DescriptorAccesses.h"

#include "mlir/IR/Matchers.h"
#include "passes/Tile/TileBuilder.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

DescribedTensor tile::getDescribedTensor(OpBuilder &builder, Location location,
                                         RankedTensorType type,
                                         ValueRange parts) {
  size_t rank = type.getRank();
  DescribedTensor tensor;
  tensor.block = getBlockOfParts(type, parts);
  // The op's promise, which the analysis of accesses wants to see.
  tensor.block.strides.back() =
      arith::ConstantIntOp::create(builder, location, 1, 64);
  tensor.padsNaN = parts[1 + 2 * rank];
  tensor.block.hasAlignedRows = matchPattern(parts[2 + 2 * rank], m_One());
  return tensor;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// The elements of some rows: pointers, and which lie inside the tensor.
struct RowAccess {
  RowAccess(OpBuilder &opBuilder, Location location, DescribedTensor tensor,
            Value rows, Value column)
      : tiles(opBuilder, location) {
    TensorBlock &block = tensor.block;
    ImplicitLocOpBuilder &builder = tiles.builder;
    Value zero = arith::ConstantIntOp::create(builder, 0, 32);
    block.offsets = {zero, column};
    SmallVector<int64_t> shape = {getShape(rows)[0], block.type.getDimSize(1)};
    Value numbers = extend(rows);
    // The row at the base, moved by rows.
    Value row = createPointers(builder, location, block);
    Value distances = arith::MulIOp::create(
        builder, numbers, tiles.splat(block.strides[0], getShape(numbers)));
    noteAlignment(block, distances);
    pointers = tiles.broadcast(row, shape);
    pointers = tt::AddPtrOp::create(
        builder, pointers.getType(), pointers,
        tiles.broadcast(tiles.expand(distances, 1), shape));
    Value isInside = arith::AndIOp::create(
        builder, compare(arith::CmpIPredicate::sge, numbers, zero),
        compare(arith::CmpIPredicate::slt, numbers, block.shape[0]));
    mask = arith::AndIOp::create(
        builder, tiles.broadcast(tiles.expand(isInside, 1), shape),
        tiles.broadcast(createBoundsMask(builder, location, block, {1}),
                        shape));
  }

  TileBuilder tiles;
  Value pointers, mask;

private:
  Value extend(Value rows) {
    return arith::ExtSIOp::create(tiles.builder,
                                  cast<RankedTensorType>(rows.getType())
                                      .clone(tiles.builder.getI64Type()),
                                  rows);
  }
  Value compare(arith::CmpIPredicate predicate, Value numbers, Value bound) {
    if (bound.getType() != tiles.builder.getI64Type())
      bound = arith::ExtSIOp::create(tiles.builder, tiles.builder.getI64Type(),
                                     bound);
    return arith::CmpIOp::create(tiles.builder, predicate, numbers,
                                 tiles.splat(bound, getShape(numbers)));
  }
};
} // namespace

Value tile::createGather(OpBuilder &builder, tt::DescriptorGatherOp op,
                         DescribedTensor tensor) {
  auto type = cast<RankedTensorType>(op.getType());
  RowAccess access(builder, op.getLoc(), tensor, op.getXOffsets(),
                   op.getYOffset());
  Value other = createPadding(builder, op.getLoc(), type, tensor.padsNaN);
  return tt::LoadOp::create(builder, op.getLoc(), type, access.pointers,
                            access.mask, other, ArrayRef<int32_t>(),
                            tt::PaddingOptionAttr(), tt::CacheModifier::NONE,
                            tt::EvictionPolicy::NORMAL, /*isVolatile=*/false);
}

void tile::createScatter(OpBuilder &builder, tt::DescriptorScatterOp op,
                         DescribedTensor tensor) {
  RowAccess access(builder, op.getLoc(), tensor, op.getXOffsets(),
                   op.getYOffset());
  tt::StoreOp::create(builder, op.getLoc(), access.pointers, op.getSrc(),
                      access.mask, ArrayRef<int32_t>(), tt::CacheModifier::NONE,
                      tt::EvictionPolicy::NORMAL);
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

void tile::createUpdate(OpBuilder &builder, tt::DescriptorReduceOp op,
                        DescribedTensor tensor) {
  Location location = op.getLoc();
  TileBuilder tiles(builder, location);
  TensorBlock &block = tensor.block;
  block.offsets = llvm::to_vector(op.getIndices());
  Value pointers = createPointers(builder, location, block);
  Value mask = createBoundsMask(
      builder, location, block,
      llvm::to_vector(llvm::seq<int32_t>(0, block.type.getRank())));
  Value tile = tiles.reshape(op.getSrc(), block.type.getShape());
  tt::AtomicRMWOp::create(builder, location, tile.getType(),
                          op.getAtomicOperation(), pointers, tile, mask,
                          tt::MemorySemantic::RELAXED, tt::MemoryScope::GPU);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// All operands but the descriptor stay as they are.
template <typename OpT>
struct AccessPattern : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op,
                  typename OpConversionPattern<OpT>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValueRange parts = adaptor.getDesc();
    Type element =
        cast<tt::PointerType>(parts.front().getType()).getPointeeType();
    DescribedTensor tensor = getDescribedTensor(
        rewriter, op.getLoc(),
        op.getDesc().getType().getBlockType().clone(element), parts);
    if constexpr (std::is_same_v<OpT, tt::DescriptorGatherOp>) {
      rewriter.replaceOp(op, createGather(rewriter, op, tensor));
    } else {
      if constexpr (std::is_same_v<OpT, tt::DescriptorScatterOp>)
        createScatter(rewriter, op, tensor);
      else
        createUpdate(rewriter, op, tensor);
      rewriter.eraseOp(op);
    }
    return success();
  }
};

} // namespace

void tile::populateDescriptorAccessPatterns(const TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  patterns.add<AccessPattern<tt::DescriptorGatherOp>,
               AccessPattern<tt::DescriptorScatterOp>,
               AccessPattern<tt::DescriptorReduceOp>>(converter,
                                                      patterns.getContext());
}
