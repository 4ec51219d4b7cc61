// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/BlockAccess.h"

#include "dialects/Interfaces/AxisRules.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// Makes ops at one place, for one block.
class BlockBuilder {
public:
  BlockBuilder(OpBuilder &builder, Location location, const TensorBlock &block)
      : builder(builder), location(location), block(block) {}

  Value createPointers() {
    int64_t rank = block.type.getRank();
    Value first = block.base;
    for (int64_t dim = 0; dim < rank; ++dim) {
      Value distance = arith::MulIOp::create(builder, location, widen(dim),
                                             block.strides[dim]);
      first = tt::AddPtrOp::create(builder, location, first.getType(), first,
                                   distance);
      if (dim + 1 < rank)
        noteAlignment(block, first);
    }
    // Dimension by dimension: rows first, then what is in them.
    SmallVector<int64_t> shape(rank, 1);
    Value pointers = createSplat(first, shape);
    for (int64_t dim = 0; dim < rank; ++dim) {
      Value wide = arith::ExtSIOp::create(
          builder, location, tileOf({sizeOf(dim)}, builder.getI64Type()),
          createRange(dim));
      Value steps =
          arith::MulIOp::create(builder, location, wide,
                                createSplat(block.strides[dim], {sizeOf(dim)}));
      if (dim + 1 < rank)
        noteAlignment(block, steps);
      shape[dim] = sizeOf(dim);
      pointers = createBroadcast(pointers, shape);
      pointers = tt::AddPtrOp::create(
          builder, location, pointers.getType(), pointers,
          createBroadcast(createExpanded(steps, dim), shape));
    }
    return pointers;
  }

  Value createMask(ArrayRef<int32_t> checked) {
    int64_t rank = block.type.getRank();
    SmallVector<int64_t> shape(rank, 1);
    Value mask;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (!llvm::is_contained(checked, dim))
        continue;
      Value inside = createExpanded(createInside(dim), dim);
      shape[dim] = sizeOf(dim);
      mask = mask ? arith::AndIOp::create(builder, location,
                                          createBroadcast(mask, shape),
                                          createBroadcast(inside, shape))
                  : inside;
    }
    return mask ? createBroadcast(mask, block.type.getShape()) : mask;
  }

  /// True everywhere or nowhere: whether each offset is from 0 on and below its
  /// size.
  Value createMaskOf(ArrayRef<std::pair<Value, Value>> offsetsAndSizes) {
    SmallVector<int64_t> one(block.type.getRank(), 1);
    Value mask;
    auto require = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
      Value holds =
          arith::CmpIOp::create(builder, location, predicate,
                                createSplat(lhs, one), createSplat(rhs, one));
      mask =
          mask ? arith::AndIOp::create(builder, location, mask, holds) : holds;
    };
    for (auto [offset, size] : offsetsAndSizes) {
      require(arith::CmpIPredicate::sge, offset, constant(0));
      require(arith::CmpIPredicate::slt, offset, size);
    }
    return mask ? createBroadcast(mask, block.type.getShape()) : mask;
  }

