// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// add, mul, fma, div, sqrt, min and max: the 16-bit formats against a search
// for the neighbours of the exact result, f32 and f64 against the host in its
// four rounding modes.

#include "FloatOracle.h"

#include <gtest/gtest.h>

using namespace tilewright::emulator;

namespace {

constexpr FloatFormat smallFormats[] = {FloatFormat::F16, FloatFormat::BF16};

FloatSource sourceOf(FloatFormat format, unsigned seed) {
  switch (format) {
  case FloatFormat::F16:
    return FloatSource(5, 10, seed);
  case FloatFormat::BF16:
    return FloatSource(8, 7, seed);
  case FloatFormat::F64:
    return FloatSource(11, 52, seed);
  default:
    return FloatSource(8, 23, seed);
  }
}

FloatFlags withRounding(Rounding rounding) {
  FloatFlags flags;
  flags.rounding = rounding;
  return flags;
}

/// The host's number for 16 bits, infinities and NaNs included.
double smallValue(uint64_t bits, FloatFormat format) {
  uint64_t infinity = format == FloatFormat::F16 ? 0x7c00 : 0x7f80;
  if ((bits & 0x7fff) > infinity)
    return std::nan("");
  if ((bits & 0x7fff) == infinity)
    return bits & 0x8000 ? -INFINITY : INFINITY;
  return tableOf(format).value(bits);
}

/// a * b + c in 16 bits. The product is exact in Quad, the sum is one with its
/// error (Knuth's).
uint64_t expectedFma(double a, double b, double c, FloatFormat format,
                     Rounding rounding) {
  double rough = a * b + c;
  if (std::isnan(rough))
    return 0x7fff;
  if (std::isinf(rough))
    return (format == FloatFormat::F16 ? 0x7c00 : 0x7f80) |
           (rough < 0 ? 0x8000 : 0);
  Quad exactProduct = Quad(a) * Quad(b);
  Quad sum = exactProduct + Quad(c);
  Quad part = sum - exactProduct;
  Quad error = (exactProduct - (sum - part)) + (Quad(c) - part);
  if (sum != 0)
    return tableOf(format).round(sum, rounding, /*saturates=*/false, error);
  double product = a * b;
  bool negative = rounding == Rounding::Down;
  if (product == 0 && std::signbit(product) == std::signbit(c))
    negative = std::signbit(c);
  return negative ? 0x8000 : 0;
}

TEST(Float, SmallFormatsAddMultiplyAndFuse) {
  for (FloatFormat format : smallFormats) {
    FloatSource source = sourceOf(format, 1);
    for (unsigned i = 0; i < 100000; ++i) {
      uint64_t a = source.next(), b = source.next(), c = source.next();
      double x = smallValue(a, format), y = smallValue(b, format),
             z = smallValue(c, format);
      for (Rounding rounding : allRoundings) {
        FloatFlags flags = withRounding(rounding);
        ASSERT_EQ(addFloat(a, b, format, flags),
                  expectedFma(x, 1, y, format, rounding))
            << std::hex << a << " + " << b << " mode " << int(rounding);
        // A zero with the product's sign changes no product.
        double zero =
            std::copysign(0.0, std::signbit(x) != std::signbit(y) ? -1.0 : 1.0);
        ASSERT_EQ(multiplyFloat(a, b, format, flags),
                  expectedFma(x, y, zero, format, rounding))
            << std::hex << a << " * " << b << " mode " << int(rounding);
        ASSERT_EQ(fusedMultiplyAdd(a, b, c, format, flags),
                  expectedFma(x, y, z, format, rounding))
            << std::hex << a << " * " << b << " + " << c << " mode "
            << int(rounding);
      }
    }
  }
}

TEST(Float, SmallFormatsDivideAndTakeRoots) {
  for (FloatFormat format : smallFormats) {
    const FloatTable &table = tableOf(format);
    FloatSource source = sourceOf(format, 2);
    for (unsigned i = 0; i < 100000; ++i) {
      uint64_t a = source.next(), b = source.next();
      double x = smallValue(a, format), y = smallValue(b, format);
      if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0)
        continue;
      auto exceeds = [&](double candidate) {
        Quad difference = Quad(std::fabs(x)) - Quad(candidate) * std::fabs(y);
        return difference > 0 ? 1 : difference < 0 ? -1 : 0;
      };
      for (Rounding rounding : allRoundings)
        ASSERT_EQ(divideFloat(a, b, format, withRounding(rounding)),
                  table.round(exceeds, (x < 0) != (y < 0), rounding))
            << std::hex << a << " / " << b << " mode " << int(rounding);
    }
    for (uint64_t a = 1; a < table.finiteCodes(); ++a) {
      auto exceeds = [&](double candidate) {
        Quad difference = Quad(table.value(a)) - Quad(candidate) * candidate;
        return difference > 0 ? 1 : difference < 0 ? -1 : 0;
      };
      for (Rounding rounding : allRoundings)
        ASSERT_EQ(squareRoot(a, format, withRounding(rounding)),
                  table.round(exceeds, false, rounding))
            << std::hex << a << " mode " << int(rounding);
    }
  }
}

