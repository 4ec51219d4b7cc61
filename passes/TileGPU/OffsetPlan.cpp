// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/OffsetPlan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

using Order = std::vector<unsigned>;

int64_t alignTo(int64_t offset, int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Where a tile goes among `taken`, intervals that it must not overlap: the
/// gap with least left over, or (`isFirstFit`) the first that is large enough.
int64_t findGap(const TileSize &tile,
                std::vector<std::pair<int64_t, int64_t>> taken,
                bool isFirstFit) {
  std::sort(taken.begin(), taken.end());
  std::optional<int64_t> best;
  int64_t bestLeft = std::numeric_limits<int64_t>::max(), free = 0;
  for (auto [begin, end] : taken) {
    int64_t place = alignTo(free, tile.alignment);
    int64_t left = begin - place - tile.bytes;
    if (left >= 0 && left < bestLeft) {
      best = place;
      bestLeft = isFirstFit ? 0 : left;
    }
    free = std::max(free, end);
  }
  return best ? *best : alignTo(free, tile.alignment);
}

OffsetPlan placeInOrder(const std::vector<TileSize> &tiles,
                        const TilePairs &apart, const Order &order,
                        bool isFirstFit) {
  OffsetPlan plan;
  plan.offsets.assign(tiles.size(), 0);
  for (size_t index = 0; index < order.size(); ++index) {
    unsigned tile = order[index];
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (size_t before = 0; before < index; ++before)
      if (unsigned other = order[before]; apart.contains(tile, other))
        taken.emplace_back(plan.offsets[other],
                           plan.offsets[other] + tiles[other].bytes);
    plan.offsets[tile] = findGap(tiles[tile], std::move(taken), isFirstFit);
    plan.bytes = std::max(plan.bytes, plan.offsets[tile] + tiles[tile].bytes);
  }
  return plan;
}

/// Numbers in descending order of `key`, equal ones as they are.
template <typename KeyT>
Order sortBy(size_t count, KeyT key) {
  Order order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return std::pair(key(b), a) < std::pair(key(a), b);
  });
  return order;
}

} // namespace

OffsetPlan tilegpu::planOffsets(const std::vector<TileSize> &tiles,
                                const TilePairs &apart) {
  auto countNeighbours = [&](unsigned tile) {
    int64_t count = 1;
    for (unsigned other = 0; other < tiles.size(); ++other)
      count += apart.contains(tile, other);
    return count;
  };
  auto getSize = [&](unsigned tile) { return tiles[tile].bytes; };
  Order neighbours(tiles.size());
  for (unsigned tile = 0; tile < tiles.size(); ++tile)
    neighbours[tile] = countNeighbours(tile);
  const Order orders[] = {
      sortBy(tiles.size(), getSize),
      sortBy(tiles.size(),
             [&](unsigned tile) { return getSize(tile) * neighbours[tile]; }),
      sortBy(tiles.size(), [](unsigned) { return 0; }),
      sortBy(tiles.size(), [](unsigned tile) { return tile; }),
  };
  std::optional<OffsetPlan> best;
  for (bool isFirstFit : {true, false})
    for (const Order &order : orders) {
      OffsetPlan plan = placeInOrder(tiles, apart, order, isFirstFit);
      if (!best || plan.bytes < best->bytes)
        best = std::move(plan);
    }
  return *best;
}