private:
  int64_t sizeOf(int64_t dim) const { return block.type.getDimSize(dim); }

  static RankedTensorType tileOf(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }

  Value constant(int64_t number) {
    return arith::ConstantIntOp::create(builder, location, number, 64);
  }

  /// The offset along `dim`, as i64.
  Value widen(int64_t dim) {
    return arith::ExtSIOp::create(builder, location, builder.getI64Type(),
                                  block.offsets[dim]);
  }

  Value createSplat(Value scalar, ArrayRef<int64_t> shape) {
    return tt::SplatOp::create(builder, location,
                               tileOf(shape, scalar.getType()), scalar);
  }

  /// 0, 1, ... along `dim`.
  Value createRange(int64_t dim) {
    return tt::MakeRangeOp::create(builder, location,
                                   tileOf({sizeOf(dim)}, builder.getI32Type()),
                                   /*start=*/0, /*end=*/sizeOf(dim));
  }

  /// `tile`, of one dimension, as dimension `dim` of the block's.
  Value createExpanded(Value tile, int64_t dim) {
    for (int64_t axis = 0; axis < block.type.getRank(); ++axis) {
      if (axis == dim)
        continue;
      auto type = cast<RankedTensorType>(tile.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.begin() + axis, 1);
      tile = tt::ExpandDimsOp::create(
          builder, location, tileOf(shape, type.getElementType()), tile, axis);
    }
    return tile;
  }

  Value createBroadcast(Value tile, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getShape() == shape)
      return tile;
    return tt::BroadcastOp::create(builder, location,
                                   tileOf(shape, type.getElementType()), tile);
  }

  /// `bound` of the coordinates in the tensor as one of those in the block:
  /// from 0 to the block's size, i32.
  Value createLocalBound(Value bound, int64_t dim) {
    Value local = arith::SubIOp::create(builder, location, bound, widen(dim));
    local = arith::MaxSIOp::create(builder, location, local, constant(0));
    local =
        arith::MinSIOp::create(builder, location, local, constant(sizeOf(dim)));
    return arith::TruncIOp::create(builder, location, builder.getI32Type(),
                                   local);
  }

  /// Which coordinates along `dim` lie inside the tensor.
  Value createInside(int64_t dim) {
    Value range = createRange(dim);
    auto compare = [&](arith::CmpIPredicate predicate, Value bound) {
      return arith::CmpIOp::create(
          builder, location, predicate, range,
          createSplat(createLocalBound(bound, dim), {sizeOf(dim)}));
    };
    Value isAbove = compare(arith::CmpIPredicate::sge, constant(0));
    Value isBelow = compare(arith::CmpIPredicate::slt, block.shape[dim]);
    return arith::AndIOp::create(builder, location, isAbove, isBelow);
  }

  OpBuilder &builder;
  Location location;
  const TensorBlock &block;
};
} // namespace

TensorBlock tile::getBlockOfParts(RankedTensorType type, ValueRange parts) {
  TensorBlock block;
  block.type = type;
  size_t rank = type.getRank();
  block.base = parts.front();
  block.shape = llvm::to_vector(parts.slice(1, rank));
  block.strides = llvm::to_vector(parts.slice(1 + rank, rank));
  return block;
}

Value tile::dropUnitDimensions(OpBuilder &builder, Location location,
                               TensorBlock &block) {
  SmallVector<std::pair<Value, Value>> offsetsAndSizes;
  while (block.type.getRank() > 1 && block.type.getDimSize(0) == 1) {
    Value offset = arith::ExtSIOp::create(
        builder, location, builder.getI64Type(), block.offsets.front());
    Value distance =
        arith::MulIOp::create(builder, location, offset, block.strides.front());
    block.base = tt::AddPtrOp::create(builder, location, block.base.getType(),
                                      block.base, distance);
    noteAlignment(block, block.base);
    offsetsAndSizes.push_back({offset, block.shape.front()});
    block.type = RankedTensorType::get(block.type.getShape().drop_front(),
                                       block.type.getElementType());
    for (auto *values : {&block.shape, &block.strides, &block.offsets})
      values->erase(values->begin());
  }
  return BlockBuilder(builder, location, block).createMaskOf(offsetsAndSizes);
}

void tile::noteAlignment(const TensorBlock &block, Value value) {
  if (!block.hasAlignedRows)
    return;
  int64_t divisor = tt::rowAlignment;
  if (!isa<tt::PointerType>(value.getType()))
    divisor =
        std::max<int64_t>(divisor * 8 / block.type.getElementTypeBitWidth(), 1);
  value.getDefiningOp()->setDiscardableAttr(
      axis::knownDivisibilityAttrName,
      Builder(value.getContext()).getI32IntegerAttr(divisor));
}

Value tile::createPointers(OpBuilder &builder, Location location,
                           const TensorBlock &block) {
  return BlockBuilder(builder, location, block).createPointers();
}

Value tile::createBoundsMask(OpBuilder &builder, Location location,
                             const TensorBlock &block,
                             ArrayRef<int32_t> checked) {
  return BlockBuilder(builder, location, block).createMask(checked);
}

Value tile::createPadding(OpBuilder &builder, Location location,
                          RankedTensorType type, Value padsNaN) {
  Type element = type.getElementType();
  auto splat = [&](TypedAttr value) -> Value {
    return arith::ConstantOp::create(builder, location,
                                     DenseElementsAttr::get(type, value));
  };
  auto real = dyn_cast<FloatType>(element);
  if (!real)
    return splat(builder.getIntegerAttr(element, 0));
  Value zero = splat(builder.getFloatAttr(element, 0.0));
  APFloat number = APFloat::getQNaN(real.getFloatSemantics());
  return arith::SelectOp::create(builder, location, padsNaN,
                                 splat(builder.getFloatAttr(element, number)),
                                 zero);
}
