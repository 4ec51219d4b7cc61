// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An integer q below a float's mantissa bits is put under the exponent whose
// unit is 1 (f16: 1024 + q, bf16: 128 + q) and taken from there by an addition
// that rounds nothing: one lop3 and one addition for two numbers (Y. J. Kim et
// al., "Who Says Elephants Can't Run: Bringing Large Scale MoE Models into
// Cloud Scale Production", 2022). Two codes of one word that are 16 bits apart
// are where they must be; others are brought there by bytes (prmt). Whole bytes
// are put beside that of the exponent as they are brought.

#include "passes/TileGPUToLLVM/DequantizePairs.h"
#include "dialects/TileGPU/Dequantization.h"
#include "passes/TileGPUToLLVM/SmallFloats.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using tile::CodeFormat;
using tile::DequantizeOp;

Value tilegpu::maskAndFlip(Emitter &emitter, Value word, uint32_t mask,
                           uint32_t flips) {
  // The table of (a & b) ^ c: (0xf0 & 0xcc) ^ 0xaa.
  return emitter.pureAssembly("lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,n",
                              emitter.builder.getI32Type(),
                              {word, emitter.constant(int32_t(mask)),
                               emitter.constant(int32_t(flips))});
}

SmallVector<Value> tilegpu::lookUpCodes(Emitter &emitter, unsigned bits,
                                        ValueRange codes, ValueRange book) {
  return llvm::map_to_vector(codes, [&](Value code) {
    code = emitter.bitAnd(code, emitter.constant((1u << bits) - 1));
    Value lane =
        book.size() > 1 ? emitter.bitAnd(code, emitter.constant(31)) : code;
    // From the lane that has it; of several registers of that lane the one
    // that the code's further bits name.
    SmallVector<Value> entries = llvm::map_to_vector(
        book, [&](Value entry) { return emitter.shuffleIndex(entry, lane); });
    SmallVector<unsigned> further =
        llvm::to_vector(llvm::seq(5u, std::max(5u, bits)));
    return emitter.selectByBits(std::move(entries), code, further);
  });
}

namespace {

/// Two numbers of 16 bits each.
using Pair = std::pair<double, double>;

class PairMaker {
public:
  PairMaker(Emitter &emitter, const target::Target &target, DequantizeOp op,
            FloatType type)
      : emitter(emitter), target(target), builder(emitter.builder),
        location(emitter.location), i32(builder.getI32Type()), type(type),
        pair(VectorType::get(2, type)), op(op), bits(op.getBits()),
        mantissaBits(type.getFPMantissaWidth() - 1) {}

  SmallVector<Value> make(const DequantizeOperands &operands);

private:
  Value shiftRight(Value value, unsigned by) {
    return by == 0 ? value
                   : LLVM::LShrOp::create(builder, location, value,
                                          emitter.constant(by))
                         .getResult();
  }
  Value permute(Value low, Value high, uint32_t selector) {
    return emitter.intrinsic("llvm.nvvm.prmt", i32,
                             {low, high, emitter.constant(selector)});
  }
  Value floats(Pair numbers) {
    SmallVector<Attribute> both = {builder.getFloatAttr(type, numbers.first),
                                   builder.getFloatAttr(type, numbers.second)};
    return LLVM::ConstantOp::create(builder, location, pair,
                                    DenseElementsAttr::get(pair, both));
  }
  /// x factor + addend, rounded once.
  Value multiplyAdd(Value x, Pair factor, Value addend) {
    if (factor == Pair(1, 1))
      return LLVM::FAddOp::create(builder, location, x, addend);
    return LLVM::FMAOp::create(builder, location, x, floats(factor), addend);
  }

  Value spread(CodePlace low, CodePlace high, unsigned room,
               unsigned offsets[2]);
  uint32_t getExponent();
  Value putUnderExponent(CodePlace low, CodePlace high, uint32_t sign,
                         unsigned offsets[2]);
  bool isOfBytes(CodePlace low, CodePlace high) const;
  Value putBytesUnderExponent(CodePlace low, CodePlace high, uint32_t sign);
  Value makeIntegers(CodePlace low, CodePlace high, Value zeroLow,
                     Value zeroHigh);
  Value makeInPlace(CodePlace low, CodePlace high);
  Value makeE2M1(CodePlace low, CodePlace high);
  SmallVector<Value> makeSingly(const DequantizeOperands &operands);
  Value convertZeros(Value low, Value high);
  Value subtractZeros(Pair addend, Value zeroLow, Value zeroHigh);

  Emitter &emitter;
  const target::Target &target;
  OpBuilder &builder;
  Location location;
  Type i32;
  FloatType type;
  VectorType pair;
  DequantizeOp op;
  unsigned bits, mantissaBits;
};

} // namespace

