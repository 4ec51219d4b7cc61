// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of tiles with 8-bit floats as elements, which some targets have
// instructions for and others widen.

#include "test/Unit/Numeric/NumericTest.h"

using namespace tilewright;
using namespace tilewright::numeric;

namespace {

/// Views a tile of the kernel as a square.
std::string square(const std::string &name, const std::string &type) {
  return "  %" + name + "_square = tt.reshape %" + name + " : " + tileOf(type) +
         " -> tensor<32x32x" + type + ">\n";
}

class SmallFloatDotTest : public NumericTest {
protected:
  /// Small multiples of 1/2: every sum of 32 products is exact in f32.
  Bits makeCodes(const std::string &type, unsigned step) {
    Bits codes(2 * tileSize);
    for (size_t index = 0; index < codes.size(); ++index)
      codes[index] =
          encode(type, (double(index * step % 13) - 6.0) / (1 + index % 2));
    return codes;
  }

  void check(const std::string &a, const std::string &b) {
    std::string body =
        square("x0", a) + square("x1", b) +
        "  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>\n"
        "  %product = tt.dot %x0_square, %x1_square, %zeros : tensor<32x32x" +
        a + "> * tensor<32x32x" + b +
        "> -> tensor<32x32xf32>\n"
        "  %r = tt.reshape %product : tensor<32x32xf32> -> " +
        tileOf("f32");
    expectReferenceBits({{a, b}, "f32", body},
                        {makeCodes(a, 5), makeCodes(b, 7)});
  }
};

} // namespace

TEST_F(SmallFloatDotTest, E4M3) { check("f8E4M3FN", "f8E4M3FN"); }
TEST_F(SmallFloatDotTest, E5M2) { check("f8E5M2", "f8E5M2"); }
TEST_F(SmallFloatDotTest, Mixed) { check("f8E4M3FN", "f8E5M2"); }
TEST_F(SmallFloatDotTest, WithoutNegativeZero) {
  check("f8E4M3FNUZ", "f8E5M2FNUZ");
}
