// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Unit/Emulator/Syntax/Parse.h"

using namespace tilewright::emulator;

static std::string errorIn(const std::string &text) {
  return errorOf(kernelWith(text));
}

TEST(Statement, Instructions) {
  Function function = parseBody("mad.wide.s32 %rd1, %r1, 4, %rd2;\n  ret;");
  ASSERT_EQ(function.body.size(), 2u);
  EXPECT_EQ(function.body[0].name, "mad");
  const std::vector<std::string> modifiers = {"wide", "s32"};
  EXPECT_EQ(function.body[0].modifiers, modifiers);
  EXPECT_EQ(function.body[0].operands.size(), 4u);
  EXPECT_FALSE(function.body[0].guard);
  EXPECT_EQ(function.body[0].location.line, 5u);
  EXPECT_EQ(function.body[0].location.column, 1u);
  EXPECT_EQ(function.body[1].name, "ret");
  EXPECT_TRUE(function.body[1].operands.empty());
  EXPECT_EQ(function.body[1].location.line, 6u);
  EXPECT_EQ(function.body[1].location.column, 3u);
}

TEST(Statement, Guards) {
  Function function = parseBody("@%p1 ret; @!%p2 exit;");
  ASSERT_EQ(function.body.size(), 2u);
  ASSERT_TRUE(function.body[0].guard && function.body[1].guard);
  EXPECT_EQ(function.registers[function.body[0].guard->index].name, "%p1");
  EXPECT_FALSE(function.body[0].guard->isNegated);
  EXPECT_EQ(function.registers[function.body[1].guard->index].name, "%p2");
  EXPECT_TRUE(function.body[1].guard->isNegated);
  EXPECT_EQ(errorIn("@%r1 ret;"),
            "5:2: expects a declared predicate, but got '%r1'");
  EXPECT_EQ(errorIn("@!%q ret;"),
            "5:3: expects a declared predicate, but got '%q'");
  EXPECT_EQ(errorIn("@%p1 { }"), "5:6: expects an instruction, but got '{'");
}

TEST(Statement, Registers) {
  Function function = parseBody(
      ".reg .f16 h, %k<3>, g; .reg .b128 q; mov.b16 h, %k2; mov.b16 g, q;");
  ASSERT_EQ(function.registers.size(), 4u);
  const std::pair<std::string, DataType> expected[] = {{"h", DataType::F16},
                                                       {"%k2", DataType::F16},
                                                       {"g", DataType::F16},
                                                       {"q", DataType::B128}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(function.registers[i].name, expected[i].first);
    EXPECT_EQ(function.registers[i].type, expected[i].second);
  }
}

TEST(Statement, PrefixesThatEndInDigits) {
  Function function =
      parseBody(".reg .b16 %h1<20>; mov.b16 %h115, %h10; mov.b16 %h11, 1;");
  ASSERT_EQ(function.registers.size(), 3u);
  EXPECT_EQ(function.registers[0].name, "%h115");
  EXPECT_EQ(errorIn(".reg .b16 %h1<20>; mov.b16 %h120, 1;"),
            "5:28: expects a declared register or a special register, but got "
            "'%h120'");
}

TEST(Statement, RegisterErrors) {
  EXPECT_EQ(errorIn(".reg .v4 .f32 v;"),
            "5:6: expects a type of registers, but got '.v4'");
  EXPECT_EQ(errorIn(".reg .b32 %r<2>;"),
            "5:11: expects a new name, but '%r' is declared in this scope");
  EXPECT_EQ(errorIn(".reg .b32 %r7;"),
            "5:11: expects a new name, but '%r7' is declared in this scope");
  EXPECT_EQ(errorIn(".reg .b32 %x3; .reg .b32 %x<4>;"),
            "5:26: expects a new name, but '%x3' is declared in this scope");
  EXPECT_EQ(errorIn(".reg .b32 %x3; .reg .b32 %x<3>;"), "none");
  EXPECT_EQ(errorIn(".reg .b32 %x<y>;"),
            "5:14: expects a number of registers, but got 'y'");
  EXPECT_EQ(errorIn(".reg .b32 pointer;"),
            "5:11: expects a new name, but 'pointer' is declared in this "
            "scope");
}

