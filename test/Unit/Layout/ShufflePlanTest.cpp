// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shuffle plans are executed here on plain numbers, for layouts of every kind,
// and compared with what the destination layout says each thread holds.

#include "dialects/Layout/ShufflePlan.h"

#include "dialects/Layout/Encodings.h"
#include "dialects/Layout/F2.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <random>

using namespace tilewright;
using namespace tilewright::layout;

namespace {

constexpr unsigned laneBits = 5;

uint64_t evaluate(const ThreadMap &map, unsigned lane, unsigned warp) {
  return f2::apply(map.lane, lane) ^ f2::apply(map.warp, warp);
}

/// The flat element that (register, lane, warp) holds.
uint64_t elementOf(const LinearLayout &layout, unsigned index, unsigned lane,
                   unsigned warp) {
  return layout.apply(uint64_t(index) |
                      uint64_t(lane) << layout.inputOffset(Axis::Lane) |
                      uint64_t(warp) << layout.inputOffset(Axis::Warp));
}

/// What the plan leaves in each register of (lane, warp).
std::vector<uint64_t> execute(const ShufflePlan &plan,
                              const LinearLayout &source, unsigned lane,
                              unsigned warp) {
  std::vector<uint64_t> values;
  for (const std::vector<ShufflePlan::Part> &parts : plan.values) {
    uint64_t alternative = evaluate(plan.alternative, lane, warp), pick = 0;
    for (size_t bit = 0; bit < plan.alternativeBits.size(); ++bit)
      pick |= (alternative >> plan.alternativeBits[bit] & 1) << bit;
    const ShufflePlan::Part &part = parts.at(pick);
    const ShufflePlan::Fetch &fetch = plan.fetches.at(part.fetch);
    unsigned from = evaluate(plan.laneIndex, lane, warp) ^ fetch.laneOffset;
    if (!fetch.isShuffle)
      EXPECT_EQ(from, lane);
    unsigned index = fetch.registers.at(part.position) ^
                     evaluate(plan.sourceExchange, from, warp);
    values.push_back(elementOf(source, index, from, warp));
  }
  std::vector<uint64_t> results;
  uint64_t exchange = evaluate(plan.destinationExchange, lane, warp);
  for (size_t index = 0; index < values.size(); ++index)
    results.push_back(values.at(index ^ exchange));
  return results;
}

void check(const LinearLayout &source, const LinearLayout &destination,
           unsigned bits) {
  std::optional<ShufflePlan> plan = planShuffles(source, destination, bits);
  ASSERT_TRUE(plan) << source.str() << "\n" << destination.str();
  for (unsigned warp = 0; warp < 1u << source.inputBits(Axis::Warp); ++warp)
    for (unsigned lane = 0; lane < 1u << laneBits; ++lane) {
      std::vector<uint64_t> values = execute(*plan, source, lane, warp);
      for (unsigned index = 0; index < values.size(); ++index)
        ASSERT_EQ(values[index], elementOf(destination, index, lane, warp))
            << source.str() << "\n"
            << destination.str();
    }
}

LinearLayout makeLayout(unsigned registers, unsigned warps, unsigned outputs,
                        std::vector<uint64_t> columns) {
  return LinearLayout({{Axis::Register, registers},
                       {Axis::Lane, laneBits},
                       {Axis::Warp, warps}},
                      {{Axis::coordinate(0), outputs}}, std::move(columns));
}

/// The unit vectors of `bits` in a random order, mixed by random row
/// operations, then `copies` dependent columns.
std::vector<uint64_t> randomColumns(unsigned bits, unsigned copies,
                                    std::mt19937 &random) {
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < bits; ++bit)
    columns.push_back(uint64_t(1) << bit);
  for (unsigned i = 0; i < 8; ++i) {
    unsigned a = random() % bits, b = random() % bits;
    if (a != b && random() % 2)
      columns[a] ^= columns[b];
  }
  for (unsigned i = 0; i < copies; ++i)
    columns.push_back(random() % 2 ? 0 : columns[random() % bits]);
  std::shuffle(columns.begin(), columns.end(), random);
  return columns;
}

TEST(ShufflePlan, permutedBitsOfRegistersAndLanes) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    unsigned registers = random() % 5, bits = registers + laneBits;
    std::vector<uint64_t> source(bits), destination(bits);
    for (unsigned bit = 0; bit < bits; ++bit)
      source[bit] = destination[bit] = uint64_t(1) << bit;
    std::shuffle(source.begin(), source.end(), random);
    std::shuffle(destination.begin(), destination.end(), random);
    for (unsigned width : {8, 16, 32, 64})
      check(makeLayout(registers, 0, bits, source),
            makeLayout(registers, 0, bits, destination), width);
  }
}

