// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Footprints, against the list of all threads' bytes.

#include "passes/Analysis/WarpFootprint.h"

#include <gtest/gtest.h>

#include <random>

using namespace tilewright::tilegpu;
using tilewright::layout::Axis;
using tilewright::layout::LinearLayout;

namespace {

LinearLayout makeOffsets(std::vector<uint64_t> registers,
                         std::vector<uint64_t> lanes,
                         std::vector<uint64_t> warps, unsigned bits) {
  std::vector<uint64_t> columns = registers;
  columns.insert(columns.end(), lanes.begin(), lanes.end());
  columns.insert(columns.end(), warps.begin(), warps.end());
  return LinearLayout({{Axis::Register, unsigned(registers.size())},
                       {Axis::Lane, unsigned(lanes.size())},
                       {Axis::Warp, unsigned(warps.size())}},
                      {{Axis::Offset, bits}}, std::move(columns));
}

/// The warps of each byte, thread by thread.
std::vector<uint32_t> listWarps(const LinearLayout &offsets, unsigned bytes,
                                bool ownersOnly) {
  std::vector<uint32_t> warps(bytes << offsets.outputBits(Axis::Offset));
  for (uint64_t place = 0; place < uint64_t(1) << offsets.totalInputBits();
       ++place) {
    uint32_t own = 1u << (place >> offsets.inputOffset(Axis::Warp));
    for (unsigned byte = 0; byte < bytes; ++byte) {
      uint32_t &here = warps[offsets.apply(place) * bytes + byte];
      if (!ownersOnly)
        here |= own;
      else
        here = here ? std::min(here, own) : own;
    }
  }
  return warps;
}

void expectSame(const WarpFootprint &footprint,
                const std::vector<uint32_t> &warps) {
  ASSERT_EQ(footprint.bytes(), int64_t(warps.size()));
  for (size_t byte = 0; byte < warps.size(); ++byte)
    ASSERT_EQ(footprint.warpsAt(byte), warps[byte]) << "byte " << byte;
}

Ordering compareLists(const std::vector<uint32_t> &a, int64_t beginA,
                      const std::vector<uint32_t> &b, int64_t beginB) {
  Ordering needed = Ordering::None;
  for (int64_t at = 0; at < int64_t(a.size()); ++at) {
    int64_t other = beginA + at - beginB;
    if (other < 0 || other >= int64_t(b.size()) || !a[at] || !b[other])
      continue;
    bool isSame = a[at] == b[other] && !(a[at] & (a[at] - 1));
    needed = std::max(needed, isSame ? Ordering::Warp : Ordering::Cta);
  }
  return needed;
}

// Rows of 8 two-byte elements, a warp each.
TEST(WarpFootprint, RunsOfOneWarp) {
  WarpFootprint rows(makeOffsets({1, 2, 4}, {16, 32}, {8}, 6), 2, false);
  EXPECT_EQ(rows.bytes(), 128);
  EXPECT_EQ(rows.runFrom(0), 16);
  EXPECT_EQ(rows.runFrom(20), 12);
  EXPECT_EQ(rows.warpsAt(15), 1u);
  EXPECT_EQ(rows.warpsAt(16), 2u);
  EXPECT_EQ(rows.warpsAt(32), 1u);
}

TEST(WarpFootprint, OwnersOfCopiesAlone) {
  LinearLayout copies = makeOffsets({1}, {2, 4}, {0, 8}, 4);
  expectSame(WarpFootprint(copies, 4, true), listWarps(copies, 4, true));
  EXPECT_EQ(WarpFootprint(copies, 4, true).warpsAt(0), 1u);
  EXPECT_EQ(WarpFootprint(copies, 4, false).warpsAt(0), 3u);
}

TEST(WarpFootprint, EveryWarp) {
  WarpFootprint all = WarpFootprint::ofEveryWarp(96, 32);
  EXPECT_EQ(all.bytes(), 96);
  EXPECT_EQ(all.warpsAt(95), ~0u);
  EXPECT_EQ(WarpFootprint::ofEveryWarp(96, 2).warpsAt(0), 3u);
}

TEST(WarpFootprint, SameWarpsNeedTheirOwnBarrierOnly) {
  WarpFootprint rows(makeOffsets({1, 2}, {4, 8}, {16, 32}, 6), 4, true);
  WarpFootprint turned(makeOffsets({4, 8}, {1, 2}, {16, 32}, 6), 4, false);
  WarpFootprint mixed(makeOffsets({1, 2}, {4, 16}, {8, 32}, 6), 4, false);
  EXPECT_EQ(compareFootprints(rows, 0, turned, 0), Ordering::Warp);
  EXPECT_EQ(compareFootprints(rows, 0, mixed, 0), Ordering::Cta);
  EXPECT_EQ(compareFootprints(rows, 0, turned, 256), Ordering::None);
  // The tile begins where the other's second warp does.
  EXPECT_EQ(compareFootprints(rows, 0, turned, 64), Ordering::Cta);
}

TEST(WarpFootprint, RandomMaps) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 400; ++round) {
    auto make = [&](unsigned bits) {
      auto columns = [&](unsigned count) {
        std::vector<uint64_t> list;
        for (unsigned i = 0; i < count; ++i)
          list.push_back(random() % 3 ? uint64_t(1) << random() % bits
                                      : random() % (uint64_t(1) << bits));
        return list;
      };
      return makeOffsets(columns(random() % 4), columns(random() % 5),
                         columns(random() % 4), bits);
    };
    bool owners = random() % 2;
    unsigned bytes = 1u << random() % 4, otherBytes = 1u << random() % 4;
    LinearLayout a = make(1 + random() % 8), b = make(1 + random() % 8);
    std::vector<uint32_t> listA = listWarps(a, bytes, owners),
                          listB = listWarps(b, otherBytes, false);
    WarpFootprint footA(a, bytes, owners), footB(b, otherBytes, false);
    expectSame(footA, listA);
    expectSame(footB, listB);
    int64_t begin = 16 * (random() % 8), other = 16 * (random() % 8);
    EXPECT_EQ(compareFootprints(footA, begin, footB, other),
              compareLists(listA, begin, listB, other))
        << "round " << round;
  }
}

} // namespace
