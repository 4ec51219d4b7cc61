// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/SmallFloats.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using llvm::APFloat;
using target::Capability;

bool tilegpu::isSmallFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

namespace {

/// What arithmetic must know of an 8-bit format: a sign, exponent bits, and
/// `mantissaBits` more.
struct Format {
  explicit Format(FloatType type) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    auto getCode = [](const APFloat &number) -> unsigned {
      return number.bitcastToAPInt().getZExtValue();
    };
    mantissaBits = APFloat::semanticsPrecision(semantics) - 1;
    minExponent = APFloat::semanticsMinExponent(semantics);
    largest = getCode(APFloat::getLargest(semantics));
    hasNegativeZero =
        APFloat::getZero(semantics, /*Negative=*/true).isNegative();
    // Of several codes for NaN the one that the hardware's conversions give.
    nan = hasNegativeZero ? 0x7f : 0x80;
    bool hasInfinity = APFloat::semanticsHasInf(semantics);
    infinity = hasInfinity ? getCode(APFloat::getInf(semantics)) : nan;
  }

  unsigned mantissaBits;
  /// Of normal numbers.
  int minExponent;
  /// Codes; without infinities theirs is NaN's.
  unsigned largest, infinity, nan;
  /// Else the code of -0 is NaN's.
  bool hasNegativeZero;
};

constexpr unsigned f32MantissaBits = 23;
constexpr int f32Bias = 127;
constexpr uint32_t f32Infinity = 0x7f800000;

/// 2^exponent as bits of f32.
uint32_t powerOfTwoBits(int exponent) {
  return uint32_t(exponent + f32Bias) << f32MantissaBits;
}

/// Arithmetic on single registers.
class Converter {
public:
  Converter(Emitter &emitter, const target::Target &target)
      : emitter(emitter), target(target), builder(emitter.builder),
        location(emitter.location), i8(builder.getI8Type()),
        i16(builder.getI16Type()), i32(builder.getI32Type()),
        f16(builder.getF16Type()), f32(builder.getF32Type()) {}

  /// The halves that codes stand for, exactly.
  SmallVector<Value> decode(ValueRange codes, FloatType type);
  /// Those of two bytes of `word` of E4M3FN or E5M2, as a pair.
  Value decodeHalf(Value word, bool isUpper, bool isE5M2);
  /// The codes of numbers in f16 or f32.
  SmallVector<Value> encode(ValueRange numbers, FloatType type,
                            FloatRounding rounding);
  /// Between types that LLVM has. `isExact` promises that nothing is rounded.
  Value convert(Value value, Type to, bool towardZero, bool isExact);
  /// An f64 as the f32 that any further rounding to at most 22 bits of mantissa
  /// takes for the f64 itself: cut, with the last bit set where it was inexact
  /// (S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums:
  /// proved algorithms using rounding to odd", 2008).
  Value roundToOdd(Value value);

private:
  using Group = SmallVector<Value, 4>;

  Value shiftLeft(Value value, unsigned bits) {
    return LLVM::ShlOp::create(builder, location, value,
                               emitter.constant(bits));
  }
  Value shiftRight(Value value, unsigned bits) {
    return LLVM::LShrOp::create(builder, location, value,
                                emitter.constant(bits));
  }
  Value bitAnd(Value value, uint32_t mask) {
    return emitter.bitAnd(value, emitter.constant(int32_t(mask)));
  }
  Value compare(LLVM::ICmpPredicate predicate, Value value, uint32_t number) {
    return LLVM::ICmpOp::create(builder, location, predicate, value,
                                emitter.constant(int32_t(number)));
  }
  Value floatConstant(double value, Type type) {
    return LLVM::ConstantOp::create(builder, location, type,
                                    builder.getFloatAttr(type, value));
  }
  Value multiply(Value value, double factor, Type type) {
    return LLVM::FMulOp::create(builder, location, value,
                                floatConstant(factor, type));
  }
  /// `values` (1, 2 or 4 of i8) as a word, the first lowest.
  Value packWord(ValueRange values);

