// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which means a conversion gets, and what its plan says of itself. That plans
// are right is shown where they are executed: ShufflePlanTest, SharedLayoutTest
// and test/Conversions.

#include "dialects/Layout/ConversionPlan.h"

#include "dialects/Layout/Encodings.h"

#include <gtest/gtest.h>

using namespace tilewright::layout;

namespace {

constexpr ConversionRules rules = {{true, false}, true, 1, 2, 2, 2, 20, 2};
const unsigned rowMajor[] = {1, 0};

/// 16 x 16 elements in one warp: rows of 2^`columns` elements in a lane.
LinearLayout makeRows(unsigned columns) {
  const unsigned elements[] = {0, columns},
                 threads[] = {1 + columns, 4 - columns}, warps[] = {0, 0},
                 shape[] = {4, 4};
  return blockedLayout(elements, threads, warps, rowMajor, shape);
}

/// 64 x 32 elements in four warps, side by side along `dim`.
LinearLayout makeWarps(unsigned dim) {
  const unsigned elements[] = {0, 1}, threads[] = {3, 2}, shape[] = {6, 5};
  const unsigned warps[] = {dim ? 0u : 2u, dim ? 2u : 0u};
  return blockedLayout(elements, threads, warps, rowMajor, shape);
}

} // namespace

TEST(ConversionPlan, renamingIsFree) {
  std::optional<ConversionPlan> plan =
      planConversion(makeRows(1), makeRows(1), 32, rules);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->means, Means::Registers);
  EXPECT_EQ(plan->price, 0u);
  EXPECT_EQ(plan->describe(), "a renaming of registers");
}

TEST(ConversionPlan, fewShufflesBeatSharedMemory) {
  std::optional<ConversionPlan> plan =
      planConversion(makeRows(1), makeRows(2), 32, rules);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->means, Means::Shuffles);
  EXPECT_EQ(plan->price, 2 * plan->shuffles->countShuffles() +
                             plan->shuffles->countSelects());
  EXPECT_NE(plan->describe().find("shuffle"), std::string::npos);
}

TEST(ConversionPlan, sharedMemoryWithinWarpsWaitsForLanes) {
  // Free shared memory: what is left of its price is the wait.
  ConversionRules cheap = rules;
  cheap.sharedAccess = cheap.wavefront = 0;
  std::optional<ConversionPlan> plan =
      planConversion(makeRows(1), makeRows(3), 32, cheap);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->means, Means::Shared);
  EXPECT_TRUE(plan->staysInWarp);
  EXPECT_EQ(plan->price, 2 * cheap.warpBarrier);
}

TEST(ConversionPlan, acrossWarpsOnlySharedMemory) {
  std::optional<ConversionPlan> plan =
      planConversion(makeWarps(0), makeWarps(1), 16, rules);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->means, Means::Shared);
  EXPECT_FALSE(plan->staysInWarp);
  EXPECT_EQ(plan->price, priceOf(*plan->shared, rules) + 2 * rules.barrier);
  // Elements that shared memory does not take have no way.
  EXPECT_FALSE(planConversion(makeWarps(0), makeWarps(1), 128, rules));
}

TEST(ConversionPlan, describesAccesses) {
  const unsigned warps[] = {1, 1}, shape[] = {5, 6};
  const unsigned elements[] = {0, 3}, threads[] = {2, 3}, blockWarps[] = {2, 0};
  LinearLayout rows =
      blockedLayout(elements, threads, blockWarps, rowMajor, shape);
  LinearLayout operand = mmaOperand(Fragment::M16N8, 0, 1, warps, shape);
  std::optional<ConversionPlan> plan = planConversion(rows, operand, 16, rules);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->describe(), "2 stores of 16 bytes (8 wavefronts), 4 "
                              "ldmatrix.x4 (16 wavefronts)");
}

