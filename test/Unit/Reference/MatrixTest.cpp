// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products, and the dialect `tile`.

#include "test/Unit/Reference/ReferenceTest.h"

#include <cmath>

using namespace tilewright::reference;

namespace {
class MatrixTest : public ReferenceTest {};
} // namespace

TEST_F(MatrixTest, Products) {
  EXPECT_EQ(evaluateReals(R"(
%a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
%b = arith.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf16>
%c = arith.constant dense<[[0.5, 0.0], [0.0, -1.0]]> : tensor<2x2xf32>
%d = tt.dot %a, %b, %c : tensor<2x2xf16> * tensor<2x2xf16> -> tensor<2x2xf32>
%r = tt.reshape %d : tensor<2x2xf32> -> tensor<4xf32>)",
                          "f32", 4),
            (Reals{19.5, 22.0, 43.0, 49.0}));
}

/// Neither operands nor sums are rounded: tf32 would make 1 of 1 + 2^-20, and
/// f32 would lose the 1 beside 2^30.
TEST_F(MatrixTest, ProductsAreExact) {
  EXPECT_EQ(evaluateReals(R"(
%a = arith.constant dense<[[1.00000095367431640625, 1.0]]> : tensor<1x2xf32>
%b = arith.constant dense<[[1073741824.0], [1.0]]> : tensor<2x1xf32>
%c = arith.constant dense<-1073741824.0> : tensor<1x1xf32>
%d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<1x2xf32> * tensor<2x1xf32> -> tensor<1x1xf32>
%r = tt.reshape %d : tensor<1x1xf32> -> tensor<1xf32>)",
                          "f32", 1),
            (Reals{1025.0}));
}

/// Two matrices of one row; i8 is signed, and the sum wraps at 32 bits.
TEST_F(MatrixTest, IntegerBatches) {
  EXPECT_EQ(evaluateIntegers(R"(
%a = arith.constant dense<[[[-128, 2]], [[127, -1]]]> : tensor<2x1x2xi8>
%b = arith.constant dense<[[[-128], [3]], [[127], [1]]]> : tensor<2x2x1xi8>
%c = arith.constant dense<[[[0]], [[2147483647]]]> : tensor<2x1x1xi32>
%d = tt.dot %a, %b, %c : tensor<2x1x2xi8> * tensor<2x2x1xi8> -> tensor<2x1x1xi32>
%r = tt.reshape %d : tensor<2x1x1xi32> -> tensor<2xi32>)",
                             "i32", 2),
            (Integers{16390, -2147467521}));
}

/// K = 32, two codes of e2m1 a byte: 0x52 is 1.0 and 3.0, the lower nibble
/// first; b selects the odd ones. The scale 2^1 is a's, and 2^-1 b's second
/// column's.
TEST_F(MatrixTest, ScaledProducts) {
  EXPECT_EQ(evaluateReals(R"(
%a = arith.constant dense<82> : tensor<1x16xi8>
%as = arith.constant dense<-128> : tensor<1x1xi8>
%bs = arith.constant dense<[[127], [126]]> : tensor<2x1xi8>
%i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
%c1 = arith.constant dense<1> : tensor<32xi32>
%odd = arith.andi %i, %c1 : tensor<32xi32>
%f = arith.sitofp %odd : tensor<32xi32> to tensor<32xbf16>
%e = tt.expand_dims %f {axis = 1 : i32} : tensor<32xbf16> -> tensor<32x1xbf16>
%b = tt.broadcast %e : tensor<32x1xbf16> -> tensor<32x2xbf16>
%c = arith.constant dense<1.0> : tensor<1x2xf32>
%d = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<1x16xi8>, tensor<1x1xi8> * tensor<32x2xbf16>, tensor<2x1xi8> -> tensor<1x2xf32>
%r = tt.reshape %d : tensor<1x2xf32> -> tensor<2xf32>)",
                          "f32", 2),
            // 16 * 3 * 2 + 1, and half of the product.
            (Reals{97.0, 49.0}));
}

/// Two groups of 8 elements, of nibbles 0 to 15 in two words.
TEST_F(MatrixTest, Dequantizes) {
  EXPECT_EQ(evaluateReals(R"(
%q = arith.constant dense<[0x76543210, 0xFEDCBA98]> : tensor<2xi32>
%s = arith.constant dense<[0.5, 2.0]> : tensor<2xf16>
%z = arith.constant dense<[3, 8]> : tensor<2xi8>
%r = tile.dequantize %q scale %s zero %z format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32} : tensor<2xi32> scale tensor<2xf16> zero tensor<2xi8> -> tensor<16xf16>)",
                          "f16", 16),
            (Reals{-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 0.0, 2.0, 4.0,
                   6.0, 8.0, 10.0, 12.0, 14.0}));
}

TEST_F(MatrixTest, DequantizesOtherFormats) {
  auto dequantize = [&](const std::string &format) {
    return evaluateReals(
        "%q = arith.constant dense<[0x6A, 0x1F]> : tensor<2xi8>\n"
        "%s = arith.constant dense<1.0> : tensor<1xf32>\n"
        "%r = tile.dequantize %q scale %s format = " +
            format +
            " {axis = 0 : i32, bits = 4 : i32, group_size = 4 : i32} : "
            "tensor<2xi8> scale tensor<1xf32> -> tensor<4xf32>",
        "f32", 4);
  };
  EXPECT_EQ(dequantize("signed"), (Reals{-6.0, 6.0, -1.0, 1.0}));
  EXPECT_EQ(dequantize("signed order = high_first"),
            (Reals{6.0, -6.0, 1.0, -1.0}));
  EXPECT_EQ(dequantize("e2m1"), (Reals{-1.0, 4.0, -6.0, 0.5}));
}

/// (I + S) X = B for S with 2 below the diagonal, whose own content counts
/// nothing.
TEST_F(MatrixTest, SolvesTriangularSystems) {
  std::string lower = "%l = arith.constant dense<[[9.0, 9.0], [2.0, "
                      "0x7FC00000]]> : tensor<2x2xf32>\n";
  std::string flatten =
      "\n%r = tt.reshape %x : tensor<2x2xf32> -> tensor<4xf32>";
  EXPECT_EQ(evaluateReals(lower +
                              "%x = tile.solve_unit_lower %l : "
                              "tensor<2x2xf32> -> tensor<2x2xf32>" +
                              flatten,
                          "f32", 4),
            (Reals{1.0, 0.0, -2.0, 1.0}));
  EXPECT_EQ(evaluateReals(lower + R"(
%b = arith.constant dense<[[1.0, 4.0], [5.0, 6.0]]> : tensor<2x2xf32>
%x = tile.solve_unit_lower %l, %b : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>)" +
                              flatten,
                          "f32", 4),
            (Reals{1.0, 4.0, 3.0, -2.0}));
}
