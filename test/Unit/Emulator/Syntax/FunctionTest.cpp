// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Unit/Emulator/Syntax/Parse.h"

using namespace tilewright::emulator;

static Function lastFunction(const std::string &text) {
  Module module = parseDeclarations(text);
  return module.functions.empty() ? Function() : module.functions.back();
}

TEST(Function, Parameters) {
  Function function = lastFunction(
      ".visible .entry kernel(\n.param .u64 .ptr .global .align 2 a,\n"
      ".param .align 16 .b8 b[40], .param .f32 c, .param .v2 .f32 d)\n{ ret; "
      "}");
  EXPECT_EQ(function.name, "kernel");
  EXPECT_TRUE(function.isKernel);
  EXPECT_FALSE(function.isExternal);
  EXPECT_EQ(function.location.line, 3u);
  EXPECT_EQ(function.location.column, 17u);
  ASSERT_EQ(function.parameters.size(), 4u);
  const Parameter &pointer = function.parameters[0];
  EXPECT_EQ(pointer.name, "a");
  EXPECT_EQ(pointer.type, DataType::U64);
  EXPECT_EQ(pointer.bytes, 8u);
  EXPECT_EQ(pointer.alignment, 8u);
  EXPECT_TRUE(pointer.isPointer);
  EXPECT_EQ(pointer.pointeeAlignment, 2u);
  EXPECT_FALSE(pointer.isAggregate);
  const Parameter &bytes = function.parameters[1];
  EXPECT_EQ(bytes.type, DataType::B8);
  EXPECT_EQ(bytes.bytes, 40u);
  EXPECT_EQ(bytes.alignment, 16u);
  EXPECT_FALSE(bytes.isPointer);
  EXPECT_TRUE(bytes.isAggregate);
  EXPECT_EQ(function.parameters[2].bytes, 4u);
  EXPECT_FALSE(function.parameters[2].isAggregate);
  EXPECT_EQ(function.parameters[2].alignment, 4u);
  EXPECT_EQ(function.parameters[3].bytes, 8u);
  EXPECT_TRUE(function.parameters[3].isAggregate);
}

TEST(Function, Results) {
  Function function = lastFunction(
      ".func (.param .align 8 .b8 r[24]) f(.param .b32 a, .param .b8 _[])"
      "{ ret; }");
  EXPECT_FALSE(function.isKernel);
  ASSERT_EQ(function.results.size(), 1u);
  EXPECT_EQ(function.results[0].name, "r");
  EXPECT_EQ(function.results[0].bytes, 24u);
  ASSERT_EQ(function.parameters.size(), 2u);
  EXPECT_EQ(function.parameters[1].bytes, 0u);
}

TEST(Function, ParametersInRegisters) {
  Function function = lastFunction(
      ".func (.reg .b32 %r) f(.reg .f64 %a, .param .b32 b, .reg .s16 %c)\n"
      "{ .reg .b32 %x; mov.b32 %x, 1; add.u32 %r, %x, %x; ret; }");
  EXPECT_EQ(function.results.at(0).registerIndex, 0u);
  ASSERT_EQ(function.parameters.size(), 3u);
  EXPECT_EQ(function.parameters[0].registerIndex, 1u);
  EXPECT_FALSE(function.parameters[1].registerIndex);
  EXPECT_EQ(function.parameters[2].registerIndex, 2u);
  ASSERT_EQ(function.registers.size(), 4u);
  EXPECT_EQ(function.registers[1].name, "%a");
  EXPECT_EQ(function.registers[1].type, DataType::F64);
  EXPECT_EQ(function.registers[3].name, "%x");
  EXPECT_EQ(registerName(function, function.body.at(1).operands.at(0)), "%r");
}

TEST(Function, SpecialRegistersByName) {
  Function function = lastFunction(
      ".func f() { .reg .b32 %r<3>; mov.u32 %r0, %tid.x; mov.u32 %r1, %laneid;"
      "add.u32 %r0, %tid.x, %r1; ret; }");
  EXPECT_EQ(function.specialRegisters,
            std::vector<std::string>({"tid.x", "laneid"}));
}

TEST(Function, NoParameters) {
  EXPECT_TRUE(lastFunction(".func f { ret; }").parameters.empty());
  EXPECT_TRUE(lastFunction(".entry f() { ret; }").parameters.empty());
}

