// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans, run on the CPU: of affine maps under composition, which is associative
// and not commutative.

#include "LoweredKernel.h"

#include "gtest/gtest.h"

using namespace tilewright::test;

namespace {

/// x -> m * x + c.
struct Affine {
  uint32_t m, c;
};

/// First a, then b.
Affine compose(Affine a, Affine b) { return {a.m * b.m, a.c * b.m + b.c}; }

std::string buildScan(const std::string &layout, int64_t rows, int64_t columns,
                      unsigned axis, bool reverse, unsigned warps) {
  KernelText kernel("sm_80", warps);
  kernel.alias("l", layout);
  std::string tile = tensorType({rows, columns}, "i32", "#l");
  kernel.load("m", "m", {rows, columns}, "i32", "#l");
  kernel.load("c", "c", {rows, columns}, "i32", "#l");
  kernel.line("%r:2 = \"tt.scan\"(%m, %c) <{axis = " + std::to_string(axis) +
              " : i32, reverse = " + (reverse ? "true" : "false") +
              "}> ({\n"
              "  ^bb0(%ma: i32, %ca: i32, %mb: i32, %cb: i32):\n"
              "    %p = arith.muli %ma, %mb : i32\n"
              "    %q = arith.muli %ca, %mb : i32\n"
              "    %s = arith.addi %q, %cb : i32\n"
              "    tt.scan.return %p, %s : i32, i32\n"
              "  }) : (" +
              tile + ", " + tile + ") -> (" + tile + ", " + tile + ")");
  kernel.store("r#0", "mo", {rows, columns}, "i32", "#l");
  kernel.store("r#1", "co", {rows, columns}, "i32", "#l");
  return kernel.build();
}

void checkScan(const std::string &layout, int64_t rows, int64_t columns,
               unsigned axis, bool reverse, unsigned warps,
               std::mt19937 &random) {
  SCOPED_TRACE(layout + (reverse ? " reverse" : "") + " axis " +
               std::to_string(axis));
  LoweredKernel lowered(buildScan(layout, rows, columns, axis, reverse, warps));
  ASSERT_TRUE(lowered.isValid()) << lowered.diagnostics();
  size_t count = rows * columns;
  std::vector<uint32_t> m(count), c(count);
  for (size_t i = 0; i < count; ++i) {
    m[i] = 2 * random() + 1;
    c[i] = random();
  }
  LaneInterpreter machine(warps, 16 * count);
  uint64_t base = LaneInterpreter::globalBase, bytes = 4 * count;
  machine.write<uint32_t>(base, m);
  machine.write<uint32_t>(base + bytes, c);
  ASSERT_EQ(
      machine.run(lowered.function(),
                  {base, base + bytes, base + 2 * bytes, base + 3 * bytes}),
      "");
  std::vector<uint32_t> mo = machine.read<uint32_t>(base + 2 * bytes, count);
  std::vector<uint32_t> co = machine.read<uint32_t>(base + 3 * bytes, count);
  int64_t length = axis == 0 ? rows : columns, lines = count / length;
  for (int64_t other = 0; other < lines; ++other) {
    Affine sum{1, 0};
    for (int64_t k = 0; k < length; ++k) {
      int64_t at = reverse ? length - 1 - k : k;
      size_t i = axis == 0 ? at * columns + other : other * columns + at;
      sum = compose(sum, {m[i], c[i]});
      ASSERT_EQ(mo[i], sum.m) << "line " << other << " element " << at;
      ASSERT_EQ(co[i], sum.c) << "line " << other << " element " << at;
    }
  }
}

TEST(Scan, RegistersLanesAndRepetitions) {
  std::mt19937 random(1);
  const char *layouts[] = {
      "#tilegpu.blocked<elements = [1, 4], threads = [4, 8], warps = [2, 1], "
      "order = [1, 0]>",
      "#tilegpu.blocked<elements = [2, 2], threads = [16, 2], warps = [2, 1], "
      "order = [1, 0]>",
      "#tilegpu.blocked<elements = [1, 8], threads = [32, 1], warps = [2, 1], "
      "order = [0, 1]>",
      "#tilegpu.blocked<elements = [1, 1], threads = [1, 32], warps = [2, 1], "
      "order = [1, 0]>",
      "#tilegpu.mma<m16n8, warps = [2, 1]>"};
  for (const char *layout : layouts)
    for (int64_t columns : {1, 2, 16, 128})
      for (bool reverse : {false, true})
        checkScan(layout, 32, columns, 1, reverse, 2, random);
}

TEST(Scan, AlongTheFirstAxis) {
  std::mt19937 random(2);
  for (const char *layout :
       {"#tilegpu.blocked<elements = [2, 1], threads = [4, 8], warps = [1, 2], "
        "order = [1, 0]>",
        "#tilegpu.mma<m16n8, warps = [1, 2]>"})
    for (bool reverse : {false, true})
      checkScan(layout, 64, 16, 0, reverse, 2, random);
}

TEST(Scan, RegistersAndLanesInAnyOrder) {
  std::mt19937 random(3);
  for (unsigned round = 0; round < 40; ++round)
    checkScan(randomLinearLayout(random, {4, 64}, round % 6, 1,
                                 /*mixed=*/false),
              4, 64, 1, /*reverse=*/round % 2, 2, random);
}

/// Lanes that differ along the axis and across it at once; registers and warps
/// that differ along it where lanes do.
TEST(Scan, SwizzledLanes) {
  std::mt19937 random(4);
  for (const char *layout :
       {"#tilegpu.linear<register = [[0, 8], [4, 0]], lane = [[1, 1], [1, 0], "
        "[0, 2], [0, 6], [2, 4]], warp = [[8, 0]]>",
        "#tilegpu.linear<register = [[4, 2], [0, 8]], lane = [[1, 0], [0, 2], "
        "[0, 1], [0, 4], [2, 0]], warp = [[8, 5]]>"})
    for (bool reverse : {false, true})
      checkScan(layout, 16, 16, 1, reverse, 2, random);
}

void expectDiagnostic(const std::string &layout, const std::string &text) {
  LoweredKernel lowered(buildScan(layout, 16, 16, 1, false, 2));
  EXPECT_FALSE(lowered.isValid());
  EXPECT_NE(lowered.diagnostics().find(text), std::string::npos)
      << lowered.diagnostics();
}

TEST(Scan, LayoutsThatAreDiagnosed) {
  expectDiagnostic("#tilegpu.blocked<elements = [1, 2], threads = [8, 4], "
                   "warps = [1, 2], order = [1, 0]>",
                   "but got [warps] for bit 3");
  expectDiagnostic("#tilegpu.linear<register = [[1, 8], [4, 0]], lane = [[1, "
                   "0], [0, 1], [0, 2], [0, 4], [2, 0]], warp = [[8, 0]]>",
                   "but got [registers and lanes together] for bit 3");
  expectDiagnostic("#tilegpu.linear<register = [[0, 8], [4, 0]], lane = [[1, "
                   "8], [0, 1], [0, 2], [0, 4], [2, 0]], warp = [[8, 0]]>",
                   "but got [both registers and threads] for bit 3");
}

/// A run of n elements in registers costs n - 1 combinations, a lane bit one
/// more for each total.
TEST(Scan, CostsOneCombinationForEachRegister) {
  KernelText kernel("sm_80", 1);
  kernel.alias("l", "#tilegpu.blocked<elements = [1, 16], threads = [32, 1], "
                    "warps = [1, 1], order = [0, 1]>");
  kernel.load("x", "in", {32, 16}, "f32", "#l");
  kernel.line("%r = \"tt.scan\"(%x) <{axis = 1 : i32, reverse = false}> ({\n"
              "  ^bb0(%a: f32, %b: f32):\n"
              "    %s = arith.addf %a, %b : f32\n"
              "    tt.scan.return %s : f32\n"
              "  }) : (tensor<32x16xf32, #l>) -> tensor<32x16xf32, #l>");
  kernel.store("r", "in", {32, 16}, "f32", "#l");
  LoweredKernel lowered(kernel.build());
  ASSERT_TRUE(lowered.isValid()) << lowered.diagnostics();
  LaneInterpreter machine(1, 4 * 32 * 16);
  ASSERT_EQ(machine.run(lowered.function(), {LaneInterpreter::globalBase}), "");
  EXPECT_EQ(machine.counts().at("llvm.fadd"), 15u);
  EXPECT_EQ(machine.counts().count("nvvm.shfl.sync"), 0u);
}

} // namespace
