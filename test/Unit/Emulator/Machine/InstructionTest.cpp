// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that other compilers write, in kernels of a few lines: what they
// compute, and which lanes they leave without a value.

#include "test/Unit/Emulator/Machine/SmallKernel.h"

#include <gtest/gtest.h>

using namespace tilewright::emulator;

namespace {

/// What `body` leaves in %r0 of the first lane.
uint32_t compute(const std::string &body) {
  SmallRun run = runSmall(body + "\nst.global.u32 [%mine], %r0;", 1);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.faults.empty());
  return run.words[0];
}

bool isUndefined(const std::string &body) {
  SmallRun run = runSmall(body + "\nst.global.u32 [%mine], %r0;", 1);
  EXPECT_EQ(run.error, "");
  return run.found(Check::UninitializedRegister);
}

//===----------------------------------------------------------------------===//
// Carries
//===----------------------------------------------------------------------===//

TEST(Instruction, SumOfTwoWordsCarries) {
  EXPECT_EQ(compute("mov.u32 %r1, 0xffffffff; mov.u32 %r2, 5;\n"
                    "add.cc.u32 %r3, %r1, 1; addc.u32 %r0, %r2, 7;"),
            13u);
  EXPECT_EQ(compute("mov.u32 %r1, 0xfffffffe; mov.u32 %r2, 5;\n"
                    "add.cc.u32 %r3, %r1, 1; addc.u32 %r0, %r2, 7;"),
            12u);
}

TEST(Instruction, CarryGoesOnThroughAFullWord) {
  EXPECT_EQ(compute("mov.u32 %r1, 0xffffffff;\n"
                    "add.cc.u32 %r2, %r1, 1; addc.cc.u32 %r2, %r1, 0;\n"
                    "addc.u32 %r0, 0, 0;"),
            1u);
  EXPECT_EQ(compute("mov.u32 %r1, 0xffffffff;\n"
                    "add.cc.u32 %r2, %r1, 1; addc.cc.u32 %r2, %r1, %r1;\n"
                    "addc.u32 %r0, 0, 0;"),
            1u);
}

TEST(Instruction, DifferenceOfTwoWordsBorrows) {
  EXPECT_EQ(compute("mov.u32 %r1, 3; mov.u32 %r2, 9;\n"
                    "sub.cc.u32 %r3, %r1, 4; subc.u32 %r0, %r2, 2;"),
            6u);
  EXPECT_EQ(compute("mov.u32 %r1, 3;\n"
                    "sub.cc.u32 %r3, %r1, 4; subc.cc.u32 %r3, %r1, 3;\n"
                    "subc.u32 %r0, 1, 0;"),
            0u);
}

TEST(Instruction, ProductOfTwoWordsCarries) {
  // 0xffffffff * 3 + 4 = 0x3_00000001.
  EXPECT_EQ(compute("mov.u32 %r1, 0xffffffff;\n"
                    "mad.lo.cc.u32 %r2, %r1, 3, 4;\n"
                    "madc.hi.u32 %r0, %r1, 3, 0;"),
            3u);
  EXPECT_EQ(compute("mov.u32 %r1, -1;\n"
                    "mad.lo.cc.s32 %r2, %r1, 3, 2;\n"
                    "madc.hi.s32 %r0, %r1, 3, 0;"),
            0xffffffffu);
  EXPECT_EQ(compute("mov.u64 %d1, 0xffffffffffffffff;\n"
                    "mad.lo.cc.u64 %d2, %d1, 3, 4;\n"
                    "madc.hi.u64 %d3, %d1, 5, 0; cvt.u32.u64 %r0, %d3;"),
            5u);
}

TEST(Instruction, CarryNeedsAnInstructionThatSetsIt) {
  EXPECT_TRUE(isUndefined("addc.u32 %r0, 0, 0;"));
}

//===----------------------------------------------------------------------===//
// Parts that nobody looks at
//===----------------------------------------------------------------------===//

TEST(Instruction, PermutedBytesMayBeWithoutAValue) {
  EXPECT_EQ(compute("mov.u32 %r1, 0xa5;\n"
                    "prmt.b32 %r2, %r1, %r9, 0x3340;\n"
                    "prmt.b32 %r3, %r10, %r11, 0x3340;\n"
                    "prmt.b32 %r4, %r2, %r3, 0x5410; and.b32 %r0, %r4, 255;"),
            0xa5u);
  EXPECT_EQ(compute("mov.u32 %r1, 0x7000; prmt.b32 %r0, %r1, %r9, 0x1111;"),
            0x70707070u);
}

TEST(Instruction, PermutationOfNoValueHasNone) {
  EXPECT_TRUE(isUndefined("prmt.b32 %r0, %r9, 0, 0x7770;"));
  EXPECT_TRUE(isUndefined("prmt.b32 %r0, %r9, %r10, 0x3340;"));
  EXPECT_TRUE(isUndefined("mov.u32 %r1, 1; prmt.b32 %r0, %r1, %r9, 0x7777;"));
  EXPECT_TRUE(isUndefined("mov.u32 %r1, 1; prmt.b32 %r0, %r1, %r1, %r9;"));
  EXPECT_FALSE(isUndefined("prmt.b32 %r0, %r9, 0, 0x7777;"));
}

TEST(Instruction, PackedPartsMayBeWithoutAValue) {
  EXPECT_EQ(compute(".reg .b16 %h<3>; mov.u16 %h0, 77;\n"
                    "mov.b32 %r1, {%h0, %h1}; and.b32 %r0, %r1, 0xffff;"),
            77u);
  EXPECT_TRUE(isUndefined(".reg .b16 %h<3>; mov.b32 %r0, {%h0, %h1};"));
}

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

// PTX ISA, copysign: the first operand's sign, the second one's magnitude.
TEST(Instruction, CopySignTakesTheFirstOperandsSign) {
  EXPECT_EQ(compute("mov.u32 %r1, 0xbf800000; mov.u32 %r2, 0x40490fdb;\n"
                    "copysign.f32 %r0, %r1, %r2;"),
            0xc0490fdbu);
  EXPECT_EQ(compute("mov.u32 %r1, 0x3f800000; mov.u32 %r2, 0xffc00001;\n"
                    "copysign.f32 %r0, %r1, %r2;"),
            0x7fc00001u);
  EXPECT_EQ(compute("mov.u64 %d1, 0x8000000000000000;\n"
                    "mov.u64 %d2, 0x4009000000000001;\n"
                    "copysign.f64 %d3, %d1, %d2; shr.u64 %d3, %d3, 32;\n"
                    "cvt.u32.u64 %r0, %d3;"),
            0xc0090000u);
}

} // namespace
