// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The branch-light operations against the exact ones, bit for bit.

#include "lib/Judges/Emulator/Numeric/FastFloat.h"
#include "FloatOracle.h"

#include <gtest/gtest.h>

using namespace tilewright::emulator;

namespace {

constexpr FloatFlags plain;

uint64_t exact(uint64_t bits, FloatFormat from, FloatFormat to) {
  return convertFloat(bits, from, to, plain);
}

void checkNarrowing(uint32_t bits) {
  float value = std::bit_cast<float>(bits);
  ASSERT_EQ(floatToHalf(value), exact(bits, FloatFormat::F32, FloatFormat::F16))
      << std::hex << bits;
  ASSERT_EQ(floatToBfloat(value),
            exact(bits, FloatFormat::F32, FloatFormat::BF16))
      << std::hex << bits;
}

TEST(FastFloat, WideningOfAllCodes) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    ASSERT_EQ(std::bit_cast<uint32_t>(halfToFloat(uint16_t(code))),
              exact(code, FloatFormat::F16, FloatFormat::F32))
        << std::hex << code;
    ASSERT_EQ(std::bit_cast<uint32_t>(bfloatToFloat(uint16_t(code))),
              exact(code, FloatFormat::BF16, FloatFormat::F32))
        << std::hex << code;
  }
}

TEST(FastFloat, NarrowingAroundAllTies) {
  for (uint32_t high = 0; high < 0x10000; ++high)
    // Ties of bf16 and, in each binade of f16, of normal and subnormal numbers.
    for (uint32_t low : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu,
                         0x3000u, 0x7fffu, 0x8000u, 0x8001u, 0xf000u, 0xffffu})
      checkNarrowing(high << 16 | low);
  std::mt19937 engine(1);
  for (unsigned i = 0; i < 2000000; ++i)
    checkNarrowing(uint32_t(engine()));
}

TEST(FastFloat, FlushesAndCanonicalizes) {
  std::mt19937 engine(2);
  for (unsigned i = 0; i < 500000; ++i) {
    uint32_t bits = uint32_t(engine()) >> (engine() % 2 ? 0 : engine() % 12);
    bits ^= uint32_t(engine()) << 31;
    bool isSubnormal = (bits & 0x7f800000) == 0;
    float value = std::bit_cast<float>(bits);
    ASSERT_EQ(std::bit_cast<uint32_t>(flushToZero(value)),
              isSubnormal ? bits & 0x80000000 : bits);
    ASSERT_EQ(std::bit_cast<uint32_t>(canonicalizeNan(value)),
              std::isnan(value) ? 0x7fffffffu : bits);
  }
}

TEST(FastFloat, SingleArithmetic) {
  FloatSource source(8, 23, 3);
  FloatFormat format = FloatFormat::F32;
  for (unsigned i = 0; i < 1500000; ++i) {
    uint32_t a = uint32_t(source.next()), b = uint32_t(source.next()),
             c = uint32_t(source.next());
    float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b),
          z = std::bit_cast<float>(c);
    ASSERT_EQ(std::bit_cast<uint32_t>(addSingle(x, y)),
              addFloat(a, b, format, plain));
    ASSERT_EQ(std::bit_cast<uint32_t>(multiplySingle(x, y)),
              multiplyFloat(a, b, format, plain));
    ASSERT_EQ(std::bit_cast<uint32_t>(fuseSingle(x, y, z)),
              fusedMultiplyAdd(a, b, c, format, plain))
        << std::hex << a << " * " << b << " + " << c;
    // A tie of the product that only the addend decides.
    uint32_t m = (a & 0xffff) | 0x3f800001, tiny = (c & 0x80ffffff);
    ASSERT_EQ(
        std::bit_cast<uint32_t>(fuseSingle(std::bit_cast<float>(m), 0x1.8p0f,
                                           std::bit_cast<float>(tiny))),
        fusedMultiplyAdd(m, 0x3fc00000, tiny, format, plain));
  }
}

TEST(FastFloat, SixteenBitArithmetic) {
  for (bool isHalf : {true, false}) {
    FloatFormat format = isHalf ? FloatFormat::F16 : FloatFormat::BF16;
    FloatSource source(isHalf ? 5 : 8, isHalf ? 10 : 7, 4);
    for (unsigned i = 0; i < 1500000; ++i) {
      uint16_t a = uint16_t(source.next()), b = uint16_t(source.next()),
               c = uint16_t(source.next());
      ASSERT_EQ(isHalf ? addHalf(a, b) : addBfloat(a, b),
                addFloat(a, b, format, plain))
          << std::hex << a << " + " << b;
      ASSERT_EQ(isHalf ? multiplyHalf(a, b) : multiplyBfloat(a, b),
                multiplyFloat(a, b, format, plain))
          << std::hex << a << " * " << b;
      ASSERT_EQ(isHalf ? fuseHalf(a, b, c) : fuseBfloat(a, b, c),
                fusedMultiplyAdd(a, b, c, format, plain))
          << std::hex << a << " * " << b << " + " << c;
    }
  }
}

} // namespace
