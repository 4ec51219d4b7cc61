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
// Hints
//===----------------------------------------------------------------------===//

TEST(Instruction, CachePoliciesChangeNothing) {
  EXPECT_EQ(
      compute("mov.u32 %r1, 5; st.global.u32 [%mine], %r1;\n"
              ".reg .b64 %policy, %other;\n"
              "createpolicy.fractional.L2::evict_last.b64 %policy, 1.0;\n"
              "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 "
              "%other, 0.5;\n"
              "ld.global.L1::evict_last.L2::cache_hint.b32 { %r0 }, [%mine], "
              "%policy;"),
      5u);
}

TEST(Instruction, PrefetchesChangeNothing) {
  EXPECT_EQ(compute("mov.u32 %r0, 5;\n"
                    "prefetch.global.L2 [%out];\n"
                    "cp.async.bulk.prefetch.L2.global [%out], 64;"),
            5u);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// What is left of a variable's address when its place in the CTA's memory is
/// taken off, of the last CTA, and whether it still is the variable's.
static std::vector<uint32_t> findOwnerBits(const std::string &cluster) {
  std::string head = smallKernelHead();
  head.insert(head.find('{'), cluster);
  SmallLaunch how;
  how.threads = 1;
  how.ctas = 2;
  SmallRun run = runText(smallTextHead + head +
                             "mov.u32 %r0, tile;\nmov.u32 %r1, 9;\n"
                             "st.shared.b32 [tile], %r1;\n"
                             "ld.shared.b32 %r2, [%r0];\n"
                             "shr.u32 %r0, %r0, 18;\n"
                             "mov.u32 %r3, %ctaid.x;\n"
                             "setp.eq.u32 %p0, %r3, 1;\n"
                             "setp.eq.and.u32 %p0, %r2, 9, %p0;\n"
                             "@%p0 st.global.b32 [%mine], %r0;\nret;\n}\n",
                         how);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.faults.empty());
  return run.words;
}

