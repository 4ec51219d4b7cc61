// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in matrix instructions: every bit pattern of the formats, rounding to
// f16, special values, and the order of sums.

#include "test/Unit/Emulator/Numeric/WarpMatrixReference.h"

#include <random>

using namespace tilewright::emulator;

namespace {

Instruction m16n8k8(Type factor, Type sum) {
  bool isWord = factor == Type::TF32 || factor == Type::F64;
  return {{16, 8, 8, sum, factor, factor, sum},
          isWord ? a16x8Word : a16x8Half,
          isWord ? b8x8Word : b8x8Half,
          c16x8,
          c16x8};
}
Instruction m16n8k16Bytes(Type a, Type b, Type sum) {
  return {{16, 8, 16, sum, a, b, sum}, a16x16Byte, b16x8Byte, c16x8, c16x8};
}

/// D where all rows of A are `a` and all columns of B are `b` from k = 0 on,
/// and all of C is `c`, given and returned as bits.
uint64_t multiplyVectors(const Instruction &instruction,
                         const std::vector<uint64_t> &a,
                         const std::vector<uint64_t> &b, uint64_t c) {
  Operands all(instruction);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < all.a.elementsOfLane(); ++i)
      if (size_t k = all.a.position(lane, i).column; k < a.size())
        all.a.set(lane, i, a[k]);
    for (int i = 0; i < all.b.elementsOfLane(); ++i)
      if (size_t k = all.b.position(lane, i).row; k < b.size())
        all.b.set(lane, i, b[k]);
    for (int i = 0; i < all.c.elementsOfLane(); ++i)
      all.c.set(lane, i, c);
  }
  all.multiply();
  uint64_t result = all.d.get(0, 0);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < all.d.elementsOfLane(); ++i)
      EXPECT_EQ(all.d.get(lane, i), result);
  return result;
}

/// f32's bits of a number, the canonical NaN's of NaN.
uint32_t singleBits(double value) {
  return std::isnan(value) ? 0x7fffffff
                           : static_cast<uint32_t>(encode(Type::F32, value));
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// Every number of the type, times one, as A's and as B's. The product's sign
/// of zero is lost in the sum with zero.
void checkFactors(const Instruction &instruction, Type type, bool isA,
                  uint32_t first, uint32_t step, uint32_t count) {
  Type other = isA ? instruction.shape.b : instruction.shape.a;
  uint64_t one = encode(other, 1);
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t bits = first + uint64_t(i) * step;
    double value = decode(type, bits) + 0.0;
    uint64_t found = isA ? multiplyVectors(instruction, {bits}, {one}, 0)
                         : multiplyVectors(instruction, {one}, {bits}, 0);
    ASSERT_EQ(found, singleBits(value)) << std::hex << bits;
  }
}

TEST(WarpMatrixNumbers, everyFactor) {
  for (bool isA : {true, false}) {
    for (Type type : {Type::E4M3, Type::E5M2})
      for (Type other : {Type::E4M3, Type::E5M2}) {
        Instruction instruction =
            m16n8k16Bytes(isA ? type : other, isA ? other : type, Type::F32);
        checkFactors(instruction, type, isA, 0, 1, 256);
      }
    // Primes as steps reach all exponents and many fractions.
    checkFactors(m16n8k8(Type::F16, Type::F32), Type::F16, isA, 0, 13, 5041);
    checkFactors(m16n8k8(Type::BF16, Type::F32), Type::BF16, isA, 0, 13, 5041);
    checkFactors(m16n8k8(Type::TF32, Type::F32), Type::TF32, isA, 0, 851971,
                 5041);
  }
}

TEST(WarpMatrixNumbers, everyHalfAsAddend) {
  Instruction instruction{{8, 8, 4, Type::F32, Type::F16, Type::F16, Type::F16},
                          voltaARow,
                          voltaBColumn,
                          voltaHalf,
                          voltaSingle};
  for (uint32_t first = 0; first < 0x10000; first += 256) {
    Operands all(instruction);
    auto number = [&](int lane, int i) { return first + 8 * lane + i; };
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i)
        all.c.set(lane, i, number(lane, i));
    all.multiply();
    std::map<std::vector<int>, uint32_t> expected;
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i) {
        Position at = all.c.position(lane, i);
        expected[{all.c.product(lane), at.row, at.column}] =
            singleBits(decode(Type::F16, number(lane, i)) + 0.0);
      }
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i) {
        Position at = all.d.position(lane, i);
        ASSERT_EQ(all.d.get(lane, i),
                  (expected[{all.d.product(lane), at.row, at.column}]));
      }
  }
}

//===----------------------------------------------------------------------===//
// Rounding to f16
//===----------------------------------------------------------------------===//

/// The nearest f16's bits, ties to even, by f16's step at the number.
uint32_t roundToHalfByStep(double value) {
  if (std::isnan(value))
    return 0x7fff;
  uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (magnitude >= 65520)
    return sign | 0x7c00;
  int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  double steps = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  return sign | static_cast<uint32_t>(steps + (exponent + 14) * 1024.0);
}

TEST(WarpMatrixNumbers, halfSumsAreRoundedOnceToEven) {
  Instruction instruction = m16n8k8(Type::F16, Type::F16);
  std::mt19937 random(5);
  for (int round = 0; round < 10000; ++round) {
    uint32_t a = random() & 0xffff, b = random() & 0xffff;
    uint32_t c = random() & 0xffff;
    if (round % 2)
      a = (a & 0x83ff) | 0x2400, b = (b & 0x83ff) | 0x2000, c &= 0x8fff;
    float product =
        static_cast<float>(decode(Type::F16, a) * decode(Type::F16, b));
    float sum = product + static_cast<float>(decode(Type::F16, c));
    ASSERT_EQ(multiplyVectors(instruction, {a}, {b}, c),
              roundToHalfByStep(sum + 0.0f))
        << std::hex << a << " * " << b << " + " << c;
  }
}