  void decodeByInstruction(ValueRange codes, FloatType type,
                           SmallVectorImpl<Value> &halves);
  void decodeByWords(ValueRange codes, bool isE5M2,
                     SmallVectorImpl<Value> &halves);
  Value decodePairOfE4M3(Value shifted);
  Value decodeByScaling(Value code, const Format &format);

  void encodeByInstruction(ValueRange numbers, FloatType type,
                           SmallVectorImpl<Value> &codes);
  Value encodeByArithmetic(Value number, const Format &format,
                           FloatRounding rounding);
  Value roundMagnitude(Value magnitude, const Format &format, bool towardZero);
  Value narrowTowardZero(Value value, Type to);

  Emitter &emitter;
  const target::Target &target;
  OpBuilder &builder;
  Location location;
  Type i8, i16, i32, f16, f32;
};

} // namespace

//===----------------------------------------------------------------------===//
// Codes to halves
//===----------------------------------------------------------------------===//

Value Converter::packWord(ValueRange values) {
  unsigned bits = 8 * values.size();
  Value word =
      emitter.bitcast(emitter.packVector(values), builder.getIntegerType(bits));
  return bits == 32 ? word : LLVM::ZExtOp::create(builder, location, i32, word);
}

/// cvt.rn.f16x2.e4m3x2 and .e5m2x2: two codes at a time.
void Converter::decodeByInstruction(ValueRange codes, FloatType type,
                                    SmallVectorImpl<Value> &halves) {
  StringRef name = isa<Float8E4M3FNType>(type) ? "llvm.nvvm.e4m3x2.to.f16x2.rn"
                                               : "llvm.nvvm.e5m2x2.to.f16x2.rn";
  Value low = codes.front(), high = codes.back();
  Value pair = emitter.bitcast(emitter.packVector({low, high}), i16);
  Value result = emitter.intrinsic(name, VectorType::get(2, f16), pair);
  llvm::append_range(
      halves, ArrayRef(emitter.unpackVector(result)).take_front(codes.size()));
}

/// Two codes of E4M3FN in the upper bytes of two halves. Under f16's exponent
/// the magnitude is 2^-8 of what is meant, subnormals too; only NaN, which
/// stands where 480 would, needs more.
Value Converter::decodePairOfE4M3(Value shifted) {
  Value magnitude = bitAnd(shiftRight(shifted, 1), 0x3f803f80);
  Value bits = emitter.bitOr(bitAnd(shifted, 0x80008000), magnitude);
  Type pair = VectorType::get(2, f16);
  Value scale = LLVM::ConstantOp::create(
      builder, location, pair,
      DenseElementsAttr::get(cast<ShapedType>(pair),
                             builder.getF16FloatAttr(256.0).getValue()));
  Value product = LLVM::FMulOp::create(builder, location,
                                       emitter.bitcast(bits, pair), scale);
  // One step past NaN's code, and only there, bit 14 is set.
  Value isNan = bitAnd(emitter.addConstant(magnitude, 0x00800080), 0x40004000);
  Value nan = emitter.multiply(shiftRight(isNan, 14), emitter.constant(0x7fff));
  return emitter.bitOr(emitter.bitcast(product, i32), nan);
}

/// The codes are spread over the upper bytes of halves. E5M2 is the upper byte
/// of f16 (OCP, "8-bit Floating Point Specification").
Value Converter::decodeHalf(Value word, bool isUpper, bool isE5M2) {
  Type pair = VectorType::get(2, f16);
  if (!isE5M2 && target.has(Capability::Fp8Conversion)) {
    Value codes = LLVM::TruncOp::create(builder, location, i16,
                                        isUpper ? shiftRight(word, 16) : word);
    return emitter.intrinsic("llvm.nvvm.e4m3x2.to.f16x2.rn", pair, codes);
  }
  // Bytes 4 and up of the pair (word, 0) are zeros.
  int64_t selector = isUpper ? 0x3424 : 0x1404;
  Value spread = emitter.intrinsic(
      "llvm.nvvm.prmt", i32,
      {word, emitter.constant(0), emitter.constant(selector)});
  return emitter.bitcast(isE5M2 ? spread : decodePairOfE4M3(spread), pair);
}

