// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Covers, against all subsets of small problems.

#include "passes/TileGPU/BarrierCover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

using namespace tilewright::tilegpu;

namespace {

using Demands = std::vector<std::vector<unsigned>>;

bool meets(const std::vector<unsigned> &chosen, const Demands &demands) {
  return std::all_of(
      demands.begin(), demands.end(), [&](const std::vector<unsigned> &demand) {
        return std::any_of(demand.begin(), demand.end(), [&](unsigned place) {
          return std::find(chosen.begin(), chosen.end(), place) != chosen.end();
        });
      });
}

uint64_t priceOf(const std::vector<unsigned> &chosen,
                 const std::vector<uint64_t> &prices) {
  uint64_t sum = 0;
  for (unsigned place : chosen)
    sum += prices[place];
  return sum;
}

uint64_t leastPrice(const Demands &demands,
                    const std::vector<uint64_t> &prices) {
  uint64_t least = ~uint64_t(0);
  for (uint64_t subset = 0; subset < uint64_t(1) << prices.size(); ++subset) {
    std::vector<unsigned> chosen;
    for (unsigned place = 0; place < prices.size(); ++place)
      if (subset >> place & 1)
        chosen.push_back(place);
    if (meets(chosen, demands))
      least = std::min(least, priceOf(chosen, prices));
  }
  return least;
}

TEST(BarrierCover, NothingForNoDemand) {
  EXPECT_TRUE(coverDemands({}, {}).empty());
}

// Of places that serve as well the later one is taken.
TEST(BarrierCover, OneServesSeveral) {
  const std::vector<uint64_t> prices(6, 8);
  EXPECT_EQ(coverDemands({{0, 1, 2}, {1, 2, 3}, {2, 1}}, prices),
            std::vector<unsigned>{2});
}

// Outside of the loop twice is cheaper than inside once.
TEST(BarrierCover, CheapPlacesInsteadOfDearOnes) {
  const std::vector<uint64_t> prices = {8, 80, 8};
  EXPECT_EQ(coverDemands({{0, 1}, {1, 2}}, prices),
            (std::vector<unsigned>{0, 2}));
}

// Greedy choice takes place 0, which meets most, and then needs two more.
TEST(BarrierCover, BetterThanGreedy) {
  const std::vector<uint64_t> prices(3, 1);
  EXPECT_EQ(coverDemands({{0, 1}, {0, 2}, {0, 1}, {0, 2}, {1}, {2}}, prices),
            (std::vector<unsigned>{1, 2}));
}

TEST(BarrierCover, LeastOfAllSubsets) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    unsigned places = 3 + random() % 8;
    std::vector<uint64_t> prices(places);
    for (uint64_t &price : prices)
      price = 1 + random() % 20;
    Demands demands(1 + random() % 10);
    for (std::vector<unsigned> &demand : demands) {
      unsigned first = random() % places;
      unsigned last = first + random() % (places - first);
      for (unsigned place = first; place <= last; ++place)
        if (place == last || random() % 4)
          demand.push_back(place);
    }
    std::vector<unsigned> chosen = coverDemands(demands, prices);
    EXPECT_TRUE(meets(chosen, demands));
    EXPECT_EQ(priceOf(chosen, prices), leastPrice(demands, prices))
        << "round " << round;
  }
}

// Beyond what the search can try, what it gives is still needed, each of it.
TEST(BarrierCover, LargeProblemsHaveNothingNeedless) {
  std::mt19937 random(2);
  std::vector<uint64_t> prices(300);
  for (uint64_t &price : prices)
    price = 1 + random() % 100;
  Demands demands(200);
  for (std::vector<unsigned> &demand : demands) {
    for (int count = 0; count < 12; ++count)
      demand.push_back(random() % prices.size());
    std::sort(demand.begin(), demand.end());
    demand.erase(std::unique(demand.begin(), demand.end()), demand.end());
  }
  std::vector<unsigned> chosen = coverDemands(demands, prices);
  EXPECT_TRUE(meets(chosen, demands));
  for (unsigned left : chosen) {
    std::vector<unsigned> others;
    for (unsigned place : chosen)
      if (place != left)
        others.push_back(place);
    EXPECT_FALSE(meets(others, demands)) << "place " << left;
  }
}

} // namespace
