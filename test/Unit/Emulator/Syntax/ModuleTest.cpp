// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Unit/Emulator/Syntax/Parse.h"

using namespace tilewright::emulator;

TEST(Module, VersionAndTarget) {
  Module module =
      parseModule(".version 8.7 .target sm_90a, debug .address_size 64");
  EXPECT_EQ(module.version, 87u);
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(module.addressBits, 64u);
  EXPECT_EQ(parseModule(".version 6.0 .target debug, sm_70").target, "sm_70");
  EXPECT_EQ(parseModule(header + ".address_size 32").addressBits, 32u);
}

TEST(Module, VersionErrors) {
  EXPECT_EQ(errorOf(""),
            "1:1: expects '.version', but got the end of the text");
  EXPECT_EQ(errorOf(".version 5.0"),
            "1:10: expects a version from 6.0 to 9.0, but got '5.0'");
  EXPECT_EQ(errorOf(".version 9.1"),
            "1:10: expects a version from 6.0 to 9.0, but got '9.1'");
  EXPECT_EQ(errorOf(".version 8"),
            "1:10: expects a version like '8.0', but got '8'");
  EXPECT_EQ(errorOf(".version 8.x"),
            "1:10: expects a version like '8.0', but got '8.x'");
  EXPECT_EQ(errorOf(".version 8.0\n .entry"),
            "2:2: expects '.target', but got '.entry'");
  EXPECT_EQ(errorOf(".version 8.0 .target debug"),
            "1:14: expects a target like 'sm_80'");
  EXPECT_EQ(errorOf(header + ".address_size 16"),
            "3:15: expects 32 or 64, but got '16'");
  EXPECT_EQ(errorOf(header + ".fast f, g;"),
            "3:1: expects a directive of a module, but got '.fast'");
}

TEST(Module, Aliases) {
  Module module = parseDeclarations(
      ".visible .func f();\n.weak .func g() { ret; }\n.alias f, g;");
  ASSERT_EQ(module.aliases.size(), 1u);
  EXPECT_EQ(module.aliases[0].name, "f");
  EXPECT_EQ(module.aliases[0].target, "g");
  EXPECT_EQ(module.aliases[0].location.line, 5u);
  EXPECT_EQ(errorOf(header + ".alias f, g;"),
            "3:8: expects a declared function, but got 'f'");
  EXPECT_EQ(errorOf(header + ".func f();\n.global .b32 g;\n.alias f, g;"),
            "5:11: expects a declared function, but got 'g'");
  EXPECT_EQ(errorOf(header + ".func f();\n.alias f;"),
            "4:9: expects ',', but got ';'");
}

TEST(Module, Files) {
  Module module = parseDeclarations(
      ".file 1 \"a.py\"\n.file 3 \"/b\" \"c\\\\d\\\"\\101.py\" md5 "
      "0x0123456789abcdef0123456789abcdef\n.file 2 \"e\", 1234567890, 12");
  ASSERT_EQ(module.files.size(), 4u);
  EXPECT_EQ(module.files[0], "");
  EXPECT_EQ(module.files[1], "a.py");
  EXPECT_EQ(module.files[2], "e");
  EXPECT_EQ(module.files[3], "/b/c\\d\"A.py");
}

TEST(Module, SectionsAreSkipped) {
  Module module = parseDeclarations(
      ".section .debug_abbrev\n{\n.b8 1 // a }\n$L__info:\n.b64 $L_a-$L_b\n"
      "{ .b32 .debug_line }\n}\n.section .debug_macinfo { }\n"
      ".global .b32 x;");
  EXPECT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(errorOf(header + ".section .debug { { }"),
            "3:22: expects '}', but got the end of the text");
}

TEST(Module, CommentsAndSpace) {
  Module module = parseDeclarations("/* a\n * b */ // c { \" \n\r\t"
                                    ".global /* d **/ .b32 x;//");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(module.variables[0].location.line, 5u);
  EXPECT_EQ(module.variables[0].location.column, 25u);
  EXPECT_EQ(errorOf(header + "\n  /* no end"),
            "4:3: expects '*/' at the end of a comment, but got ''");
}

TEST(Module, ModulePragma) {
  EXPECT_EQ(errorOf(header + ".pragma \"a\", \"b\";"), "none");
  EXPECT_EQ(errorOf(header + ".pragma \"a;\n"),
            "3:9: expects '\"' at the end of a string, but got '\"a;'");
}