TEST(ShufflePlan, anyMapWithCopies) {
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    unsigned bits = 5 + random() % 3, warps = random() % 3;
    unsigned registers[2];
    std::vector<uint64_t> columns[2];
    for (int side : {0, 1}) {
      registers[side] = std::max(0, int(bits) - 5) + random() % 3;
      unsigned inputs = registers[side] + laneBits;
      columns[side] = randomColumns(bits, inputs - bits, random);
    }
    // Warps hold copies, each XORed with something.
    for (unsigned warp = 0; warp < warps; ++warp)
      for (int side : {0, 1})
        columns[side].push_back(random() & ((1u << bits) - 1));
    for (unsigned width : {8, 16, 32})
      check(makeLayout(registers[0], warps, bits, columns[0]),
            makeLayout(registers[1], warps, bits, columns[1]), width);
  }
}

TEST(ShufflePlan, blockedToFragment) {
  const unsigned shape[] = {4, 5}, elements[] = {0, 3}, threads[] = {3, 2},
                 warps[] = {0, 0}, order[] = {1, 0};
  LinearLayout blocked = blockedLayout(elements, threads, warps, order, shape);
  LinearLayout mma = mmaAccumulator(Fragment::M16N8, warps, shape);
  for (unsigned width : {16, 32}) {
    check(blocked, mma, width);
    check(mma, blocked, width);
  }
}

TEST(ShufflePlan, transpositionSavesHalfOfTheShuffles) {
  std::vector<uint64_t> source = {1, 2, 4, 8, 16, 32};
  std::vector<uint64_t> destination = {2, 1, 4, 8, 16, 32};
  EXPECT_EQ(countShuffles(makeLayout(1, 0, 6, source),
                          makeLayout(1, 0, 6, destination), 32),
            1u);
  EXPECT_EQ(countShuffles(makeLayout(1, 0, 6, source),
                          makeLayout(1, 0, 6, destination), 64),
            2u);
}

TEST(ShufflePlan, narrowElementsShareWords) {
  // Two registers stay together while lanes are permuted.
  std::vector<uint64_t> source = {1, 2, 4, 8, 16, 32, 64};
  std::vector<uint64_t> destination = {1, 2, 8, 4, 16, 32, 64};
  auto count = [&](unsigned bits) {
    return *countShuffles(makeLayout(2, 0, 7, source),
                          makeLayout(2, 0, 7, destination), bits);
  };
  EXPECT_EQ(count(32), 4u);
  EXPECT_EQ(count(16), 2u);
  EXPECT_EQ(count(8), 1u);
}

TEST(ShufflePlan, selectsTakeNoShuffle) {
  // Every lane holds both values and keeps one.
  std::vector<uint64_t> source = {1, 0, 2, 4, 8, 16};
  std::vector<uint64_t> destination = {1, 2, 4, 8, 16};
  LinearLayout from = makeLayout(1, 0, 5, source);
  LinearLayout to = makeLayout(0, 0, 5, destination);
  EXPECT_EQ(countShuffles(from, to, 32), 0u);
  check(from, to, 32);
}

TEST(ShufflePlan, cycleThroughARegisterTakesOneShuffleForEach) {
  // register 0 -> lane 0 -> lane 1 -> register 0.
  std::vector<uint64_t> source = {1, 2, 4, 8, 16, 32};
  std::vector<uint64_t> destination = {2, 4, 1, 8, 16, 32};
  LinearLayout from = makeLayout(1, 0, 6, source);
  LinearLayout to = makeLayout(1, 0, 6, destination);
  EXPECT_EQ(countShuffles(from, to, 32), 2u);
  check(from, to, 32);
}

TEST(ShufflePlan, copiesInOtherLanesSaveShuffles) {
  // Lanes 0 and 1 want both registers of lane 0, of which lane 16 holds copies.
  std::vector<uint64_t> source = {1, 2, 4, 8, 16, 0};
  std::vector<uint64_t> destination = {1, 4, 8, 16, 2};
  LinearLayout from = makeLayout(1, 0, 5, source);
  LinearLayout to = makeLayout(0, 0, 5, destination);
  EXPECT_EQ(countShuffles(from, to, 32), 1u);
  check(from, to, 32);
}

TEST(ShufflePlan, copiesTakeNoRoomInAWord) {
  // Destination register bit 0 is a copy: a word holds what bit 1 tells apart.
  std::vector<uint64_t> source = {1, 2, 4, 8, 16, 32};
  std::vector<uint64_t> destination = {0, 1, 4, 2, 8, 16, 32};
  LinearLayout from = makeLayout(1, 0, 6, source);
  LinearLayout to = makeLayout(2, 0, 6, destination);
  EXPECT_EQ(countShuffles(from, to, 16), 1u);
  check(from, to, 16);
}

TEST(ShufflePlan, noneAcrossWarps) {
  std::vector<uint64_t> source = {1, 2, 4, 8, 16, 32};
  std::vector<uint64_t> destination = {32, 2, 4, 8, 16, 1};
  EXPECT_FALSE(planShuffles(makeLayout(0, 1, 6, source),
                            makeLayout(0, 1, 6, destination), 32));
}

} // namespace