/// Up to four codes at once.
void Converter::decodeByWords(ValueRange codes, bool isE5M2,
                              SmallVectorImpl<Value> &halves) {
  Value word = packWord(codes);
  size_t end = halves.size() + codes.size();
  for (bool isUpper : {false, true})
    if (codes.size() > 2 * isUpper)
      llvm::append_range(
          halves, emitter.unpackVector(decodeHalf(word, isUpper, isE5M2)));
  halves.truncate(end);
}

/// Any format: its bits under f32's exponent, times the power of two that lies
/// between the two biases.
Value Converter::decodeByScaling(Value code, const Format &format) {
  Value word = LLVM::ZExtOp::create(builder, location, i32, code);
  Value magnitude =
      shiftLeft(bitAnd(word, 0x7f), f32MantissaBits - format.mantissaBits);
  double scale = std::ldexp(1.0, f32Bias - 1 + format.minExponent);
  Value number = multiply(emitter.bitcast(magnitude, f32), scale, f32);
  Value bits = emitter.bitOr(emitter.bitcast(number, i32),
                             shiftLeft(bitAnd(word, 0x80), 24));
  Value isNan = compare(LLVM::ICmpPredicate::eq, word, format.nan);
  bits = emitter.select(isNan, emitter.constant(0x7fc00000), bits);
  return LLVM::FPTruncOp::create(builder, location, f16,
                                 emitter.bitcast(bits, f32));
}

SmallVector<Value> Converter::decode(ValueRange codes, FloatType type) {
  SmallVector<Value> halves;
  bool isE5M2 = isa<Float8E5M2Type>(type);
  if (!isE5M2 && !isa<Float8E4M3FNType>(type)) {
    Format format(type);
    for (Value code : codes)
      halves.push_back(decodeByScaling(code, format));
    return halves;
  }
  // An instruction takes two; E5M2 by words is one instruction for two as well.
  bool hasInstruction = target.has(Capability::Fp8Conversion) && !isE5M2;
  for (size_t step = hasInstruction ? 2 : 4; !codes.empty();) {
    ValueRange group = codes.take_front(std::min(step, codes.size()));
    codes = codes.drop_front(group.size());
    if (hasInstruction)
      decodeByInstruction(group, type, halves);
    else
      decodeByWords(group, isE5M2, halves);
  }
  return halves;
}

//===----------------------------------------------------------------------===//
// Numbers to codes
//===----------------------------------------------------------------------===//

/// cvt.rn.satfinite: two numbers at a time, NaN to 0x7f (PTX ISA, cvt).
void Converter::encodeByInstruction(ValueRange numbers, FloatType type,
                                    SmallVectorImpl<Value> &codes) {
  bool isE4M3 = isa<Float8E4M3FNType>(type);
  Value low = numbers.front(), high = numbers.back(), word;
  if (low.getType() == f16)
    word = emitter.intrinsic(isE4M3 ? "llvm.nvvm.f16x2.to.e4m3x2.rn"
                                    : "llvm.nvvm.f16x2.to.e5m2x2.rn",
                             i16, emitter.packVector({low, high}));
  else
    word = emitter.intrinsic(isE4M3 ? "llvm.nvvm.ff.to.e4m3x2.rn"
                                    : "llvm.nvvm.ff.to.e5m2x2.rn",
                             i16, {high, low});
  SmallVector<Value> pair =
      emitter.unpackVector(emitter.bitcast(word, VectorType::get(2, i8)));
  llvm::append_range(codes, ArrayRef(pair).take_front(numbers.size()));
}

