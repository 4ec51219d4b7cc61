// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, run on the CPU in every layout: each element must count once.

#include "LoweredKernel.h"

#include "gtest/gtest.h"

using namespace tilewright::test;

namespace {

const std::string sumRegion = "({\n  ^bb0(%a: i32, %b: i32):\n"
                              "    %s = arith.addi %a, %b : i32\n"
                              "    tt.reduce.return %s : i32\n  })";

std::vector<int32_t> randomIntegers(std::mt19937 &random, size_t count) {
  std::vector<int32_t> values(count);
  for (int32_t &value : values)
    value = int32_t(random() % 1000) - 500;
  return values;
}

/// Sums a rows x columns tile along `axis`, spreads the sums over the tile
/// again (so that every copy is seen) and compares.
void checkSum(const std::string &layout, int64_t rows, int64_t columns,
              unsigned axis, unsigned warps, const std::string &passes,
              std::mt19937 &random) {
  SCOPED_TRACE(layout);
  KernelText kernel("sm_80", warps);
  kernel.alias("l", layout);
  std::string slice =
      "#tilegpu.slice<dim = " + std::to_string(axis) + ", parent = #l>";
  std::string tile = tensorType({rows, columns}, "i32", "#l");
  int64_t left = axis == 0 ? columns : rows;
  std::string sums = tensorType({left}, "i32", slice);
  int64_t expandedShape[] = {axis == 0 ? 1 : rows, axis == 0 ? columns : 1};
  std::string expanded = tensorType(expandedShape, "i32", "#l");
  kernel.load("x", "in", {rows, columns}, "i32", "#l");
  kernel.line("%r = \"tt.reduce\"(%x) <{axis = " + std::to_string(axis) +
              " : i32}> " + sumRegion + " : (" + tile + ") -> " + sums);
  kernel.line("%e = tt.expand_dims %r {axis = " + std::to_string(axis) +
              " : i32} : " + sums + " -> " + expanded);
  if (expanded != tile)
    kernel.line("%b = tt.broadcast %e : " + expanded + " -> " + tile);
  kernel.store(expanded != tile ? "b" : "e", "out", {rows, columns}, "i32",
               "#l");
  LoweredKernel lowered(kernel.build(), passes);
  ASSERT_TRUE(lowered.isValid()) << lowered.diagnostics() << kernel.build();

  size_t count = rows * columns;
  LaneInterpreter machine(warps, 8 * count, 1 << 16);
  std::vector<int32_t> input = randomIntegers(random, count);
  uint64_t in = LaneInterpreter::globalBase, out = in + 4 * count;
  machine.write<int32_t>(in, input);
  ASSERT_EQ(machine.run(lowered.function(), {in, out}), "");
  std::vector<int32_t> output = machine.read<int32_t>(out, count);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int32_t sum = 0;
      for (int64_t k = 0; k < (axis == 0 ? rows : columns); ++k)
        sum += axis == 0 ? input[k * columns + j] : input[i * columns + k];
      ASSERT_EQ(output[i * columns + j], sum) << "at " << i << ", " << j;
    }
}

const std::string direct = "builtin.module(tilegpu-to-llvm)";
/// Reductions across warps become partial ones and a trip through shared
/// memory.
const std::string decomposed =
    "builtin.module(tilegpu-decompose-reductions, tilegpu-plan-conversions, "
    "tilegpu-allocate-shared-memory, tilegpu-insert-barriers, "
    "tilegpu-to-llvm)";

TEST(Reduction, BlockedLayouts) {
  std::mt19937 random(1);
  const char *layouts[] = {
      "#tilegpu.blocked<elements = [1, 4], threads = [4, 8], warps = [2, 1], "
      "order = [1, 0]>",
      "#tilegpu.blocked<elements = [2, 2], threads = [8, 4], warps = [2, 1], "
      "order = [0, 1]>",
      "#tilegpu.blocked<elements = [1, 1], threads = [1, 32], warps = [2, 1], "
      "order = [1, 0]>",
      "#tilegpu.mma<m16n8, warps = [2, 1]>"};
  for (const char *layout : layouts)
    for (int64_t columns : {8, 32, 64})
      checkSum(layout, 32, columns, 1, 2, direct, random);
}

TEST(Reduction, ThreadsThatHoldCopiesCountOnce) {
  std::mt19937 random(2);
  for (int64_t columns : {1, 2, 4})
    checkSum("#tilegpu.blocked<elements = [1, 1], threads = [2, 16], warps = "
             "[4, 1], order = [1, 0]>",
             4, columns, 1, 4, direct, random);
}

TEST(Reduction, RandomLinearLayouts) {
  std::mt19937 random(3);
  for (unsigned round = 0; round < 40; ++round)
    checkSum(randomLinearLayout(random, {8, 32}, round % 5, 1,
                                /*mixed=*/round % 2),
             8, 32, 1, 2, direct, random);
}

TEST(Reduction, AcrossWarps) {
  std::mt19937 random(4);
  checkSum("#tilegpu.blocked<elements = [1, 2], threads = [8, 4], warps = "
           "[1, 4], order = [1, 0]>",
           16, 64, 1, 4, decomposed, random);
  checkSum("#tilegpu.blocked<elements = [1, 2], threads = [8, 4], warps = "
           "[4, 1], order = [1, 0]>",
           64, 16, 0, 4, decomposed, random);
  for (unsigned round = 0; round < 20; ++round)
    checkSum(randomLinearLayout(random, {16, 16}, 2, 2, /*mixed=*/round % 2),
             16, 16, 0, 4, decomposed, random);
}

