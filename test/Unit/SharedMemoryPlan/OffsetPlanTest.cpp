// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/OffsetPlan.h"

#include <gtest/gtest.h>

#include <random>

using namespace tilewright::tilegpu;

namespace {

void expectApart(const std::vector<TileSize> &tiles, const TilePairs &apart,
                 const OffsetPlan &plan) {
  ASSERT_EQ(plan.offsets.size(), tiles.size());
  for (unsigned a = 0; a < tiles.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % tiles[a].alignment, 0);
    EXPECT_LE(plan.offsets[a] + tiles[a].bytes, plan.bytes);
    for (unsigned b = 0; b < a; ++b)
      if (apart.contains(a, b)) {
        EXPECT_TRUE(plan.offsets[a] + tiles[a].bytes <= plan.offsets[b] ||
                    plan.offsets[b] + tiles[b].bytes <= plan.offsets[a])
            << a << " at " << plan.offsets[a] << ", " << b << " at "
            << plan.offsets[b];
      }
  }
}

TEST(OffsetPlan, TilesThatNeedNotBeApartShareBytes) {
  const std::vector<TileSize> tiles = {{1024, 16}, {4096, 16}, {512, 16}};
  EXPECT_EQ(planOffsets(tiles, TilePairs(3)).bytes, 4096);
}

TEST(OffsetPlan, TilesThatMustBeApartAre) {
  const std::vector<TileSize> tiles = {{1024, 16}, {4096, 16}, {512, 16}};
  TilePairs apart(3);
  apart.add(0, 1);
  apart.add(1, 2);
  OffsetPlan plan = planOffsets(tiles, apart);
  expectApart(tiles, apart, plan);
  EXPECT_EQ(plan.bytes, 5120);
}

// What follows a tile of odd size begins at its own alignment.
TEST(OffsetPlan, Alignment) {
  const std::vector<TileSize> tiles = {{40, 16}, {1024, 1024}};
  TilePairs apart(2);
  apart.add(0, 1);
  OffsetPlan plan = planOffsets(tiles, apart);
  expectApart(tiles, apart, plan);
  EXPECT_EQ(plan.bytes, 1064);
}

// A path 0 - 1 - 3 - 2 of equal tiles. By size, that is as numbered, tile 2
// joins tile 0 and tile 3 finds no place beside 1 and 2; by neighbours two
// places are enough.
TEST(OffsetPlan, BestOfSeveralOrders) {
  const std::vector<TileSize> tiles(4, {16, 16});
  TilePairs apart(4);
  apart.add(0, 1);
  apart.add(1, 3);
  apart.add(2, 3);
  OffsetPlan plan = planOffsets(tiles, apart);
  expectApart(tiles, apart, plan);
  EXPECT_EQ(plan.bytes, 32);
}

TEST(OffsetPlan, NoTileNoBytes) {
  EXPECT_EQ(planOffsets({}, TilePairs(0)).bytes, 0);
}

// Live ranges of straight-line code: the bytes that live at once are a lower
// bound, which placement comes close to.
TEST(OffsetPlan, RandomRanges) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    unsigned count = 1 + random() % 30;
    std::vector<TileSize> tiles;
    std::vector<std::pair<unsigned, unsigned>> ranges;
    for (unsigned tile = 0; tile < count; ++tile) {
      tiles.push_back({16 << random() % 8, 16});
      unsigned begin = random() % 40;
      ranges.emplace_back(begin, begin + random() % 12);
    }
    TilePairs apart(count);
    for (unsigned a = 0; a < count; ++a)
      for (unsigned b = 0; b < a; ++b)
        if (ranges[a].first <= ranges[b].second &&
            ranges[b].first <= ranges[a].second)
          apart.add(a, b);
    int64_t most = 0;
    for (unsigned at = 0; at < 60; ++at) {
      int64_t bytes = 0;
      for (unsigned tile = 0; tile < count; ++tile)
        if (ranges[tile].first <= at && at <= ranges[tile].second)
          bytes += tiles[tile].bytes;
      most = std::max(most, bytes);
    }
    OffsetPlan plan = planOffsets(tiles, apart);
    expectApart(tiles, apart, plan);
    EXPECT_GE(plan.bytes, most);
    EXPECT_LE(plan.bytes, most + most / 2) << "round " << round;
  }
}

} // namespace
