// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt between floats: every code of the small formats and what lies around each
// of their numbers and ties, against a search in the table of the format.

#include "FloatOracle.h"

#include <gtest/gtest.h>

using namespace tilewright::emulator;

namespace {

constexpr FloatFormat tableFormats[] = {FloatFormat::F16, FloatFormat::BF16,
                                        FloatFormat::TF32, FloatFormat::E4M3,
                                        FloatFormat::E5M2};

FloatFlags withRounding(Rounding rounding) {
  FloatFlags flags;
  flags.rounding = rounding;
  return flags;
}

bool isNarrow(FloatFormat format) {
  return format == FloatFormat::E4M3 || format == FloatFormat::E5M2;
}

uint64_t expected(double value, FloatFormat to, Rounding rounding) {
  const FloatTable &table = tableOf(to);
  if (value == 0)
    return table.bits(0, std::signbit(value));
  if (std::isinf(value))
    return table.bits(table.finiteCodes() - isNarrow(to), value < 0);
  return table.round(Quad(value), rounding, isNarrow(to));
}

void checkSingle(float value, FloatFormat to) {
  for (Rounding rounding : allRoundings)
    ASSERT_EQ(convertFloat(std::bit_cast<uint32_t>(value), FloatFormat::F32, to,
                           withRounding(rounding)),
              expected(value, to, rounding))
        << std::hexfloat << value << " to format " << int(to) << " mode "
        << int(rounding);
}

TEST(Conversion, SingleToSmallFormats) {
  for (FloatFormat format : tableFormats) {
    const FloatTable &table = tableOf(format);
    uint64_t step = format == FloatFormat::TF32 ? 13 : 1;
    for (uint64_t code = 0; code + 1 < table.finiteCodes(); code += step) {
      float low = float(table.value(table.bits(code, false)));
      float high = float(table.value(table.bits(code + 1, false)));
      float middle = float((double(low) + high) / 2);
      for (float value : {low, middle, std::nextafter(middle, low),
                          std::nextafter(middle, high)}) {
        checkSingle(value, format);
        checkSingle(-value, format);
      }
    }
    FloatSource source(8, 23, 1);
    for (unsigned i = 0; i < 30000; ++i) {
      float value = std::bit_cast<float>(uint32_t(source.next()));
      if (!std::isnan(value))
        checkSingle(value, format);
    }
  }
}

TEST(Conversion, AllHalvesToNarrowFormats) {
  for (FloatFormat to : {FloatFormat::E4M3, FloatFormat::E5M2})
    for (uint32_t code = 0; code < 0x10000; ++code) {
      uint64_t bits = convertFloat(code, FloatFormat::F16, to, {});
      if ((code & 0x7fff) > 0x7c00)
        ASSERT_EQ(bits, 0x7fu);
      else if ((code & 0x7fff) == 0x7c00)
        ASSERT_EQ(bits, expected(code & 0x8000 ? -INFINITY : INFINITY, to,
                                 Rounding::NearestEven));
      else
        ASSERT_EQ(bits, expected(tableOf(FloatFormat::F16).value(code), to,
                                 Rounding::NearestEven))
            << std::hex << code;
    }
}

TEST(Conversion, WideningIsExact) {
  for (FloatFormat from : tableFormats) {
    const FloatTable &table = tableOf(from);
    for (uint64_t code = 0; code < table.finiteCodes(); ++code)
      for (bool negative : {false, true}) {
        uint64_t bits = table.bits(code, negative);
        double value = table.value(bits);
        for (Rounding rounding : allRoundings) {
          FloatFlags flags = withRounding(rounding);
          ASSERT_EQ(convertFloat(bits, from, FloatFormat::F64, flags),
                    std::bit_cast<uint64_t>(value));
          ASSERT_EQ(convertFloat(bits, from, FloatFormat::F32, flags),
                    std::bit_cast<uint32_t>(float(value)));
        }
        if (isNarrow(from)) {
          uint64_t half = convertFloat(bits, from, FloatFormat::F16, {});
          ASSERT_EQ(tableOf(FloatFormat::F16).value(half), value);
          ASSERT_EQ(convertFloat(half, FloatFormat::F16, from, {}), bits);
        }
      }
  }
  // What is no number in the 8-bit formats.
  EXPECT_EQ(convertFloat(0xff, FloatFormat::E4M3, FloatFormat::F16, {}),
            0x7fffu);
  EXPECT_EQ(convertFloat(0x7c, FloatFormat::E5M2, FloatFormat::F16, {}),
            0x7c00u);
  EXPECT_EQ(convertFloat(0xfc, FloatFormat::E5M2, FloatFormat::F16, {}),
            0xfc00u);
  EXPECT_EQ(convertFloat(0xfd, FloatFormat::E5M2, FloatFormat::F16, {}),
            0x7fffu);
}

/// What a host's number becomes: beyond the range infinity, which in E4M3 is
/// the place of the NaN.
uint64_t expectedOfHost(double value, FloatFormat format) {
  const FloatTable &table = tableOf(format);
  if (value == 0)
    return table.bits(0, std::signbit(value));
  if (std::isinf(value))
    return table.bits(table.finiteCodes(), value < 0);
  return table.round(Quad(value), Rounding::NearestEven);
}

TEST(Conversion, HostNumbers) {
  for (FloatFormat format : tableFormats) {
    const FloatTable &table = tableOf(format);
    auto check = [&](double value) {
      for (double each : {value, -value})
        ASSERT_EQ(encodeFloat(each, format), expectedOfHost(each, format))
            << std::hexfloat << each << " to format " << int(format);
    };
    for (uint64_t code = 0; code < table.finiteCodes(); ++code) {
      double number = decodeFloat(table.bits(code, false), format);
      double next =
          code + 1 < table.finiteCodes()
              ? decodeFloat(table.bits(code + 1, false), format)
              : 2 * number - decodeFloat(table.bits(code - 1, false), format);
      double tie = (number + next) / 2;
      ASSERT_EQ(encodeFloat(number, format), table.bits(code, false));
      for (double value :
           {number, tie, std::nextafter(tie, 0), std::nextafter(tie, next)})
        check(value);
    }
    check(1e30);
    check(1e300);
    check(std::numeric_limits<double>::infinity());
    for (double nan : {std::nan(""), -std::nan("")}) {
      uint64_t bits = encodeFloat(nan, format);
      EXPECT_TRUE(std::isnan(decodeFloat(bits, format)));
      EXPECT_EQ(bits >= table.bits(0, true), std::signbit(nan));
    }
  }
  EXPECT_EQ(encodeFloat(1e300, FloatFormat::F32), 0x7f800000u);
  EXPECT_EQ(encodeFloat(-1.5, FloatFormat::F64), 0xbff8000000000000u);
  EXPECT_EQ(decodeFloat(0xbfc00000, FloatFormat::F32), -1.5);
}

TEST(Conversion, DoubleToSingleAsTheHost) {
  FloatSource source(11, 52, 2);
  std::mt19937_64 engine(3);
  for (unsigned i = 0; i < 400000; ++i) {
    uint64_t bits = source.next();
    if (i % 2) {
      // Around f32's numbers and ties, its range's ends included.
      float near = std::bit_cast<float>(uint32_t(engine()));
      bits = std::bit_cast<uint64_t>(double(near)) + engine() % 5 - 2 +
             (engine() % 2 << 28);
    }
    double value = std::bit_cast<double>(bits);
    if (std::isnan(value))
      continue;
    for (unsigned mode = 0; mode < 4; ++mode) {
      volatile double source = value;
      volatile float result;
      {
        HostRounding scope(allRoundings[mode]);
        result = float(source);
      }
      ASSERT_EQ(convertFloat(bits, FloatFormat::F64, FloatFormat::F32,
                             withRounding(allRoundings[mode])),
                std::bit_cast<uint32_t>(float(result)))
          << std::hexfloat << value << " mode " << mode;
    }
    for (Rounding rounding : allRoundings)
      ASSERT_EQ(convertFloat(bits, FloatFormat::F64, FloatFormat::F16,
                             withRounding(rounding)),
                expected(value, FloatFormat::F16, rounding))
          << std::hexfloat << value << " mode " << int(rounding);
  }
}

TEST(Conversion, NansAsOnSm90) {
  auto convert = [](uint64_t bits, FloatFormat from, FloatFormat to) {
    return convertFloat(bits, from, to, {});
  };
  using enum FloatFormat;
  EXPECT_EQ(convert(0xff800001, F32, F16), 0x7fffu);
  EXPECT_EQ(convert(0xff800001, F32, BF16), 0x7fffu);
  EXPECT_EQ(convert(0xffffffff, F32, E4M3), 0x7fu);
  EXPECT_EQ(convert(0xffffffff, F32, E5M2), 0x7fu);
  EXPECT_EQ(convert(0xfc02, F16, F32), 0x7fffffffu);
  EXPECT_EQ(convert(0x7f82, BF16, F32), 0x7f820000u);
  EXPECT_EQ(convert(0xff800002, F32, F64), 0xfff8000040000000u);
  EXPECT_EQ(convert(0xfff0000000000003, F64, F32), 0xffc00000u);
  EXPECT_EQ(convert(0xfc02, F16, F64), 0xfff8080000000000u);
  EXPECT_EQ(convert(0xfff4000000000000, F64, F64), 0xfffc000000000000u);
  EXPECT_EQ(convert(0xfffffffe, F32, TF32), 0x7fffe000u);
  EXPECT_EQ(
      convertFloat(0xffc01234, F32, TF32, withRounding(Rounding::NearestAway)),
      0xffc00000u);
  FloatFlags flushing;
  flushing.flushSubnormals = true;
  EXPECT_EQ(convertFloat(0xff800002, F32, F64, flushing), 0x7fffffffe0000000u);
}

TEST(Conversion, FlagsOfResults) {
  using enum FloatFormat;
  FloatFlags saturating, finite, relu, flushing;
  saturating.saturates = true;
  finite.saturatesFinite = true;
  relu.clampsNegative = true;
  flushing.flushSubnormals = true;
  EXPECT_EQ(convertFloat(0xbf800000, F32, F16, saturating), 0u);
  EXPECT_EQ(convertFloat(0x7fffffff, F32, F16, saturating), 0u);
  EXPECT_EQ(convertFloat(0x40000000, F32, F16, saturating), 0x3c00u);
  EXPECT_EQ(convertFloat(0x3f800001, F32, F64, saturating),
            0x3ff0000000000000u);
  EXPECT_EQ(convertFloat(0x7f800000, F32, F16, finite), 0x7bffu);
  EXPECT_EQ(convertFloat(0xc7800000, F32, F16, finite), 0xfbffu);
  EXPECT_EQ(convertFloat(0xffc00000, F32, F16, finite), 0x7fffu);
  EXPECT_EQ(convertFloat(0x7f7fffff, F32, BF16, finite), 0x7f7fu);
  EXPECT_EQ(convertFloat(0x7f7fffff, F32, BF16, {}), 0x7f80u);
  EXPECT_EQ(convertFloat(0xc0000000, F32, BF16, relu), 0u);
  EXPECT_EQ(convertFloat(0x80000000, F32, BF16, relu), 0u);
  EXPECT_EQ(convertFloat(0xffc00000, F32, BF16, relu), 0x7fffu);
  EXPECT_EQ(convertFloat(0xc0000000, F32, E4M3, relu), 0u);
  EXPECT_EQ(convertFloat(0xffc00000, F32, TF32, relu), 0x7fffe000u);
  // .ftz is about f32 only, on both sides.
  EXPECT_EQ(convertFloat(0x80000001, F32, F64, flushing), 0x8000000000000000u);
  EXPECT_EQ(convertFloat(0x807fffff, F32, BF16, flushing), 0x8000u);
  EXPECT_EQ(convertFloat(0x8001, F16, F32, flushing), 0xb3800000u);
  EXPECT_EQ(convertFloat(0x33800000, F32, F16, flushing), 1u);
  EXPECT_EQ(convertFloat(0xb690000000000000, F64, F32, flushing), 0x80000000u);
  // Just below the normal range: zero unless rounding at normal places lifts
  // it.
  EXPECT_EQ(convertFloat(0x380fffffe4b8b3d4, F64, F32, flushing), 0u);
  EXPECT_EQ(convertFloat(0x380ffffff310d58a, F64, F32, flushing), 0x800000u);
}

} // namespace
