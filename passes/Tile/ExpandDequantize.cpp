// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile.dequantize as arithmetic on tiles: each word stands beside itself as
// often as it has codes, and each copy is shifted to its own.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Tile/ExpandTileOps.h"
#include "passes/Tile/TileBuilder.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// The place of each code in its word, as DequantizeOp::getPlace says it of
/// their numbers.
static Value getPlaces(TileBuilder &tiles, Value numbers, DequantizeOp op) {
  int64_t codes = op.getCodesPerWord();
  SmallVector<int64_t> shape = getShape(numbers);
  switch (op.getOrder()) {
  case PackingOrder::LowFirst:
    return numbers;
  case PackingOrder::HighFirst:
    return arith::SubIOp::create(tiles.builder, tiles.integer(shape, codes - 1),
                                 numbers);
  case PackingOrder::EvenFirst: {
    Value odd = arith::MulIOp::create(tiles.builder, tiles.bitAnd(numbers, 1),
                                      tiles.integer(shape, codes / 2));
    return arith::AddIOp::create(tiles.builder, odd,
                                 tiles.shiftRight(numbers, 1));
  }
  }
  llvm_unreachable("all orders are listed");
}

/// The codes in the lowest bits of i32, in the result's shape.
static Value unpackCodes(TileBuilder &tiles, DequantizeOp op) {
  int64_t count = op.getCodesPerWord();
  unsigned axis = op.getAxis();
  Value words = tiles.repeat(tiles.toWords(op.getWeights()), axis, count);
  SmallVector<int64_t> shape = getShape(words);
  if (count > 1) {
    Value numbers = tiles.bitAnd(tiles.coordinates(shape, axis), count - 1);
    Value shifts =
        arith::MulIOp::create(tiles.builder, getPlaces(tiles, numbers, op),
                              tiles.integer(shape, op.getBits()));
    words = arith::ShRUIOp::create(tiles.builder, words, shifts);
  }
  return tiles.bitAnd(words, (int64_t(1) << op.getBits()) - 1);
}

/// The code book's numbers for each code, in f32. Each entry is taken from its
/// tile as bits, alone among zeros.
static Value lookUpCodes(TileBuilder &tiles, Value codes, Value codeBook) {
  ImplicitLocOpBuilder &builder = tiles.builder;
  SmallVector<int64_t> shape = getShape(codes);
  Value entries = tiles.bitcast(tiles.convert(codeBook, builder.getF32Type()),
                                builder.getI32Type());
  SmallVector<int64_t> bookShape = getShape(entries);
  Value numbers = tiles.coordinates(bookShape, 0);
  auto wordType = RankedTensorType::get(shape, builder.getI32Type());
  auto isEqual = [&](Value tile, int64_t number) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, tile,
                                 tiles.integer(getShape(tile), number));
  };
  Value result;
  for (int64_t index = 0; index < bookShape[0]; ++index) {
    Value alone = arith::SelectOp::create(builder, isEqual(numbers, index),
                                          entries, tiles.integer(bookShape, 0));
    Value entry = tt::SplatOp::create(builder, wordType, tiles.sum(alone, 0));
    result = result ? arith::SelectOp::create(builder, isEqual(codes, index),
                                              entry, result)
                          .getResult()
                    : entry;
  }
  return tiles.bitcast(result, builder.getF32Type());
}

/// The numbers that codes stand for, in f32.
static Value decodeCodes(TileBuilder &tiles, Value codes, DequantizeOp op) {
  ImplicitLocOpBuilder &builder = tiles.builder;
  Type numbers = RankedTensorType::get(getShape(codes), builder.getF32Type());
  switch (op.getFormat()) {
  case CodeFormat::UnsignedInteger:
    return arith::SIToFPOp::create(builder, numbers, codes);
  case CodeFormat::SignedInteger: {
    Value spare = tiles.integer(getShape(codes), 32 - op.getBits());
    Value high = arith::ShLIOp::create(builder, codes, spare);
    return arith::SIToFPOp::create(
        builder, numbers, arith::ShRSIOp::create(builder, high, spare));
  }
  case CodeFormat::CodeBook:
    return lookUpCodes(tiles, codes, op.getCodeBook());
  case CodeFormat::E2M1:
    return tiles.decode(codes, 4, 1, 1);
  case CodeFormat::E4M3:
    return tiles.decodeBytes(codes,
                             Float8E4M3FNType::get(builder.getContext()));
  case CodeFormat::E5M2:
    return tiles.decodeBytes(codes, Float8E5M2Type::get(builder.getContext()));
  }
  llvm_unreachable("all formats are listed");
}

/// Scales or zeros, one a group, in f32 and in the result's shape.
static Value spreadGroups(TileBuilder &tiles, Value groups, DequantizeOp op) {
  ImplicitLocOpBuilder &builder = tiles.builder;
  auto type = cast<RankedTensorType>(groups.getType());
  SmallVector<int64_t> shape = getShape(op.getResult());
  Value numbers = isa<FloatType>(type.getElementType())
                      ? tiles.convert(groups, builder.getF32Type())
                      : arith::SIToFPOp::create(
                            builder, type.clone(builder.getF32Type()), groups)
                            .getResult();
  unsigned axis = op.getAxis();
  int64_t size = shape[axis];
  shape[axis] = type.getDimSize(axis);
  return tiles.repeat(tiles.broadcast(numbers, shape), axis,
                      size / type.getDimSize(axis));
}

LogicalResult tile::expandDequantize(DequantizeOp op) {
  if (op.getFormat() == CodeFormat::CodeBook && op.getBits() > 4)
    return op.emitOpError("expects a code book of at most 16 entries (bits of "
                          "2 or 4), but got bits of ")
           << op.getBits();
  OpBuilder builder(op);
  TileBuilder tiles(builder, op.getLoc());
  Value numbers = decodeCodes(tiles, unpackCodes(tiles, op), op);
  if (op.getZeros())
    numbers = arith::SubFOp::create(tiles.builder, numbers,
                                    spreadGroups(tiles, op.getZeros(), op));
  Value product = arith::MulFOp::create(
      tiles.builder, numbers, spreadGroups(tiles, op.getScales(), op));
  auto element =
      cast<FloatType>(cast<RankedTensorType>(op.getType()).getElementType());
  op.replaceAllUsesWith(tiles.convert(product, element));
  op.erase();
  return success();
}
