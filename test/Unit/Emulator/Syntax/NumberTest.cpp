// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Judges/Emulator/Syntax/Numbers.h"
#include "test/Unit/Emulator/Syntax/Parse.h"

using namespace tilewright::emulator;

/// The value of an integer operand.
static uint64_t integerOf(const std::string &text) {
  Function function = parseBody("mov.b64 %rd1, " + text + ";");
  if (function.body.empty())
    return 0xbad;
  const auto *value = as<IntegerOperand>(function.body[0].operands.at(1));
  return value ? value->bits : 0xbad;
}

static FloatOperand floatOf(const std::string &text) {
  Function function = parseBody("mov.b64 %rd1, " + text + ";");
  if (function.body.empty())
    return {0xbad, false};
  const auto *value = as<FloatOperand>(function.body[0].operands.at(1));
  return value ? *value : FloatOperand{0xbad, false};
}

static std::string errorIn(const std::string &text) {
  return errorOf(kernelWith("mov.b64 %rd1, " + text + ";"));
}

TEST(Number, Integers) {
  EXPECT_EQ(integerOf("0"), 0u);
  EXPECT_EQ(integerOf("123"), 123u);
  EXPECT_EQ(integerOf("-1"), UINT64_MAX);
  EXPECT_EQ(integerOf("0xFf"), 255u);
  EXPECT_EQ(integerOf("0X10U"), 16u);
  EXPECT_EQ(integerOf("0b101"), 5u);
  EXPECT_EQ(integerOf("017"), 15u);
  EXPECT_EQ(integerOf("10U"), 10u);
  EXPECT_EQ(integerOf("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(integerOf("-9223372036854775808"), uint64_t(1) << 63);
  EXPECT_EQ(integerOf("WARP_SZ"), 32u);
}

TEST(Number, Floats) {
  EXPECT_EQ(floatOf("0f3F800000").bits, 0x3f800000u);
  EXPECT_FALSE(floatOf("0f3F800000").isDouble);
  EXPECT_EQ(floatOf("0D3ff0000000000000").bits, 0x3ff0000000000000u);
  EXPECT_TRUE(floatOf("0D3ff0000000000000").isDouble);
  EXPECT_EQ(floatOf("1.0").bits, 0x3ff0000000000000u);
  EXPECT_EQ(floatOf("15e-1").bits, 0x3ff8000000000000u);
  EXPECT_EQ(floatOf("-1.5E+0").bits, 0xbff8000000000000u);
  EXPECT_EQ(floatOf("-0f3F800000").bits, 0xbf800000u);
}

TEST(Number, Expressions) {
  EXPECT_EQ(integerOf("1 + 2 * 3"), 7u);
  EXPECT_EQ(integerOf("(1 + 2) * 3"), 9u);
  EXPECT_EQ(integerOf("10 - 4 - 3"), 3u);
  EXPECT_EQ(integerOf("0x1E+2"), 32u);
  EXPECT_EQ(integerOf("-7 / 2"), uint64_t(-3));
  EXPECT_EQ(integerOf("-7 % 4"), uint64_t(-3));
  EXPECT_EQ(integerOf("-1U / 2"), UINT64_MAX / 2);
  EXPECT_EQ(integerOf("(.s64) -9223372036854775808 / -1"), uint64_t(1) << 63);
  EXPECT_EQ(integerOf("((.s64) -9223372036854775808) % -1"), 0u);
  EXPECT_EQ(integerOf("1 << 4 | 3 ^ 1 & 5"), 18u);
  EXPECT_EQ(integerOf("-8 >> 1"), uint64_t(-4));
  EXPECT_EQ(integerOf("(.u64) -8 >> 1"), uint64_t(-8) >> 1);
  EXPECT_EQ(integerOf("~0"), UINT64_MAX);
  EXPECT_EQ(integerOf("!5 + !0"), 1u);
  EXPECT_EQ(integerOf("- -3"), 3u);
  EXPECT_EQ(integerOf("1 < 2 ? 10 : 20"), 10u);
  EXPECT_EQ(integerOf("0 ? 1 : 0 ? 2 : 3"), 3u);
  EXPECT_EQ(integerOf("-1 < 1"), 1u);
  EXPECT_EQ(integerOf("-1 < 1U"), 0u);
  EXPECT_EQ(integerOf("(3 >= 3) + (3 <= 2) + (1 > 0) + (1 == 1) + (1 != 1)"),
            3u);
  EXPECT_EQ(integerOf("0 || 2 && 3"), 1u);
}

TEST(Number, Errors) {
  EXPECT_EQ(errorIn("12ab"),
            "5:15: expects an integer of 64 bits, but got '12ab'");
  EXPECT_EQ(errorIn("18446744073709551616"), "5:15: expects an integer of 64 "
                                             "bits, but got "
                                             "'18446744073709551616'");
  EXPECT_EQ(errorIn("0x"), "5:15: expects an integer of 64 bits, but got '0x'");
  EXPECT_EQ(errorIn("09"), "5:15: expects an integer of 64 bits, but got '09'");
  EXPECT_EQ(errorIn("0f3F80000"),
            "5:15: expects a floating-point number, but got '0f3F80000'");
  EXPECT_EQ(errorIn("1.5.2"),
            "5:15: expects a floating-point number, but got '1.5.2'");
  EXPECT_EQ(errorIn("1e999"),
            "5:15: expects a floating-point number, but got '1e999'");
  EXPECT_EQ(errorIn("1 / (2 - 2)"), "5:19: expects a divisor other than 0");
  EXPECT_EQ(errorIn("1 % 0"), "5:19: expects a divisor other than 0");
  EXPECT_EQ(errorIn("1 << 64"), "5:20: expects a shift of less than 64 bits");
  EXPECT_EQ(errorIn("1 >> -1"), "5:20: expects a shift of less than 64 bits");
  EXPECT_EQ(errorIn("(1"), "5:17: expects ')', but got ';'");
  EXPECT_EQ(errorIn("1 ? 2"), "5:20: expects ':', but got ';'");
  EXPECT_EQ(errorIn("1 + %r1"), "5:19: expects an integer, but got '%r1'");
}

TEST(Number, TextsThatAreNone) {
  EXPECT_FALSE(readInteger(""));
  EXPECT_FALSE(readInteger("U"));
  EXPECT_FALSE(readFloat(""));
  EXPECT_FALSE(readFloat("0d3FF"));
}