/// The host's operation in another rounding mode; volatile keeps the compiler
/// from moving it out of that mode.
template <typename T>
T hostOperation(unsigned operation, T first, T second, T third,
                Rounding rounding) {
  volatile T a = first, b = second, c = third, result;
  HostRounding mode(rounding);
  switch (operation) {
  case 0:
    result = a + b;
    break;
  case 1:
    result = a * b;
    break;
  case 2:
    result = std::fma(a, b, c);
    break;
  case 3:
    result = a / b;
    break;
  default:
    result = std::sqrt(a);
    break;
  }
  return result;
}

uint64_t emulated(unsigned operation, uint64_t a, uint64_t b, uint64_t c,
                  FloatFormat format, const FloatFlags &flags) {
  switch (operation) {
  case 0:
    return addFloat(a, b, format, flags);
  case 1:
    return multiplyFloat(a, b, format, flags);
  case 2:
    return fusedMultiplyAdd(a, b, c, format, flags);
  case 3:
    return divideFloat(a, b, format, flags);
  default:
    return squareRoot(a, format, flags);
  }
}

template <typename T, typename Bits>
void compareWithHost(FloatFormat format) {
  FloatSource source = sourceOf(format, 3);
  for (unsigned i = 0; i < 150000; ++i) {
    Bits a = Bits(source.next()), b = Bits(source.next()),
         c = Bits(source.next());
    for (unsigned operation = 0; operation < 5; ++operation)
      for (unsigned mode = 0; mode < 4; ++mode) {
        Rounding rounding = allRoundings[mode];
        T expected = hostOperation<T>(operation, std::bit_cast<T>(a),
                                      std::bit_cast<T>(b), std::bit_cast<T>(c),
                                      rounding);
        FloatFlags flags = withRounding(rounding);
        uint64_t bits = emulated(operation, a, b, c, format, flags);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(std::bit_cast<T>(Bits(bits))));
          continue;
        }
        ASSERT_EQ(bits, uint64_t(std::bit_cast<Bits>(expected)))
            << std::hex << a << " " << b << " " << c << " operation "
            << operation << " mode " << mode;
        // Without infinite results saturation to finite ones changes nothing,
        // and the exact routine takes the place of the host's.
        flags.saturatesFinite = true;
        if (mode == 0 && std::isfinite(expected))
          ASSERT_EQ(emulated(operation, a, b, c, format, flags), bits);
      }
  }
}

TEST(Float, SingleAsTheHostInItsModes) {
  compareWithHost<float, uint32_t>(FloatFormat::F32);
}
TEST(Float, DoubleAsTheHostInItsModes) {
  compareWithHost<double, uint64_t>(FloatFormat::F64);
}

TEST(Float, NansAreCanonicalButForDouble) {
  FloatFlags flags;
  EXPECT_EQ(addFloat(0x7f800001, 0x3f800000, FloatFormat::F32, flags),
            0x7fffffffu);
  EXPECT_EQ(addFloat(0x7f800000, 0xff800000, FloatFormat::F32, flags),
            0x7fffffffu);
  EXPECT_EQ(multiplyFloat(0x7c00, 0x8000, FloatFormat::F16, flags), 0x7fffu);
  EXPECT_EQ(divideFloat(0, 0, FloatFormat::F32, flags), 0x7fffffffu);
  EXPECT_EQ(squareRoot(0xbf800000, FloatFormat::F32, flags), 0x7fffffffu);
  EXPECT_EQ(squareRoot(0x80000000, FloatFormat::F32, flags), 0x80000000u);
  // f64: made up, or an operand's, b before c before a.
  uint64_t a = 0x7ff18c342f7b400d, b = 0xfff7e694d0b1f878,
           c = 0xfff6ea89434e96cc, one = 0x3ff0000000000000;
  EXPECT_EQ(squareRoot(0xbff0000000000000, FloatFormat::F64, flags),
            0xfff8000000000000u);
  EXPECT_EQ(fusedMultiplyAdd(a, b, c, FloatFormat::F64, flags),
            0xffffe694d0b1f878u);
  EXPECT_EQ(fusedMultiplyAdd(a, one, c, FloatFormat::F64, flags),
            0xfffeea89434e96ccu);
  EXPECT_EQ(addFloat(a, one, FloatFormat::F64, flags), 0x7ff98c342f7b400du);
}

