// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

SmallVector<int64_t> tile::getShape(Value tile) {
  return SmallVector<int64_t>(
      cast<RankedTensorType>(tile.getType()).getShape());
}

static Type getElement(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getElementType();
}

Value TileBuilder::integer(ArrayRef<int64_t> shape, int64_t value) {
  auto type = RankedTensorType::get(shape, builder.getI32Type());
  return arith::ConstantOp::create(
      builder,
      DenseElementsAttr::get(type, APInt(32, uint64_t(value), false, true)));
}

Value TileBuilder::real(ArrayRef<int64_t> shape, double value) {
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  return arith::ConstantOp::create(
      builder, DenseElementsAttr::get(type, APFloat(float(value))));
}

Value TileBuilder::splat(Value scalar, ArrayRef<int64_t> shape) {
  return tt::SplatOp::create(
      builder, RankedTensorType::get(shape, scalar.getType()), scalar);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value TileBuilder::expand(Value tile, unsigned axis) {
  SmallVector<int64_t> shape = getShape(tile);
  shape.insert(shape.begin() + axis, 1);
  return tt::ExpandDimsOp::create(
      builder, RankedTensorType::get(shape, getElement(tile)), tile, axis);
}

Value TileBuilder::broadcast(Value tile, ArrayRef<int64_t> shape) {
  if (ArrayRef<int64_t>(getShape(tile)) == shape)
    return tile;
  return tt::BroadcastOp::create(
      builder, RankedTensorType::get(shape, getElement(tile)), tile);
}

Value TileBuilder::reshape(Value tile, ArrayRef<int64_t> shape) {
  if (ArrayRef<int64_t>(getShape(tile)) == shape)
    return tile;
  return tt::ReshapeOp::create(
      builder, RankedTensorType::get(shape, getElement(tile)), tile);
}

Value TileBuilder::transpose(Value tile, ArrayRef<int32_t> order) {
  SmallVector<int64_t> shape;
  for (int32_t dim : order)
    shape.push_back(getShape(tile)[dim]);
  return tt::TransOp::create(
      builder, RankedTensorType::get(shape, getElement(tile)), tile, order);
}

Value TileBuilder::join(Value a, Value b) {
  SmallVector<int64_t> shape = getShape(a);
  shape.push_back(2);
  return tt::JoinOp::create(builder,
                            RankedTensorType::get(shape, getElement(a)), a, b);
}

Value TileBuilder::repeat(Value tile, unsigned axis, int64_t count) {
  if (count == 1)
    return tile;
  SmallVector<int64_t> whole = getShape(tile), apart = whole;
  whole[axis] *= count;
  apart.insert(apart.begin() + axis + 1, count);
  return reshape(broadcast(expand(tile, axis + 1), apart), whole);
}

Value TileBuilder::coordinates(ArrayRef<int64_t> shape, unsigned axis) {
  if (shape[axis] == 1)
    return integer(shape, 0);
  auto type = RankedTensorType::get({shape[axis]}, builder.getI32Type());
  Value tile = tt::MakeRangeOp::create(builder, type, 0, shape[axis]);
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (dim != axis)
      tile = expand(tile, dim);
  return broadcast(tile, shape);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value TileBuilder::bitcast(Value tile, Type element) {
  return tt::BitcastOp::create(
      builder, RankedTensorType::get(getShape(tile), element), tile);
}

Value TileBuilder::toWords(Value tile) {
  Type i32 = builder.getI32Type();
  if (getElement(tile) == i32)
    return tile;
  return arith::ExtUIOp::create(
      builder, RankedTensorType::get(getShape(tile), i32), tile);
}

Value TileBuilder::convert(Value tile, FloatType element) {
  Type from = getElement(tile);
  if (from == element)
    return tile;
  tt::RoundingModeAttr rounding;
  if (element.getWidth() < from.getIntOrFloatBitWidth())
    rounding =
        tt::RoundingModeAttr::get(builder.getContext(), tt::RoundingMode::RTNE);
  return tt::FpToFpOp::create(builder,
                              RankedTensorType::get(getShape(tile), element),
                              tile, /*rbits=*/Value(), rounding);
}

Value TileBuilder::bitAnd(Value words, int64_t mask) {
  return arith::AndIOp::create(builder, words, integer(getShape(words), mask));
}

Value TileBuilder::shiftLeft(Value words, int64_t count) {
  return arith::ShLIOp::create(builder, words, integer(getShape(words), count));
}

Value TileBuilder::shiftRight(Value words, int64_t count) {
  return arith::ShRUIOp::create(builder, words,
                                integer(getShape(words), count));
}

Value TileBuilder::reduce(Value tile, unsigned axis,
                          function_ref<Value(Value, Value)> combine) {
  SmallVector<int64_t> shape = getShape(tile);
  Type element = getElement(tile);
  shape.erase(shape.begin() + axis);
  Type type =
      shape.empty() ? element : Type(RankedTensorType::get(shape, element));
  auto made = tt::ReduceOp::create(builder, TypeRange(type), ValueRange(tile),
                                   builder.getI32IntegerAttr(axis));
  OpBuilder::InsertionGuard guard(builder);
  Location location = builder.getLoc();
  Block *block = builder.createBlock(&made.getCombineOp(), {},
                                     {element, element}, {location, location});
  tt::ReduceReturnOp::create(
      builder, combine(block->getArgument(0), block->getArgument(1)));
  return made->getResult(0);
}

Value TileBuilder::sum(Value tile, unsigned axis) {
  return reduce(tile, axis, [&](Value a, Value b) -> Value {
    if (isa<FloatType>(a.getType()))
      return arith::AddFOp::create(builder, a, b);
    return arith::AddIOp::create(builder, a, b);
  });
}

Value TileBuilder::bitOr(Value words, unsigned axis) {
  return reduce(words, axis, [&](Value a, Value b) -> Value {
    return arith::OrIOp::create(builder, a, b);
  });
}

/// The bits are put under f32's exponent, and the number brought from there by
/// a power of two.
Value TileBuilder::decode(Value words, unsigned bits, unsigned mantissaBits,
                          int bias) {
  int64_t sign = int64_t(1) << (bits - 1);
  Value magnitude = shiftLeft(bitAnd(words, sign - 1), 23 - mantissaBits);
  Value signs = shiftLeft(bitAnd(words, sign), 32 - bits);
  Value all = arith::OrIOp::create(builder, magnitude, signs);
  return arith::MulFOp::create(
      builder, bitcast(all, builder.getF32Type()),
      real(getShape(words), std::ldexp(1.0, 127 - bias)));
}
