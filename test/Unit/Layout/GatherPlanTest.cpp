// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gather plans are executed here on plain numbers: for every thread, register
// and index, the element found is the one that the index picks.

#include "dialects/Layout/GatherPlan.h"

#include "dialects/Layout/Encodings.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::layout;

namespace {

/// (register, lane, warp) -> the coordinates of a tile, each dimension spread
/// over registers, lanes and warps by as many bits as are said, dim 1 first.
LinearLayout makeLayout(std::pair<unsigned, unsigned> registers,
                        std::pair<unsigned, unsigned> lanes,
                        std::pair<unsigned, unsigned> warps) {
  Axis row = Axis::coordinate(0), column = Axis::coordinate(1);
  LinearLayout layout;
  for (auto [axis, bits] :
       {std::pair(Axis(Axis::Register), registers),
        std::pair(Axis(Axis::Lane), lanes), std::pair(Axis(Axis::Warp), warps)})
    layout = layout * LinearLayout::identity(axis, column, bits.second) *
             LinearLayout::identity(axis, row, bits.first);
  const Axis outputs[] = {row, column};
  return layout.reorderOutputs(outputs);
}

void expectPicks(const LinearLayout &source, const LinearLayout &result,
                 Axis axis) {
  std::optional<GatherPlan> plan = planGather(source, result, axis);
  ASSERT_TRUE(plan);
  const LinearLayout others = clearAxis(result, axis, source.outputs());
  unsigned threadBits = result.totalInputBits();
  for (uint64_t thread = 0; thread < (uint64_t(1) << threadBits); ++thread)
    for (uint64_t index = 0; index < (1u << source.outputBits(axis)); ++index) {
      uint64_t warp = thread >> result.inputOffset(Axis::Warp);
      uint64_t place = plan->from.apply(thread | index << threadBits);
      uint64_t wanted = others.apply(thread) ^ index
                                                   << source.outputOffset(axis);
      EXPECT_EQ(source.apply(place | warp << source.inputOffset(Axis::Warp)),
                wanted)
          << "thread " << thread << ", index " << index;
    }
}

} // namespace

TEST(GatherPlan, PicksAmongLanes) {
  LinearLayout layout = makeLayout({1, 0}, {2, 3}, {2, 0});
  expectPicks(layout, layout, Axis::coordinate(1));
  EXPECT_EQ(planGather(layout, layout, Axis::coordinate(1))->countShuffles(),
            2u);
}

TEST(GatherPlan, PicksAmongRegisters) {
  LinearLayout source = makeLayout({0, 2}, {2, 3}, {2, 0});
  LinearLayout result = makeLayout({0, 1}, {2, 3}, {2, 0});
  expectPicks(source, result, Axis::coordinate(1));
  GatherPlan plan = *planGather(source, result, Axis::coordinate(1));
  EXPECT_EQ(plan.variableRegisters, 3u);
  EXPECT_EQ(plan.countShuffles(), 8u);
  EXPECT_EQ(plan.countSelects(), 6u);
}

/// The rows stand in other lanes and registers on the other side.
TEST(GatherPlan, FindsRowsElsewhereInTheWarp) {
  expectPicks(makeLayout({1, 2}, {2, 3}, {2, 0}),
              makeLayout({2, 0}, {1, 4}, {2, 0}), Axis::coordinate(1));
}

TEST(GatherPlan, RefusesWhatLiesInOtherWarps) {
  LinearLayout columns = makeLayout({2, 0}, {2, 3}, {0, 2});
  LinearLayout rows = makeLayout({0, 2}, {2, 3}, {2, 0});
  // The axis, and the rows.
  EXPECT_FALSE(planGather(columns, columns, Axis::coordinate(1)));
  EXPECT_FALSE(planGather(columns, rows, Axis::coordinate(0)));
  EXPECT_TRUE(planGather(columns, columns, Axis::coordinate(0)));
}
