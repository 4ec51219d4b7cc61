// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt between floats, and between floats and integers (PTX ISA, `cvt`). Where
// the ISA leaves a NaN's payload open, it is what sm_90 was seen to yield.

#include "lib/Judges/Emulator/Numeric/FloatFormats.h"

#include <bit>
#include <cmath>

namespace tilewright::emulator {

/// .ftz of cvt is about f32 alone (PTX ISA, `cvt`: "applies only to single
/// precision inputs and results").
static bool flushes(FloatFormat format, const FloatFlags &flags) {
  return flags.flushSubnormals && format == FloatFormat::F32;
}

static uint64_t flushedSource(uint64_t bits, FloatFormat format,
                              const FloatFlags &flags) {
  return flushes(format, flags) ? flushSubnormal(bits, format) : bits;
}

static uint64_t packResult(const Number &number, FloatFormat format,
                           FloatFlags flags) {
  flags.flushSubnormals = flushes(format, flags);
  return clampResult(packFloat(number, format, flags), format, flags);
}

/// The NaN `bits` with as much of its payload as `to` holds.
static uint64_t copyNan(uint64_t bits, FloatFormat from, FloatFormat to,
                        bool makesQuiet) {
  const FormatTraits &source = formatTraits(from);
  const FormatTraits &target = formatTraits(to);
  uint64_t payload = bits >> source.unusedBits << (64 - source.fractionBits);
  if (makesQuiet)
    payload |= uint64_t(1) << 63;
  uint64_t fraction = payload >> (64 - target.fractionBits);
  return (bits & source.signBit() ? target.signBit() : 0) | target.infinity() |
         fraction << target.unusedBits;
}

/// Conversions from and to f64 keep a NaN's payload, bf16 to f32 is a shift,
/// and .rna to tf32 cuts bits off; all the others give the canonical NaN.
static uint64_t convertNan(uint64_t bits, FloatFormat from, FloatFormat to,
                           const FloatFlags &flags) {
  bool isClamped =
      flags.saturates || flags.saturatesFinite || flags.clampsNegative;
  if (!isClamped) {
    if (flushes(from, flags))
      bits = formatTraits(from).canonicalNan;
    if (from == FloatFormat::F64 || to == FloatFormat::F64)
      return copyNan(bits, from, to, /*makesQuiet=*/true);
    bool isCut =
        to == FloatFormat::TF32 && flags.rounding == Rounding::NearestAway;
    if (isCut || (from == FloatFormat::BF16 && to == FloatFormat::F32))
      return copyNan(bits, from, to, /*makesQuiet=*/false);
  }
  return clampResult(formatTraits(to).canonicalNan, to, flags);
}

uint64_t convertFloat(uint64_t bits, FloatFormat from, FloatFormat to,
                      const FloatFlags &flags) {
  Number number = unpackFloat(flushedSource(bits, from, flags), from);
  bool isNarrow = to == FloatFormat::E4M3 || to == FloatFormat::E5M2;
  FloatFlags effective = flags;
  effective.saturatesFinite |= isNarrow;
  if (number.isNan())
    return convertNan(bits, from, to, effective);
  return packResult(number, to, effective);
}

double decodeFloat(uint64_t bits, FloatFormat format) {
  if (format == FloatFormat::F64)
    return std::bit_cast<double>(bits);
  if (format == FloatFormat::F32)
    return std::bit_cast<float>(uint32_t(bits));
  return std::bit_cast<double>(
      convertFloat(bits, format, FloatFormat::F64, FloatFlags()));
}

/// Whether `value` is beyond the largest number of a format that has no
/// infinity, and not rounded to it (whose last bit is even).
static bool isBeyond(double value, FloatFormat format) {
  uint64_t largest = formatTraits(format).largest();
  double limit = decodeFloat(largest, format);
  double unit = limit - decodeFloat(largest - 1, format);
  return std::fabs(value) > limit + unit / 2;
}

uint64_t encodeFloat(double value, FloatFormat format) {
  if (format == FloatFormat::F64)
    return std::bit_cast<uint64_t>(value);
  if (format == FloatFormat::F32)
    return std::bit_cast<uint32_t>(float(value));
  uint64_t bits = std::bit_cast<uint64_t>(value);
  const FormatTraits &traits = formatTraits(format);
  if (!traits.hasInfinity && (std::isnan(value) || isBeyond(value, format)))
    return (std::signbit(value) ? traits.signBit() : 0) | traits.canonicalNan;
  if (std::isnan(value))
    return copyNan(bits, FloatFormat::F64, format, /*makesQuiet=*/true);
  return packFloat(unpackFloat(bits, FloatFormat::F64), format, FloatFlags());
}

uint64_t roundToIntegral(uint64_t bits, FloatFormat format,
                         const FloatFlags &flags) {
  Number number = unpackFloat(flushedSource(bits, format, flags), format);
  if (number.isNan())
    return convertNan(bits, format, format, flags);
  if (!number.isInfinite() && number.exponent < 0) {
    number.significand =
        roundedShift(number.significand, unsigned(-number.exponent),
                     number.negative, flags.rounding);
    number.exponent = 0;
  }
  return packResult(number, format, flags);
}

static uint64_t widthMask(unsigned width) {
  return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

/// The integer nearest to the infinity of this sign.
static uint64_t integerLimit(unsigned width, bool isSigned, bool negative) {
  uint64_t top = uint64_t(1) << (width - 1);
  if (negative)
    return isSigned ? top : 0;
  return isSigned ? top - 1 : widthMask(width);
}

uint64_t convertToInteger(uint64_t bits, FloatFormat from, unsigned width,
                          bool isSigned, const FloatFlags &flags) {
  Number number = unpackFloat(flushedSource(bits, from, flags), from);
  if (number.isNan()) {
    // PTX ISA, `cvt`, on NaN inputs of float-to-integer conversion.
    bool isZero = from != FloatFormat::F64 && width != 64;
    return isZero ? 0 : uint64_t(1) << (width - 1);
  }
  uint64_t limit = integerLimit(width, isSigned, number.negative);
  int leading = number.exponent + int(bitLength(number.significand));
  if (number.isInfinite() || (number.significand != 0 && leading > 64))
    return limit;
  WideInteger magnitude = number.significand;
  if (number.exponent < 0)
    magnitude = roundedShift(magnitude, unsigned(-number.exponent),
                             number.negative, flags.rounding);
  else if (magnitude != 0)
    magnitude <<= unsigned(number.exponent);
  if (number.negative) {
    WideInteger largest = isSigned ? limit : 0;
    return magnitude > largest
               ? limit
               : uint64_t(-uint64_t(magnitude)) & widthMask(width);
  }
  return magnitude > limit ? limit : uint64_t(magnitude);
}

uint64_t convertFromInteger(uint64_t bits, unsigned width, bool isSigned,
                            FloatFormat to, const FloatFlags &flags) {
  bits &= widthMask(width);
  Number number;
  number.negative = isSigned && (bits >> (width - 1)) & 1;
  number.significand = number.negative ? (0 - bits) & widthMask(width) : bits;
  return packResult(number, to, flags);
}

} // namespace tilewright::emulator