TEST(WarpMatrixNumbers, halfTiesAndLimits) {
  Instruction instruction = m16n8k8(Type::F16, Type::F16);
  auto multiply = [&](double a, double b, double c) {
    return decode(Type::F16, multiplyVectors(
                                 instruction, {encode(Type::F16, a)},
                                 {encode(Type::F16, b)}, encode(Type::F16, c)));
  };
  EXPECT_EQ(multiply(1, 1, 2048), 2048);
  EXPECT_EQ(multiply(1, 3, 2048), 2052);
  EXPECT_EQ(multiply(1, 15, 65504), 65504);
  EXPECT_EQ(multiply(1, 16, 65504), INFINITY);
  EXPECT_EQ(multiply(-256, 256, 0), -INFINITY);
  EXPECT_EQ(multiply(0x1p-24, 0.5, 0), 0);
  EXPECT_EQ(multiply(0x1p-24, 0.75, 0), 0x1p-24);
  EXPECT_EQ(multiply(0x1p-24, 1.5, 0), 0x1p-23);
}

//===----------------------------------------------------------------------===//
// Special values and order
//===----------------------------------------------------------------------===//

TEST(WarpMatrixNumbers, notANumberIsCanonical) {
  auto infinityTimesZero = [](const Instruction &instruction) {
    uint64_t infinity = encode(instruction.shape.a, INFINITY);
    return multiplyVectors(instruction, {infinity}, {0}, 0);
  };
  EXPECT_EQ(infinityTimesZero(m16n8k8(Type::F16, Type::F16)), 0x7fffu);
  EXPECT_EQ(infinityTimesZero(m16n8k8(Type::F16, Type::F32)), 0x7fffffffu);
  EXPECT_EQ(infinityTimesZero(m16n8k8(Type::BF16, Type::F32)), 0x7fffffffu);
  EXPECT_EQ(infinityTimesZero(m16n8k8(Type::TF32, Type::F32)), 0x7fffffffu);
  EXPECT_EQ(infinityTimesZero(m16n8k8(Type::F64, Type::F64)),
            0x7ff8000000000000u);
  // Of any payload and sign, from the addend too.
  EXPECT_EQ(
      multiplyVectors(m16n8k8(Type::F16, Type::F32), {0}, {0}, 0xff800001),
      0x7fffffffu);
  EXPECT_EQ(multiplyVectors(m16n8k16Bytes(Type::E4M3, Type::E4M3, Type::F16),
                            {0xff}, {0x38}, 0),
            0x7fffu);
}

TEST(WarpMatrixNumbers, sumsBeginWithTheAddendInAscendingK) {
  for (Type type : {Type::BF16, Type::TF32}) {
    Instruction instruction = m16n8k8(type, Type::F32);
    auto multiply = [&](double first, double second, double third, double c) {
      uint64_t one = encode(type, 1);
      uint64_t bits = multiplyVectors(
          instruction,
          {encode(type, first), encode(type, second), encode(type, third)},
          {one, one, one}, encode(Type::F32, c));
      return decode(Type::F32, bits);
    };
    EXPECT_EQ(multiply(0x1p24, -0x1p24, 0, 1), 0);
    EXPECT_EQ(multiply(0x1p24, 1, -0x1p24, 0), 0);
    EXPECT_EQ(multiply(0x1p24, -0x1p24, 1, 0), 1);
  }
}

TEST(WarpMatrixNumbers, doublesAreFused) {
  Instruction instruction = m16n8k8(Type::F64, Type::F64);
  double a = 1 + 0x1p-30, c = -(1 + 0x1p-29);
  uint64_t bits = multiplyVectors(instruction, {encode(Type::F64, a)},
                                  {encode(Type::F64, a)}, encode(Type::F64, c));
  EXPECT_EQ(decode(Type::F64, bits), 0x1p-60);
}

/// A product of bf16 beyond f32's range is infinite, whether or not the host
/// has fused multiply-adds.
TEST(WarpMatrixNumbers, productsAreNotFused) {
  Instruction instruction = m16n8k8(Type::BF16, Type::F32);
  uint64_t bits =
      multiplyVectors(instruction, {encode(Type::BF16, 0x1p127)},
                      {encode(Type::BF16, 2)}, encode(Type::F32, -0x1p127));
  EXPECT_EQ(decode(Type::F32, bits), INFINITY);
}

/// A tf32 operand's lower 13 bits do not count.
TEST(WarpMatrixNumbers, lowBitsOfTf32AreIgnored) {
  uint64_t bits = multiplyVectors(m16n8k8(Type::TF32, Type::F32), {0x3fc01fff},
                                  {0x40001fff}, 0);
  EXPECT_EQ(decode(Type::F32, bits), 3);
}

TEST(WarpMatrixNumbers, negativeZeroStays) {
  uint64_t minus = 0x8000000000000000;
  EXPECT_EQ(multiplyVectors(m16n8k8(Type::F64, Type::F64),
                            std::vector<uint64_t>(8, minus),
                            std::vector<uint64_t>(8, 0), minus),
            minus);
  EXPECT_EQ(multiplyVectors(m16n8k8(Type::F16, Type::F32),
                            std::vector<uint64_t>(8, 0x8000),
                            std::vector<uint64_t>(8, 0), 0x80000000),
            0x80000000u);
}

} // namespace
