// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Unit/Emulator/Syntax/Parse.h"

using namespace tilewright::emulator;

/// A function with one instruction.
static Function parseOne(const std::string &text) {
  Function function = parseBody(text);
  EXPECT_EQ(function.body.size(), 1u);
  if (function.body.empty())
    function.body.emplace_back();
  function.body[0].operands.resize(8);
  return function;
}

static std::string errorIn(const std::string &text) {
  return errorOf(kernelWith(text));
}

TEST(Operand, Registers) {
  Function function = parseOne("add.s32 %r1, %r2, %r1;");
  const Instruction &add = function.body[0];
  EXPECT_EQ(registerName(function, add.operands[0]), "%r1");
  EXPECT_EQ(registerName(function, add.operands[1]), "%r2");
  EXPECT_EQ(std::get<RegisterOperand>(add.operands[0].value).index,
            std::get<RegisterOperand>(add.operands[2].value).index);
  ASSERT_EQ(function.registers.size(), 2u);
  EXPECT_EQ(function.registers[0].type, DataType::B32);
}

TEST(Operand, PredicatesAndPairs) {
  Function function = parseOne("setp.lt.and.s32 %p1|%p2, %r1, 0, !%p3;");
  const Instruction &setp = function.body[0];
  const auto *pair = as<PairOperand>(setp.operands[0]);
  ASSERT_TRUE(pair && pair->elements.size() == 2);
  EXPECT_EQ(registerName(function, pair->elements[0]), "%p1");
  EXPECT_EQ(registerName(function, pair->elements[1]), "%p2");
  EXPECT_EQ(registerName(function, setp.operands[3]), "%p3");
  EXPECT_TRUE(as<RegisterOperand>(setp.operands[3])->isNegated);
  Function elect = parseOne("elect.sync _|%p1, -1;");
  const auto *second = as<PairOperand>(elect.body[0].operands[0]);
  ASSERT_TRUE(second);
  EXPECT_TRUE(as<SinkOperand>(second->elements[0]));
}

TEST(Operand, SpecialRegisters) {
  for (const char *name :
       {"tid.x", "ntid", "ctaid.y", "nctaid.z", "laneid", "clock64", "envreg0",
        "envreg31", "pm7", "pm0_64", "lanemask_lt", "globaltimer",
        "cluster_ctaid.x", "cluster_nctarank", "dynamic_smem_size",
        "reserved_smem_offset_1"}) {
    Function function = parseOne(std::string("mov.u32 %r1, %") + name + ";");
    const auto *special =
        as<SpecialRegisterOperand>(function.body[0].operands[1]);
    EXPECT_EQ(special ? special->name : "", name);
  }
  EXPECT_EQ(errorIn("mov.u32 %r1, %foo;"),
            "5:14: expects a declared register or a special register, but got "
            "'%foo'");
  EXPECT_EQ(errorIn("mov.u32 %r1, %tid.q;"),
            "5:14: expects a declared register or a special register, but got "
            "'%tid.q'");
  EXPECT_EQ(errorIn("mov.u32 %r1, %laneid.x;"),
            "5:14: expects a declared register or a special register, but got "
            "'%laneid.x'");
  EXPECT_EQ(errorIn("mov.u32 %r1, %envreg32;"),
            "5:14: expects a declared register or a special register, but got "
            "'%envreg32'");
}

TEST(Operand, Vectors) {
  Function function = parseOne("mma.sync {%r1, _, 5, 0f00000000}, {%r2}, { };");
  const auto *vector = as<VectorOperand>(function.body[0].operands[0]);
  ASSERT_TRUE(vector && vector->elements.size() == 4);
  EXPECT_EQ(registerName(function, vector->elements[0]), "%r1");
  EXPECT_TRUE(as<SinkOperand>(vector->elements[1]));
  EXPECT_EQ(as<IntegerOperand>(vector->elements[2])->bits, 5u);
  EXPECT_FALSE(as<FloatOperand>(vector->elements[3])->isDouble);
  EXPECT_EQ(as<VectorOperand>(function.body[0].operands[1])->elements.size(),
            1u);
  EXPECT_TRUE(
      as<VectorOperand>(function.body[0].operands[2])->elements.empty());
}

TEST(Operand, AddressesOfRegisters) {
  const std::pair<const char *, int64_t> texts[] = {
      {"[%rd1]", 0},      {"[%rd1+16]", 16},   {"[%rd1+-16]", -16},
      {"[%rd1-16]", -16}, {"[ %rd1 + 0 ]", 0}, {"[%rd1+4*8]", 32},
      {"[%rd1-4+2]", -2}, {"[%rd1+(1<<3)]", 8}};
  for (const auto &[text, offset] : texts) {
    Function function = parseOne(std::string("ld.b32 %r1, ") + text + ";");
    const auto *address = as<AddressOperand>(function.body[0].operands[1]);
    ASSERT_TRUE(address) << text;
    const auto *base = std::get_if<RegisterOperand>(&address->base);
    ASSERT_TRUE(base) << text;
    EXPECT_EQ(function.registers[base->index].name, "%rd1");
    EXPECT_EQ(address->offset, offset) << text;
    EXPECT_TRUE(address->coordinates.empty());
  }
}

TEST(Operand, AddressesOfVariables) {
  for (const std::string name : {"array", "pointer"}) {
    Function function = parseOne("ld.b32 %r1, [" + name + "+4];");
    const auto *address = as<AddressOperand>(function.body[0].operands[1]);
    ASSERT_TRUE(address);
    const auto *base = std::get_if<SymbolOperand>(&address->base);
    ASSERT_TRUE(base);
    EXPECT_EQ(base->name, name);
    EXPECT_EQ(base->addend, 0);
    EXPECT_EQ(address->offset, 4);
  }
}

