// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors as such: odd bytes, and that the text may end anywhere.

#include "test/Unit/Emulator/Syntax/Parse.h"

using namespace tilewright::emulator;

static const std::string example = kernelWith(
    ".loc 1 2 3, function_name $a, inlined_at 1 2 3\n"
    "a: @!%p1 bra a; { .param .b32 q; call.uni (q), callee, (q, -1.5); }\n"
    "t: .branchtargets a; brx.idx %r1, t; mov.b64 {%r1, _}, %rd1;\n"
    "setp.s32 %p1|%p2, [%rd1+4, {%r1, 1}], (1 << 2) ? 3 : WARP_SZ;");

TEST(SyntaxError, TextsThatEndEarly) {
  ASSERT_EQ(errorOf(example), "none");
  // The text ends in "}\n". Every shorter one lacks the brace, or more.
  size_t whole = example.rfind('}');
  size_t failed = 0;
  size_t begin = example.find('{');
  for (size_t size = begin; size < whole; ++size)
    failed += errorOf(example.substr(0, size)) != "none";
  EXPECT_EQ(failed, whole - begin);
}

TEST(SyntaxError, OddBytes) {
  std::string text = header + std::string("\0", 1);
  EXPECT_EQ(errorOf(text), "3:1: expects no such character, but got '?'");
  EXPECT_EQ(errorOf(header + "\xff"),
            "3:1: expects no such character, but got '?'");
  EXPECT_EQ(errorOf(header + "."),
            "3:1: expects a name behind '.', but got '.'");
  EXPECT_EQ(errorOf(header + "\"a"),
            "3:1: expects '\"' at the end of a string, but got '\"a'");
}

TEST(SyntaxError, LongTokensAreCut) {
  EXPECT_EQ(errorOf(header + std::string(100, 'x')),
            "3:1: expects a directive of a module, but got '" +
                std::string(60, 'x') + "...'");
}

TEST(SyntaxError, TabsAreOneColumn) {
  EXPECT_EQ(errorOf(header + "\t\t x"),
            "3:4: expects a directive of a module, but got 'x'");
}
