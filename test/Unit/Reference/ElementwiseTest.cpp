// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, conversions and functions on elements, against numbers worked
// out by hand.

#include "test/Unit/Reference/ReferenceTest.h"

#include <cmath>

using namespace mlir;
using namespace tilewright::reference;

namespace {

/// Four elements by one operation of two tiles of constants.
std::string binary(const std::string &op, const std::string &type,
                   const std::string &lhs, const std::string &rhs) {
  std::string tile = "tensor<4x" + type + ">";
  return "%a = arith.constant dense<[" + lhs + "]> : " + tile +
         "\n%b = arith.constant dense<[" + rhs + "]> : " + tile +
         "\n%r = " + op + " %a, %b : " + tile;
}

class ElementwiseTest : public ReferenceTest {
protected:
  Integers integers(const std::string &op, const std::string &type,
                    const std::string &lhs, const std::string &rhs) {
    return evaluateIntegers(binary(op, type, lhs, rhs), type, 4);
  }
  Integers comparison(const std::string &op, const std::string &type,
                      const std::string &lhs, const std::string &rhs) {
    return evaluateIntegers(binary(op, type, lhs, rhs), "i1", 4);
  }
  Reals reals(const std::string &op, const std::string &type,
              const std::string &lhs, const std::string &rhs) {
    return evaluateReals(binary(op, type, lhs, rhs), type, 4);
  }
  /// Four elements of f64 by one operation of one tile.
  Reals unary(const std::string &op, const std::string &values) {
    return evaluateReals("%a = arith.constant dense<[" + values +
                             "]> : tensor<4xf64>\n%r = " + op +
                             " %a : tensor<4xf64>",
                         "f64", 4);
  }
};

} // namespace

TEST_F(ElementwiseTest, IntegersWrap) {
  EXPECT_EQ(integers("arith.addi", "i8", "127, -128, 1, 100", "1, -1, 2, 100"),
            (Integers{-128, 127, 3, -56}));
  EXPECT_EQ(integers("arith.subi", "i8", "-128, 0, 5, 1", "1, 1, 7, 1"),
            (Integers{127, -1, -2, 0}));
  EXPECT_EQ(integers("arith.muli", "i16", "256, 300, -3, 7", "256, 300, 5, 0"),
            (Integers{0, 24464, -15, 0}));
}

TEST_F(ElementwiseTest, DivisionsRoundAsNamed) {
  std::string a = "7, -7, 7, -7", b = "2, 2, -2, -2";
  EXPECT_EQ(integers("arith.divsi", "i32", a, b), (Integers{3, -3, -3, 3}));
  EXPECT_EQ(integers("arith.remsi", "i32", a, b), (Integers{1, -1, 1, -1}));
  EXPECT_EQ(integers("arith.floordivsi", "i32", a, b),
            (Integers{3, -4, -4, 3}));
  EXPECT_EQ(integers("arith.ceildivsi", "i32", a, b), (Integers{4, -3, -3, 4}));
  // -7 is 249 and -2 is 254.
  EXPECT_EQ(integers("arith.divui", "i8", a, b), (Integers{3, 124, 0, 0}));
  EXPECT_EQ(integers("arith.remui", "i8", a, b), (Integers{1, 1, 7, -7}));
  EXPECT_EQ(integers("arith.ceildivui", "i8", a, b), (Integers{4, 125, 1, 1}));
}

TEST_F(ElementwiseTest, DivisionsWithoutAQuotientAreErrors) {
  for (std::string op : {"arith.divsi", "arith.remui"})
    EXPECT_TRUE(failed(run(parse("tt.func @f() {\n" +
                                 binary(op, "i32", "1, 2, 3, 4", "1, 2, 0, 4") +
                                 "\n tt.return\n}"))));
  EXPECT_TRUE(failed(
      run(parse("tt.func @f() {\n" +
                binary("arith.divsi", "i8", "1, -128, 3, 4", "1, -1, 1, 4") +
                "\n tt.return\n}"))));
  EXPECT_EQ(diagnostics,
            "expects a divisor other than 0, but element 2 is 0\n"
            "expects a divisor other than 0, but element 2 is 0\n"
            "expects a quotient of 8 bits, but element 1 is the smallest "
            "number divided by -1\n");
}

