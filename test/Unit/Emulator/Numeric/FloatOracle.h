// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests compare float results with: the numbers of a small format as a
// table, in which the neighbours of an exact result are searched. Shares no
// code with the emulator.

#ifndef TILEWRIGHT_TEST_UNIT_EMULATOR_NUMERIC_FLOATORACLE_H
#define TILEWRIGHT_TEST_UNIT_EMULATOR_NUMERIC_FLOATORACLE_H

#include "lib/Judges/Emulator/Numeric/Numeric.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace tilewright::emulator {

/// 113 bits: sums and products of the small formats are exact in it.
__extension__ typedef __float128 Quad;

inline constexpr Rounding allRoundings[] = {
    Rounding::NearestEven, Rounding::TowardZero, Rounding::Down, Rounding::Up,
    Rounding::NearestAway};

/// All finite numbers of a format of at most 19 bits that are not negative,
/// ascending; the index is the code.
class FloatTable {
public:
  FloatTable(unsigned exponentBits, unsigned fractionBits, bool hasInfinity,
             unsigned unusedBits = 0)
      : unusedBits(unusedBits),
        signBit(uint64_t(1) << (exponentBits + fractionBits)) {
    uint64_t codes = signBit;
    if (hasInfinity)
      codes -= uint64_t(1) << fractionBits;
    else
      codes -= 1;
    int bias = (1 << (exponentBits - 1)) - 1;
    for (uint64_t code = 0; code < codes; ++code) {
      int field = int(code >> fractionBits);
      double fraction =
          std::ldexp(double(code & ((uint64_t(1) << fractionBits) - 1)),
                     -int(fractionBits));
      values.push_back(field == 0 ? std::ldexp(fraction, 1 - bias)
                                  : std::ldexp(1 + fraction, field - bias));
    }
  }

  /// The storage bits of a code, signed.
  uint64_t bits(uint64_t code, bool negative) const {
    return (code | (negative ? signBit : 0)) << unusedBits;
  }
  /// The number of finite bits, NaN of others.
  double value(uint64_t bits) const {
    uint64_t code = bits >> unusedBits;
    uint64_t magnitude = code & (signBit - 1);
    if (magnitude >= values.size())
      return std::nan("");
    return code & signBit ? -values[magnitude] : values[magnitude];
  }
  uint64_t finiteCodes() const { return values.size(); }

  /// The rounded bits of a number whose magnitude exceeds a candidate where
  /// `exceeds(candidate)` is positive, and equals it where that is zero.
  template <typename Exceeds>
  uint64_t round(Exceeds exceeds, bool negative, Rounding rounding,
                 bool saturates = false) const {
    auto above = std::partition_point(
        values.begin(), values.end(),
        [&](double candidate) { return exceeds(candidate) >= 0; });
    uint64_t lower = uint64_t(above - values.begin()) - 1;
    if (exceeds(values[lower]) == 0)
      return bits(lower, negative);
    bool isLast = lower + 1 == values.size();
    if (isLast && saturates)
      return bits(lower, negative);
    // Rounding takes place as if the format went on behind its last number.
    double next =
        isLast ? 2 * values[lower] - values[lower - 1] : values[lower + 1];
    int half = exceeds((values[lower] + next) / 2);
    bool goesUp = false;
    switch (rounding) {
    case Rounding::NearestEven:
      goesUp = half > 0 || (half == 0 && lower % 2 == 1);
      break;
    case Rounding::NearestAway:
      goesUp = half >= 0;
      break;
    case Rounding::TowardZero:
      break;
    case Rounding::Down:
      goesUp = negative;
      break;
    case Rounding::Up:
      goesUp = !negative;
      break;
    }
    return bits(lower + goesUp, negative);
  }

  /// The rounded bits of `number` + `rest`, which is not zero; `rest` is less
  /// than half a unit in the last place of `number`.
  uint64_t round(Quad number, Rounding rounding, bool saturates = false,
                 Quad rest = 0) const {
    bool negative = number < 0;
    Quad magnitude = negative ? -number : number;
    Quad below = negative ? -rest : rest;
    auto exceeds = [&](double candidate) {
      Quad difference = magnitude - candidate;
      Quad decisive = difference != 0 ? difference : below;
      return decisive > 0 ? 1 : decisive < 0 ? -1 : 0;
    };
    return round(exceeds, negative, rounding, saturates);
  }

private:
  unsigned unusedBits;
  uint64_t signBit;
  std::vector<double> values;
};

inline const FloatTable &tableOf(FloatFormat format) {
  static const FloatTable f16(5, 10, true), bf16(8, 7, true),
      tf32(8, 10, true, 13), e4m3(4, 3, false), e5m2(5, 2, true);
  switch (format) {
  case FloatFormat::F16:
    return f16;
  case FloatFormat::BF16:
    return bf16;
  case FloatFormat::TF32:
    return tf32;
  case FloatFormat::E4M3:
    return e4m3;
  default:
    return e5m2;
  }
}

/// The host's rounding mode for one scope; .rna has none.
class HostRounding {
public:
  explicit HostRounding(Rounding rounding) : old(std::fegetround()) {
    switch (rounding) {
    case Rounding::TowardZero:
      std::fesetround(FE_TOWARDZERO);
      break;
    case Rounding::Down:
      std::fesetround(FE_DOWNWARD);
      break;
    case Rounding::Up:
      std::fesetround(FE_UPWARD);
      break;
    default:
      std::fesetround(FE_TONEAREST);
      break;
    }
  }
  ~HostRounding() { std::fesetround(old); }

private:
  int old;
};

/// Bits of floats that reach corners: special numbers, bits that differ little
/// from them, exponents near one, and any bits.
class FloatSource {
public:
  FloatSource(unsigned exponentBits, unsigned fractionBits, unsigned seed)
      : exponentBits(exponentBits), fractionBits(fractionBits), engine(seed) {}

  uint64_t next() {
    uint64_t random = engine();
    uint64_t width = 1 + exponentBits + fractionBits;
    uint64_t all = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    uint64_t fraction = (uint64_t(1) << fractionBits) - 1;
    uint64_t largestField = (uint64_t(1) << exponentBits) - 1;
    uint64_t bias = largestField / 2;
    uint64_t sign = random & (uint64_t(1) << (width - 1));
    uint64_t choice = engine();
    switch (choice % 4) {
    case 0:
      return random & all;
    case 1:
      return sign | (random & fraction) |
             (bias - 6 + (choice >> 8) % 12) << fractionBits;
    case 2: {
      uint64_t fields[] = {
          0, 1, 2, bias - 1, bias, bias + 1, largestField - 1, largestField};
      uint64_t field = fields[(choice >> 8) % 8];
      return sign | field << fractionBits | (random & fraction);
    }
    default: {
      uint64_t fields[] = {0, 1, bias, largestField - 1, largestField};
      uint64_t field = fields[(choice >> 8) % 5] << fractionBits;
      return sign | ((field + (choice >> 16) % 5 - 2) & (all >> 1));
    }
    }
  }

private:
  unsigned exponentBits, fractionBits;
  std::mt19937_64 engine;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_UNIT_EMULATOR_NUMERIC_FLOATORACLE_H
