// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt between floats and integers, and to integral floats: all codes of the
// 16-bit formats, and f32 and f64 around the ends of each integer type.

#include "FloatOracle.h"

#include <gtest/gtest.h>

using namespace tilewright::emulator;

namespace {

FloatFlags withRounding(Rounding rounding) {
  FloatFlags flags;
  flags.rounding = rounding;
  return flags;
}

/// `value` rounded to an integer by comparisons alone; exact in f64.
double integral(double value, Rounding rounding) {
  double low = std::floor(value), high = std::ceil(value);
  double below = value - low, above = high - value;
  switch (rounding) {
  case Rounding::NearestEven:
    if (below != above)
      return below < above ? low : high;
    return std::fmod(low, 2) == 0 ? low : high;
  case Rounding::NearestAway:
    if (below != above)
      return below < above ? low : high;
    return value < 0 ? low : high;
  case Rounding::TowardZero:
    return value < 0 ? high : low;
  case Rounding::Down:
    return low;
  case Rounding::Up:
    return high;
  }
  return value;
}

uint64_t expectedInteger(double value, unsigned width, bool isSigned,
                         Rounding rounding, bool isDouble) {
  __extension__ typedef __int128 Wide;
  Wide one = 1;
  if (std::isnan(value))
    return isDouble || width == 64 ? uint64_t(one << (width - 1)) : 0;
  Wide least = isSigned ? -(one << (width - 1)) : 0;
  Wide most = (one << (isSigned ? width - 1 : width)) - 1;
  double whole = std::isinf(value) ? value : integral(value, rounding);
  Wide clamped = whole >= 0x1p70    ? most
                 : whole <= -0x1p70 ? least
                                    : std::clamp(Wide(whole), least, most);
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  return uint64_t(clamped) & mask;
}

void checkInteger(uint64_t bits, FloatFormat format, double value) {
  for (unsigned width : {8u, 16u, 32u, 64u})
    for (bool isSigned : {false, true})
      for (Rounding rounding : allRoundings)
        ASSERT_EQ(convertToInteger(bits, format, width, isSigned,
                                   withRounding(rounding)),
                  expectedInteger(value, width, isSigned, rounding,
                                  format == FloatFormat::F64))
            << std::hexfloat << value << " width " << width << " signed "
            << isSigned << " mode " << int(rounding);
}

double halfValue(uint64_t bits) {
  if ((bits & 0x7fff) == 0x7c00)
    return bits & 0x8000 ? -INFINITY : INFINITY;
  return tableOf(FloatFormat::F16).value(bits);
}

TEST(IntegerConversion, AllHalvesToIntegers) {
  for (uint32_t code = 0; code < 0x10000; ++code)
    checkInteger(code, FloatFormat::F16, halfValue(code));
}

TEST(IntegerConversion, SingleAndDoubleAroundTheEnds) {
  for (int exponent = -2; exponent < 70; ++exponent)
    for (double offset : {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5})
      for (double direction : {-HUGE_VAL, 0.0, HUGE_VAL})
        for (double sign : {-1.0, 1.0}) {
          double value = sign * (std::ldexp(1, exponent) + offset);
          double next =
              direction == 0 ? value : std::nextafter(value, direction);
          checkInteger(std::bit_cast<uint64_t>(next), FloatFormat::F64, next);
          float single = float(value);
          if (direction != 0)
            single = std::nextafter(single, float(direction));
          checkInteger(std::bit_cast<uint32_t>(single), FloatFormat::F32,
                       single);
        }
  FloatSource singles(8, 23, 1), doubles(11, 52, 2);
  for (unsigned i = 0; i < 30000; ++i) {
    uint32_t single = uint32_t(singles.next());
    checkInteger(single, FloatFormat::F32, std::bit_cast<float>(single));
    uint64_t bits = doubles.next();
    checkInteger(bits, FloatFormat::F64, std::bit_cast<double>(bits));
  }
}

TEST(IntegerConversion, FlushedOperandsAreZero) {
  FloatFlags up = withRounding(Rounding::Up);
  EXPECT_EQ(convertToInteger(1, FloatFormat::F32, 32, true, up), 1u);
  up.flushSubnormals = true;
  EXPECT_EQ(convertToInteger(1, FloatFormat::F32, 32, true, up), 0u);
  EXPECT_EQ(convertToInteger(1, FloatFormat::F16, 32, true, up), 1u);
  EXPECT_EQ(roundToIntegral(1, FloatFormat::F32, up), 0u);
}

TEST(IntegerConversion, RoundsToIntegralFloats) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    double value = halfValue(code);
    for (Rounding rounding : allRoundings) {
      uint64_t bits =
          roundToIntegral(code, FloatFormat::F16, withRounding(rounding));
      if (std::isnan(value)) {
        ASSERT_EQ(bits, 0x7fffu);
        continue;
      }
      double whole = std::isinf(value) ? value : integral(value, rounding);
      ASSERT_EQ(halfValue(bits), whole) << std::hex << code;
      ASSERT_EQ(bits & 0x8000, code & 0x8000) << std::hex << code;
    }
  }
  FloatSource singles(8, 23, 3), doubles(11, 52, 4);
  for (unsigned i = 0; i < 200000; ++i) {
    uint32_t bits = uint32_t(singles.next());
    uint64_t wide = doubles.next();
    float single = std::bit_cast<float>(bits);
    double value = std::bit_cast<double>(wide);
    for (Rounding rounding : allRoundings) {
      FloatFlags flags = withRounding(rounding);
      if (!std::isnan(single)) {
        float whole =
            std::isinf(single) ? single : float(integral(single, rounding));
        ASSERT_EQ(roundToIntegral(bits, FloatFormat::F32, flags),
                  std::bit_cast<uint32_t>(std::copysign(whole, single)));
      }
      if (!std::isnan(value)) {
        double whole = std::isinf(value) ? value : integral(value, rounding);
        ASSERT_EQ(roundToIntegral(wide, FloatFormat::F64, flags),
                  std::bit_cast<uint64_t>(std::copysign(whole, value)));
      }
    }
  }
  EXPECT_EQ(roundToIntegral(0xffc00001, FloatFormat::F32, {}), 0x7fffffffu);
  EXPECT_EQ(roundToIntegral(0xfff0000000000001, FloatFormat::F64, {}),
            0xfff8000000000001u);
}

