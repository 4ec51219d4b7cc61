// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The approximations of f32: the special values that the PTX ISA lists, and the
// distance from the function in long double.

#include "FloatOracle.h"

#include <gtest/gtest.h>

using namespace tilewright::emulator;

namespace {

constexpr uint32_t nan = 0x7fffffff, infinity = 0x7f800000, one = 0x3f800000,
                   minus = 0x80000000, subnormal = 0x00400000;

/// Results for -infinity, -1, -subnormal, -0, 0, subnormal, infinity and NaN.
struct SpecialValues {
  Approximation function;
  bool flushes;
  uint32_t results[8];
};

TEST(Approximation, SpecialValues) {
  const uint32_t operands[] = {
      minus | infinity, minus | one, minus | subnormal, minus, 0,
      subnormal,        infinity,    0xffc12345};
  const uint32_t lower = minus | infinity;
  using enum Approximation;
  const SpecialValues cases[] = {
      {Ex2, true, {0, 0x3f000000, one, one, one, one, infinity, nan}},
      {Ex2, false, {0, 0x3f000000, one, one, one, one, infinity, nan}},
      {Lg2, true, {nan, nan, lower, lower, lower, lower, infinity, nan}},
      {Lg2, false, {nan, nan, nan, lower, lower, 0xc2fe0000, infinity, nan}},
      {Sin, true, {nan, 0xbf576aa4, minus, minus, 0, 0, nan, nan}},
      {Sin,
       false,
       {nan, 0xbf576aa4, minus | subnormal, minus, 0, subnormal, nan, nan}},
      {Cos, true, {nan, 0x3f0a5140, one, one, one, one, nan, nan}},
      {Cos, false, {nan, 0x3f0a5140, one, one, one, one, nan, nan}},
      {Tanh,
       false,
       {minus | one, 0xbf42f7d6, minus | subnormal, minus, 0, subnormal, one,
        nan}},
      {Rcp,
       true,
       {minus, minus | one, lower, lower, infinity, infinity, 0, nan}},
      {Rcp,
       false,
       {minus, minus | one, 0xff000000, lower, infinity, 0x7f000000, 0, nan}},
      {Rsqrt, true, {nan, nan, lower, lower, infinity, infinity, 0, nan}},
      {Rsqrt, false, {nan, nan, nan, lower, infinity, 0x5f3504f3, 0, nan}},
      {Sqrt, true, {nan, nan, minus, minus, 0, 0, infinity, nan}},
      {Sqrt, false, {nan, nan, nan, minus, 0, 0x1fb504f3, infinity, nan}}};
  for (const SpecialValues &special : cases)
    for (unsigned i = 0; i < 8; ++i)
      EXPECT_EQ(approximate(special.function, operands[i], special.flushes),
                special.results[i])
          << "function " << int(special.function) << " of " << std::hex
          << operands[i] << " flushed " << special.flushes;
}

long double reference(Approximation function, long double x) {
  switch (function) {
  case Approximation::Ex2:
    return std::exp2(x);
  case Approximation::Lg2:
    return std::log2(x);
  case Approximation::Sin:
    return std::sin(x);
  case Approximation::Cos:
    return std::cos(x);
  case Approximation::Tanh:
    return std::tanh(x);
  case Approximation::Rcp:
    return 1 / x;
  case Approximation::Rsqrt:
    return 1 / std::sqrt(x);
  case Approximation::Sqrt:
    return std::sqrt(x);
  }
  return 0;
}

/// The distance in units in the last place of f32 at `exact`.
long double distance(uint32_t bits, long double exact) {
  int exponent = std::max(std::ilogb(exact), -126);
  return std::fabs(std::bit_cast<float>(bits) - exact) /
         std::ldexp(1.0L, exponent - 23);
}

TEST(Approximation, HalfAUnitFromTheFunction) {
  FloatSource source(8, 23, 1);
  for (unsigned i = 0; i < 100000; ++i) {
    uint32_t bits = uint32_t(source.next());
    long double x = std::bit_cast<float>(bits);
    if (!std::isfinite(x))
      continue;
    for (unsigned function = 0; function < 8; ++function) {
      long double exact = reference(Approximation(function), x);
      uint32_t result = approximate(Approximation(function), bits, false);
      if (std::isnan(exact))
        ASSERT_EQ(result, nan);
      else if (std::fabs(exact) < 0x1p128L && exact != 0 &&
               (result & nan) < infinity)
        ASSERT_LE(distance(result, exact), 0.5001L)
            << "function " << function << " of " << std::hex << bits;
      else if ((result & nan) == infinity)
        ASSERT_GT(std::fabs(exact), 0x1.fffffep127L);
      uint32_t flushed = approximate(Approximation(function), bits, true);
      bool isSubnormal = (flushed & infinity) == 0 && (flushed & nan) != 0;
      ASSERT_FALSE(isSubnormal);
    }
  }
}

TEST(Approximation, SubnormalResults) {
  EXPECT_EQ(approximate(Approximation::Ex2, 0xc3020000, false), 0x00080000u);
  EXPECT_EQ(approximate(Approximation::Ex2, 0xc3020000, true), 0u);
  EXPECT_EQ(approximate(Approximation::Rcp, 0xff000000, false), 0x80400000u);
  EXPECT_EQ(approximate(Approximation::Rcp, 0xff000000, true), minus);
}

TEST(Approximation, Division) {
  FloatSource source(8, 23, 2);
  for (unsigned i = 0; i < 300000; ++i) {
    uint32_t a = uint32_t(source.next()), b = uint32_t(source.next());
    float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
    float exact = x / y;
    uint32_t expected =
        std::isnan(exact) ? nan : std::bit_cast<uint32_t>(exact);
    // A quotient that f64 rounds to a tie of subnormal numbers may be one off.
    uint32_t full = divideApproximately(a, b, false, /*isFullRange=*/true);
    ASSERT_LE(full - expected + 1, 2u) << std::hex << a << " / " << b;
    bool isLarge = std::fabs(y) > 0x1p126f && std::isfinite(y);
    if (isLarge && !std::isnan(x))
      expected = std::isinf(x) ? nan : (a ^ b) & minus;
    uint32_t approximate =
        divideApproximately(a, b, false, /*isFullRange=*/false);
    ASSERT_LE(approximate - expected + 1, 2u) << std::hex << a << " / " << b;
  }
  EXPECT_EQ(divideApproximately(one, subnormal, true), infinity);
  EXPECT_EQ(divideApproximately(subnormal, one, true), 0u);
  EXPECT_EQ(divideApproximately(0x00800000, 0xc0000000, true), minus);
  EXPECT_EQ(divideApproximately(0x00800000, 0x40000000, false), subnormal);
  EXPECT_EQ(divideApproximately(0, 0, false), nan);
}

} // namespace
