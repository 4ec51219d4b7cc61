// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.dot_scaled as a plain product: operands are decoded, multiplied with their
// scales in f32, and given to tt.dot in a type that holds every product of an
// element and a scale.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Tile/ExpandTileOps.h"
#include "passes/Tile/TileBuilder.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using tt::ScaledElementType;

namespace {

/// One side of the product.
struct Side {
  Value elements, scales;
  ScaledElementType encoded;
  /// The dimension of K, and that in which elements of 4 bits are packed.
  unsigned kAxis, packedAxis;
};

/// What tt.dot multiplies.
struct Precision {
  FloatType type;
  tt::InputPrecision precision;
};

} // namespace

/// Two elements in each byte, the lower first, put apart along `axis`.
static Value unpackNibbles(TileBuilder &tiles, Value bytes, unsigned axis) {
  Value words = tiles.toWords(bytes);
  Value pair = tiles.join(tiles.bitAnd(words, 15), tiles.shiftRight(words, 4));
  SmallVector<int64_t> shape = getShape(bytes);
  SmallVector<int32_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  order.insert(order.begin() + axis + 1, shape.size());
  if (axis + 1 != shape.size())
    pair = tiles.transpose(pair, order);
  shape[axis] *= 2;
  return tiles.reshape(pair, shape);
}

/// An operand's elements in f32, exactly.
static Value decodeElements(TileBuilder &tiles, const Side &side) {
  ImplicitLocOpBuilder &builder = tiles.builder;
  auto element = cast<RankedTensorType>(side.elements.getType());
  if (auto type = dyn_cast<FloatType>(element.getElementType()))
    return tiles.convert(side.elements, builder.getF32Type());
  switch (side.encoded) {
  case ScaledElementType::E2M1:
    return tiles.decode(unpackNibbles(tiles, side.elements, side.packedAxis), 4,
                        1, 1);
  case ScaledElementType::E2M3:
    return tiles.decode(tiles.toWords(side.elements), 6, 3, 1);
  case ScaledElementType::E3M2:
    return tiles.decode(tiles.toWords(side.elements), 6, 2, 3);
  case ScaledElementType::E4M3:
    return tiles.convert(
        tiles.bitcast(side.elements,
                      Float8E4M3FNType::get(builder.getContext())),
        builder.getF32Type());
  case ScaledElementType::E5M2:
    return tiles.convert(
        tiles.bitcast(side.elements, Float8E5M2Type::get(builder.getContext())),
        builder.getF32Type());
  case ScaledElementType::BF16:
  case ScaledElementType::FP16:
    break;
  }
  llvm_unreachable("bf16 and fp16 come as floats");
}

/// Scales in f32, exactly: floats, or powers of two with exponent bias 127, of
/// which 0xff is NaN and 0 is subnormal.
static Value decodeScales(TileBuilder &tiles, Value scales) {
  ImplicitLocOpBuilder &builder = tiles.builder;
  SmallVector<int64_t> shape = getShape(scales);
  if (isa<FloatType>(cast<RankedTensorType>(scales.getType()).getElementType()))
    return tiles.convert(scales, builder.getF32Type());
  Value words = tiles.toWords(scales);
  auto isCode = [&](int64_t code) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, words,
                                 tiles.integer(shape, code));
  };
  Value bits = tiles.shiftLeft(words, 23);
  bits = arith::SelectOp::create(builder, isCode(0),
                                 tiles.integer(shape, 0x00400000), bits);
  bits = arith::SelectOp::create(builder, isCode(0xff),
                                 tiles.integer(shape, 0x7fc00000), bits);
  return tiles.bitcast(bits, builder.getF32Type());
}

/// The elements with their scales, in f32.
static Value scaleElements(TileBuilder &tiles, const Side &side) {
  Value numbers = decodeElements(tiles, side);
  if (!side.scales)
    return numbers;
  Value scales = decodeScales(tiles, side.scales);
  // Scales are rows by groups; K comes before the columns of the right side.
  unsigned last = getShape(scales).size() - 1;
  if (side.kAxis != last) {
    SmallVector<int32_t> order(last + 1);
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[last], order[last - 1]);
    scales = tiles.transpose(scales, order);
  }
  int64_t group = getShape(numbers)[side.kAxis] / getShape(scales)[side.kAxis];
  return arith::MulFOp::create(tiles.builder, numbers,
                               tiles.repeat(scales, side.kAxis, group));
}

/// The bits of mantissa, the leading one among them, that an element times a
/// scale has.
static unsigned countMantissaBits(const Side &side) {
  unsigned bits = 0;
  switch (side.encoded) {
  case ScaledElementType::E2M1:
    bits = 2;
    break;
  case ScaledElementType::E3M2:
  case ScaledElementType::E5M2:
    bits = 3;
    break;
  case ScaledElementType::E2M3:
  case ScaledElementType::E4M3:
    bits = 4;
    break;
  case ScaledElementType::BF16:
    bits = 8;
    break;
  case ScaledElementType::FP16:
    bits = 11;
    break;
  }
  bool hasMantissa =
      side.scales &&
      isa<FloatType>(
          cast<RankedTensorType>(side.scales.getType()).getElementType());
  return hasMantissa ? bits + 4 : bits;
}

/// bf16 has 8 bits and tf32 has 11, both with the exponents of f32.
static Precision choosePrecision(ArrayRef<Side> sides, OpBuilder &builder) {
  unsigned bits = 0;
  for (const Side &side : sides)
    bits = std::max(bits, countMantissaBits(side));
  if (bits <= 8)
    return {builder.getBF16Type(), tt::InputPrecision::IEEE};
  return {builder.getF32Type(),
          bits <= 11 ? tt::InputPrecision::TF32 : tt::InputPrecision::IEEE};
}

void tile::expandScaledDot(tt::DotScaledOp op) {
  OpBuilder builder(op);
  TileBuilder tiles(builder, op.getLoc());
  unsigned last = cast<RankedTensorType>(op.getA().getType()).getRank() - 1;
  Side sides[] = {{op.getA(), op.getAScale(), op.getAElementType(), last,
                   op.getLhsKPack() ? last : last - 1},
                  {op.getB(), op.getBScale(), op.getBElementType(), last - 1,
                   op.getRhsKPack() ? last - 1 : last}};
  Precision precision = choosePrecision(sides, builder);
  Value operands[2];
  for (auto [operand, side] : llvm::zip_equal(operands, sides))
    operand = tiles.convert(scaleElements(tiles, side), precision.type);
  auto dot = tt::DotOp::create(tiles.builder, op.getType(), operands[0],
                               operands[1], op.getC(), precision.precision);
  op.replaceAllUsesWith(dot.getResult());
  op.erase();
}
