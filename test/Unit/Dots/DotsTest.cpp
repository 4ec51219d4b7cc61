// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots from tile IR to numbers, on every target: all types and shapes, by
// matrix instructions and by multiply-adds. Most operands are small integers,
// whose sums no order rounds: results must be exact.

#include "lib/Compiler/Compiler.h"
#include "test/Unit/Dots/DotKernel.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace tilewright;
using namespace tilewright::test;
using Numbers = std::vector<double>;

namespace {

/// D in float64, K upward.
Numbers multiply(const DotKernel &kernel, const Numbers &a, const Numbers &b,
                 const Numbers &c) {
  Numbers d = c;
  for (int64_t batch = 0; batch < kernel.countBatches(); ++batch)
    for (int64_t row = 0; row < kernel.rows; ++row)
      for (int64_t k = 0; k < kernel.k; ++k)
        for (int64_t column = 0; column < kernel.columns; ++column)
          d[(batch * kernel.rows + row) * kernel.columns + column] +=
              a[(batch * kernel.rows + row) * kernel.k + k] *
              b[(batch * kernel.k + k) * kernel.columns + column];
  return d;
}

struct Operands {
  Numbers a, b, c;

  template <typename Draw>
  Operands(const DotKernel &kernel, Draw draw) {
    int64_t batches = kernel.countBatches();
    a.resize(batches * kernel.rows * kernel.k);
    b.resize(batches * kernel.k * kernel.columns);
    c.resize(batches * kernel.rows * kernel.columns);
    for (Numbers *numbers : {&a, &b, &c})
      for (double &number : *numbers)
        number = draw();
  }
};

void expectExact(const DotKernel &kernel, std::mt19937 &random) {
  SCOPED_TRACE(kernel);
  Operands operands(kernel, [&] { return double(random() % 9) - 4; });
  EXPECT_EQ(runDot(kernel, operands.a, operands.b, operands.c),
            multiply(kernel, operands.a, operands.b, operands.c));
}

/// The mnemonic of the first instruction that the kernel computes with.
std::string findInstruction(const DotKernel &kernel) {
  std::string ptx = compileToPtx(kernel);
  for (const char *start : {"mma.sync", "dp4a", "fma.rn.f32", "fma.rn.f64"})
    if (size_t at = ptx.find(start); at != std::string::npos)
      return ptx.substr(at, ptx.find_first_of(" \t\n", at) - at);
  return ptx;
}

struct Types {
  const char *operand, *accumulator, *precision;
};

constexpr Types allTypes[] = {
    {"f16", "f32", "ieee"},   {"f16", "f16", "ieee"},
    {"bf16", "f32", "ieee"},  {"f32", "f32", "ieee"},
    {"f32", "f32", "tf32"},   {"f32", "f32", "tf32x3"},
    {"f32", "f32", "bf16x3"}, {"f32", "f32", "bf16x6"},
    {"f64", "f64", "ieee"},   {"i8", "i32", "ieee"},
    {"i8", "i64", "ieee"},    {"i16", "i32", "ieee"},
    {"f32", "f64", "ieee"}};

DotKernel makeKernel(const std::string &target, const Types &types,
                     unsigned warps, std::array<int64_t, 4> shape) {
  return {target,   warps,         shape[0],          shape[1],       shape[2],
          shape[3], types.operand, types.accumulator, types.precision};
}

TEST(Dots, EveryTypeOnEveryTarget) {
  std::mt19937 random(1);
  for (const std::string &target : compiler::supportedTargets())
    for (const Types &types : allTypes)
      expectExact(makeKernel(target, types, 4, {0, 32, 32, 32}), random);
}

/// Smaller than any instruction in each dimension, more warps than tiles, and
/// batches.
TEST(Dots, EveryShape) {
  const std::array<int64_t, 4> shapes[] = {
      {0, 1, 1, 1},  {0, 1, 16, 16}, {0, 16, 1, 4},  {0, 4, 8, 1},
      {0, 2, 2, 64}, {0, 64, 16, 8}, {4, 16, 32, 8}, {8, 2, 4, 16}};
  std::mt19937 random(2);
  for (const char *target : {"sm_70", "sm_75", "sm_80"})
    for (const Types &types :
         {allTypes[0], allTypes[2], allTypes[4], allTypes[8], allTypes[9]})
      for (const std::array<int64_t, 4> &shape : shapes)
        for (unsigned warps : {1, 4})
          expectExact(makeKernel(target, types, warps, shape), random);
  for (int64_t k : {2, 4, 8, 64})
    expectExact(makeKernel("sm_90a", allTypes[8], 4, {0, 32, 16, k}), random);
}

TEST(Dots, Instructions) {
  auto find = [](const char *target, const Types &types) {
    return findInstruction(makeKernel(target, types, 4, {0, 32, 32, 32}));
  };
  const Types f16 = allTypes[0], f16Sums = allTypes[1], bf16 = allTypes[2];
  const Types f32 = allTypes[3], tf32 = allTypes[4], f64 = allTypes[8];
  const Types i8 = allTypes[9];
  EXPECT_EQ(find("sm_70", f16),
            "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32");
  EXPECT_EQ(find("sm_70", f16Sums),
            "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16");
  EXPECT_EQ(find("sm_70", bf16), "fma.rn.f32");
  EXPECT_EQ(find("sm_70", i8), "dp4a.s32.s32");
  EXPECT_EQ(find("sm_70", f64), "fma.rn.f64");
  EXPECT_EQ(find("sm_75", f16),
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32");
  EXPECT_EQ(find("sm_75", i8),
            "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32");
  EXPECT_EQ(find("sm_75", tf32), "fma.rn.f32");
  EXPECT_EQ(find("sm_80", f16),
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(find("sm_80", bf16),
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
  EXPECT_EQ(find("sm_80", tf32),
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
  EXPECT_EQ(find("sm_80", f32), "fma.rn.f32");
  EXPECT_EQ(find("sm_80", i8),
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32");
  EXPECT_EQ(find("sm_80", f64),
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64");
  EXPECT_EQ(find("sm_90a", f64),
            "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64");
}

/// However long K is: 32 elements of the result in a thread, 16 of K at a time.
TEST(Dots, MultiplyAddsAreALoop) {
  std::mt19937 random(3);
  for (int64_t k : {16, 64, 128}) {
    DotKernel kernel =
        makeKernel("sm_75", {"bf16", "f32", "ieee"}, 4, {0, 64, 64, k});
    std::string ptx = compileToPtx(kernel);
    size_t count = 0;
    for (size_t at = 0; (at = ptx.find("fma.rn.f32", at)) != std::string::npos;
         ++at)
      ++count;
    EXPECT_EQ(count, 512u) << kernel;
    expectExact(kernel, random);
  }
}

/// Operands of 128 KB, more than there is of shared memory.
TEST(Dots, OperandsLargerThanSharedMemory) {
  std::mt19937 random(6);
  expectExact(makeKernel("sm_75", {"f32", "f32", "ieee"}, 4, {0, 64, 64, 256}),
              random);
  expectExact(
      makeKernel("sm_75", {"bf16", "f16", "ieee"}, 4, {0, 32, 32, 1024}),
      random);
}

/// The largest error of any element over the sum of |a||b|.
double measureError(const DotKernel &kernel) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  Operands operands(kernel, [&] { return double(float(normal(random))); });
  std::fill(operands.c.begin(), operands.c.end(), 0.0);
  Numbers actual = runDot(kernel, operands.a, operands.b, operands.c);
  Numbers expected = multiply(kernel, operands.a, operands.b, operands.c);
  for (Numbers *numbers : {&operands.a, &operands.b})
    for (double &number : *numbers)
      number = std::abs(number);
  Numbers magnitude = multiply(kernel, operands.a, operands.b, operands.c);
  double largest = 0.0;
  for (size_t index = 0; index < actual.size(); ++index)
    largest = std::max(largest, std::abs(actual[index] - expected[index]) /
                                    magnitude[index]);
  return largest;
}

/// tf32 has 11 bits, so each operand is wrong by 2^-11 of itself; two parts by
/// 2^-22, and the product of the low parts, 2^-22, is left out. bf16 has 8
/// bits: 2^-16 and 2^-16; three parts are wrong by 2^-24, and leave out twice
/// 2^-8 * 2^-16. Sums bring at most (K + 2) * 2^-23 for each product of parts.
TEST(Dots, InputPrecision) {
  auto measure = [](const char *precision) {
    return measureError(
        makeKernel("sm_80", {"f32", "f32", precision}, 4, {0, 32, 32, 32}));
  };
  double sums = 34 * std::ldexp(1.0, -23);
  EXPECT_GT(measure("tf32"), std::ldexp(1.0, -16));
  EXPECT_LT(measure("tf32"), std::ldexp(1.0, -10) + sums);
  EXPECT_LT(measure("tf32x3"), 3 * std::ldexp(1.0, -22) + sums);
  EXPECT_GT(measure("bf16x3"), std::ldexp(1.0, -22));
  EXPECT_LT(measure("bf16x3"), 3 * std::ldexp(1.0, -16) + sums);
  EXPECT_LT(measure("bf16x6"), std::ldexp(1.0, -22) + sums);
  EXPECT_LT(measure("ieee"), sums);
}

/// Infinities stay what they are where K is filled up with zeros, and where an
/// operand is split into parts.
TEST(Dots, Infinities) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Types types[] = {allTypes[0], allTypes[4], allTypes[5], allTypes[7]};
  for (const Types &type : types) {
    DotKernel kernel = makeKernel("sm_80", type, 1, {0, 16, 16, 2});
    SCOPED_TRACE(kernel);
    // 1.0009765625 is inexact in tf32 and bf16, so that its low part is not 0.
    Operands operands(kernel, [] { return 1.0009765625; });
    operands.a[2 * 2] = infinity;
    operands.b[3] = -infinity;
    Numbers expected = multiply(kernel, operands.a, operands.b, operands.c);
    Numbers actual = runDot(kernel, operands.a, operands.b, operands.c);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t index = 0; index < actual.size(); ++index) {
      if (std::isnan(expected[index]))
        EXPECT_TRUE(std::isnan(actual[index])) << index;
      else if (std::isinf(expected[index]))
        EXPECT_EQ(actual[index], expected[index]) << index;
      else
        EXPECT_TRUE(std::isfinite(actual[index])) << index;
    }
  }
}

} // namespace