TEST_F(ElementwiseTest, ShiftsByTooMuchAreUndefined) {
  options.undefinedBits = 0x2a;
  std::string a = "-16, -16, 3, 1", b = "2, 8, 7, -1";
  EXPECT_EQ(integers("arith.shrsi", "i8", a, b), (Integers{-4, 42, 0, 42}));
  EXPECT_EQ(integers("arith.shrui", "i8", a, b), (Integers{60, 42, 0, 42}));
  EXPECT_EQ(integers("arith.shli", "i8", a, b), (Integers{-64, 42, -128, 42}));
}

TEST_F(ElementwiseTest, ExtremaAndComparisonsKnowTheSign) {
  std::string a = "-1, 5, 0, 7", b = "1, 5, -3, 9";
  EXPECT_EQ(integers("arith.minsi", "i32", a, b), (Integers{-1, 5, -3, 7}));
  EXPECT_EQ(integers("arith.maxui", "i32", a, b), (Integers{-1, 5, -3, 9}));
  // A stored i1 is read sign-extended.
  EXPECT_EQ(comparison("arith.cmpi slt,", "i32", a, b),
            (Integers{-1, 0, 0, -1}));
  EXPECT_EQ(comparison("arith.cmpi ult,", "i32", a, b),
            (Integers{0, 0, -1, -1}));
  EXPECT_EQ(comparison("arith.cmpi sge,", "i32", a, b),
            (Integers{0, -1, -1, 0}));
}

TEST_F(ElementwiseTest, HighHalves) {
  EXPECT_EQ(integers("tt.mulhiui", "i64", "-1, 4294967296, 3, -1",
                     "-1, 4294967296, 5, 2"),
            (Integers{-2, 1, 0, 1}));
  EXPECT_EQ(evaluateIntegers("%a = arith.constant dense<[-1, 64, 3, -128]> : "
                             "tensor<4xi8>\n%l, %r = arith.mulsi_extended %a, "
                             "%a : tensor<4xi8>",
                             "i8", 4),
            (Integers{0, 16, 0, 64}));
}

TEST_F(ElementwiseTest, BitCounts) {
  auto count = [&](const std::string &op) {
    return evaluateIntegers("%a = arith.constant dense<[0, 1, -1, 40]> : "
                            "tensor<4xi16>\n%r = " +
                                op + " %a : tensor<4xi16>",
                            "i16", 4);
  };
  EXPECT_EQ(count("math.ctlz"), (Integers{16, 15, 0, 10}));
  EXPECT_EQ(count("math.cttz"), (Integers{16, 0, 0, 3}));
  EXPECT_EQ(count("math.ctpop"), (Integers{0, 1, 16, 2}));
  EXPECT_EQ(count("math.absi"), (Integers{0, 1, 1, 40}));
}

TEST_F(ElementwiseTest, SelectsByElementAndAsAWhole) {
  std::string tiles =
      "%a = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>\n"
      "%b = arith.constant dense<[5, 6, 7, 8]> : tensor<4xi32>\n";
  EXPECT_EQ(
      evaluateIntegers(tiles + "%c = arith.constant dense<[true, false, false, "
                               "true]> : tensor<4xi1>\n"
                               "%r = arith.select %c, %a, %b : tensor<4xi1>, "
                               "tensor<4xi32>",
                       "i32", 4),
      (Integers{1, 6, 7, 4}));
  EXPECT_EQ(evaluateIntegers(tiles +
                                 "%c = arith.constant false\n"
                                 "%r = arith.select %c, %a, %b : tensor<4xi32>",
                             "i32", 4),
            (Integers{5, 6, 7, 8}));
}

/// 2049 is no f16, and half of it is none either: the sum is rounded by the
/// store alone.
TEST_F(ElementwiseTest, ArithmeticDoesNotRound) {
  Reals sum =
      evaluateReals("%a = arith.constant dense<2048.0> : tensor<2xf16>\n"
                    "%b = arith.constant dense<1.0> : tensor<2xf16>\n"
                    "%s = arith.addf %a, %b : tensor<2xf16>\n"
                    "%r = arith.subf %s, %a : tensor<2xf16>",
                    "f16", 2);
  EXPECT_EQ(sum, (Reals{1.0, 1.0}));
}