TEST(Reduction, AcrossWarpsIsDiagnosedWhereNotDecomposed) {
  KernelText kernel("sm_80", 4);
  kernel.alias("l", "#tilegpu.blocked<elements = [1], threads = [32], warps = "
                    "[4], order = [0]>");
  kernel.load("x", "in", {128}, "i32", "#l");
  kernel.line("%r = \"tt.reduce\"(%x) <{axis = 0 : i32}> " + sumRegion +
              " : (tensor<128xi32, #l>) -> i32");
  kernel.line("%s = tt.splat %r : i32 -> tensor<128xi32, #l>");
  kernel.store("s", "in", {128}, "i32", "#l");
  LoweredKernel lowered(kernel.build());
  EXPECT_FALSE(lowered.isValid());
  EXPECT_NE(lowered.diagnostics().find(
                "expects tilegpu-decompose-reductions to have run, but got an "
                "axis that is distributed among 4 warps"),
            std::string::npos)
      << lowered.diagnostics();
}

/// A region of two operands: the largest value, and where it first stands;
/// every thread gets both.
TEST(Reduction, ScalarsOfTwoOperandsInEveryThread) {
  std::mt19937 random(5);
  for (const char *layout :
       {"#tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = "
        "[0]>",
        "#tilegpu.linear<register = [[16], [2]], lane = [[4], [1], [0], [32], "
        "[8]], warp = []>"}) {
    KernelText kernel("sm_80", 1);
    kernel.alias("l", layout);
    kernel.alias("t", "#tilegpu.blocked<elements = [1], threads = [32], warps "
                      "= [1], order = [0]>");
    kernel.load("x", "in", {64}, "i32", "#l");
    kernel.line("%i = tt.make_range {start = 0 : i32, end = 64 : i32} : "
                "tensor<64xi32, #l>");
    kernel.line(
        "%r:2 = \"tt.reduce\"(%x, %i) <{axis = 0 : i32}> ({\n"
        "  ^bb0(%a: i32, %m: i32, %b: i32, %n: i32):\n"
        "    %g = arith.cmpi sgt, %a, %b : i32\n"
        "    %e = arith.cmpi eq, %a, %b : i32\n"
        "    %f = arith.cmpi slt, %m, %n : i32\n"
        "    %h = arith.andi %e, %f : i1\n"
        "    %c = arith.ori %g, %h : i1\n"
        "    %v = arith.select %c, %a, %b : i32\n"
        "    %w = arith.select %c, %m, %n : i32\n"
        "    tt.reduce.return %v, %w : i32, i32\n"
        "  }) : (tensor<64xi32, #l>, tensor<64xi32, #l>) -> (i32, i32)");
    kernel.line("%s = tt.splat %r#1 : i32 -> tensor<32xi32, #t>");
    kernel.store("s", "out", {32}, "i32", "#t");
    LoweredKernel lowered(kernel.build());
    ASSERT_TRUE(lowered.isValid()) << lowered.diagnostics();
    for (unsigned round = 0; round < 5; ++round) {
      std::vector<int32_t> input(64);
      for (int32_t &value : input)
        value = random() % 20;
      LaneInterpreter machine(1, 1024);
      uint64_t in = LaneInterpreter::globalBase, out = in + 256;
      machine.write<int32_t>(in, input);
      ASSERT_EQ(machine.run(lowered.function(), {in, out}), "");
      int32_t expected =
          std::max_element(input.begin(), input.end()) - input.begin();
      for (int32_t found : machine.read<int32_t>(out, 32))
        ASSERT_EQ(found, expected);
    }
  }
}

/// Elements of f16: shuffles of half words; and the order of the sum is the
/// same in every thread.
TEST(Reduction, HalvesAreTheSameInEveryThread) {
  std::mt19937 random(6);
  KernelText kernel("sm_80", 1);
  kernel.alias("l", "#tilegpu.blocked<elements = [2], threads = [32], warps = "
                    "[1], order = [0]>");
  kernel.load("x", "in", {128}, "f16", "#l");
  kernel.line("%r = \"tt.reduce\"(%x) <{axis = 0 : i32}> ({\n"
              "  ^bb0(%a: f16, %b: f16):\n"
              "    %s = arith.addf %a, %b : f16\n"
              "    tt.reduce.return %s : f16\n"
              "  }) : (tensor<128xf16, #l>) -> f16");
  kernel.line("%s = tt.splat %r : f16 -> tensor<128xf16, #l>");
  kernel.store("s", "out", {128}, "f16", "#l");
  LoweredKernel lowered(kernel.build());
  ASSERT_TRUE(lowered.isValid()) << lowered.diagnostics();
  mlir::Type f16 = mlir::Float16Type::get(lowered.function().getContext());
  std::vector<uint16_t> input(128);
  double exact = 0;
  for (uint16_t &value : input) {
    value = encodeFloat(int(random() % 4096) / 4096.0, f16);
    exact += decodeFloat(value, f16);
  }
  LaneInterpreter machine(1, 1024);
  uint64_t in = LaneInterpreter::globalBase, out = in + 256;
  machine.write<uint16_t>(in, input);
  ASSERT_EQ(machine.run(lowered.function(), {in, out}), "");
  std::vector<uint16_t> output = machine.read<uint16_t>(out, 128);
  for (uint16_t found : output)
    ASSERT_EQ(found, output[0]);
  // Seven levels of additions, each within half an ulp of at most 128.
  EXPECT_NEAR(decodeFloat(output[0], f16), exact, 7 * 128 * 0x1p-11);
}

} // namespace
