// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options::roundingSeed: runs in which arithmetic rounds at random.

#include "lib/Judges/Reference/RandomRounding.h"
#include "test/Unit/Reference/ReferenceTest.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace tilewright::reference;

namespace {
class RoundingTest : public ReferenceTest {
protected:
  /// What a body gives with each of a few seeds, element 0.
  std::set<double> evaluateOften(const std::string &body,
                                 const std::string &type, int64_t count) {
    std::set<double> results;
    for (options.roundingSeed = 1; options.roundingSeed <= 20;
         ++options.roundingSeed)
      results.insert(evaluateReals(body, type, count)[0]);
    options.roundingSeed = 0;
    return results;
  }
};
} // namespace

TEST(RandomRounding, GivesOneOfTheNeighbours) {
  RandomRounding rounding(7);
  std::set<double> seen;
  for (int time = 0; time < 50; ++time)
    seen.insert(rounding.round(1.0 + 0x1p-12, 11));
  EXPECT_EQ(seen, (std::set<double>{1.0, 1.0 + 0x1p-10}));
  seen.clear();
  for (int time = 0; time < 50; ++time)
    seen.insert(rounding.round(-(2.0 - 0x1p-20), 11));
  EXPECT_EQ(seen, (std::set<double>{-2.0, -(2.0 - 0x1p-10)}));
}

TEST(RandomRounding, KeepsWhatIsExact) {
  RandomRounding rounding(7);
  for (double value : {0.0, 1.5, -2047.0, double(INFINITY)})
    EXPECT_EQ(rounding.round(value, 11), value);
  EXPECT_TRUE(std::isnan(rounding.round(NAN, 11)));
  EXPECT_EQ(rounding.round(0.1, 53), 0.1);
  EXPECT_EQ(RandomRounding(0).round(0.1, 11), 0.1);
}

TEST(RandomRounding, CutsOperandsWithOddSeeds) {
  RandomRounding odd(7), even(8);
  std::set<double> seen;
  for (int time = 0; time < 50; ++time) {
    EXPECT_EQ(odd.roundOperand(-(1.0 + 0x1p-11 + 0x1p-12), 11), -1.0);
    seen.insert(even.roundOperand(1.0 + 0x1p-12, 11));
  }
  EXPECT_EQ(seen, (std::set<double>{1.0, 1.0 + 0x1p-10}));
}

TEST(RandomRounding, EndsWhereTheTypeDoes) {
  MLIRContext context;
  FloatType single = Float32Type::get(&context);
  RandomRounding odd(7), even(8);
  EXPECT_EQ(odd.round(-1e39, single), -INFINITY);
  EXPECT_EQ(odd.round(1e39, Float64Type::get(&context)), 1e39);
  EXPECT_EQ(odd.round(1e39, BFloat16Type::get(&context)), INFINITY);
  EXPECT_EQ(odd.round(7e4, Float16Type::get(&context)), INFINITY);
  // Some instructions have no numbers below the normal ones.
  EXPECT_EQ(odd.round(0x1p-127, single), 0.0);
  EXPECT_EQ(even.round(0x1p-127, single), 0x1p-127);
  EXPECT_EQ(odd.round(0x1p-20, Float16Type::get(&context)), 0x1p-20);
}

TEST_F(RoundingTest, SumsAreRoundedToTheirType) {
  const std::string body = "%a = arith.constant dense<1.0> : tensor<1xf32>\n"
                           "%b = arith.constant dense<3.0e-8> : tensor<1xf32>\n"
                           "%r = arith.addf %a, %b : tensor<1xf32>";
  EXPECT_EQ(evaluateOften(body, "f32", 1),
            (std::set<double>{1.0, 1.0 + 0x1p-23}));
  // Rounded once, to nearest, where it is stored.
  EXPECT_EQ(evaluateReals(body, "f32", 1), (Reals{1.0}));
}

TEST_F(RoundingTest, WhatIsExactStays) {
  EXPECT_EQ(evaluateOften("%a = arith.constant dense<0.1> : tensor<1xf32>\n"
                          "%b = arith.constant dense<0.7> : tensor<1xf32>\n"
                          "%r = arith.maximumf %a, %b : tensor<1xf32>",
                          "f32", 1)
                .size(),
            1u);
}

TEST_F(RoundingTest, ConversionsRoundToTheNarrowerType) {
  EXPECT_EQ(evaluateOften("%a = arith.constant dense<1.0001> : tensor<1xf32>\n"
                          "%r = arith.truncf %a : tensor<1xf32> to "
                          "tensor<1xf16>",
                          "f16", 1),
            (std::set<double>{1.0, 1.0 + 0x1p-10}));
}

TEST_F(RoundingTest, ExponentialsHaveTheErrorOfTheirArgument) {
  double exact = std::exp(50.0);
  for (double value :
       evaluateOften("%a = arith.constant dense<50.0> : tensor<1xf32>\n"
                     "%r = math.exp %a : tensor<1xf32>",
                     "f32", 1))
    EXPECT_LE(std::abs(value / exact - 1.0), 80 * 0x1p-23);
}

TEST_F(RoundingTest, ProductsAreRoundedAfterEachSum) {
  const std::string body =
      "%a = arith.constant dense<0.1> : tensor<16x16xf32>\n"
      "%z = arith.constant dense<0.0> : tensor<16x16xf32>\n"
      "%d = tt.dot %a, %a, %z, inputPrecision = PRECISION : tensor<16x16xf32> "
      "* tensor<16x16xf32> -> tensor<16x16xf32>\n"
      "%r = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>";
  auto getSpread = [&](const char *precision) {
    std::string text = body;
    text.replace(text.find("PRECISION"), 9, precision);
    std::set<double> results = evaluateOften(text, "f32", 256);
    return *results.rbegin() - *results.begin();
  };
  EXPECT_GT(getSpread("ieee"), 0.0);
  EXPECT_LT(getSpread("ieee"), 16 * 0x1p-23);
  // Operands of 11 bits.
  EXPECT_GT(getSpread("tf32"), 0x1p-16);
  EXPECT_LT(getSpread("tf32"), 0x1p-8);
}

TEST_F(RoundingTest, NotesWhatIsStoredTo) {
  addReals("f32", {1.0, 2.0, 3.0});
  ASSERT_TRUE(
      succeeded(run(parse("tt.func @f(%p: !tt.ptr<f32>) {\n"
                          "%one = arith.constant 1 : i32\n"
                          "%q = tt.addptr %p, %one : !tt.ptr<f32>, i32\n"
                          "%x = tt.load %q : !tt.ptr<f32>\n"
                          "tt.store %q, %x : !tt.ptr<f32>\n"
                          "tt.return\n}"))));
  const Buffer &buffer = memory.getBuffers()[0];
  EXPECT_FALSE(buffer.isWritten(0));
  EXPECT_TRUE(buffer.isWritten(1));
  EXPECT_FALSE(buffer.isWritten(2));
}