TEST(Function, PerformanceDirectives) {
  Function function = lastFunction(
      ".entry f() .maxntid 128, 2, 3 .reqntid 64 .minnctapersm 2 .maxnreg 40\n"
      ".noreturn .pragma \"x\", \"y\"; .explicitcluster .reqnctapercluster 2, "
      "4\n"
      ".maxclusterrank 8 .blocksareclusters .maxnctapersm 3 { }");
  EXPECT_EQ(function.maximumThreads[0], 128u);
  EXPECT_EQ(function.maximumThreads[1], 2u);
  EXPECT_EQ(function.maximumThreads[2], 3u);
  EXPECT_EQ(function.requiredThreads[0], 64u);
  EXPECT_EQ(function.requiredThreads[1], 1u);
  EXPECT_EQ(function.requiredThreads[2], 1u);
  EXPECT_EQ(function.requiredCluster[0], 2u);
  EXPECT_EQ(function.requiredCluster[1], 4u);
  EXPECT_EQ(function.requiredCluster[2], 1u);
  EXPECT_EQ(function.minimumCtas, 2u);
  EXPECT_EQ(function.maximumRegisters, 40u);
  EXPECT_EQ(lastFunction(".entry f() { }").requiredThreads[0], 0u);
}

TEST(Function, DeclaredThenDefined) {
  Module module = parseDeclarations(
      ".func (.param .b32 r) f(.param .b32 a);\n.extern .func g();\n"
      ".func (.param .b32 r) f(.param .b32 b) { ret; }\n"
      ".func (.param .b32 r) f(.param .b32 c);");
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_EQ(module.functions[0].name, "f");
  EXPECT_FALSE(module.functions[0].isExternal);
  EXPECT_EQ(module.functions[0].parameters.at(0).name, "b");
  EXPECT_EQ(module.functions[0].body.size(), 1u);
  EXPECT_TRUE(module.functions[1].isExternal);
}

TEST(Function, Errors) {
  auto error = [](const std::string &text) { return errorOf(header + text); };
  EXPECT_EQ(error(".func f() { ret; }\n.func f() { ret; }"),
            "4:7: expects a new name, but 'f' is declared in this scope");
  EXPECT_EQ(error(".func f();\n.entry f() { ret; }"),
            "4:8: expects a new name, but 'f' is declared in this scope");
  EXPECT_EQ(error(".global .b32 f;\n.func f();"),
            "4:7: expects a new name, but 'f' is declared in this scope");
  EXPECT_EQ(error(".entry f(.param .b32 a, .param .b32 a);"),
            "3:37: expects a new name, but 'a' is declared in this scope");
  EXPECT_EQ(error(".func f(.global .b32 a);"),
            "3:9: expects '.param', but got '.global'");
  EXPECT_EQ(error(".entry f(.reg .b32 a) { ret; }"),
            "3:20: expects the parameters of a kernel in '.param'");
  EXPECT_EQ(error(".func f(.reg .b32 a[2]) { ret; }"),
            "3:19: expects a parameter in a register to be one number of at "
            "most 64 bits");
  EXPECT_EQ(error(".entry f(.param .b32 a .param"),
            "3:24: expects ')', but got '.param'");
  EXPECT_EQ(error(".entry 5"), "3:8: expects a function's name, but got '5'");
  EXPECT_EQ(error(".entry f() .reqntid 1, 2, 3, 4 {}"),
            "3:30: expects at most three numbers, but got '4'");
  EXPECT_EQ(error(".entry f() .maxnreg 4294967296 {}"),
            "3:21: expects a number of at most 4294967295, but got 4294967296");
  EXPECT_EQ(error(".entry f() .fast {}"),
            "3:12: expects a performance directive, '{' or ';', but got "
            "'.fast'");
  EXPECT_EQ(error(".extern .func f() { ret; }"),
            "3:19: expects ';' behind an external function, but got '{'");
  EXPECT_EQ(error(".entry f() ret;"),
            "3:12: expects '{' or ';', but got 'ret'");
  EXPECT_EQ(error(".entry f() { ret;"),
            "3:18: expects an instruction, a label, a directive or '}', but "
            "got the end of the text");
}
