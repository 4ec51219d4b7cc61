// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making tiles, and giving their elements other coordinates.

#include "test/Unit/Reference/ReferenceTest.h"

using namespace tilewright::reference;

namespace {
class ShapeTest : public ReferenceTest {
protected:
  /// A tile %a of [[0, 1, 2, 3], [4, 5, 6, 7]].
  const std::string matrix =
      "%a = arith.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : "
      "tensor<2x4xi32>\n";
};
} // namespace

TEST_F(ShapeTest, Ranges) {
  EXPECT_EQ(evaluateIntegers("%r = tt.make_range {start = 5 : i32, end = 9 : "
                             "i32} : tensor<4xi32>",
                             "i32", 4),
            (Integers{5, 6, 7, 8}));
}

TEST_F(ShapeTest, SplatAndBack) {
  EXPECT_EQ(evaluateIntegers("%c = arith.constant 7 : i32\n"
                             "%s = tt.splat %c : i32 -> tensor<1x1xi32>\n"
                             "%u = tt.unsplat %s : tensor<1x1xi32>\n"
                             "%r = tt.splat %u : i32 -> tensor<2xi32>",
                             "i32", 2),
            (Integers{7, 7}));
}

TEST_F(ShapeTest, ExpandAndBroadcast) {
  auto repeat = [&](const std::string &axis, const std::string &shape) {
    return evaluateIntegers(
        "%a = arith.constant dense<[3, 8]> : tensor<2xi32>\n%e = "
        "tt.expand_dims %a {axis = " +
            axis +
            " : i32} : tensor<2xi32> -> "
            "tensor<" +
            shape + "xi32>\n%b = tt.broadcast %e : tensor<" + shape +
            "xi32> -> tensor<2x2xi32>\n%r = tt.reshape %b : tensor<2x2xi32> -> "
            "tensor<4xi32>",
        "i32", 4);
  };
  EXPECT_EQ(repeat("0", "1x2"), (Integers{3, 8, 3, 8}));
  EXPECT_EQ(repeat("1", "2x1"), (Integers{3, 3, 8, 8}));
}

TEST_F(ShapeTest, Transposes) {
  EXPECT_EQ(evaluateIntegers(
                matrix + "%t = tt.trans %a {order = array<i32: 1, 0>} : "
                         "tensor<2x4xi32> -> tensor<4x2xi32>\n%r = tt.reshape "
                         "%t : tensor<4x2xi32> -> tensor<8xi32>",
                "i32", 8),
            (Integers{0, 4, 1, 5, 2, 6, 3, 7}));
}

/// Dimension i of the result is dimension order[i] of the source: with [1, 2,
/// 0] the element at (i, j, k) of the result is that at (k, i, j).
TEST_F(ShapeTest, RotatesDimensions) {
  EXPECT_EQ(evaluateIntegers(matrix +
                                 "%s = tt.reshape %a : tensor<2x4xi32> -> "
                                 "tensor<2x2x2xi32>\n%t = tt.trans %s {order = "
                                 "array<i32: 1, 2, 0>} : tensor<2x2x2xi32> -> "
                                 "tensor<2x2x2xi32>\n%r = tt.reshape %t : "
                                 "tensor<2x2x2xi32> -> tensor<8xi32>",
                             "i32", 8),
            (Integers{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST_F(ShapeTest, JoinsAndSplits) {
  std::string tiles = "%a = arith.constant dense<[1, 2]> : tensor<2xi32>\n"
                      "%b = arith.constant dense<[5, 6]> : tensor<2xi32>\n"
                      "%j = tt.join %a, %b : tensor<2xi32> -> "
                      "tensor<2x2xi32>\n";
  EXPECT_EQ(evaluateIntegers(tiles + "%r = tt.reshape %j : tensor<2x2xi32> -> "
                                     "tensor<4xi32>",
                             "i32", 4),
            (Integers{1, 5, 2, 6}));
  EXPECT_EQ(evaluateIntegers(tiles + "%x, %r = tt.split %j : tensor<2x2xi32> "
                                     "-> tensor<2xi32>",
                             "i32", 2),
            (Integers{5, 6}));
  EXPECT_EQ(evaluateIntegers(tiles + "%r = tt.cat %a, %b : tensor<2xi32> -> "
                                     "tensor<4xi32>",
                             "i32", 4),
            (Integers{1, 2, 5, 6}));
}
