// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits to numbers and numbers to bits, with the one place where results are
// rounded.

#include "lib/Judges/Emulator/Numeric/FloatFormats.h"

#include <bit>

namespace tilewright::emulator {

const FormatTraits &formatTraits(FloatFormat format) {
  static constexpr FormatTraits traits[] = {
      /*F16*/ {5, 10, 0, true, 0x7fff},
      /*BF16*/ {8, 7, 0, true, 0x7fff},
      /*TF32*/ {8, 10, 13, true, 0x7fffe000},
      /*F32*/ {8, 23, 0, true, 0x7fffffff},
      /*F64*/ {11, 52, 0, true, 0xfff8000000000000},
      /*E4M3*/ {4, 3, 0, false, 0x7f},
      /*E5M2*/ {5, 2, 0, true, 0x7f}};
  return traits[unsigned(format)];
}

unsigned bitLength(WideInteger value) {
  if (uint64_t high = uint64_t(value >> 64))
    return 64 + unsigned(std::bit_width(high));
  return unsigned(std::bit_width(uint64_t(value)));
}

WideInteger stickyShift(WideInteger value, unsigned count) {
  if (count == 0)
    return value;
  if (count >= 128)
    return value != 0;
  WideInteger rest = value & ((WideInteger(1) << count) - 1);
  return (value >> count) | (rest != 0);
}

Number unpackFloat(uint64_t bits, FloatFormat format) {
  const FormatTraits &traits = formatTraits(format);
  uint64_t magnitude = (bits & (traits.signBit() - 1)) >> traits.unusedBits;
  uint64_t fraction = magnitude & ((uint64_t(1) << traits.fractionBits) - 1);
  uint64_t field = magnitude >> traits.fractionBits;
  Number number;
  number.negative = bits & traits.signBit();
  if (magnitude > traits.largest() >> traits.unusedBits) {
    bool isInfinity = traits.hasInfinity && fraction == 0;
    number.kind = isInfinity ? Number::Kind::Infinity : Number::Kind::NaN;
    return number;
  }
  number.exponent = traits.smallestExponent();
  number.significand = fraction;
  if (field != 0) {
    number.significand |= uint64_t(1) << traits.fractionBits;
    number.exponent += int(field) - 1;
  }
  return number;
}

WideInteger roundedShift(WideInteger significand, unsigned count, bool negative,
                         Rounding rounding) {
  if (count == 0)
    return significand;
  // More than everything gone is less than half a unit: two sticky bits tell.
  if (count > 127) {
    significand = significand != 0;
    count = 2;
  }
  WideInteger kept = significand >> count;
  WideInteger rest = significand & ((WideInteger(1) << count) - 1);
  WideInteger half = WideInteger(1) << (count - 1);
  switch (rounding) {
  case Rounding::NearestEven:
    return kept + (rest > half || (rest == half && (kept & 1)));
  case Rounding::NearestAway:
    return kept + (rest >= half);
  case Rounding::Down:
    return kept + (rest != 0 && negative);
  case Rounding::Up:
    return kept + (rest != 0 && !negative);
  case Rounding::TowardZero:
    return kept;
  }
  return kept;
}

/// Whether a magnitude beyond the range becomes infinity.
static bool overflowsToInfinity(bool negative, Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven:
  case Rounding::NearestAway:
    return true;
  case Rounding::TowardZero:
    return false;
  case Rounding::Down:
    return negative;
  case Rounding::Up:
    return !negative;
  }
  return true;
}

/// Whether a number whose highest bit stands for 2^leading is below the normal
/// range even when it is rounded as if exponents had no lower end.
static bool isTiny(const Number &number, int leading,
                   const FormatTraits &traits, Rounding rounding) {
  int smallestNormal = 1 - traits.bias();
  if (leading != smallestNormal - 1)
    return leading < smallestNormal;
  int shift = leading - int(traits.fractionBits) - number.exponent;
  if (shift <= 0)
    return true;
  WideInteger kept = roundedShift(number.significand, unsigned(shift),
                                  number.negative, rounding);
  return bitLength(kept) <= traits.fractionBits + 1;
}

/// The storage bits, without sign, of a finite number that is not zero.
static uint64_t packMagnitude(const Number &number, const FormatTraits &traits,
                              const FloatFlags &flags) {
  int leading = number.exponent + int(bitLength(number.significand)) - 1;
  if (flags.flushSubnormals && isTiny(number, leading, traits, flags.rounding))
    return 0;
  int smallest = traits.smallestExponent();
  int last = leading - int(traits.fractionBits);
  if (last < smallest)
    last = smallest;
  int shift = last - number.exponent;
  WideInteger kept = shift > 0
                         ? roundedShift(number.significand, unsigned(shift),
                                        number.negative, flags.rounding)
                         : number.significand << unsigned(-shift);
  // The hidden bit, where there is one, adds one to the exponent field, and so
  // does a carry out of the significand.
  uint64_t beyond = traits.hasInfinity && !flags.saturatesFinite &&
                            overflowsToInfinity(number.negative, flags.rounding)
                        ? traits.infinity()
                        : traits.largest();
  uint64_t field = uint64_t(last - smallest);
  if (field >> traits.exponentBits)
    return beyond;
  WideInteger magnitude = ((WideInteger(field) << traits.fractionBits) + kept)
                          << traits.unusedBits;
  return magnitude > traits.largest() ? beyond : uint64_t(magnitude);
}

uint64_t packFloat(const Number &number, FloatFormat format,
                   const FloatFlags &flags) {
  const FormatTraits &traits = formatTraits(format);
  uint64_t sign = number.negative ? traits.signBit() : 0;
  if (number.isNan())
    return traits.canonicalNan;
  if (number.isInfinite()) {
    bool isFinite = !traits.hasInfinity || flags.saturatesFinite;
    return sign | (isFinite ? traits.largest() : traits.infinity());
  }
  if (number.significand == 0)
    return sign;
  return sign | packMagnitude(number, traits, flags);
}

uint64_t clampResult(uint64_t bits, FloatFormat format,
                     const FloatFlags &flags) {
  if (!flags.saturates && !flags.clampsNegative)
    return bits;
  const FormatTraits &traits = formatTraits(format);
  bool negative = bits & traits.signBit();
  if (unpackFloat(bits, format).isNan())
    return flags.saturates ? 0 : traits.canonicalNan;
  if (negative)
    return 0;
  uint64_t one = uint64_t(traits.bias())
                 << (traits.fractionBits + traits.unusedBits);
  return flags.saturates && bits > one ? one : bits;
}

uint64_t flushSubnormal(uint64_t bits, FloatFormat format) {
  const FormatTraits &traits = formatTraits(format);
  uint64_t smallestNormal = uint64_t(1)
                            << (traits.fractionBits + traits.unusedBits);
  uint64_t magnitude = bits & (traits.signBit() - 1);
  return magnitude < smallestNormal ? bits & traits.signBit() : bits;
}

} // namespace tilewright::emulator