TEST(Instruction, SharedAddressesOfClustersSayWhose) {
  EXPECT_EQ(findOwnerBits(""), std::vector<uint32_t>{0});
  EXPECT_NE(findOwnerBits(".reqnctapercluster 2, 1, 1\n"),
            std::vector<uint32_t>{0});
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// The properties that testp finds in an f32, as bits in the order of the ISA's
/// list.
uint32_t findProperties(const char *bits) {
  std::string text = std::string("mov.b32 %r1, ") + bits + ";\n";
  text += "mov.u32 %r0, 0; .reg .pred %q; .reg .u32 %flag;\n";
  const char *properties[] = {"finite",     "infinite", "number",
                              "notanumber", "normal",   "subnormal"};
  for (unsigned i = 0; i < 6; ++i)
    text += std::string("testp.") + properties[i] + ".f32 %q, %r1;\n" +
            "selp.u32 %flag, " + std::to_string(1u << i) + ", 0, %q;\n" +
            "or.b32 %r0, %r0, %flag;\n";
  return compute(text);
}

TEST(Instruction, PropertiesOfFloats) {
  // From the right: finite, infinite, number, notanumber, normal, subnormal.
  EXPECT_EQ(findProperties("0x80000000"), 0b000101u);
  EXPECT_EQ(findProperties("0x00000001"), 0b100101u);
  EXPECT_EQ(findProperties("0x807fffff"), 0b100101u);
  EXPECT_EQ(findProperties("0x00800000"), 0b010101u);
  EXPECT_EQ(findProperties("0x7f7fffff"), 0b010101u);
  EXPECT_EQ(findProperties("0xff800000"), 0b000110u);
  EXPECT_EQ(findProperties("0x7f800001"), 0b001000u);
}

TEST(Instruction, PropertiesOfDoubles) {
  EXPECT_EQ(compute(".reg .pred %q; testp.infinite.f64 %q, "
                    "0dFFF0000000000000; selp.u32 %r0, 1, 0, %q;"),
            1u);
  EXPECT_EQ(compute(".reg .pred %q; testp.subnormal.f64 %q, "
                    "0d0010000000000000; selp.u32 %r0, 1, 0, %q;"),
            0u);
}

/// The upper word of an f64 that `instruction` makes of `bits`.
uint32_t upperWord(const std::string &instruction, const char *bits) {
  return compute(".reg .f64 %a, %b; .reg .b64 %w; mov.f64 %a, " +
                 std::string(bits) + ";\n" + instruction +
                 " %b, %a; mov.b64 %w, %b; shr.u64 %w, %w, 32; cvt.u32.u64 "
                 "%r0, %w;");
}

TEST(Instruction, ApproximationsOfDoubles) {
  const char *rcp = "rcp.approx.ftz.f64", *rsqrt = "rsqrt.approx.f64",
             *gross = "rsqrt.approx.ftz.f64";
  EXPECT_EQ(upperWord(rcp, "0d4000000000000000"), 0x3fe00000u);
  EXPECT_EQ(upperWord(rcp, "0d4008000000000000"), 0x3fd55555u);
  EXPECT_EQ(upperWord(rcp, "0d8000000000000001"), 0xfff00000u);
  EXPECT_EQ(upperWord(rcp, "0dFFF0000000000000"), 0x80000000u);
  EXPECT_EQ(upperWord(rsqrt, "0d4010000000000000"), 0x3fe00000u);
  EXPECT_EQ(upperWord(rsqrt, "0d0000000000000001"), 0x61800000u);
  EXPECT_EQ(upperWord(gross, "0d0000000000000001"), 0x7ff00000u);
  EXPECT_EQ(upperWord(gross, "0d4008000000000000"), 0x3fe279a7u);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

TEST(Instruction, SumsOfVectors) {
  // One of the threads whose words the buffer has.
  std::string start = "setp.ne.u32 %p0, %t, 0; @%p0 ret;\n"
                      ".reg .f32 %a, %b, %x, %y;\n"
                      "mov.f32 %a, 0f3F800000; mov.f32 %b, 0f40000000;\n";
  SmallRun run = runSmall(start + "st.global.v2.f32 [%mine], {%a, %b};\n"
                                  "red.relaxed.gpu.global.add.v2.f32 [%mine], "
                                  "{%b, %b};\n"
                                  "atom.relaxed.gpu.global.add.v2.f32 {%x, "
                                  "%y}, [%mine], {%a, %a};\n"
                                  "st.global.f32 [%mine+8], %y;",
                          4);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.faults.empty());
  // 1 + 2 + 1, 2 + 2 + 1, and what the second was before.
  EXPECT_EQ(run.words[0], 0x40800000u);
  EXPECT_EQ(run.words[1], 0x40a00000u);
  EXPECT_EQ(run.words[2], 0x40800000u);
}

TEST(Instruction, VectorsOfOtherAtomicsAreRefused) {
  EXPECT_NE(runSmall("red.global.max.v2.u32 [%mine], {%r0, %r0};", 1).error,
            "");
  EXPECT_NE(
      runSmall("red.global.add.v4.f64 [%mine], {%d, %d, %d, %d};", 1).error,
      "");
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

/// A source may be wider than its type: what is above is left out.
TEST(Instruction, ConversionsTakeWiderRegisters) {
  EXPECT_EQ(compute("mov.u64 %d1, 0x1fffffff0;\n"
                    "cvt.s64.s32 %d2, %d1; shr.u64 %d2, %d2, 32;\n"
                    "cvt.u32.u64 %r0, %d2;"),
            0xffffffffu);
  EXPECT_EQ(compute("mov.u64 %d1, 0x100000080; cvt.s32.s8 %r0, %d1;"),
            0xffffff80u);
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
  EXPECT_EQ(compute(".reg .b16 %h<3>; mov.u16 %h0, 77;\n"
                    "mov.b32 %r1, {%h1, %h0}; shr.u32 %r0, %r1, 16;"),
            77u);
  EXPECT_TRUE(isUndefined(".reg .b16 %h<3>; mov.b32 %r0, {%h0, %h1};"));
}

//===----------------------------------------------------------------------===//
// Forms of instructions
//===----------------------------------------------------------------------===//

TEST(Instruction, ConversionsTakeTheLowBitsOfWiderRegisters) {
  EXPECT_EQ(compute("mov.u64 %d1, 0x1234567880000000;\n"
                    "cvt.s64.s32 %d2, %d1; shr.u64 %d2, %d2, 32;\n"
                    "cvt.u32.u64 %r0, %d2;"),
            0xffffffffu);
  EXPECT_EQ(compute("mov.u64 %d1, 0x12345678000000a5; cvt.s32.s8 %r0, %d1;"),
            0xffffffa5u);
}

TEST(Instruction, StoresTakeTheLowBitsOfWiderRegisters) {
  SmallRun run = runSmall("mov.u64 %d1, 0x1234567800004455;\n"
                          "st.global.b8 [%mine], %d1;",
                          1);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.words[0], 0x55u);
  // Of every lane.
  run = runSmall("cvt.u64.u32 %d1, %t; add.u64 %d1, %d1, 0x5500000000;\n"
                 "st.global.b32 [%mine], %d1;");
  EXPECT_EQ(run.error, "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(run.words[lane], lane);
}

TEST(Instruction, HalvesOfWordsAreNumbersOfTheirOwn) {
  std::string words = "mov.b32 %r1, 0x0001ffff; mov.b32 %r2, 0x00020001;\n";
  EXPECT_EQ(compute(words + "add.s16x2 %r0, %r1, %r2;"), 0x00030000u);
  EXPECT_EQ(compute(words + "min.s16x2 %r0, %r1, %r2;"), 0x0001ffffu);
  EXPECT_EQ(compute(words + "min.u16x2 %r0, %r1, %r2;"), 0x00010001u);
  EXPECT_EQ(compute(words + "max.s16x2 %r0, %r1, %r2;"), 0x00020001u);
  EXPECT_EQ(compute(words + "min.relu.s16x2 %r0, %r1, %r2;"), 0x00010000u);
}

TEST(Instruction, ExtremesMayBeClampedToPositiveNumbers) {
  EXPECT_EQ(compute("mov.s32 %r1, -5; max.relu.s32 %r0, %r1, -7;"), 0u);
  EXPECT_EQ(compute("mov.s32 %r1, -5; max.relu.s32 %r0, %r1, 7;"), 7u);
  EXPECT_EQ(compute("mov.s32 %r1, -5; min.relu.s32 %r0, %r1, 7;"), 0u);
}

//===----------------------------------------------------------------------===//
// Words of 128 bits
//===----------------------------------------------------------------------===//

TEST(Instruction, MovesAndAccessesOf128Bits) {
  const std::string start =
      ".reg .b128 %q<4>; mov.u64 %d1, 0x100000002; mov.u64 %d2, 0x300000004;\n"
      ".local .align 16 .b8 list[16];\n"
      "mov.b128 %q0, {%d1, %d2}; mov.b128 %q1, %q0;\n"
      "st.local.b128 [list], %q1; ld.local.b128 %q2, [list];\n"
      "mov.b128 {%d3, %d4}, %q2;\n";
  EXPECT_EQ(compute(start + "cvt.u32.u64 %r0, %d3;"), 2u);
  EXPECT_EQ(compute(start + "shr.u64 %d4, %d4, 32; cvt.u32.u64 %r0, %d4;"), 3u);
  EXPECT_EQ(compute(start + "ld.local.u32 %r0, [list+4];"), 1u);
  SmallRun run =
      runSmall(".reg .b128 %q0; .reg .b128 %q1; cvt.u64.u32 %d1, %t;\n"
               ".shared .align 16 .b8 places[512]; mov.b32 %r1, places;\n"
               "mad.lo.u32 %r1, %t, 16, %r1; add.u64 %d2, %d1, 100;\n"
               "mov.b128 %q0, {%d1, %d2}; st.shared.b128 [%r1], %q0;\n"
               "ld.shared.b128 %q1, [%r1]; mov.b128 {%d3, %d4}, %q1;\n"
               "mad.lo.u64 %d3, %d4, 1000, %d3; cvt.u32.u64 %r0, %d3;\n"
               "st.global.u32 [%mine], %r0;");
  EXPECT_EQ(run.error, "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(run.words[lane], (lane + 100) * 1000 + lane);
  EXPECT_TRUE(isUndefined(".reg .b128 %q0; mov.b128 {%d1, _}, %q0;\n"
                          "cvt.u32.u64 %r0, %d1;"));
}

TEST(Instruction, WordsOf128BitsAreRegisters) {
  auto errorOf = [](const std::string &body) {
    return runSmall(".reg .b128 %q0;\n" + body).error;
  };
  EXPECT_EQ(errorOf("st.global.b128 [%out], 5;"),
            "14: the emulator cannot execute 'st.global.b128': expects a "
            "register of 128 bits");
  EXPECT_EQ(errorOf("ld.global.b64 %q0, [%out];"),
            "14: the emulator cannot execute 'ld.global.b64': expects a "
            "register of 64 bits for its result, but got one of 128");
  EXPECT_EQ(errorOf("ld.global.v2.b128 {%q0, %q0}, [%out];"),
            "14: the emulator cannot execute 'ld.global.v2.b128': expects at "
            "most 32 bytes, and 128-bit elements alone");
}

//===----------------------------------------------------------------------===//
// Halves
//===----------------------------------------------------------------------===//

/// d = a OP b (OP c) of pairs, in all lanes and in one.
void expectPair(const std::string &operation, uint32_t a, uint32_t b,
                uint32_t c, uint32_t expected) {
  bool isFused = operation.starts_with("fma");
  std::string body = "mov.b32 %r1, " + std::to_string(a) + "; mov.b32 %r2, " +
                     std::to_string(b) + "; mov.b32 %r3, " + std::to_string(c) +
                     ";\nmov.b32 %r0, 0;\n" + "setp.eq.u32 %p0, %t, 3;\n";
  for (std::string guard : {"", "@%p0 "}) {
    SmallRun run =
        runSmall(body + guard + operation + " %r0, %r1, %r2" +
                 (isFused ? ", %r3" : "") + ";\nst.global.u32 [%mine], %r0;");
    EXPECT_EQ(run.error, "");
    for (uint32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(run.words[lane], guard.empty() || lane == 3 ? expected : 0)
          << operation;
  }
}

TEST(Instruction, ArithmeticOfHalves) {
  // 1.5, -2 and 3.
  expectPair("add.f16x2", 0xc0003e00, 0x42003e00, 0, 0x3c004200);
  expectPair("sub.f16x2", 0xc0003e00, 0x42003e00, 0, 0xc5000000);
  expectPair("mul.f16x2", 0xc0003e00, 0x42003e00, 0, 0xc6004080);
  expectPair("fma.rn.f16x2", 0xc0003e00, 0x42003e00, 0x3c003c00, 0xc5004280);
  expectPair("add.bf16x2", 0xc0003fc0, 0x40403fc0, 0, 0x3f804040);
  expectPair("sub.bf16x2", 0xc0003fc0, 0x40403fc0, 0, 0xc0a00000);
  expectPair("mul.bf16x2", 0xc0003fc0, 0x40403fc0, 0, 0xc0c04010);
  expectPair("fma.rn.bf16x2", 0xc0003fc0, 0x40403fc0, 0x3f803f80, 0xc0a04050);
  // With modifiers: the exact routines. 2 + 2 saturates, -6 + 1 is clamped.
  expectPair("add.sat.f16x2", 0x40004000, 0x40003400, 0, 0x3c003c00);
  expectPair("fma.rn.relu.f16x2", 0xc0003e00, 0x42003e00, 0x3c003c00, 0x4280);
}

TEST(Instruction, ArithmeticOfOneHalf) {
  const std::string start = ".reg .b16 %h<4>; mov.b16 %h1, 0x3e00;\n"
                            "mov.b16 %h2, 0x4200;\n";
  const std::string end = " mov.b32 %r0, {%h0, %h1};";
  EXPECT_EQ(compute(start + "sub.f16 %h0, %h1, %h2;" + end), 0x3e00be00u);
  EXPECT_EQ(compute(start + "fma.rn.f16 %h0, %h1, %h2, %h1;" + end),
            0x3e004600u);
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
