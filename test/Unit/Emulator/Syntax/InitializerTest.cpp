// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Unit/Emulator/Syntax/Parse.h"

using namespace tilewright::emulator;

using Bytes = std::vector<uint8_t>;

static Variable lastVariable(const std::string &text) {
  Module module = parseDeclarations(text);
  return module.variables.empty() ? Variable() : module.variables.back();
}

static Bytes bytesOf(const std::string &text) {
  return lastVariable(text).initializer;
}

TEST(Initializer, Integers) {
  EXPECT_EQ(bytesOf(".global .b32 x = 0x12345678;"),
            Bytes({0x78, 0x56, 0x34, 0x12}));
  EXPECT_EQ(bytesOf(".global .s16 x = -2;"), Bytes({0xfe, 0xff}));
}

TEST(Initializer, Arrays) {
  Variable partial = lastVariable(".global .b8 x[5] = {1, 2, 300};");
  EXPECT_EQ(partial.initializer, Bytes({1, 2, 44}));
  EXPECT_EQ(partial.bytes, 5u);
  EXPECT_EQ(bytesOf(".global .b8 x[2][3] = {{1}, {4, 5}};"),
            Bytes({1, 0, 0, 4, 5}));
  EXPECT_EQ(bytesOf(".global .v2 .b8 x[2] = {{1, 2}, {3, 4}};"),
            Bytes({1, 2, 3, 4}));
  EXPECT_TRUE(bytesOf(".global .b8 x[2] = {};").empty());
}

TEST(Initializer, GivesTheSize) {
  Variable variable = lastVariable(".global .b16 x[][2] = {{1, 2}, {3}};");
  EXPECT_EQ(variable.bytes, 8u);
  EXPECT_EQ(variable.initializer, Bytes({1, 0, 2, 0, 3, 0}));
}

TEST(Initializer, FloatingPoint) {
  EXPECT_EQ(bytesOf(".global .f32 x = 0f3F800000;"), Bytes({0, 0, 0x80, 0x3f}));
  EXPECT_EQ(bytesOf(".global .f32 x = -1.5;"), Bytes({0, 0, 0xc0, 0xbf}));
  EXPECT_EQ(bytesOf(".global .f32 x = 0d3FF8000000000000;"),
            Bytes({0, 0, 0xc0, 0x3f}));
  EXPECT_EQ(bytesOf(".global .f64 x = 0d3FF8000000000000;"),
            Bytes({0, 0, 0, 0, 0, 0, 0xf8, 0x3f}));
  EXPECT_EQ(bytesOf(".global .b64 x = 1.5e0;"),
            Bytes({0, 0, 0, 0, 0, 0, 0xf8, 0x3f}));
}

TEST(Initializer, BitTypesTakeFloatingPoint) {
  EXPECT_EQ(bytesOf(".global .b32 x = 1.5;"), Bytes({0, 0, 0xc0, 0x3f}));
  EXPECT_EQ(bytesOf(".global .b32 x = 0fC0000000;"), Bytes({0, 0, 0, 0xc0}));
}

TEST(Initializer, BitsOfOtherWidthsAreTheLowOnes) {
  // What ptxas 13.0 stores.
  EXPECT_EQ(bytesOf(".global .b16 x = 0x3C00;"), Bytes({0x00, 0x3c}));
  EXPECT_EQ(bytesOf(".global .b16 x = 0d3FF0000000000000;"), Bytes({0, 0}));
  EXPECT_EQ(bytesOf(".global .b16 x = 0d3FF0123456789ABC;"),
            Bytes({0xbc, 0x9a}));
  EXPECT_EQ(bytesOf(".global .b16 x = 0f3F812345;"), Bytes({0x45, 0x23}));
  EXPECT_EQ(bytesOf(".global .b16 x[3] = {1.5, 0d4000000000000000, 3};"),
            Bytes({0, 0, 0, 0, 3, 0}));
  EXPECT_EQ(bytesOf(".global .b8 x = 1.5;"), Bytes({0}));
  EXPECT_EQ(bytesOf(".global .b64 x = 0f3F800000;"),
            Bytes({0, 0, 0x80, 0x3f, 0, 0, 0, 0}));
}

