// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/WarpLocal.h"

#include "test/Unit/Layout/LayoutTestSupport.h"
#include "gtest/gtest.h"

#include <bit>
#include <map>

using namespace tilewright::layout;

namespace {

/// The warps that hold each element.
std::map<uint64_t, std::set<uint64_t>> warpsOf(const LinearLayout &layout) {
  unsigned offset = layout.inputOffset(Axis::Warp);
  std::map<uint64_t, std::set<uint64_t>> warps;
  for (uint64_t input = 0; input < uint64_t(1) << layout.totalInputBits();
       ++input)
    warps[layout.apply(input)].insert(input >> offset);
  return warps;
}

/// Whether a warp's share is one of bits, of which it has the vectors'.
bool isExpected(const LinearLayout &layout, Axis first, unsigned vectorBits) {
  for (unsigned bit = 0; bit < layout.inputBits(Axis::Warp); ++bit) {
    uint64_t column = layout.column(Axis::Warp, bit);
    if (!column)
      return false;
    unsigned place = std::countr_zero(column);
    if (place >= layout.outputOffset(first) &&
        place < layout.outputOffset(first) + vectorBits)
      return false;
  }
  return vectorBits <= layout.outputBits(first);
}

/// Registers and then lanes run along the axes in order; behind them, registers
/// again.
void checkOrder(const LinearLayout &own, std::span<const Axis> order,
                unsigned vectorBits) {
  auto place = [&](uint64_t column) {
    unsigned before = 0;
    for (Axis axis : order) {
      uint64_t mask = (uint64_t(1) << own.outputBits(axis)) - 1;
      if (uint64_t within = column >> own.outputOffset(axis) & mask)
        return before + std::countr_zero(within);
      before += own.outputBits(axis);
    }
    return before;
  };
  std::vector<unsigned> places;
  auto add = [&](Axis input, unsigned from, unsigned to) {
    for (unsigned bit = from; bit < to; ++bit)
      places.push_back(place(own.column(input, bit)));
  };
  add(Axis::Register, 0, vectorBits);
  add(Axis::Lane, 0, own.inputBits(Axis::Lane));
  add(Axis::Register, vectorBits, own.inputBits(Axis::Register));
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
  for (unsigned bit = 0; bit < vectorBits; ++bit)
    EXPECT_EQ(own.column(Axis::Register, bit),
              uint64_t(1) << (own.outputOffset(order[0]) + bit));
}

TEST(WarpLocal, EachElementStaysWithItsWarp) {
  RandomMaps random(7);
  unsigned found = 0;
  for (unsigned trial = 0; trial < 3000; ++trial) {
    unsigned warps = random.below(4), lanes = 5,
             registers = 1 + random.below(4);
    unsigned bits = 1 + random.below(registers + lanes + warps);
    unsigned rows = random.below(bits + 1), vectorBits = random.below(4);
    LinearLayout layout =
        random.permutation(registers, lanes, warps, rows, bits - rows);
    std::vector<Axis> order = {dim(0), dim(1)};
    if (random.below(2))
      std::swap(order[0], order[1]);
    auto own = coalesceWithinWarps(layout, order, vectorBits);
    ASSERT_EQ(own.has_value(), isExpected(layout, order[0], vectorBits))
        << layout.str();
    if (!own)
      continue;
    ++found;
    EXPECT_EQ(warpsOf(*own), warpsOf(layout)) << layout.str();
    checkOrder(*own, order, vectorBits);
  }
  EXPECT_GT(found, 500u);
}

/// A warp's share that is no set of bits has no such layout.
TEST(WarpLocal, SharesOfSumsAreRefused) {
  LinearLayout layout({{Axis::Register, 0}, {Axis::Lane, 1}, {Axis::Warp, 1}},
                      {{dim(0), 2}}, {1, 3});
  Axis order[] = {dim(0)};
  EXPECT_FALSE(coalesceWithinWarps(layout, order, 0));
}

/// Scales of 128 columns, which each warp wants 16 of: 8 lanes copy two each.
TEST(WarpLocal, LanesBeyondTheShareRepeatOthers) {
  LinearLayout readers({{Axis::Register, 1}, {Axis::Lane, 5}, {Axis::Warp, 3}},
                       {{dim(0), 7}}, {8, 0, 0, 1, 2, 4, 16, 32, 64});
  Axis order[] = {dim(0)};
  LinearLayout expected({{Axis::Register, 1}, {Axis::Lane, 5}, {Axis::Warp, 3}},
                        {{dim(0), 7}}, {1, 2, 4, 8, 0, 0, 16, 32, 64});
  EXPECT_EQ(coalesceWithinWarps(readers, order, 1), expected);
}

} // namespace