TEST(ConversionPlan, estimatesAreNearThePrice) {
  // Blocked layouts, accumulators and operands of a 64 x 64 tile, four warps.
  const unsigned shape[] = {6, 6}, warps[] = {1, 1};
  std::vector<LinearLayout> layouts;
  for (unsigned vector = 0; vector < 4; ++vector)
    for (unsigned fastest : {0u, 1u}) {
      unsigned elements[] = {0, 0}, threads[] = {0, 0}, order[] = {1, 0};
      elements[fastest] = vector;
      threads[fastest] = std::min(5u, 6 - vector);
      threads[1 - fastest] = 5 - threads[fastest];
      order[0] = fastest;
      order[1] = 1 - fastest;
      layouts.push_back(blockedLayout(elements, threads, warps, order, shape));
    }
  layouts.push_back(mmaAccumulator(Fragment::M16N8, warps, shape));
  for (unsigned index : {0u, 1u})
    layouts.push_back(mmaOperand(Fragment::M16N8, index, 1, warps, shape));
  uint64_t estimated = 0, planned = 0;
  for (const LinearLayout &source : layouts)
    for (const LinearLayout &destination : layouts)
      for (unsigned bits : {8, 16, 32, 64}) {
        std::optional<uint64_t> estimate =
            estimateConversion(source, destination, bits, rules);
        std::optional<ConversionPlan> plan =
            planConversion(source, destination, bits, rules);
        ASSERT_TRUE(estimate && plan);
        EXPECT_EQ(*estimate == 0, plan->price == 0);
        EXPECT_LE(*estimate, 2 * plan->price);
        EXPECT_LE(plan->price, 2 * *estimate);
        estimated += *estimate;
        planned += plan->price;
      }
  // All together the estimate is low, by the conflicts that cannot be avoided.
  EXPECT_LE(estimated, planned);
  EXPECT_LE(planned, estimated + estimated / 10);
}

TEST(ConversionPlan, listsTheCheapestFirst) {
  const unsigned warps[] = {0, 0}, shape[] = {4, 4};
  LinearLayout accumulator = mmaAccumulator(Fragment::M16N8, warps, shape);
  LinearLayout operand = mmaOperand(Fragment::M16N8, 1, 1, warps, shape);
  auto list = [&](unsigned elementBits, const ConversionRules &rules) {
    std::vector<Means> means;
    uint64_t price = 0;
    for (const ConversionPlan &plan :
         listConversionPlans(accumulator, operand, elementBits, rules)) {
      EXPECT_GE(plan.price, price);
      price = plan.price;
      means.push_back(plan.means);
    }
    return means;
  };
  EXPECT_EQ(list(16, rules),
            (std::vector<Means>{Means::Transpositions, Means::Shuffles,
                                Means::Shared}));
  // Words are not transposed, and not every target has the instruction.
  ConversionRules older = rules;
  older.transposesMatrices = false;
  std::vector<Means> others = {Means::Shuffles, Means::Shared};
  EXPECT_EQ(list(16, older), others);
  EXPECT_EQ(list(32, rules), others);
  std::optional<ConversionPlan> plan =
      planConversion(accumulator, operand, 16, rules);
  EXPECT_EQ(plan->describe(), "4 matrix transpositions");
  EXPECT_EQ(plan->price, 4u * (rules.shuffle + rules.select));
}

TEST(ConversionPlan, whatDoesNotFitGoesInRounds) {
  // 4096 bytes, of which a quarter fits.
  ConversionRules small = rules;
  small.sharedBytes = 1024;
  std::optional<ConversionPlan> plan =
      planConversion(makeWarps(0), makeWarps(1), 16, small);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->means, Means::Rounds);
  EXPECT_EQ(plan->rounds->rounds(), 4u);
  EXPECT_EQ(plan->rounds->bytes(), 1024u);
  EXPECT_GE(plan->price, 8u * rules.barrier);
  EXPECT_EQ(plan->describe().find("4 rounds through 1024 bytes: "), 0u);
  small.sharedBytes = 4096;
  EXPECT_EQ(planConversion(makeWarps(0), makeWarps(1), 16, small)->means,
            Means::Shared);
  small.sharedBytes = 1;
  EXPECT_FALSE(planConversion(makeWarps(0), makeWarps(1), 16, small));
}

TEST(ConversionPlan, givesWhatIsAskedFor) {
  for (Means means : {Means::Shuffles, Means::Shared, Means::Rounds}) {
    std::optional<ConversionPlan> plan =
        planConversionBy(means, makeRows(1), makeRows(2), 32, rules);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->means, means);
    EXPECT_EQ(meansOfName(meansName(means)), means);
  }
  EXPECT_FALSE(planConversionBy(Means::Transpositions, makeRows(1), makeRows(2),
                                32, rules));
  EXPECT_FALSE(meansOfName("magic"));
}
