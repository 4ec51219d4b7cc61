// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where halves are widened.

#include "lib/Codegen/SinkConversions.h"

#include "FunctionPass.h"

using namespace llvm;
using namespace tilewright;

/// The names of the instructions of a block in their order once conversions
/// have sunk.
static std::string sink(const std::string &body) {
  return test::listNames("declare float @llvm.sqrt.f32(float)\n"
                         "declare float @llvm.nvvm.div.full(float, float)\n"
                         "declare float @slow(float)\n"
                         "define float @f(half %h, i32 %i, float %x) {\n" +
                             body + "ret float %r\n}\n",
                         codegen::SinkConversions());
}

static const std::string widened = "%w = fpext half %h to float\n";

TEST(SinkConversions, HalvesAreWidenedBehindASquareRoot) {
  EXPECT_EQ(sink(widened + "%s = call float @llvm.sqrt.f32(float %x)\n"
                           "%p = fmul float %x, %x\n"
                           "%r = fmul float %s, %w\n"),
            "spwr");
}

TEST(SinkConversions, UpperHalvesOfWordsAreNumbersOfTheirOwn) {
  EXPECT_EQ(sink("%b = and i32 %i, -65536\n"
                 "%w = bitcast i32 %b to float\n"
                 "%c = shl i32 %i, 16\n"
                 "%v = bitcast i32 %c to float\n"
                 "%s = fdiv float 1.0, %x\n"
                 "%p = fmul float %s, %w\n"
                 "%r = fmul float %p, %v\n"),
            "sbwpcvr");
}

TEST(SinkConversions, CallsAndAssemblyMayBranch) {
  EXPECT_EQ(sink(widened + "%s = call float @slow(float %x)\n"
                           "%r = fmul float %s, %w\n"),
            "swr");
  EXPECT_EQ(sink(widened +
                 "%s = call float asm \"rcp.rn.f32 $0, $1;\", \"=f,f\"(float "
                 "%x)\n"
                 "%r = fmul float %s, %w\n"),
            "swr");
}

TEST(SinkConversions, OtherwiseTheAssemblerChoosesThePlace) {
  EXPECT_EQ(sink(widened +
                 "%s = call float @llvm.nvvm.div.full(float 1.0, float %x)\n"
                 "%r = fmul float %s, %w\n"),
            "wsr");
}

TEST(SinkConversions, WhatIsUsedBeforeStays) {
  EXPECT_EQ(sink(widened + "%p = fmul float %w, %w\n"
                           "%s = call float @llvm.sqrt.f32(float %p)\n"
                           "%r = fmul float %s, %w\n"),
            "wpsr");
}

TEST(SinkConversions, BitsThatOthersNeedStay) {
  EXPECT_EQ(sink("%b = and i32 %i, -65536\n"
                 "%w = bitcast i32 %b to float\n"
                 "%s = fdiv float 1.0, %x\n"
                 "%o = uitofp i32 %b to float\n"
                 "%p = fmul float %s, %o\n"
                 "%r = fmul float %p, %w\n"),
            "bwsopr");
}