TEST(Statement, SourceLocations) {
  Function function =
      parseBody("ret; .loc 1 20 3\nret; ret;\n.loc 2 5 0, function_name "
                "$L__info_string0+16, inlined_at 1 10 4\nret;\n"
                ".loc 1 7 8, function_name .debug_str, inlined_at 1 1 1 ret;");
  ASSERT_EQ(function.body.size(), 5u);
  const uint32_t expected[5][3] = {
      {0, 0, 0}, {1, 20, 3}, {1, 20, 3}, {2, 5, 0}, {1, 7, 8}};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(function.body[i].source.file, expected[i][0]);
    EXPECT_EQ(function.body[i].source.line, expected[i][1]);
    EXPECT_EQ(function.body[i].source.column, expected[i][2]);
  }
  EXPECT_EQ(errorIn(".loc 1 2 ret;"),
            "5:10: expects an integer, but got 'ret'");
  EXPECT_EQ(errorIn(".loc 1 2 3, there"),
            "5:13: expects 'function_name' or 'inlined_at', but got 'there'");
}

TEST(Statement, Labels) {
  Function function = parseBody("$A: ret; $B: $C: bra $A; bra.uni $D; $D:");
  ASSERT_EQ(function.labels.size(), 4u);
  const std::pair<std::string, uint32_t> expected[] = {
      {"$A", 0}, {"$B", 1}, {"$C", 1}, {"$D", 3}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(function.labels[i].name, expected[i].first);
    EXPECT_EQ(function.labels[i].instruction, expected[i].second);
  }
  EXPECT_EQ(as<SymbolOperand>(function.body[1].operands.at(0))->name, "$A");
  EXPECT_EQ(as<SymbolOperand>(function.body[2].operands.at(0))->name, "$D");
}

TEST(Statement, LabelErrors) {
  EXPECT_EQ(errorIn("ret;\n bra nowhere;"),
            "6:6: expects a label, but got 'nowhere'");
  EXPECT_EQ(errorIn("bra array;"), "5:5: expects a label, but got 'array'");
  EXPECT_EQ(errorIn("a: ret;\na: ret;"),
            "6:1: expects a new name, but 'a' is declared in this scope");
  EXPECT_EQ(errorIn("{ a: ret; } bra a;"),
            "5:17: expects a label, but got 'a'");
}

TEST(Statement, BranchTargets) {
  Function function =
      parseBody("ts: .branchtargets a, b, a; brx.idx.uni %r1, ts; a: b: ret;");
  ASSERT_EQ(function.branchTargets.size(), 1u);
  EXPECT_EQ(function.branchTargets[0].name, "ts");
  const std::vector<std::string> targets = {"a", "b", "a"};
  EXPECT_EQ(function.branchTargets[0].targets, targets);
  EXPECT_EQ(as<SymbolOperand>(function.body[0].operands.at(1))->name, "ts");
  EXPECT_EQ(function.labels.size(), 2u);
  EXPECT_EQ(errorIn("ts: .branchtargets a, b; a: ret;"),
            "5:23: expects a label, but got 'b'");
  EXPECT_EQ(errorIn("a: brx.idx %r1, a;"),
            "5:17: expects a label of '.branchtargets', but got 'a'");
}

TEST(Statement, Prototypes) {
  Function function = parseBody(
      "{ .param .b32 r; .param .b64 q;\n"
      "proto : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align "
      "8 .b8 _[16]) .noreturn;\n"
      "call (r), %rd1, (q), proto;\n"
      "all: .calltargets callee, kernel;\ncall (r), %rd1, (q), all; }");
  ASSERT_EQ(function.body.size(), 2u);
  EXPECT_EQ(registerName(function, function.body[0].operands.at(1)), "%rd1");
  EXPECT_EQ(as<SymbolOperand>(function.body[0].operands.at(3))->name, "proto");
  EXPECT_EQ(as<SymbolOperand>(function.body[1].operands.at(3))->name, "all");
  EXPECT_EQ(errorIn("all: .calltargets array;"),
            "5:19: expects a declared function, but got 'array'");
  EXPECT_EQ(errorIn("p: .callprototype 5;"), "5:19: expects '_', but got '5'");
}

TEST(Statement, Others) {
  EXPECT_EQ(parseBody(".pragma \"nounroll\"; ret;").body.size(), 1u);
  EXPECT_EQ(parseBody(".section .debug { x } ret;").body.size(), 1u);
  EXPECT_EQ(errorIn(";"), "5:1: expects an instruction, a label, a directive "
                          "or '}', but got ';'");
  EXPECT_EQ(errorIn(".entry"),
            "5:1: expects a directive of a body, but got '.entry'");
  EXPECT_EQ(errorIn("ret; } }"),
            "5:8: expects a directive of a module, but got '}'");
}
