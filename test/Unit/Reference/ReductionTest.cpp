// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, scans and gathers.

#include "test/Unit/Reference/ReferenceTest.h"

using namespace tilewright::reference;

namespace {
class ReductionTest : public ReferenceTest {
protected:
  const std::string matrix =
      "%a = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : "
      "tensor<2x4xi32>\n";

  /// A reduction or scan of %a, whose region combines %x, what is so far, and
  /// %y.
  std::string combine(const std::string &op, const std::string &attributes,
                      const std::string &type) {
    return "%s = \"tt." + op + "\"(%a) <{" + attributes +
           "}> ({\n"
           "^bb0(%x: i32, %y: i32):\n  %ten = arith.constant 10 : i32\n"
           "  %t = arith.muli %x, %ten : i32\n"
           "  %z = arith.addi %t, %y : i32\n  tt." +
           op +
           ".return %z : i32\n"
           "}) : (tensor<2x4xi32>) -> " +
           type + "\n";
  }
};
} // namespace

/// The region writes digits one after another, which shows the order.
TEST_F(ReductionTest, ReducesAlongEitherAxis) {
  EXPECT_EQ(evaluateIntegers(
                matrix + combine("reduce", "axis = 1 : i32", "tensor<2xi32>") +
                    "%r = tt.reshape %s : tensor<2xi32> -> "
                    "tensor<2xi32>",
                "i32", 2),
            (Integers{1234, 5678}));
  EXPECT_EQ(evaluateIntegers(
                matrix + combine("reduce", "axis = 0 : i32", "tensor<4xi32>") +
                    "%r = tt.reshape %s : tensor<4xi32> -> "
                    "tensor<4xi32>",
                "i32", 4),
            (Integers{15, 26, 37, 48}));
}

TEST_F(ReductionTest, ReducesToAScalar) {
  EXPECT_EQ(evaluateReals(R"(
%a = arith.constant dense<[0.5, 0.25, 4.0, 1.0]> : tensor<4xf32>
%s = "tt.reduce"(%a) <{axis = 0 : i32}> ({
^bb0(%x: f32, %y: f32):
  %z = arith.addf %x, %y : f32
  tt.reduce.return %z : f32
}) : (tensor<4xf32>) -> f32
%r = tt.splat %s : f32 -> tensor<1xf32>)",
                          "f32", 1),
            (Reals{5.75}));
}

/// The index of the largest element: two sources, and a value from outside.
TEST_F(ReductionTest, ReducesPairs) {
  EXPECT_EQ(evaluateIntegers(R"(
%a = arith.constant dense<[3.0, 9.0, 2.0, 9.0]> : tensor<4xf32>
%i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
%one = arith.constant 100 : i32
%v, %w = "tt.reduce"(%a, %i) <{axis = 0 : i32}> ({
^bb0(%x: f32, %xi: i32, %y: f32, %yi: i32):
  %c = arith.cmpf ogt, %y, %x : f32
  %m = arith.select %c, %y, %x : f32
  %k = scf.if %c -> i32 {
    scf.yield %yi : i32
  } else {
    scf.yield %xi : i32
  }
  tt.reduce.return %m, %k : f32, i32
}) : (tensor<4xf32>, tensor<4xi32>) -> (f32, i32)
%k = arith.addi %w, %one : i32
%r = tt.splat %k : i32 -> tensor<1xi32>)",
                             "i32", 1),
            (Integers{101}));
}

TEST_F(ReductionTest, ScansForwardsAndBackwards) {
  auto scan = [&](const std::string &attributes) {
    return evaluateIntegers(
        matrix + combine("scan", attributes, "tensor<2x4xi32>") +
            "%r = tt.reshape %s : tensor<2x4xi32> -> tensor<8xi32>",
        "i32", 8);
  };
  EXPECT_EQ(scan("axis = 1 : i32, reverse = false"),
            (Integers{1, 12, 123, 1234, 5, 56, 567, 5678}));
  EXPECT_EQ(scan("axis = 1 : i32, reverse = true"),
            (Integers{4321, 432, 43, 4, 8765, 876, 87, 8}));
  EXPECT_EQ(scan("axis = 0 : i32, reverse = false"),
            (Integers{1, 2, 3, 4, 15, 26, 37, 48}));
  EXPECT_EQ(scan("axis = 0 : i32, reverse = true"),
            (Integers{51, 62, 73, 84, 5, 6, 7, 8}));
}

TEST_F(ReductionTest, Gathers) {
  options.undefinedBits = 77;
  EXPECT_EQ(evaluateIntegers(matrix + R"(
%i = arith.constant dense<[[3, 0], [-1, 2]]> : tensor<2x2xi64>
%g = tt.gather %a[%i] {axis = 1 : i32} : (tensor<2x4xi32>, tensor<2x2xi64>) -> tensor<2x2xi32>
%r = tt.reshape %g : tensor<2x2xi32> -> tensor<4xi32>)",
                             "i32", 4),
            (Integers{4, 1, 77, 7}));
}
