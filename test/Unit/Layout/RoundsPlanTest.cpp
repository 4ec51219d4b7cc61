// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/RoundsPlan.h"

#include "test/Unit/Layout/LayoutTestSupport.h"
#include "gtest/gtest.h"

#include <map>

using namespace tilewright::layout;

namespace {

/// The value of a map of threads.
uint64_t evaluate(const ThreadMap &map, uint64_t lane, uint64_t warp) {
  uint64_t value = 0;
  for (size_t bit = 0; bit < map.lane.size(); ++bit)
    value ^= lane >> bit & 1 ? map.lane[bit] : 0;
  for (size_t bit = 0; bit < map.warp.size(); ++bit)
    value ^= warp >> bit & 1 ? map.warp[bit] : 0;
  return value;
}

/// Calls `visit(place, coordinates)` for every element that a thread moves in
/// the round, once for each thread that holds it.
template <typename Visit>
void forEachMove(const RoundsSide &side, const LinearLayout &layout,
                 uint64_t round, Visit visit) {
  unsigned bits = layout.inputBits(Axis::Register);
  unsigned laneBits = layout.inputBits(Axis::Lane);
  for (uint64_t thread = 0;
       thread < uint64_t(1) << (laneBits + layout.inputBits(Axis::Warp));
       ++thread)
    for (uint64_t number = 0; number < side.registers.size(); ++number) {
      uint64_t own =
          evaluate(side.threadRound, thread & ((uint64_t(1) << laneBits) - 1),
                   thread >> laneBits);
      if ((own ^ side.classRounds[number / side.classSize()]) != round)
        continue;
      EXPECT_TRUE(side.moves(number / side.classSize(), round));
      visit(side.places.apply(number | thread << bits),
            layout.apply(side.registers[number] | thread << bits));
    }
}

/// Executes the plan on coordinates: every load finds what it wants, which was
/// stored in its round, and every register is loaded once.
void checkPlan(const RoundsPlan &plan, const LinearLayout &source,
               const LinearLayout &destination) {
  uint64_t loads = 0;
  for (uint64_t round = 0; round < plan.rounds(); ++round) {
    std::map<uint64_t, uint64_t> memory;
    forEachMove(plan.store, source, round,
                [&](uint64_t place, uint64_t coordinates) {
                  auto [at, isNew] = memory.emplace(place, coordinates);
                  EXPECT_EQ(at->second, coordinates);
                });
    EXPECT_EQ(memory.size() * plan.elementBits / 8, plan.bytes());
    forEachMove(plan.load, destination, round,
                [&](uint64_t place, uint64_t coordinates) {
                  EXPECT_EQ(memory.at(place), coordinates);
                  ++loads;
                });
  }
  EXPECT_EQ(loads, uint64_t(1) << destination.totalInputBits());
}

const std::vector<unsigned> shape = {7, 7}, warps = {1, 1};

LinearLayout rows() {
  std::vector<unsigned> elements = {0, 2}, threads = {0, 5}, order = {1, 0};
  std::vector<unsigned> above = {2, 0};
  return blockedLayout(elements, threads, above, order, shape);
}

} // namespace

TEST(RoundsPlan, RegistersOfBothSidesMakeRounds) {
  LinearLayout source = mmaAccumulator(Fragment::M16N8, warps, shape);
  std::optional<RoundsPlan> plan = planRounds(source, rows(), 32, 16384);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->rounds(), 4u);
  EXPECT_EQ(plan->bytes(), 16384u);
  EXPECT_TRUE(plan->store.isUniform);
  EXPECT_TRUE(plan->load.isUniform);
  EXPECT_EQ(plan->load.access.vectorElements, 4u);
  checkPlan(*plan, source, rows());
}

TEST(RoundsPlan, NoneWhereAllOrNothingFits) {
  EXPECT_FALSE(planRounds(rows(), rows(), 32, 65536));
  EXPECT_FALSE(planRounds(rows(), rows(), 32, 3));
  EXPECT_TRUE(planRounds(rows(), rows(), 32, 65535));
}

TEST(RoundsPlan, EveryRandomPairIsCorrect) {
  RandomMaps random(7);
  unsigned uniform = 0;
  for (unsigned i = 0; i < 100; ++i) {
    unsigned elementBits = 8u << random.below(4);
    unsigned rowBits = 3 + random.below(2), columnBits = 3 + random.below(2);
    unsigned bits = rowBits + columnBits;
    auto layout = [&] {
      unsigned registers = (bits > 6 ? bits - 6 : 0) + random.below(2);
      return random.permutation(registers, 5, 1, rowBits, columnBits);
    };
    LinearLayout source = layout(), destination = layout();
    uint64_t bytes = (uint64_t(elementBits) << bits) / 8;
    std::optional<RoundsPlan> plan = planRounds(
        source, destination, elementBits, bytes >> 1 >> random.below(3));
    ASSERT_TRUE(plan);
    uniform += plan->store.isUniform && plan->load.isUniform;
    checkPlan(*plan, source, destination);
  }
  // Some have enough registers on both sides, most do not.
  EXPECT_GT(uniform, 0u);
  EXPECT_LT(uniform, 50u);
}
