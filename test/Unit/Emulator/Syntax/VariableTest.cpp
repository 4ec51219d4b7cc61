// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Unit/Emulator/Syntax/Parse.h"

using namespace tilewright::emulator;

static Variable parseVariable(const std::string &text) {
  Module module = parseDeclarations(text);
  EXPECT_EQ(module.variables.size(), 1u);
  return module.variables.empty() ? Variable() : module.variables[0];
}

TEST(Variable, WidthsOfTypes) {
  EXPECT_EQ(bitWidth(DataType::Predicate), 1u);
  for (DataType type : {DataType::B8, DataType::U8, DataType::S8})
    EXPECT_EQ(bitWidth(type), 8u);
  for (DataType type : {DataType::B16, DataType::U16, DataType::S16,
                        DataType::F16, DataType::BF16})
    EXPECT_EQ(bitWidth(type), 16u);
  for (DataType type : {DataType::B32, DataType::U32, DataType::S32,
                        DataType::F16x2, DataType::BF16x2, DataType::F32})
    EXPECT_EQ(bitWidth(type), 32u);
  for (DataType type :
       {DataType::B64, DataType::U64, DataType::S64, DataType::F64})
    EXPECT_EQ(bitWidth(type), 64u);
  EXPECT_EQ(bitWidth(DataType::B128), 128u);
}

TEST(Variable, TypesByName) {
  const std::pair<std::string, DataType> types[] = {
      {"b8", DataType::B8},     {"b16", DataType::B16},
      {"b32", DataType::B32},   {"b64", DataType::B64},
      {"b128", DataType::B128}, {"u8", DataType::U8},
      {"u16", DataType::U16},   {"u32", DataType::U32},
      {"u64", DataType::U64},   {"s8", DataType::S8},
      {"s16", DataType::S16},   {"s32", DataType::S32},
      {"s64", DataType::S64},   {"f16", DataType::F16},
      {"bf16", DataType::BF16}, {"f16x2", DataType::F16x2},
      {"f32", DataType::F32},   {"bf16x2", DataType::BF16x2},
      {"f64", DataType::F64}};
  for (const auto &[name, type] : types) {
    Variable variable = parseVariable(".global ." + name + " x;");
    EXPECT_EQ(variable.type, type) << name;
    EXPECT_EQ(variable.bytes, bitWidth(type) / 8) << name;
    EXPECT_EQ(variable.alignment, bitWidth(type) / 8) << name;
  }
}

TEST(Variable, SpacesByName) {
  EXPECT_EQ(parseVariable(".global .b8 x;").space, StateSpace::Global);
  EXPECT_EQ(parseVariable(".const .b8 x;").space, StateSpace::Constant);
  EXPECT_EQ(parseVariable(".shared .b8 x;").space, StateSpace::Shared);
  EXPECT_EQ(parseVariable(".local .b8 x;").space, StateSpace::Local);
}

TEST(Variable, DynamicSharedMemory) {
  Variable variable =
      parseVariable(".extern .shared .align 1024 .b8 buffer[];");
  EXPECT_EQ(variable.name, "buffer");
  EXPECT_TRUE(variable.isExternal);
  EXPECT_EQ(variable.bytes, 0u);
  EXPECT_EQ(variable.alignment, 1024u);
}

TEST(Variable, ArraysAndVectors) {
  EXPECT_EQ(parseVariable(".global .f32 x[3][4][5];").bytes, 240u);
  Variable vector = parseVariable(".visible .global .v4 .f32 x;");
  EXPECT_EQ(vector.bytes, 16u);
  EXPECT_EQ(vector.alignment, 16u);
  EXPECT_EQ(parseVariable(".weak .global .v2 .b64 x[10];").bytes, 160u);
  EXPECT_EQ(parseVariable(".global .b8 x[(1 << 4) + WARP_SZ];").bytes, 48u);
  EXPECT_EQ(parseVariable(".common .global .attribute(.managed) .b32 x;").bytes,
            4u);
}

TEST(Variable, HugeArraysTakeNoMemory) {
  EXPECT_EQ(parseVariable(".global .b8 x[1000000000000];").bytes,
            1000000000000u);
  EXPECT_TRUE(
      parseVariable(".global .b8 x[1000000000000];").initializer.empty());
}

TEST(Variable, SeveralNames) {
  Module module = parseDeclarations(".global .b32 x, y[4], z;");
  ASSERT_EQ(module.variables.size(), 3u);
  EXPECT_EQ(module.variables[0].name, "x");
  EXPECT_EQ(module.variables[1].bytes, 16u);
  EXPECT_EQ(module.variables[2].bytes, 4u);
}

TEST(Variable, ExternalAndDefinedAreOne) {
  for (const char *text :
       {".extern .global .b32 x[]; .visible .global .b32 x[4];",
        ".visible .global .b32 x[4]; .extern .global .b32 x[];"}) {
    Variable variable = parseVariable(text);
    EXPECT_FALSE(variable.isExternal);
    EXPECT_EQ(variable.bytes, 16u);
  }
}

TEST(Variable, Errors) {
  auto error = [](const std::string &text) { return errorOf(header + text); };
  EXPECT_EQ(error(".global .b32 x;\n.global .b32 x;"),
            "4:14: expects a new name, but 'x' is declared in this scope");
  EXPECT_EQ(error(".global .pred x;"), "3:9: expects a type, but got '.pred'");
  EXPECT_EQ(error(".global x;"), "3:9: expects a type, but got 'x'");
  EXPECT_EQ(error(".global .b32 .b64 x;"),
            "3:14: expects a name, but got '.b64'");
  EXPECT_EQ(error(".global .align 3 .b32 x;"),
            "3:16: expects a power of two as alignment, but got 3");
  EXPECT_EQ(error(".global .align -4 .b32 x;"),
            "3:16: expects an alignment of at most 1073741824, but got -4");
  EXPECT_EQ(error(".global .v4 .b64 x;"),
            "3:9: expects a vector of at most 128 bits, but got 256");
  EXPECT_EQ(error(".global .b32 x[0];"),
            "3:16: expects an array size other than 0");
  EXPECT_EQ(error(".global .b32 x[4][];"),
            "3:19: expects an integer, but got ']'");
  EXPECT_EQ(error(".global .b32 x[1 << 40][1 << 40];"),
            "3:25: expects an array of less than 2^63 bytes");
  EXPECT_EQ(error(".shared .b32 x[];"),
            "3:14: expects a size or an initial value of an array that is not "
            "external");
  EXPECT_EQ(error(".global .b32 x"),
            "3:15: expects ';', but got the end of the text");
  EXPECT_EQ(error(".param .b32 x;"),
            "3:1: expects a directive of a module, but got '.param'");
}
