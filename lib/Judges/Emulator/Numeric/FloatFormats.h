// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary float formats taken apart and put together: bits to sign, kind,
// exponent and significand, and back with one rounding. What an operation makes
// of infinities and NaNs is not decided here. Internal to this library.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_FLOATFORMATS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_FLOATFORMATS_H

#include "lib/Judges/Emulator/Numeric/Numeric.h"

namespace tilewright::emulator {

/// Holds the product of two f64 significands with room to align a third.
__extension__ typedef unsigned __int128 WideInteger;

/// What distinguishes the formats.
struct FormatTraits {
  unsigned exponentBits;
  unsigned fractionBits;
  /// Low bits of the storage that belong to nothing (TF32).
  unsigned unusedBits;
  /// E4M3 has none: its largest exponent holds numbers and one NaN.
  bool hasInfinity;
  /// The NaN that operations yield, as storage bits.
  uint64_t canonicalNan;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  /// The exponent of the last place of subnormal numbers.
  int smallestExponent() const { return 1 - bias() - int(fractionBits); }
  uint64_t signBit() const {
    return uint64_t(1) << (unusedBits + fractionBits + exponentBits);
  }
  /// The bits of +infinity, if there is one.
  uint64_t infinity() const {
    return ((uint64_t(1) << exponentBits) - 1) << (fractionBits + unusedBits);
  }
  /// The bits of the largest finite number.
  uint64_t largest() const {
    uint64_t unit = uint64_t(1) << unusedBits;
    return hasInfinity ? infinity() - unit : signBit() - 2 * unit;
  }
};
const FormatTraits &formatTraits(FloatFormat format);

/// A float taken apart: (negative ? -1 : 1) * significand * 2^exponent if it is
/// finite. The lowest bit of `significand` may stand for any nonzero rest
/// below it ("sticky") where at least two bits below the last place of every
/// result format are held.
struct Number {
  enum class Kind : uint8_t { Finite, Infinity, NaN };
  Kind kind = Kind::Finite;
  bool negative = false;
  int exponent = 0;
  WideInteger significand = 0;

  bool isNan() const { return kind == Kind::NaN; }
  bool isInfinite() const { return kind == Kind::Infinity; }
  bool isZero() const { return kind == Kind::Finite && significand == 0; }
};

/// Takes `bits` apart, exactly.
Number unpackFloat(uint64_t bits, FloatFormat format);

/// The bits of `number`, rounded once. A NaN becomes the canonical one. Beyond
/// the range is infinity or the largest finite number as the rounding demands
/// (IEEE 754, 7.4), always the latter for `saturatesFinite` and for formats
/// without infinity. `flushSubnormals` makes results zero that are subnormal
/// after rounding with unbounded exponents, as sm_90 does. The clamps of
/// `flags` are clampResult's.
uint64_t packFloat(const Number &number, FloatFormat format,
                   const FloatFlags &flags);

/// .sat and .relu of a packed result (PTX ISA, `add`, `fma`).
uint64_t clampResult(uint64_t bits, FloatFormat format,
                     const FloatFlags &flags);

/// Zero of its sign for a subnormal number, otherwise `bits`.
uint64_t flushSubnormal(uint64_t bits, FloatFormat format);

/// `significand` without its `count` lowest bits, rounded; `negative` gives the
/// directed roundings their direction.
WideInteger roundedShift(WideInteger significand, unsigned count, bool negative,
                         Rounding rounding);

/// The number of bits up to the highest set one; 0 of 0.
unsigned bitLength(WideInteger value);

/// `value` without its `count` lowest bits; bit 0 is set if any of these was.
WideInteger stickyShift(WideInteger value, unsigned count);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_FLOATFORMATS_H