/// An integer of any magnitude, often next to a power of two or to a tie.
uint64_t nextInteger(std::mt19937_64 &engine) {
  uint64_t random = engine();
  uint64_t power = uint64_t(1) << (random % 64);
  uint64_t lower = uint64_t(1) << ((random >> 8) % 64);
  uint64_t small = (random >> 16) % 5 - 2;
  switch ((random >> 24) % 4) {
  case 0:
    return engine() >> (random % 64);
  case 1:
    return power + small;
  case 2:
    return power + lower + small;
  default:
    return 0 - (power + lower + small);
  }
}

template <typename T, typename Integer>
uint64_t hostFromInteger(Integer integer, Rounding rounding) {
  volatile Integer source = integer;
  volatile T result;
  HostRounding scope(rounding);
  result = T(source);
  return sizeof(T) == 4 ? std::bit_cast<uint32_t>(float(result))
                        : std::bit_cast<uint64_t>(double(result));
}

TEST(IntegerConversion, FromIntegers) {
  std::mt19937_64 engine(5);
  for (unsigned i = 0; i < 60000; ++i) {
    uint64_t bits = nextInteger(engine);
    unsigned width = 8u << (i % 4);
    uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    int64_t negative = int64_t(bits << (64 - width)) >> (64 - width);
    uint64_t positive = bits & mask;
    for (Rounding rounding : allRoundings) {
      FloatFlags flags = withRounding(rounding);
      for (FloatFormat to : {FloatFormat::F16, FloatFormat::BF16}) {
        uint64_t fromSigned =
            negative == 0 ? 0 : tableOf(to).round(Quad(negative), rounding);
        uint64_t fromUnsigned =
            positive == 0 ? 0 : tableOf(to).round(Quad(positive), rounding);
        ASSERT_EQ(convertFromInteger(bits, width, true, to, flags), fromSigned);
        ASSERT_EQ(convertFromInteger(bits, width, false, to, flags),
                  fromUnsigned);
      }
      if (rounding == Rounding::NearestAway)
        continue;
      ASSERT_EQ(convertFromInteger(bits, width, true, FloatFormat::F32, flags),
                hostFromInteger<float>(negative, rounding));
      ASSERT_EQ(convertFromInteger(bits, width, true, FloatFormat::F64, flags),
                hostFromInteger<double>(negative, rounding));
      // The host's own conversion from unsigned 64 bits rounds in steps.
      if (positive >> 63)
        continue;
      ASSERT_EQ(convertFromInteger(bits, width, false, FloatFormat::F32, flags),
                hostFromInteger<float>(int64_t(positive), rounding));
      ASSERT_EQ(convertFromInteger(bits, width, false, FloatFormat::F64, flags),
                hostFromInteger<double>(int64_t(positive), rounding));
    }
  }
  EXPECT_EQ(convertFromInteger(~uint64_t(0), 64, false, FloatFormat::F32, {}),
            0x5f800000u);
  EXPECT_EQ(
      convertFromInteger(0xfffffffffffffc00, 64, false, FloatFormat::F64, {}),
      0x43f0000000000000u);
  FloatFlags saturating;
  saturating.saturates = true;
  EXPECT_EQ(convertFromInteger(7, 32, true, FloatFormat::F32, saturating),
            0x3f800000u);
  EXPECT_EQ(convertFromInteger(~0u, 32, true, FloatFormat::F32, saturating),
            0u);
}

} // namespace
