// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses and masks of affine tiles, run on the CPU: pointers that a thread
// derives from one of its registers, and comparisons that it makes of one
// difference.

#include "LoweredKernel.h"

#include "gtest/gtest.h"

using namespace tilewright::test;

namespace {

/// mask = row PREDICATE bound.
struct Comparison {
  const char *predicate;
  bool (*holds)(int32_t, int32_t);
};

const Comparison comparisons[] = {
    {"eq", [](int32_t a, int32_t b) { return a == b; }},
    {"ne", [](int32_t a, int32_t b) { return a != b; }},
    {"slt", [](int32_t a, int32_t b) { return a < b; }},
    {"sle", [](int32_t a, int32_t b) { return a <= b; }},
    {"sgt", [](int32_t a, int32_t b) { return a > b; }},
    {"sge", [](int32_t a, int32_t b) { return a >= b; }},
    {"ult", [](int32_t a, int32_t b) { return uint32_t(a) < uint32_t(b); }},
    {"ule", [](int32_t a, int32_t b) { return uint32_t(a) <= uint32_t(b); }},
    {"ugt", [](int32_t a, int32_t b) { return uint32_t(a) > uint32_t(b); }},
    {"uge", [](int32_t a, int32_t b) { return uint32_t(a) >= uint32_t(b); }}};

constexpr int64_t rows = 32, columns = 16, columnStep = 3;

/// What the kernel is called with.
struct Scalars {
  int32_t firstRow, rowStride, bound;
};

/// out[row * rowStride + column * 3] = row * 16 + column + 1 where
/// row PREDICATE bound, for the rows from `firstRow` on.
std::string buildStore(const std::string &layout, unsigned warps,
                       const char *predicate) {
  KernelText kernel("sm_80", warps);
  kernel.alias("l", layout);
  kernel.alias("r", "#tilegpu.slice<dim = 1, parent = #l>");
  kernel.alias("c", "#tilegpu.slice<dim = 0, parent = #l>");
  kernel.argument("out", "!tt.ptr<i32>");
  for (const char *name : {"first", "stride", "bound"})
    kernel.argument(name, "i32");
  std::string row = tensorType({rows, 1}, "i32", "#l");
  std::string column = tensorType({1, columns}, "i32", "#l");
  std::string tile = tensorType({rows, columns}, "i32", "#l");
  std::string rowPointer = tensorType({rows, 1}, "!tt.ptr<i32>", "#l");
  std::string pointer = tensorType({rows, columns}, "!tt.ptr<i32>", "#l");
  std::string rowMask = tensorType({rows, 1}, "i1", "#l");
  std::string mask = tensorType({rows, columns}, "i1", "#l");
  auto range = [&](const std::string &name, int64_t size, unsigned axis,
                   const std::string &slice, const std::string &type) {
    std::string flat = tensorType({size}, "i32", slice);
    kernel.line("%" + name + "_flat = tt.make_range {start = 0 : i32, end = " +
                std::to_string(size) + " : i32} : " + flat);
    kernel.line("%" + name + " = tt.expand_dims %" + name + "_flat {axis = " +
                std::to_string(axis) + " : i32} : " + flat + " -> " + type);
  };
  auto constant = [&](const std::string &name, int64_t value,
                      const std::string &type) {
    kernel.line("%" + name + " = arith.constant dense<" +
                std::to_string(value) + "> : " + type);
  };
  auto op = [&](const std::string &text, const std::string &type) {
    kernel.line(text + " : " + type);
  };
  range("i", rows, 1, "#r", row);
  range("j", columns, 0, "#c", column);
  op("%firsts = tt.splat %first", "i32 -> " + row);
  op("%row = arith.addi %i, %firsts", row);
  op("%strides = tt.splat %stride", "i32 -> " + row);
  op("%row_offset = arith.muli %row, %strides", row);
  constant("three", columnStep, column);
  op("%column_offset = arith.muli %j, %three", column);
  op("%base = tt.splat %out", "!tt.ptr<i32> -> " + rowPointer);
  op("%row_start = tt.addptr %base, %row_offset", rowPointer + ", " + row);
  op("%row_starts = tt.broadcast %row_start", rowPointer + " -> " + pointer);
  op("%column_offsets = tt.broadcast %column_offset", column + " -> " + tile);
  op("%pointer = tt.addptr %row_starts, %column_offsets",
     pointer + ", " + tile);
  op("%bounds = tt.splat %bound", "i32 -> " + row);
  op(std::string("%inside = arith.cmpi ") + predicate + ", %row, %bounds", row);
  op("%mask = tt.broadcast %inside", rowMask + " -> " + mask);
  constant("width", columns, tile);
  constant("one", 1, tile);
  op("%rows = tt.broadcast %row", row + " -> " + tile);
  op("%columns = tt.broadcast %j", column + " -> " + tile);
  op("%scaled = arith.muli %rows, %width", tile);
  op("%number = arith.addi %scaled, %columns", tile);
  op("%value = arith.addi %number, %one", tile);
  op("tt.store %pointer, %value, %mask", pointer);
  return kernel.build();
}

void checkStore(const std::string &layout, unsigned warps,
                const Comparison &comparison, const Scalars &scalars) {
  SCOPED_TRACE(layout + " " + comparison.predicate + " first " +
               std::to_string(scalars.firstRow) + " stride " +
               std::to_string(scalars.rowStride) + " bound " +
               std::to_string(scalars.bound));
  LoweredKernel lowered(buildStore(layout, warps, comparison.predicate));
  ASSERT_TRUE(lowered.isValid()) << lowered.diagnostics();
  // The first row written stands in the middle: strides may be negative.
  constexpr int64_t elements = 8192, middle = elements / 2;
  LaneInterpreter machine(warps, 4 * elements);
  int64_t start = middle - int64_t(scalars.firstRow) * scalars.rowStride;
  uint64_t out = LaneInterpreter::globalBase + 4 * start;
  ASSERT_EQ(machine.run(lowered.function(),
                        {out, uint32_t(scalars.firstRow),
                         uint32_t(scalars.rowStride), uint32_t(scalars.bound)}),
            "");
  std::vector<int32_t> expected(elements, 0);
  for (int32_t i = 0; i < rows; ++i)
    for (int32_t column = 0; column < columns; ++column) {
      int32_t row = scalars.firstRow + i;
      if (comparison.holds(row, scalars.bound))
        expected[start + int64_t(row) * scalars.rowStride +
                 column * columnStep] = row * columns + column + 1;
    }
  ASSERT_EQ(machine.read<int32_t>(LaneInterpreter::globalBase, elements),
            expected);
}

/// Rows of a thread, and columns of a thread, and both mixed by the layout.
const char *layouts[] = {
    "#tilegpu.blocked<elements = [1, 1], threads = [2, 16], warps = [2, 1], "
    "order = [1, 0]>",
    "#tilegpu.blocked<elements = [8, 1], threads = [2, 16], warps = [2, 1], "
    "order = [0, 1]>",
    "#tilegpu.blocked<elements = [2, 4], threads = [8, 4], warps = [1, 2], "
    "order = [1, 0]>",
    "#tilegpu.mma<m16n8, warps = [2, 1]>"};

TEST(Address, EveryComparisonOfEveryLayout) {
  for (const char *layout : layouts)
    for (const Comparison &comparison : comparisons)
      for (int32_t bound : {0, 5, 17, 40})
        checkStore(layout, 2, comparison, {3, 61, bound});
}

TEST(Address, NegativeRowsAndStrides) {
  for (const char *layout : layouts)
    for (const Comparison &comparison : comparisons) {
      checkStore(layout, 2, comparison, {-7, 61, 4});
      checkStore(layout, 2, comparison, {2, -61, 9});
    }
}

TEST(Address, BoundsAtTheEndsOfTheType) {
  for (const char *layout : layouts)
    for (const Comparison &comparison : comparisons)
      for (int32_t bound : {INT32_MIN, INT32_MIN + 3, INT32_MAX - 3, INT32_MAX})
        for (int32_t first : {-20, 20})
          checkStore(layout, 2, comparison, {first, 50, bound});
}

TEST(Address, RandomLinearLayouts) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 60; ++round) {
    std::string layout = randomLinearLayout(random, {rows, columns}, 4,
                                            /*warpBits=*/1, round % 2);
    // Rows do not overlap.
    int32_t stride = columnStep * columns + random() % 50;
    checkStore(layout, 2, comparisons[random() % std::size(comparisons)],
               {int32_t(random() % 64) - 32, random() % 2 ? stride : -stride,
                int32_t(random() % 64) - 32});
  }
}