/// A word with one code in each half, `offsets` bits above the half's lowest
/// and at most `room`; other bits are any.
Value PairMaker::spread(CodePlace low, CodePlace high, unsigned room,
                        unsigned offsets[2]) {
  // Words packed from the highest bits on have the pair the other way round:
  // once turned by half, all of a word's pairs are as they should be.
  if (low.word == high.word && low.bit == high.bit + 16) {
    low.word = high.word = permute(low.word, low.word, 0x1032);
    std::swap(low.bit, high.bit);
  }
  // Few different shifts, by bytes if they do, so that pairs of a word share
  // them.
  if (low.word == high.word && high.bit == low.bit + 16) {
    unsigned shift = low.bit > room ? low.bit / 8 * 8 : 0;
    if (low.bit - shift > room)
      shift = llvm::alignTo(low.bit - room, bits);
    offsets[0] = offsets[1] = low.bit - shift;
    return shiftRight(low.word, shift);
  }
  auto reach = [&](CodePlace code, unsigned &offset) {
    offset = code.bit % 8;
    if (offset <= room)
      return code;
    unsigned shift = llvm::alignTo(offset - room, bits);
    offset -= shift;
    return CodePlace{shiftRight(code.word, shift), code.bit - shift};
  };
  low = reach(low, offsets[0]);
  high = reach(high, offsets[1]);
  return permute(low.word, high.word,
                 0x11 * (low.bit / 8) + 0x1100 * (4 + high.bit / 8));
}

/// Integer zeros as floats of the type, which are exact.
Value PairMaker::convertZeros(Value low, Value high) {
  auto convert = [&](Value zero) {
    Value number =
        LLVM::SIToFPOp::create(builder, location, builder.getF32Type(), zero);
    return convertFloats(emitter, target, number,
                         cast<FloatType>(builder.getF32Type()), type)[0];
  };
  Value first = convert(low);
  return emitter.packVector({first, low == high ? first : convert(high)});
}

/// addend - zeros.
Value PairMaker::subtractZeros(Pair addend, Value zeroLow, Value zeroHigh) {
  return LLVM::FSubOp::create(builder, location, floats(addend),
                              convertZeros(zeroLow, zeroHigh));
}

uint32_t PairMaker::getExponent() {
  return builder.getFloatAttr(type, double(1u << mantissaBits))
      .getValue()
      .bitcastToAPInt()
      .getZExtValue();
}

/// 2^mantissaBits + the codes, each `offsets` bits above the lowest.
Value PairMaker::putUnderExponent(CodePlace low, CodePlace high, uint32_t sign,
                                  unsigned offsets[2]) {
  Value halves = spread(low, high, mantissaBits - bits, offsets);
  uint32_t code = (1u << bits) - 1, exponent = getExponent();
  uint32_t mask = code << offsets[0] | code << offsets[1] << 16;
  uint32_t flips =
      (exponent | sign << offsets[0]) | (exponent | sign << offsets[1]) << 16;
  return emitter.bitcast(maskAndFlip(emitter, halves, mask, flips), pair);
}

bool PairMaker::isOfBytes(CodePlace low, CodePlace high) const {
  return bits == 8 && low.word == high.word && low.bit % 8 == 0 &&
         high.bit % 8 == 0;
}

/// 2^mantissaBits + the codes, which are whole bytes of one word: the lower
/// byte of the exponent's half is 0.
Value PairMaker::putBytesUnderExponent(CodePlace low, CodePlace high,
                                       uint32_t sign) {
  Value word = low.word;
  if (sign) // The pairs of a word share this.
    word = LLVM::XOrOp::create(builder, location, word,
                               emitter.constant(int32_t(sign * 0x01010101u)));
  Value halves = permute(word, emitter.constant(int32_t(getExponent())),
                         0x5050 | low.bit / 8 | high.bit / 8 << 8);
  return emitter.bitcast(halves, pair);
}

/// The differences of two codes and their zeros, which may be null.
Value PairMaker::makeIntegers(CodePlace low, CodePlace high, Value zeroLow,
                              Value zeroHigh) {
  // Two's complement is the unsigned code with its sign bit flipped, less
  // 2^(bits - 1).
  bool isSigned = op.getFormat() == CodeFormat::SignedInteger;
  uint32_t sign = isSigned ? 1u << (bits - 1) : 0;
  unsigned offsets[2] = {0, 0};
  Value x = isOfBytes(low, high) ? putBytesUnderExponent(low, high, sign)
                                 : putUnderExponent(low, high, sign, offsets);
  auto factor = [&](unsigned i) { return 1.0 / double(1u << offsets[i]); };
  auto addend = [&](unsigned i) {
    return -(double(1u << mantissaBits) * factor(i) + sign);
  };
  Pair factors(factor(0), factor(1)), addends(addend(0), addend(1));
  if (!zeroLow)
    return multiplyAdd(x, factors, floats(addends));
  // At once where no sum of addend and zero leaves the type's integers.
  unsigned zeroBits = zeroLow.getType().getIntOrFloatBitWidth();
  double largest =
      double(1u << mantissaBits) + sign + double(uint64_t(1) << (zeroBits - 1));
  if (largest <= double(2u << mantissaBits))
    return multiplyAdd(x, factors, subtractZeros(addends, zeroLow, zeroHigh));
  Value codes = multiplyAdd(x, factors, floats(addends));
  return LLVM::FSubOp::create(builder, location, codes,
                              convertZeros(zeroLow, zeroHigh));
}

