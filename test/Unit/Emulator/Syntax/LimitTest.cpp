// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts that could take much time, memory or stack.

#include "test/Unit/Emulator/Syntax/Parse.h"

using namespace tilewright::emulator;

static std::string repeat(const std::string &text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST(Limit, Registers) {
  EXPECT_EQ(errorOf(kernelWith(".reg .b32 %x<1000000000>;")),
            "5:14: expects at most 1048576 registers of a function, but got "
            "'1000000000'");
  // kernelWith() declares 16.
  EXPECT_EQ(errorOf(kernelWith(".reg .b32 %x<1048560>;")), "none");
  EXPECT_EQ(errorOf(kernelWith(".reg .b32 %x<1048561>;")),
            "5:14: expects at most 1048576 registers of a function, but got "
            "'1048561'");
  EXPECT_EQ(errorOf(kernelWith(".reg .b32 %x<1048560>, y;")),
            "5:24: expects at most 1048576 registers of a function");
}

TEST(Limit, RangesTakeNoMemory) {
  Function function =
      parseBody(".reg .b32 %x<1000000>; mov.b32 %x999999, %x0;");
  ASSERT_EQ(function.registers.size(), 2u);
  EXPECT_EQ(function.registers[0].name, "%x999999");
}

TEST(Limit, ScopesInsideOneAnother) {
  // The module's scope counts as one.
  EXPECT_EQ(errorOf(kernelWith(repeat("{", 63) + repeat("}", 63))), "none");
  EXPECT_EQ(errorOf(kernelWith(repeat("{", 100000))),
            "5:64: expects at most 64 scopes inside one another");
}

TEST(Limit, ExpressionsInsideOneAnother) {
  for (const char *text : {"(", "-", "~", "1?1:", "1?", "(.u64)"})
    EXPECT_NE(errorOf(kernelWith("mov.b32 %r1, " + repeat(text, 100000)))
                  .find("expects at most 200 expressions inside one another"),
              std::string::npos)
        << text;
  EXPECT_EQ(errorOf(kernelWith("mov.b32 %r1, " + repeat("(", 200) + "1" +
                               repeat(")", 200) + ";")),
            "none");
}

TEST(Limit, LongListsAreNoNesting) {
  Function function = parseBody("mov.b32 %r1, 1" + repeat("+1", 50000) + ";" +
                                repeat("{ ret; }", 50000));
  EXPECT_EQ(function.body.size(), 50001u);
  EXPECT_EQ(as<IntegerOperand>(function.body[0].operands.at(1))->bits, 50001u);
}

TEST(Limit, DimensionsAndFiles) {
  EXPECT_EQ(errorOf(header + ".global .b8 x" + repeat("[1]", 32) + ";"),
            "none");
  EXPECT_EQ(errorOf(header + ".global .b8 x" + repeat("[1]", 33) + ";"),
            "3:110: expects an array of at most 32 dimensions");
  EXPECT_EQ(errorOf(header + ".file 4000000000 \"x\""),
            "3:7: expects a file's number of at most 65535, but got "
            "4000000000");
}

TEST(Limit, RepeatedNames) {
  Function function =
      parseBody(repeat("{ .param .b32 q; st.b32 [q], 1; }", 20000));
  ASSERT_EQ(function.variables.size(), 20000u);
  EXPECT_EQ(function.variables.back().name, "q$19999");
}