TEST(Float, SaturationAndRelu) {
  FloatFlags saturating, relu;
  saturating.saturates = true;
  relu.clampsNegative = true;
  auto add = [](uint32_t a, uint32_t b, const FloatFlags &flags) {
    return addFloat(a, b, FloatFormat::F32, flags);
  };
  EXPECT_EQ(add(0x40000000, 0x3f800000, saturating), 0x3f800000u);
  EXPECT_EQ(add(0xc0000000, 0x3f800000, saturating), 0u);
  EXPECT_EQ(add(0x80000000, 0x80000000, saturating), 0u);
  EXPECT_EQ(add(0x7fffffff, 0, saturating), 0u);
  EXPECT_EQ(add(0x7f800000, 0, saturating), 0x3f800000u);
  EXPECT_EQ(add(0x3e800000, 0x3e800000, saturating), 0x3f000000u);
  EXPECT_EQ(fusedMultiplyAdd(0xbc00, 0x3c00, 0, FloatFormat::F16, relu), 0u);
  EXPECT_EQ(fusedMultiplyAdd(0x8000, 0x3c00, 0x8000, FloatFormat::F16, relu),
            0u);
  EXPECT_EQ(fusedMultiplyAdd(0xfe00, 0x3c00, 0, FloatFormat::F16, relu),
            0x7fffu);
  EXPECT_EQ(fusedMultiplyAdd(0x3c00, 0x4000, 0, FloatFormat::F16, relu),
            0x4000u);
}

TEST(Float, FlushingFollowsRoundingWithUnboundedExponents) {
  FloatFlags flags;
  flags.flushSubnormals = true;
  std::mt19937_64 engine(4);
  for (unsigned i = 0; i < 300000; ++i) {
    // Products next to 2^-126 on either side.
    uint32_t a = 0x30000000 + uint32_t(engine() % 0x0f000000);
    float x = std::bit_cast<float>(a);
    uint32_t b = std::bit_cast<uint32_t>(float(0x1p-126 / double(x))) +
                 uint32_t(engine() % 5) - 2;
    double exact = double(x) * double(std::bit_cast<float>(b));
    // A hundred binades higher rounding has a normal number's places.
    float rounded = float(exact * 0x1p100);
    uint32_t expected =
        rounded < 0x1p-26f ? 0 : std::bit_cast<uint32_t>(float(exact));
    ASSERT_EQ(multiplyFloat(a, b, FloatFormat::F32, flags), expected)
        << std::hex << a << " * " << b;
  }
  // As an H200 gives them.
  EXPECT_EQ(multiplyFloat(0x3d0e6f06, 0x2e60ed5, FloatFormat::F32, flags),
            0x800000u);
  EXPECT_EQ(multiplyFloat(0x3e9d336b, 0x150725b, FloatFormat::F32, flags), 0u);
  EXPECT_EQ(fusedMultiplyAdd(0x335166e1, 0x80800000, 0x800000, FloatFormat::F32,
                             flags),
            0u);
  EXPECT_EQ(multiplyFloat(0xb763, 0x855, FloatFormat::F16, flags), 0x8400u);
  EXPECT_EQ(multiplyFloat(0xbb8e, 0x43c, FloatFormat::F16, flags), 0x8000u);
  // Operands are flushed as well, with their sign.
  EXPECT_EQ(addFloat(0x80000001, 0x80000000, FloatFormat::F32, flags),
            0x80000000u);
  EXPECT_EQ(multiplyFloat(0x7f000000, 0x400000, FloatFormat::F32, flags), 0u);
}

uint64_t expectedChoice(uint64_t a, uint64_t b, bool isMaximum,
                        bool propagatesNan, bool byMagnitude) {
  double x = smallValue(a, FloatFormat::F16);
  double y = smallValue(b, FloatFormat::F16);
  bool isNanX = std::isnan(x), isNanY = std::isnan(y);
  if ((isNanX && isNanY) || (propagatesNan && (isNanX || isNanY)))
    return 0x7fff;
  if (byMagnitude) {
    uint64_t sign = (a ^ b) & 0x8000;
    a &= 0x7fff;
    b &= 0x7fff;
    return sign | (isNanX      ? b
                   : isNanY    ? a
                   : isMaximum ? std::max(a, b)
                               : std::min(a, b));
  }
  if (isNanX || isNanY)
    return isNanX ? b : a;
  if (x == y)
    return isMaximum ? a & b : a | b;
  return (x < y) != isMaximum ? a : b;
}

TEST(Float, MinimumAndMaximum) {
  FloatSource source(5, 10, 5);
  FloatFlags flags;
  for (unsigned i = 0; i < 300000; ++i) {
    uint64_t a = source.next(), b = source.next();
    for (bool nan : {false, true})
      for (bool magnitude : {false, true}) {
        ASSERT_EQ(minimumFloat(a, b, FloatFormat::F16, nan, magnitude, flags),
                  expectedChoice(a, b, false, nan, magnitude))
            << std::hex << a << " " << b;
        ASSERT_EQ(maximumFloat(a, b, FloatFormat::F16, nan, magnitude, flags),
                  expectedChoice(a, b, true, nan, magnitude))
            << std::hex << a << " " << b;
      }
  }
  flags.flushSubnormals = true;
  EXPECT_EQ(minimumFloat(0x80000001, 1, FloatFormat::F32, false, false, flags),
            0x80000000u);
  EXPECT_EQ(maximumFloat(0x80000001, 1, FloatFormat::F32, false, false, flags),
            0u);
}

} // namespace
