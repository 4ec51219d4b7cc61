// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between floating-point types against the reference, bit by bit:
// from 8 and 16 bits all codes, from more a sample around every number that the
// narrower types have.

#include "test/Unit/Numeric/NumericTest.h"

using namespace tilewright;
using namespace tilewright::numeric;

namespace {

const char *const smallTypes[] = {"f8E4M3FN", "f8E5M2", "f8E4M3FNUZ",
                                  "f8E5M2FNUZ"};
const char *const wideTypes[] = {"f16", "bf16", "f32", "f64"};

unsigned getBits(const std::string &type) {
  return type.starts_with("f8")  ? 8
         : type.ends_with("f16") ? 16
         : type == "f32"         ? 32
                                 : 64;
}

class FloatConversionTest : public NumericTest {
protected:
  /// `op` is the conversion's text before its types.
  void check(const std::string &op, const std::string &from,
             const std::string &to) {
    MapKernel kernel{{from},
                     to,
                     "  %r = " + op + " : " + tileOf(from) +
                         (op.starts_with("tt.") ? " -> " : " to ") +
                         tileOf(to)};
    expectReferenceBits(kernel,
                        {getBits(from) <= 16 ? allCodes(getBits(from))
                                             : sampleCodes(from, 60000)});
  }
};

} // namespace

TEST_F(FloatConversionTest, SmallToWide) {
  for (const char *from : smallTypes)
    for (const char *to : wideTypes) {
      check("tt.fp_to_fp %x0", from, to);
      check("arith.extf %x0", from, to);
    }
}

TEST_F(FloatConversionTest, SmallToSmall) {
  for (const char *from : smallTypes)
    for (const char *to : smallTypes)
      if (std::string(from) != to)
        for (const char *rounding : {"rtne", "rtz"})
          check(std::string("tt.fp_to_fp %x0, rounding = ") + rounding, from,
                to);
}

TEST_F(FloatConversionTest, WideToSmallSaturates) {
  for (const char *from : wideTypes)
    for (const char *to : smallTypes)
      for (const char *rounding : {"rtne", "rtz"})
        check(std::string("tt.fp_to_fp %x0, rounding = ") + rounding, from, to);
}

TEST_F(FloatConversionTest, TruncationToSmallOverflows) {
  for (const char *from : wideTypes)
    for (const char *to : smallTypes)
      for (const char *rounding : {"", " toward_zero"})
        check(std::string("arith.truncf %x0") + rounding, from, to);
}

TEST_F(FloatConversionTest, BetweenWideTypes) {
  for (const char *from : wideTypes)
    for (const char *to : wideTypes)
      if (std::string(from) != to)
        for (const char *rounding : {"rtne", "rtz"})
          check(std::string("tt.fp_to_fp %x0, rounding = ") + rounding, from,
                to);
}

TEST_F(FloatConversionTest, TruncationTowardZero) {
  for (const char *to : {"f16", "bf16"})
    check("arith.truncf %x0 toward_zero", "f32", to);
  check("arith.truncf %x0 to_nearest_even", "f64", "bf16");
}

// Codes pass through what only moves them.
TEST_F(FloatConversionTest, MovesOfSmallFloats) {
  std::string codes = tileOf("i8"), conditions = tileOf("i1");
  for (const std::string type : smallTypes) {
    std::string body =
        "  %code = tt.bitcast %x0 : " + tileOf(type) + " -> " + codes +
        "\n  %limit = arith.constant dense<100> : " + codes +
        "\n  %isLow = arith.cmpi ult, %code, %limit : " + codes +
        "\n  %one = arith.constant 1.0 : " + type +
        "\n  %ones = tt.splat %one : " + type + " -> " + tileOf(type) +
        "\n  %some = arith.select %isLow, %x0, "
        "%ones : " +
        conditions + ", " + tileOf(type) +
        "\n  %parts = tt.reshape %some : " + tileOf(type) +
        " -> tensor<32x32x" + type +
        ">\n  %turned = tt.trans %parts {order = array<i32: 1, 0>} : "
        "tensor<32x32x" +
        type + "> -> tensor<32x32x" + type +
        ">\n  %r = tt.reshape %turned : tensor<32x32x" + type + "> -> " +
        tileOf(type);
    expectReferenceBits({{type}, type, body}, {allCodes(8)});
  }
}

// The sign alone changes: of NaN too, but for the one that has -0's code.
TEST_F(FloatConversionTest, SignsOf8Bits) {
  for (const std::string type : smallTypes)
    for (const char *op : {"math.absf", "arith.negf"})
      expectReferenceBits(
          {{type},
           type,
           std::string("  %r = ") + op + " %x0 : " + tileOf(type)},
          {allCodes(8)});
}
