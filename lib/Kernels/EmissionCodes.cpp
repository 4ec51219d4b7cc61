// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codes that are packed in words: unpacked here, or left to tile.dequantize.

#include "lib/Kernels/EmissionReading.h"

using namespace tilewright;
using kernels::CodedTile;
using kernels::Coding;
using kernels::ElementType;
using kernels::Emission;
using kernels::Shape;
namespace arith = mlir::arith;

// What stands for what in both of them.
static_assert(int(Coding::Format::E5M2) == int(tile::CodeFormat::E5M2) &&
              int(Coding::Format::CodeBook) == int(tile::CodeFormat::CodeBook));
static_assert(int(Coding::Order::HighFirst) ==
                  int(tile::PackingOrder::HighFirst) &&
              int(Coding::Order::EvenFirst) ==
                  int(tile::PackingOrder::EvenFirst));

/// A byte four times in an integer of 32 bits.
static double repeated(unsigned byte) {
  return double(int32_t(byte * 0x01010101u));
}

/// The bytes of `x`, whose highest bits are 0, less those of other integers,
/// where no byte borrows from the next one: with its highest bit set it is no
/// less than the lower bits of what is subtracted; that bit is put right after
/// (H. Warren, "Hacker's Delight", 2nd ed., section 2-18).
kernels::Value Emission::subtractBytes(const kernels::Value &x,
                                       const kernels::Value &bytes) {
  kernels::Value four = (bytes & 255.0) * repeated(1);
  kernels::Value low = four & repeated(0x7f);
  // Of what is subtracted the highest bits, flipped.
  kernels::Value high = repeated(0x80) - (four & repeated(0x80));
  kernels::Value difference = (x | repeated(0x80)) - low;
  high = broadcast(high, x.shape());
  return wrap(create<arith::XOrIOp>(unwrap(difference), unwrap(high)),
              ElementType::I32, x.shape());
}

/// A dimension of one element as `size` shifted ones: by first, first + step,
/// ... bits, or, of four, by those in an order of even ones first.
kernels::Value Emission::shiftApart(const kernels::Value &a, unsigned along,
                                    unsigned size, int first, int step,
                                    bool isEvenFirst) {
  Shape shape = a.shape();
  shape[along] = size;
  kernels::Value index = range(size);
  if (isEvenFirst)
    index = index / 2.0 + index % 2.0 * double(size / 2);
  kernels::Value by = index * double(step) + double(first);
  for (unsigned d = 0; d < shape.size(); ++d)
    if (d != along)
      by = by.expand(d);
  return wrap(create<arith::ShRUIOp>(unwrap(broadcast(a, shape)),
                                     unwrap(broadcast(by, shape))),
              ElementType::I32, shape);
}

/// Integers of words as a tile of 8 bits. Four codes at a time are in the bytes
/// of a word: all that are as far above a byte's lowest bit are masked, less
/// 2^(bits - 1) where they are signed, and less the zeros, at once. Then a word
/// is `upper` x `inByte` x `lower` codes, in the order of its elements.
kernels::Value Emission::unpack(const CodedTile &coded) {
  const Coding &coding = coded.coding;
  unsigned codes = coding.codesPerWord(coded.words.type());
  unsigned bytes = run::byteSize(coded.words.type()), axis = coded.axis + 1;
  bool isEvenFirst = coding.order == Coding::Order::EvenFirst;
  unsigned lower = isEvenFirst && bytes == 4 ? 2 : 1, upper = bytes / lower;
  unsigned inByte = codes / bytes;
  auto placeOf = [&](unsigned element) {
    return int(coding.bitOf(element, codes));
  };
  int first = placeOf(0);
  auto stepOf = [&](unsigned element) { return placeOf(element) - first; };
  bool isOneByte = bytes == 1 && isEvenFirst && codes == 4;
  kernels::Value x = shiftApart(coded.words.to(ElementType::I32).expand(axis),
                                axis, inByte, first % 8,
                                isOneByte    ? int(coding.bits)
                                : inByte > 1 ? stepOf(lower)
                                             : 0,
                                isOneByte);
  if (coding.bits < 8)
    x = x & repeated((1u << coding.bits) - 1);
  bool isOffset = coding.format == Coding::Format::Signed && coding.bits < 8;
  unsigned sign = isOffset ? 1u << (coding.bits - 1) : 0;
  if (isOffset)
    x = wrap(create<arith::XOrIOp>(
                 unwrap(x),
                 unwrap(constant(repeated(sign), ElementType::I32, x.shape()))),
             ElementType::I32, x.shape());
  // Zeros of each code of a word are taken off last.
  bool isOfWords = coded.zeros && coded.zeros.shape()[coded.axis] == 1;
  kernels::Value less =
      constant(sign, ElementType::I32, Shape(x.shape().size(), 1));
  if (isOfWords)
    less = less + coded.zeros.expand(axis).to(ElementType::I32);
  if (isOfWords || isOffset)
    x = subtractBytes(x, less);
  x = shiftApart(x.expand(axis), axis, upper, first / 8 * 8,
                 upper > 1 ? stepOf(inByte * lower) : 0, false);
  if (lower > 1)
    x = shiftApart(x.expand(axis + 2), axis + 2, lower, 0, stepOf(1), false);
  x = reshape(convert(x, ElementType::I8), coded.shape());
  return coded.zeros && !isOfWords ? x - coded.zeros : x;
}

kernels::Value Emission::dequantize(const CodedTile &coded, ElementType type) {
  auto optional = [](const kernels::Value &value) {
    return value ? unwrap(value) : mlir::Value();
  };
  mlir::IntegerAttr groupAxis;
  if (coded.groupAxis != coded.axis)
    groupAxis = builder.getI32IntegerAttr(int32_t(coded.groupAxis));
  if (type == ElementType::I8)
    return unpack(coded);
  // The dialect's op has scales; to multiply by those that are 1 takes nothing.
  kernels::Value scales = coded.scales;
  if (!scales) {
    Shape groups(coded.shape().size(), 1);
    int64_t &along = groups[coded.groupAxis];
    along = std::max<int64_t>(coded.shape()[coded.groupAxis] / coded.group, 1);
    scales = constant(1, type, coded.zeros ? coded.zeros.shape() : groups);
  }
  mlir::Value numbers = create<tile::DequantizeOp>(
      toType(type, coded.shape()), unwrap(coded.words), unwrap(scales),
      optional(coded.zeros), optional(coded.book), coded.coding.bits,
      static_cast<tile::CodeFormat>(coded.coding.format),
      static_cast<uint32_t>(coded.group), coded.axis, groupAxis,
      static_cast<tile::PackingOrder>(coded.coding.order), coded.inBytes);
  return wrap(numbers, type, coded.shape());
}