TEST(Operand, AddressesOfNumbers) {
  Function function = parseOne("ld.b32 %r1, [4096 + 4];");
  const auto *address = as<AddressOperand>(function.body[0].operands[1]);
  ASSERT_TRUE(address);
  const auto *base = std::get_if<IntegerOperand>(&address->base);
  ASSERT_TRUE(base);
  EXPECT_EQ(base->bits, 4100u);
  EXPECT_EQ(address->offset, 0);
}

TEST(Operand, Coordinates) {
  Function function = parseOne(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx"
      "::bytes [%r1], [%rd1, {%r2, 7}], [array+8];");
  const Instruction &copy = function.body[0];
  EXPECT_EQ(copy.name, "cp");
  const std::vector<std::string> modifiers = {"async",
                                              "bulk",
                                              "tensor",
                                              "2d",
                                              "shared::cluster",
                                              "global",
                                              "mbarrier::complete_tx::bytes"};
  EXPECT_EQ(copy.modifiers, modifiers);
  const auto *map = as<AddressOperand>(copy.operands[1]);
  ASSERT_TRUE(map && map->coordinates.size() == 2);
  EXPECT_EQ(registerName(function, map->coordinates[0]), "%r2");
  EXPECT_EQ(as<IntegerOperand>(map->coordinates[1])->bits, 7u);
}

TEST(Operand, Symbols) {
  Function function = parseOne("mov.u64 %rd1, array+12;");
  const auto *symbol = as<SymbolOperand>(function.body[0].operands[1]);
  ASSERT_TRUE(symbol);
  EXPECT_EQ(symbol->name, "array");
  EXPECT_EQ(symbol->addend, 12);
}

TEST(Operand, Calls) {
  Function function = parseBody("{ .param .b32 a; .param .b32 r;\n"
                                "call.uni (r), callee, (a, %r1, 5); }");
  ASSERT_EQ(function.body.size(), 1u);
  const Instruction &call = function.body[0];
  EXPECT_EQ(call.name, "call");
  EXPECT_EQ(call.modifiers, std::vector<std::string>{"uni"});
  ASSERT_EQ(call.operands.size(), 3u);
  const auto *results = as<ListOperand>(call.operands[0]);
  const auto *arguments = as<ListOperand>(call.operands[2]);
  ASSERT_TRUE(results && results->elements.size() == 1);
  ASSERT_TRUE(arguments && arguments->elements.size() == 3);
  EXPECT_EQ(as<SymbolOperand>(results->elements[0])->name, "r");
  EXPECT_EQ(as<SymbolOperand>(call.operands[1])->name, "callee");
  EXPECT_EQ(as<SymbolOperand>(arguments->elements[0])->name, "a");
  EXPECT_EQ(registerName(function, arguments->elements[1]), "%r1");
  EXPECT_EQ(as<IntegerOperand>(arguments->elements[2])->bits, 5u);
}

TEST(Operand, Errors) {
  EXPECT_EQ(errorIn("mov.b32 %r9, 1;"),
            "5:9: expects a declared register or a special register, but got "
            "'%r9'");
  EXPECT_EQ(errorIn("mov.b32 %r01, 1;"),
            "5:9: expects a declared register or a special register, but got "
            "'%r01'");
  EXPECT_EQ(errorIn("ld.b32 %r1, [%rd1+%rd2];"),
            "5:19: expects an integer, but got '%rd2'");
  EXPECT_EQ(errorIn("ld.b32 %r1, [nothing];"),
            "5:14: expects a declared register or variable, but got 'nothing'");
  EXPECT_EQ(errorIn("ld.b32 %r1, [callee];"),
            "5:14: expects a declared register or variable, but got 'callee'");
  EXPECT_EQ(errorIn("ld.b32 %r1, [%rd1;"), "5:18: expects ']', but got ';'");
  EXPECT_EQ(errorIn("ld.b32 %r1, [{%r1}];"),
            "5:14: expects a register, a variable or a number, but got '{'");
  EXPECT_EQ(errorIn("mov.b32 %r1, nothing;"),
            "5:14: expects a declared name, but got 'nothing'");
  EXPECT_EQ(errorIn("mov.b32 %r1 %r2;"),
            "5:13: expects ',' or ';', but got '%r2'");
  EXPECT_EQ(errorIn("mov.b32 %r1.x, %r2;"),
            "5:12: expects ',' or ';', but got '.x'");
  EXPECT_EQ(errorIn("mov.b32 %r1, ;"), "5:14: expects an operand, but got ';'");
  EXPECT_EQ(errorIn("mov.b32 {%r1, {%r2}}, 1;"),
            "5:15: expects an operand, but got '{'");
  EXPECT_EQ(errorIn("mov.b32 {%r1 %r2}, 1;"),
            "5:14: expects '}', but got '%r2'");
  EXPECT_EQ(errorIn("setp.s32 %p1|array, %r1, %r2;"),
            "5:14: expects a register or '_' behind '|'");
  EXPECT_EQ(errorIn("setp.s32 %p1, !%q;"),
            "5:16: expects a declared register, but got '%q'");
  EXPECT_EQ(errorIn("mov.b32 %r1, #;"),
            "5:14: expects no such character, but got '#'");
  EXPECT_EQ(errorIn("call callee, (%r1;"), "5:18: expects ')', but got ';'");
}