/// The magnitude's code, before what is too large is cut off.
Value Converter::roundMagnitude(Value magnitude, const Format &format,
                                bool towardZero) {
  unsigned dropped = f32MantissaBits - format.mantissaBits;
  // Normal numbers: half a unit, less one where the last bit that stays is
  // even, carries into it.
  Value rounded = magnitude;
  if (!towardZero) {
    Value isOdd = bitAnd(shiftRight(magnitude, dropped), 1);
    rounded = emitter.add(
        emitter.addConstant(magnitude, (1 << (dropped - 1)) - 1), isOdd);
  }
  int biasDifference = f32Bias - (1 - format.minExponent);
  Value normal =
      emitter.addConstant(shiftRight(rounded, dropped),
                          -(int64_t(biasDifference) << format.mantissaBits));
  // Subnormal ones: beside this number, f32's unit is the format's smallest
  // number, so the sum is rounded as it must be.
  uint32_t beside = powerOfTwoBits(format.minExponent + dropped);
  Value number = emitter.bitcast(magnitude, f32);
  Value offset =
      floatConstant(std::ldexp(1.0, format.minExponent + dropped), f32);
  Value sum =
      towardZero
          ? emitter.intrinsic("llvm.nvvm.add.rz.f", f32, {number, offset})
          : LLVM::FAddOp::create(builder, location, number, offset);
  Value subnormal =
      emitter.addConstant(emitter.bitcast(sum, i32), -int64_t(beside));
  Value isSubnormal = compare(LLVM::ICmpPredicate::ult, magnitude,
                              powerOfTwoBits(format.minExponent));
  return emitter.select(isSubnormal, subnormal, normal);
}

Value Converter::encodeByArithmetic(Value number, const Format &format,
                                    FloatRounding rounding) {
  Value bits = emitter.bitcast(number, i32);
  Value magnitude = bitAnd(bits, 0x7fffffff);
  Value code = roundMagnitude(magnitude, format, rounding.towardZero);
  // Towards zero only infinities themselves leave the finite numbers.
  bool endsFinite = rounding.saturates || rounding.towardZero;
  unsigned last = endsFinite ? format.largest : format.infinity;
  code = LLVM::UMinOp::create(builder, location, code, emitter.constant(last));
  if (!rounding.saturates && rounding.towardZero) {
    Value isInfinite = compare(LLVM::ICmpPredicate::eq, magnitude, f32Infinity);
    code = emitter.select(isInfinite, emitter.constant(format.infinity), code);
  }
  Value isNan = compare(LLVM::ICmpPredicate::ugt, magnitude, f32Infinity);
  code = emitter.select(isNan, emitter.constant(format.nan), code);
  Value withSign = emitter.bitOr(code, bitAnd(shiftRight(bits, 24), 0x80));
  if (!format.hasNegativeZero) {
    // Zero has no sign, and NaN's code is the sign alone.
    Value hasNoSign = compare(LLVM::ICmpPredicate::eq, bitAnd(code, 0x7f), 0);
    withSign = emitter.select(hasNoSign, code, withSign);
  } else {
    withSign = emitter.select(isNan, code, withSign);
  }
  return LLVM::TruncOp::create(builder, location, i8, withSign);
}

SmallVector<Value> Converter::encode(ValueRange numbers, FloatType type,
                                     FloatRounding rounding) {
  SmallVector<Value> codes;
  if (target.has(Capability::Fp8Conversion) && rounding.saturates &&
      !rounding.towardZero && isa<Float8E4M3FNType, Float8E5M2Type>(type)) {
    for (; !numbers.empty();) {
      ValueRange pair = numbers.take_front(std::min<size_t>(2, numbers.size()));
      numbers = numbers.drop_front(pair.size());
      encodeByInstruction(pair, type, codes);
    }
    return codes;
  }
  Format format(type);
  for (Value number : numbers) {
    if (number.getType() != f32)
      number = LLVM::FPExtOp::create(builder, location, f32, number);
    codes.push_back(encodeByArithmetic(number, format, rounding));
  }
  return codes;
}

//===----------------------------------------------------------------------===//
// Between types of 16 bits and more
//===----------------------------------------------------------------------===//