TEST(Initializer, BytesOfAddresses) {
  Variable variable = lastVariable(
      ".global .b32 a; .global .u8 x[3] = {7, 0xFF00(generic(a)+4), 0xFF(a)};");
  EXPECT_EQ(variable.initializer, Bytes({7, 0, 0}));
  ASSERT_EQ(variable.relocations.size(), 2u);
  EXPECT_EQ(variable.relocations[0].offset, 1u);
  EXPECT_EQ(variable.relocations[0].symbol, "a");
  EXPECT_EQ(variable.relocations[0].addend, 4);
  EXPECT_TRUE(variable.relocations[0].isGeneric);
  EXPECT_EQ(variable.relocations[0].bytes, 1u);
  EXPECT_EQ(variable.relocations[0].firstByte, 1u);
  EXPECT_EQ(variable.relocations[1].firstByte, 0u);
  EXPECT_FALSE(variable.relocations[1].isGeneric);
}

TEST(Initializer, Addresses) {
  Variable variable = lastVariable(
      ".global .b32 a[4]; .func f(); .global .u64 x[5] = {7, a, a+4, "
      "generic(a)+8, f};");
  EXPECT_EQ(variable.initializer.size(), 40u);
  EXPECT_EQ(variable.initializer[0], 7u);
  ASSERT_EQ(variable.relocations.size(), 4u);
  const struct {
    uint64_t offset;
    std::string symbol;
    int64_t addend;
    bool isGeneric;
  } expected[] = {{8, "a", 0, false},
                  {16, "a", 4, false},
                  {24, "a", 8, true},
                  {32, "f", 0, false}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(variable.relocations[i].offset, expected[i].offset);
    EXPECT_EQ(variable.relocations[i].symbol, expected[i].symbol);
    EXPECT_EQ(variable.relocations[i].addend, expected[i].addend);
    EXPECT_EQ(variable.relocations[i].isGeneric, expected[i].isGeneric);
  }
  EXPECT_EQ(lastVariable(".global .b32 a; .global .u64 x = generic(a-4);")
                .relocations.at(0)
                .addend,
            -4);
}

TEST(Initializer, Errors) {
  auto error = [](const std::string &text) { return errorOf(header + text); };
  EXPECT_EQ(error(".global .b8 x[2] = {1, 2, 3};"),
            "3:27: expects '}' behind the last element, but got '3'");
  EXPECT_EQ(error(".global .b8 x[2] = 1;"), "3:20: expects '{', but got '1'");
  EXPECT_EQ(error(".global .b8 x[2][2] = {1, 2, 3, 4};"),
            "3:24: expects '{', but got '1'");
  EXPECT_EQ(error(".global .b8 x[2] = {1,};"),
            "3:23: expects an integer, but got '}'");
  EXPECT_EQ(error(".global .f32 x = 1;"),
            "3:18: expects a floating-point number as initial value, but got "
            "an integer");
  EXPECT_EQ(error(".global .u16 x = 1.5;"),
            "3:18: expects an integer as initial value, but got a "
            "floating-point number");
  EXPECT_EQ(error(".global .f64 x = 0f3FC00000;"),
            "3:18: expects a number of double precision as initial value of "
            "'.f64'");
  EXPECT_EQ(error(".global .f16 x = 0x3C00;"),
            "3:18: expects no initial value of a half type, but of its bits: "
            "'.b16'");
  EXPECT_EQ(error(".global .bf16 x = 0d3FF0000000000000;"),
            "3:19: expects no initial value of a half type, but of its bits: "
            "'.b16'");
  EXPECT_EQ(error(".global .u64 x = nothing;"),
            "3:18: expects a declared variable or function, but got 'nothing'");
  EXPECT_EQ(error(".global .b32 a; .global .b32 x = a;"),
            "3:34: expects an address in an element of 64 bits, but the "
            "element has 32");
  EXPECT_EQ(error(".global .b32 a; .global .b16 x[8] = {0xFF(a)};"),
            "3:38: expects a byte of an address in an element of 8 bits, but "
            "the element has 16");
  EXPECT_EQ(error(".global .b32 a; .global .b8 x[8] = {0x1FE(a)};"),
            "3:37: expects a mask of one byte, 0xFF to 0xFF00000000000000, but "
            "got '0x1FE'");
  EXPECT_EQ(error(".global .b32 a; .global .b8 x[8] = {0xFF(b)};"),
            "3:42: expects a declared variable or function, but got 'b'");
  EXPECT_EQ(error(".shared .b32 x = 1;"),
            "3:16: expects an initial value only of '.global' and '.const' "
            "variables");
  EXPECT_EQ(error(".extern .global .b32 x = 1;"),
            "3:24: expects no initial value of an external variable");
  EXPECT_EQ(error(".global .b128 x = 1;"),
            "3:19: expects no initial value of a type of 128 bits");
}

TEST(Initializer, GapsAreNotFilledWithoutBound) {
  EXPECT_EQ(
      errorOf(header + ".global .b8 x[2][1000000000] = {{1}, {2}};"),
      "3:39: expects initial values that are not much longer than the text");
}
