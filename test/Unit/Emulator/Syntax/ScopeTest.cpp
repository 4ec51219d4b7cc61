// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Unit/Emulator/Syntax/Parse.h"

using namespace tilewright::emulator;

static std::string symbolOf(const Operand &operand) {
  const auto *symbol = as<SymbolOperand>(operand);
  return symbol ? symbol->name : "";
}

static std::string baseOf(const Operand &operand) {
  const auto *address = as<AddressOperand>(operand);
  const auto *symbol =
      address ? std::get_if<SymbolOperand>(&address->base) : nullptr;
  return symbol ? symbol->name : "";
}

TEST(Scope, RegistersShadow) {
  Function function = parseBody(
      "mov.b32 %r1, 1; { .reg .b64 %r1; mov.b64 %r1, %r2; } mov.b32 %r1, 2;");
  ASSERT_EQ(function.body.size(), 3u);
  ASSERT_EQ(function.registers.size(), 3u);
  auto indexOf = [&](size_t instruction) {
    return as<RegisterOperand>(function.body[instruction].operands.at(0))
        ->index;
  };
  EXPECT_EQ(indexOf(0), indexOf(2));
  EXPECT_NE(indexOf(0), indexOf(1));
  EXPECT_EQ(function.registers[indexOf(0)].type, DataType::B32);
  EXPECT_EQ(function.registers[indexOf(1)].type, DataType::B64);
  EXPECT_EQ(function.registers[indexOf(1)].name, "%r1");
}

TEST(Scope, RangesShadow) {
  Function function =
      parseBody("{ .reg .b64 %r<2>; mov.b64 %r1, %r2; } mov.b32 %r1, 2;");
  ASSERT_EQ(function.registers.size(), 3u);
  EXPECT_EQ(function.registers[0].type, DataType::B64);
  EXPECT_EQ(function.registers[1].type, DataType::B32);
  EXPECT_EQ(function.registers[2].type, DataType::B32);
}

TEST(Scope, RegistersEndWithTheirScope) {
  EXPECT_EQ(errorOf(kernelWith("{ .reg .b32 a; }\nmov.b32 a, 1;")),
            "6:9: expects a declared name, but got 'a'");
}

TEST(Scope, VariablesAreRenamed) {
  Function function = parseBody(
      "{ .param .b32 q; st.b32 [q], 1; }\n{ .param .b64 q; st.b64 [q], 2; "
      "mov.u64 %rd1, q; }\n{ .param .b8 q[3]; st.b8 [q+1], 3; }");
  ASSERT_EQ(function.variables.size(), 3u);
  const std::string names[] = {"q", "q$1", "q$2"};
  const uint64_t sizes[] = {4, 8, 3};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(function.variables[i].name, names[i]);
    EXPECT_EQ(function.variables[i].bytes, sizes[i]);
    EXPECT_EQ(function.variables[i].space, StateSpace::Parameter);
  }
  EXPECT_EQ(baseOf(function.body[0].operands[0]), "q");
  EXPECT_EQ(baseOf(function.body[1].operands[0]), "q$1");
  EXPECT_EQ(symbolOf(function.body[2].operands[1]), "q$1");
  EXPECT_EQ(baseOf(function.body[3].operands[0]), "q$2");
}

TEST(Scope, RenamedNamesAreNew) {
  Function function = parseBody(
      ".local .b8 q$1; .local .b8 q; { .local .b8 q; st.b8 [q], 1; }");
  ASSERT_EQ(function.variables.size(), 3u);
  EXPECT_EQ(function.variables[2].name, "q$2");
  EXPECT_EQ(baseOf(function.body[0].operands[0]), "q$2");
}

TEST(Scope, VariablesShadowTheModule) {
  Function function =
      parseBody("ld.b32 %r1, [array]; .shared .b32 array; ld.b32 %r1, [array]; "
                "{ .local .b32 pointer; ld.b32 %r1, [pointer]; }");
  EXPECT_EQ(baseOf(function.body.at(0).operands[1]), "array");
  EXPECT_EQ(baseOf(function.body.at(1).operands[1]), "array$1");
  EXPECT_EQ(baseOf(function.body.at(2).operands[1]), "pointer$1");
}

TEST(Scope, LabelsAreRenamed) {
  Function function =
      parseBody("{ bra a; a: ret; } { bra a; a: ret; } a: bra a;");
  ASSERT_EQ(function.labels.size(), 3u);
  EXPECT_EQ(function.labels[0].name, "a");
  EXPECT_EQ(function.labels[1].name, "a$1");
  EXPECT_EQ(function.labels[2].name, "a$2");
  EXPECT_EQ(symbolOf(function.body[0].operands[0]), "a");
  EXPECT_EQ(symbolOf(function.body[2].operands[0]), "a$1");
  EXPECT_EQ(symbolOf(function.body[4].operands[0]), "a$2");
}

TEST(Scope, LaterInnerLabelsAreNearer) {
  Function function = parseBody("a: { bra a; { bra a; bra b; } a: ret; } b:");
  ASSERT_EQ(function.labels.size(), 3u);
  EXPECT_EQ(function.labels[1].name, "a$1");
  EXPECT_EQ(symbolOf(function.body[0].operands[0]), "a$1");
  EXPECT_EQ(symbolOf(function.body[1].operands[0]), "a$1");
  EXPECT_EQ(symbolOf(function.body[2].operands[0]), "b");
}

TEST(Scope, BranchTargetsOfInnerScopes) {
  Function function = parseBody(
      "a: { t: .branchtargets a, b; brx.idx %r1, t; a: ret; } b: ret; "
      "t: .branchtargets a; brx.idx %r1, t;");
  ASSERT_EQ(function.branchTargets.size(), 2u);
  const std::vector<std::string> inner = {"a$1", "b"}, outer = {"a"};
  EXPECT_EQ(function.branchTargets[0].name, "t");
  EXPECT_EQ(function.branchTargets[0].targets, inner);
  EXPECT_EQ(function.branchTargets[1].name, "t$1");
  EXPECT_EQ(function.branchTargets[1].targets, outer);
  EXPECT_EQ(symbolOf(function.body[3].operands[1]), "t$1");
}

TEST(Scope, FunctionsHaveTheirOwn) {
  Module module = parseDeclarations(
      ".func f() { .reg .b32 %r<2>; a: mov.b32 %r1, 1; }\n"
      ".func g() { .reg .b64 %r<2>; a: mov.b64 %r1, 1; call f; call g; }");
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_EQ(module.functions[1].labels.at(0).name, "a");
  EXPECT_EQ(module.functions[1].registers.at(0).type, DataType::B64);
  EXPECT_EQ(symbolOf(module.functions[1].body.at(1).operands[0]), "f");
  EXPECT_EQ(symbolOf(module.functions[1].body.at(2).operands[0]), "g");
}
