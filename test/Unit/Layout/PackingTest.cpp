// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/Packing.h"

#include "dialects/Layout/Padding.h"
#include "test/Unit/Layout/LayoutTestSupport.h"

#include <gtest/gtest.h>

using namespace tilewright::layout;

namespace {

/// Unpacking and packing again is the identity, for every small map.
TEST(Packing, PackUndoesUnpack) {
  forAllMaps({{Axis::Register, 1}, {Axis::Lane, 2}}, {{dim(0), 1}, {dim(1), 2}},
             [](const LinearLayout &containers) {
               for (unsigned d : {0u, 1u}) {
                 LinearLayout elements =
                     unpackElements(containers, Axis::Register, d, 1);
                 EXPECT_EQ(packElements(elements, Axis::Register, d, 1),
                           containers);
               }
             });
}

/// Element e of container c is at 2c + e, along the packed dimension.
TEST(Packing, TwoElementsOfAByteAreNeighbours) {
  const unsigned shape[] = {2, 3}, order[] = {1, 0};
  LinearLayout bytes = sharedSwizzled(0, 0, 2, order, shape);
  LinearLayout elements = unpackElements(bytes, Axis::Offset, 1, 1);
  EXPECT_EQ(elements.outputBits(dim(0)), 2u);
  EXPECT_EQ(elements.outputBits(dim(1)), 4u);
  for (uint64_t offset = 0; offset < 64; ++offset) {
    const AxisValue at[] = {{Axis::Offset, offset}},
                    byte[] = {{Axis::Offset, offset / 2}};
    std::vector<AxisValue> element = elements.apply(at);
    std::vector<AxisValue> container = bytes.apply(byte);
    EXPECT_EQ(element[0].value, container[0].value);
    EXPECT_EQ(element[1].value, 2 * container[1].value + offset % 2);
  }
  EXPECT_EQ(packedDimension(elements, 1), 1u);
}

/// Eight elements of 4 bits in a 32-bit register, whichever register bits
/// select them.
TEST(Packing, RegistersMaySelectByAnyBits) {
  LinearLayout map({{Axis::Register, 4}, {Axis::Lane, 1}}, {{dim(0), 5}},
                   {8, 2, 1, 4, 16});
  auto packed = packElements(map, Axis::Register, 0, 3);
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->columns(), (std::vector<uint64_t>{1, 2}));
}

/// Elements of one byte in two lanes, in two places, or moved by a swizzle: no
/// access moves whole bytes.
TEST(Packing, NoBytesWhereNeighboursArePartedOrMoved) {
  LinearLayout lanes({{Axis::Register, 1}, {Axis::Lane, 1}}, {{dim(0), 2}},
                     {2, 1});
  EXPECT_FALSE(packElements(lanes, Axis::Register, 0, 1));
  LinearLayout moved({{Axis::Register, 1}, {Axis::Lane, 1}}, {{dim(0), 2}},
                     {1, 3});
  EXPECT_FALSE(packElements(moved, Axis::Register, 0, 1));
  const unsigned shape[] = {2, 2}, order[] = {1, 0};
  EXPECT_FALSE(packedDimension(sharedSwizzled(0, 0, 2, order, shape), 1));
  EXPECT_EQ(packedDimension(sharedSwizzled(1, 0, 2, order, shape), 1), 1u);
  LinearLayout reversed({{Axis::Offset, 2}}, {{dim(0), 2}}, {2, 1});
  EXPECT_FALSE(packElements(reversed, Axis::Offset, 0, 1));
}

/// Walking over memory and leaving the gaps by hand.
TEST(Padding, LeavesGapsAfterIntervals) {
  Padding padding = {{{2, 0}, {4, 2}}};
  uint64_t place = 0;
  for (uint64_t offset = 0; offset < 256; ++offset, ++place) {
    if (offset && offset % 4 == 0)
      place += 1;
    if (offset && offset % 16 == 0)
      place += 4;
    ASSERT_EQ(padding.apply(offset), place);
  }
  EXPECT_EQ(padding.size(256), place + 1 + 4);
  EXPECT_EQ(Padding().apply(77), 77u);
}

TEST(Padding, BoundsTheRunsThatStayTogether) {
  EXPECT_EQ(Padding().runBits(3), 3u);
  EXPECT_EQ((Padding{{{6, 3}}}).runBits(4), 3u);
  EXPECT_EQ((Padding{{{2, 5}}}).runBits(4), 2u);
}

} // namespace