TEST_F(ElementwiseTest, TruncationsRoundOnce) {
  auto truncate = [&](const std::string &op, const std::string &to) {
    return evaluateReals(
        "%a = arith.constant dense<[2049.0, 2051.0, 1.0e5, -3.0e-8]> : "
        "tensor<4xf32>\n%r = " +
            op + " : tensor<4xf32> " + to + " tensor<4xf16>",
        "f16", 4);
  };
  EXPECT_EQ(truncate("arith.truncf %a", "to"),
            (Reals{2048.0, 2052.0, INFINITY, -std::ldexp(1.0, -24)}));
  EXPECT_EQ(truncate("tt.fp_to_fp %a, rounding = rtz", "->"),
            (Reals{2048.0, 2050.0, 65504.0, -0.0}));
  EXPECT_EQ(truncate("arith.truncf %a upward", "to"),
            (Reals{2050.0, 2052.0, INFINITY, -0.0}));
}

/// 1 + 2^-12 in f32 is 1 in f16, and the sum that is held is not.
TEST_F(ElementwiseTest, TruncationChangesWhatIsHeld) {
  Reals held = evaluateReals(
      "%a = arith.constant dense<1.000244140625> : tensor<2xf32>\n"
      "%b = arith.truncf %a : tensor<2xf32> to tensor<2xf16>\n"
      "%r = arith.extf %b : tensor<2xf16> to tensor<2xf32>",
      "f32", 2);
  EXPECT_EQ(held, (Reals{1.0, 1.0}));
}

TEST_F(ElementwiseTest, SmallFloatsSaturate) {
  auto convert = [&](const std::string &type) {
    return evaluateReals(
        "%a = arith.constant dense<[500.0, -1.0e9, 0.3, 17.0]> : "
        "tensor<4xf32>\n%r = tt.fp_to_fp %a, rounding = rtne : tensor<4xf32> "
        "-> tensor<4x" +
            type + ">",
        type, 4);
  };
  EXPECT_EQ(convert("f8E4M3FN"), (Reals{448.0, -448.0, 0.3125, 16.0}));
  EXPECT_EQ(convert("f8E5M2"), (Reals{512.0, -57344.0, 0.3125, 16.0}));
}

TEST_F(ElementwiseTest, IntegersBecomeFloatsOfTheType) {
  EXPECT_EQ(evaluateReals("%a = arith.constant dense<[2049, -1, 7, 65519]> : "
                          "tensor<4xi32>\n%b = arith.sitofp %a : tensor<4xi32> "
                          "to tensor<4xf16>\n%r = arith.extf %b : "
                          "tensor<4xf16> to tensor<4xf64>",
                          "f64", 4),
            (Reals{2048.0, -1.0, 7.0, 65504.0}));
  EXPECT_EQ(evaluateReals("%a = arith.constant dense<[-1, 1]> : tensor<2xi8>\n"
                          "%r = arith.uitofp %a : tensor<2xi8> to "
                          "tensor<2xf32>",
                          "f32", 2),
            (Reals{255.0, 1.0}));
}

TEST_F(ElementwiseTest, FloatsBecomeIntegersTowardsZero) {
  options.undefinedBits = 0x2a;
  std::string values = "%a = arith.constant dense<[-1.9, 127.9, 128.0, "
                       "0x7FC00000]> : tensor<4xf32>\n";
  EXPECT_EQ(evaluateIntegers(values + "%r = arith.fptosi %a : tensor<4xf32> "
                                      "to tensor<4xi8>",
                             "i8", 4),
            (Integers{-1, 127, 42, 42}));
  EXPECT_EQ(evaluateIntegers(values + "%r = arith.fptoui %a : tensor<4xf32> "
                                      "to tensor<4xi8>",
                             "i8", 4),
            (Integers{42, 127, -128, 42}));
}

TEST_F(ElementwiseTest, Bitcasts) {
  EXPECT_EQ(evaluateIntegers("%a = arith.constant dense<[1.0, -2.0]> : "
                             "tensor<2xf16>\n%r = tt.bitcast %a : "
                             "tensor<2xf16> -> tensor<2xi16>",
                             "i16", 2),
            (Integers{0x3c00, -0x4000}));
  EXPECT_EQ(evaluateReals("%a = arith.constant dense<[16256, -16320]> : "
                          "tensor<2xi16>\n%r = arith.bitcast %a : "
                          "tensor<2xi16> to tensor<2xbf16>",
                          "bf16", 2),
            (Reals{1.0, -3.0}));
}

