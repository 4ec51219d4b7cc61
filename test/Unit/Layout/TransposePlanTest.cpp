// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/TransposePlan.h"

#include "test/Unit/Layout/LayoutTestSupport.h"
#include "gtest/gtest.h"

using namespace tilewright::layout;

namespace {

std::optional<TransposePlan> plan(const LinearLayout &source,
                                  const LinearLayout &destination) {
  return planTransposition(*classifyConversion(source, destination));
}

/// Executes a plan as PTX defines movmatrix, on registers that hold their own
/// coordinates: what each destination register gets.
std::vector<uint64_t> execute(const TransposePlan &plan,
                              const LinearLayout &source, uint64_t lane,
                              uint64_t warp) {
  auto held = [&](uint64_t reg, uint64_t from) {
    return source.apply(reg | from << source.inputOffset(Axis::Lane) |
                        warp << source.inputOffset(Axis::Warp));
  };
  std::vector<uint64_t> values;
  for (TransposePlan::Part part : plan.values) {
    // Element (row, column) of the result is (column, row) of the source.
    uint64_t row = lane / 4, column = 2 * (lane % 4) + part.isHigh;
    TransposePlan::Word word = plan.words[part.word];
    values.push_back(
        held(row % 2 ? word.high : word.low, 4 * column + row / 2));
  }
  return values;
}

const std::vector<unsigned> warps = {0, 1}, shape = {5, 5};

} // namespace

TEST(TransposePlan, AccumulatorBecomesRightOperand) {
  LinearLayout source = mmaAccumulator(Fragment::M16N8, warps, shape);
  LinearLayout destination =
      mmaOperand(Fragment::M16N8, 1, /*widthBits=*/1, warps, shape);
  std::optional<TransposePlan> found = plan(source, destination);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->words.size(), 8u);
  for (uint64_t warp = 0; warp < 2; ++warp)
    for (uint64_t lane = 0; lane < 32; ++lane) {
      std::vector<uint64_t> values = execute(*found, source, lane, warp);
      for (uint64_t reg = 0; reg < values.size(); ++reg)
        EXPECT_EQ(values[reg],
                  destination.apply(
                      reg | lane << destination.inputOffset(Axis::Lane) |
                      warp << destination.inputOffset(Axis::Warp)));
    }
}

TEST(TransposePlan, NoneForOtherLanesOrAcrossWarps) {
  LinearLayout source = mmaAccumulator(Fragment::M16N8, warps, shape);
  // Lanes exchange other bits.
  EXPECT_FALSE(plan(source, mmaOperand(Fragment::M16N8, 1, 0, warps, shape)));
  // Nothing moves.
  EXPECT_FALSE(plan(source, mmaOperand(Fragment::M16N8, 0, 1, warps, shape)));
  // Warps hold other columns.
  std::vector<unsigned> others = {1, 0};
  EXPECT_FALSE(plan(source, mmaOperand(Fragment::M16N8, 1, 1, others, shape)));
}