/// A renaming may give registers that are sums of the source's: their steps
/// then depend on each other.
TEST(Address, RegistersMixedByARenaming) {
  KernelText kernel("sm_80", 1);
  std::string lanes = ", lane = [[4, 0], [8, 0], [16, 0], [0, 0], [0, 0]]";
  kernel.alias("a", "#tilegpu.linear<register = [[1, 0], [2, 0]]" + lanes +
                        ", warp = []>");
  kernel.alias("b", "#tilegpu.linear<register = [[0, 1], [0, 3]], lane = [[0, "
                    "4], [0, 8], [0, 16], [0, 0], [0, 0]], warp = []>");
  kernel.alias("s", "#tilegpu.slice<dim = 1, parent = #a>");
  kernel.argument("out", "!tt.ptr<i32>");
  kernel.argument("stride", "i32");
  kernel.line("%flat = tt.make_range {start = 0 : i32, end = 32 : i32} : "
              "tensor<32xi32, #s>");
  kernel.line("%i = tt.expand_dims %flat {axis = 1 : i32} : tensor<32xi32, #s> "
              "-> tensor<32x1xi32, #a>");
  kernel.line("%strides = tt.splat %stride : i32 -> tensor<32x1xi32, #a>");
  kernel.line("%offset = arith.muli %i, %strides : tensor<32x1xi32, #a>");
  kernel.line("%base = tt.splat %out : !tt.ptr<i32> -> "
              "tensor<32x1x!tt.ptr<i32>, #a>");
  kernel.line("%pointer = tt.addptr %base, %offset : "
              "tensor<32x1x!tt.ptr<i32>, #a>, tensor<32x1xi32, #a>");
  kernel.line("%pointers = tt.trans %pointer {order = array<i32: 1, 0>} : "
              "tensor<32x1x!tt.ptr<i32>, #a> -> tensor<1x32x!tt.ptr<i32>, #b>");
  kernel.line("%value = tt.trans %i {order = array<i32: 1, 0>} : "
              "tensor<32x1xi32, #a> -> tensor<1x32xi32, #b>");
  kernel.line("tt.store %pointers, %value : tensor<1x32x!tt.ptr<i32>, #b>");
  LoweredKernel lowered(kernel.build());
  ASSERT_TRUE(lowered.isValid()) << lowered.diagnostics();
  LaneInterpreter machine(1, 4 * 256);
  ASSERT_EQ(machine.run(lowered.function(), {LaneInterpreter::globalBase, 5}),
            "");
  std::vector<int32_t> out =
      machine.read<int32_t>(LaneInterpreter::globalBase, 256);
  for (int32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out[5 * i], i);
}

} // namespace