TEST_F(ElementwiseTest, ExtremaOfFloatsKnowNaN) {
  std::string a = "1.0, 0x7FC00000, -0.0, 5.0", b = "2.0, 3.0, 0.0, 0x7FC00000";
  Reals number = reals("arith.maxnumf", "f32", a, b);
  EXPECT_EQ(number, (Reals{2.0, 3.0, 0.0, 5.0}));
  EXPECT_FALSE(std::signbit(number[2]));
  Reals maximum = reals("arith.maximumf", "f32", a, b);
  EXPECT_EQ(maximum[0], 2.0);
  EXPECT_TRUE(std::isnan(maximum[1]) && std::isnan(maximum[3]));
  Reals minimum = reals("arith.minimumf", "f32", a, b);
  EXPECT_TRUE(std::signbit(minimum[2]) && std::isnan(minimum[1]));
  EXPECT_EQ(reals("arith.minnumf", "f32", a, b)[1], 3.0);
}

TEST_F(ElementwiseTest, ComparisonsOfFloatsKnowNaN) {
  std::string a = "1.0, 0x7FC00000, 2.0, 5.0", b = "2.0, 3.0, 2.0, 4.0";
  EXPECT_EQ(comparison("arith.cmpf olt,", "f32", a, b),
            (Integers{-1, 0, 0, 0}));
  EXPECT_EQ(comparison("arith.cmpf ult,", "f32", a, b),
            (Integers{-1, -1, 0, 0}));
  EXPECT_EQ(comparison("arith.cmpf une,", "f32", a, b),
            (Integers{-1, -1, 0, -1}));
  EXPECT_EQ(comparison("arith.cmpf ord,", "f32", a, b),
            (Integers{-1, 0, -1, -1}));
}

TEST_F(ElementwiseTest, Functions) {
  EXPECT_EQ(unary("math.exp2", "3.0, -1.0, 0.0, 10.0"),
            (Reals{8.0, 0.5, 1.0, 1024.0}));
  EXPECT_EQ(unary("math.log2", "8.0, 0.25, 1.0, 1.0e0"),
            (Reals{3.0, -2.0, 0.0, 0.0}));
  EXPECT_EQ(unary("math.rsqrt", "4.0, 0.25, 1.0, 16.0"),
            (Reals{0.5, 2.0, 1.0, 0.25}));
  EXPECT_EQ(unary("tt.precise_sqrt", "4.0, 0.25, 9.0, 16.0"),
            (Reals{2.0, 0.5, 3.0, 4.0}));
  EXPECT_EQ(unary("math.floor", "-1.5, 1.5, 2.0, -0.5"),
            (Reals{-2.0, 1.0, 2.0, -1.0}));
  EXPECT_EQ(unary("math.ceil", "-1.5, 1.5, 2.0, 0.5"),
            (Reals{-1.0, 2.0, 2.0, 1.0}));
  EXPECT_EQ(unary("math.roundeven", "0.5, 1.5, 2.5, -2.5"),
            (Reals{0.0, 2.0, 2.0, -2.0}));
  EXPECT_EQ(unary("math.absf", "-1.5, 1.5, 0.0, -2.5"),
            (Reals{1.5, 1.5, 0.0, 2.5}));
  EXPECT_EQ(unary("arith.negf", "-1.5, 1.5, 3.0, -2.5"),
            (Reals{1.5, -1.5, -3.0, 2.5}));
}

TEST_F(ElementwiseTest, TranscendentalFunctions) {
  auto first = [&](const std::string &op, const std::string &value) {
    return unary(op, value + ", 1.0, 1.0, 1.0")[0];
  };
  EXPECT_NEAR(first("math.exp", "1.0"), 2.718281828459045, 1e-15);
  EXPECT_NEAR(first("math.log", "10.0"), 2.302585092994046, 1e-15);
  EXPECT_NEAR(first("math.sin", "1.5707963267948966"), 1.0, 1e-15);
  EXPECT_NEAR(first("math.cos", "3.141592653589793"), -1.0, 1e-15);
  EXPECT_NEAR(first("math.erf", "0.5"), 0.5204998778130465, 1e-15);
  EXPECT_NEAR(first("math.tanh", "0.5"), 0.46211715726000973, 1e-15);
}