Value Converter::roundToOdd(Value value) {
  Value cut = emitter.intrinsic("llvm.nvvm.d2f.rz", f32, value);
  Value back = LLVM::FPExtOp::create(builder, location, value.getType(), cut);
  Value isInexact = LLVM::FCmpOp::create(builder, location,
                                         LLVM::FCmpPredicate::une, back, value);
  Value lastBit = LLVM::ZExtOp::create(builder, location, i32, isInexact);
  return emitter.bitcast(emitter.bitOr(emitter.bitcast(cut, i32), lastBit),
                         f32);
}

/// To fewer bits, from f64 or f32.
Value Converter::narrowTowardZero(Value value, Type to) {
  if (value.getType().isF64())
    value = emitter.intrinsic("llvm.nvvm.d2f.rz", f32, value);
  if (to.isF32())
    return value;
  if (to.isF16())
    return emitter.bitcast(
        emitter.pureAssembly("cvt.rz.f16.f32 $0, $1;", "=h,f", i16, value), to);
  // bf16 is the upper half of f32. A NaN could lose all that makes it one.
  Value upper = LLVM::TruncOp::create(
      builder, location, i16, shiftRight(emitter.bitcast(value, i32), 16));
  Value isNan = LLVM::FCmpOp::create(builder, location,
                                     LLVM::FCmpPredicate::uno, value, value);
  return emitter.bitcast(
      emitter.select(isNan, emitter.constant(0x7fff, 16), upper), to);
}

Value Converter::convert(Value value, Type to, bool towardZero, bool isExact) {
  Type from = value.getType();
  if (from == to)
    return value;
  // bf16 has no direct way to f64 on every target.
  if (from.isBF16() || (from.isF16() && to.isBF16()))
    value = LLVM::FPExtOp::create(builder, location, f32, value);
  from = value.getType();
  if (from == to)
    return value;
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return LLVM::FPExtOp::create(builder, location, to, value);
  if (isExact && to.isBF16())
    return emitter.bitcast(
        LLVM::TruncOp::create(builder, location, i16,
                              shiftRight(emitter.bitcast(value, i32), 16)),
        to);
  if (towardZero)
    return narrowTowardZero(value, to);
  if (from.isF64() && to.isBF16())
    value = roundToOdd(value);
  return LLVM::FPTruncOp::create(builder, location, to, value);
}

std::array<Value, 2> tilegpu::decodeWord(Emitter &emitter,
                                         const target::Target &target,
                                         Value word, FloatType type) {
  Converter converter(emitter, target);
  bool isE5M2 = isa<Float8E5M2Type>(type);
  return {converter.decodeHalf(word, /*isUpper=*/false, isE5M2),
          converter.decodeHalf(word, /*isUpper=*/true, isE5M2)};
}

SmallVector<Value> tilegpu::convertFloats(Emitter &emitter,
                                          const target::Target &target,
                                          ValueRange values, FloatType from,
                                          FloatType to,
                                          FloatRounding rounding) {
  SmallVector<Value> numbers(values);
  if (from == to)
    return numbers;
  Converter converter(emitter, target);
  bool isExact = isSmallFloat(from) && !isSmallFloat(to);
  if (isSmallFloat(from))
    numbers = converter.decode(numbers, from);
  if (!isSmallFloat(to)) {
    for (Value &number : numbers)
      number = converter.convert(number, to, rounding.towardZero, isExact);
    return numbers;
  }
  Type f32 = emitter.builder.getF32Type();
  for (Value &number : numbers) {
    if (number.getType().isF64())
      number = converter.roundToOdd(number);
    else if (number.getType().isBF16())
      number =
          LLVM::FPExtOp::create(emitter.builder, emitter.location, f32, number);
  }
  return converter.encode(numbers, to, rounding);
}

Value tilegpu::roundToTf32(Emitter &emitter, const target::Target &target,
                           Value value) {
  return emitter.intrinsic(target.has(Capability::Tf32NearestEven)
                               ? "llvm.nvvm.f2tf32.rn"
                               : "llvm.nvvm.f2tf32.rna",
                           emitter.builder.getI32Type(), value);
}