/// Two codes as f16 without an exponent: at the lowest bits, or as far above
/// them as they are in their bytes.
Value PairMaker::makeInPlace(CodePlace low, CodePlace high) {
  unsigned offsets[2];
  Value halves = spread(low, high, op.getInBytes() ? 8 - bits : 0, offsets);
  assert(offsets[0] == low.exponent && offsets[1] == high.exponent &&
         "expects codes where they are in their bytes");
  bool isSigned = op.getFormat() == CodeFormat::SignedInteger;
  uint32_t code = (1u << bits) - 1, sign = isSigned ? 1u << (bits - 1) : 0;
  auto both = [&](uint32_t x) {
    return x << offsets[0] | x << offsets[1] << 16;
  };
  return emitter.bitcast(maskAndFlip(emitter, halves, both(code), both(sign)),
                         pair);
}

/// The codes under the type's exponent, brought from there by a power of two.
Value PairMaker::makeE2M1(CodePlace low, CodePlace high) {
  // Into the upper nibble of the upper byte.
  auto reach = [&](CodePlace code) {
    if (code.bit % 8 == 4)
      return code;
    Value shifted =
        LLVM::ShlOp::create(builder, location, code.word, emitter.constant(4));
    return CodePlace{shifted, code.bit + 4};
  };
  low = reach(low);
  high = reach(high);
  Value halves = permute(low.word, high.word,
                         0x11 * (low.bit / 8) + 0x1100 * (4 + high.bit / 8));
  unsigned down = 13 - mantissaBits;
  uint32_t magnitude = (0x7000u >> down) * 0x00010001u;
  Value signs = emitter.bitAnd(halves, emitter.constant(int32_t(0x80008000)));
  Value magnitudes = emitter.bitAnd(shiftRight(halves, down),
                                    emitter.constant(int32_t(magnitude)));
  // The biases are 1 and the type's, 2^(exponent bits - 1) - 1.
  double scale = std::ldexp(1.0, (1 << (14 - mantissaBits)) - 2);
  return LLVM::FMulOp::create(
      builder, location,
      emitter.bitcast(emitter.bitOr(signs, magnitudes), pair),
      floats({scale, scale}));
}

/// Numbers of the type without zeros and scales, one by one.
SmallVector<Value> PairMaker::makeSingly(const DequantizeOperands &operands) {
  SmallVector<Value> codes =
      llvm::map_to_vector(operands.codes, [&](CodePlace code) {
        return shiftRight(code.word, code.bit);
      });
  if (op.getFormat() == CodeFormat::CodeBook)
    return lookUpCodes(emitter, bits, codes, operands.book);
  for (Value &code : codes)
    code = LLVM::TruncOp::create(builder, location, builder.getI8Type(), code);
  FloatType format = op.getFormat() == CodeFormat::E4M3
                         ? FloatType(Float8E4M3FNType::get(op.getContext()))
                         : FloatType(Float8E5M2Type::get(op.getContext()));
  return convertFloats(emitter, target, codes, format, type);
}

SmallVector<Value> PairMaker::make(const DequantizeOperands &operands) {
  bool isE2M1 = op.getFormat() == CodeFormat::E2M1;
  SmallVector<Value> singles, numbers;
  if (!op.isOfIntegers() && !isE2M1)
    singles = makeSingly(operands);
  bool isInPlace = standsInPlace(op);
  for (size_t i = 0; i < operands.codes.size(); i += 2) {
    const CodePlace &low = operands.codes[i], &high = operands.codes[i + 1];
    if (isInPlace) {
      llvm::append_range(numbers, emitter.unpackVector(makeInPlace(low, high)));
      continue;
    }
    Value zeroLow, zeroHigh, both;
    if (!operands.zeros.empty()) {
      zeroLow = operands.zeros[i];
      zeroHigh = operands.zeros[i + 1];
    }
    if (op.isOfIntegers())
      both = makeIntegers(low, high, zeroLow, zeroHigh);
    else if (isE2M1)
      both = makeE2M1(low, high);
    else
      both = emitter.packVector({singles[i], singles[i + 1]});
    Value scales =
        emitter.packVector({operands.scales[i], operands.scales[i + 1]});
    llvm::append_range(numbers, emitter.unpackVector(LLVM::FMulOp::create(
                                    builder, location, both, scales)));
  }
  return numbers;
}

SmallVector<Value>
tilegpu::dequantizeInPairs(Emitter &emitter, const target::Target &target,
                           DequantizeOp op,
                           const DequantizeOperands &operands) {
  auto type =
      cast<FloatType>(cast<RankedTensorType>(op.getType()).getElementType());
  if (operands.codes.size() % 2 != 0 || operands.codes.front().power ||
      !dequantizesInPairs(op, target))
    return {};
  return PairMaker(emitter, target, op, type).make(operands);
}