TEST_F(ElementwiseTest, LibraryFunctions) {
  EXPECT_EQ(evaluateReals("%a = arith.constant dense<[3.0, 2.0]> : "
                          "tensor<2xf32>\n%b = arith.constant 2.0 : f32\n"
                          "%r = tt.extern_elementwise %a, %b {libname = \"\", "
                          "libpath = \"\", pure = true, symbol = "
                          "\"__nv_powf\"} : (tensor<2xf32>, f32) -> "
                          "tensor<2xf32>",
                          "f32", 2),
            (Reals{9.0, 4.0}));
  EXPECT_TRUE(failed(run(parse(
      "tt.func @f() {\n%a = arith.constant 1.0 : f32\n%r = "
      "tt.extern_elementwise %a {libname = \"\", libpath = \"\", pure = true, "
      "symbol = \"__nv_unknownf\"} : (f32) -> f32\ntt.return\n}"))));
  EXPECT_NE(diagnostics.find("but got '__nv_unknownf'"), std::string::npos);
}

TEST_F(ElementwiseTest, FunctionsOfTurnsAndOfTwoNumbers) {
  auto call = [&](const std::string &symbol, const std::string &numbers) {
    return evaluateReals("%a = arith.constant dense<" + numbers +
                             "> : tensor<2xf64>\n%r = tt.extern_elementwise %a "
                             "{libname = \"\", libpath = \"\", pure = true, "
                             "symbol = \"__nv_" +
                             symbol + "\"} : (tensor<2xf64>) -> tensor<2xf64>",
                         "f64", 2);
  };
  EXPECT_EQ(call("sinpi", "[-3.0, 1.5]"), (Reals{0.0, -1.0}));
  EXPECT_EQ(call("cospi", "[2.5, 3.0]"), (Reals{0.0, -1.0}));
  EXPECT_EQ(call("exp10", "[2.0, -1.0]"), (Reals{100.0, 0.1}));
  EXPECT_EQ(call("rcbrt", "[8.0, -1.0]"), (Reals{0.5, -1.0}));
  EXPECT_EQ(call("atanh", "[0.0, 1.0]"), (Reals{0.0, INFINITY}));
  auto callTwo = [&](const std::string &symbol) {
    return evaluateReals(
        "%a = arith.constant dense<[3.0, 5.0]> : tensor<2xf64>\n%b = "
        "arith.constant 4.0 : f64\n%r = tt.extern_elementwise %a, %b {libname "
        "= \"\", libpath = \"\", pure = true, symbol = \"__nv_" +
            symbol + "\"} : (tensor<2xf64>, f64) -> tensor<2xf64>",
        "f64", 2);
  };
  EXPECT_EQ(callTwo("fdim"), (Reals{0.0, 1.0}));
  EXPECT_EQ(callTwo("rhypot")[0], 0.2);
}

TEST_F(ElementwiseTest, ClampsAndMultiplyAdds) {
  auto clamp = [&](const std::string &nan) {
    return evaluateReals(
        "%a = arith.constant dense<[-3.0, 0.5, 7.0, 0x7FC00000]> : "
        "tensor<4xf32>\n%l = arith.constant dense<-1.0> : tensor<4xf32>\n"
        "%h = arith.constant dense<2.0> : tensor<4xf32>\n%r = tt.clampf %a, "
        "%l, %h, propagateNan = " +
            nan + " : tensor<4xf32>",
        "f32", 4);
  };
  EXPECT_EQ(clamp("none"), (Reals{-1.0, 0.5, 2.0, -1.0}));
  EXPECT_TRUE(std::isnan(clamp("all")[3]));
  EXPECT_EQ(evaluateReals("%a = arith.constant dense<[3.0, 2.0]> : "
                          "tensor<2xf32>\n%r = math.fma %a, %a, %a : "
                          "tensor<2xf32>",
                          "f32", 2),
            (Reals{12.0, 6.0}));
}
