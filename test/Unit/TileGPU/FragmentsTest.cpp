// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every row of the targets' table of matrix instructions against the PTX ISA's
// figures: all elements of all lanes.

#include "dialects/Layout/Encodings.h"
#include "dialects/TileGPU/MatrixFragments.h"
#include "test/Unit/TileGPU/FragmentFigures.h"
#include <gtest/gtest.h>

using namespace tilewright;
using figures::Place;
using layout::Axis;
using layout::LinearLayout;
using target::MatrixInstruction;

namespace {

/// Where register `index` of lane `lane` of warp `warp` is.
Place place(const LinearLayout &map, unsigned index, unsigned lane,
            unsigned warp = 0) {
  const layout::AxisValue at[] = {
      {Axis::Register, index}, {Axis::Lane, lane}, {Axis::Warp, warp}};
  std::vector<layout::AxisValue> values = map.apply(at);
  return {unsigned(values[0].value), unsigned(values[1].value)};
}

/// Compares `count` elements of all lanes; `origin` is what the figure's matrix
/// starts at, for each lane.
void compare(const LinearLayout &map, unsigned count, figures::Fragment figure,
             Place (*origin)(unsigned lane), std::string_view what) {
  ASSERT_EQ(1u << map.inputBits(Axis::Register), count) << what;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < count; ++i) {
      Place expected = figure(lane, i), start = origin(lane);
      expected.row += start.row;
      expected.column += start.column;
      Place got = place(map, i, lane);
      ASSERT_TRUE(got == expected)
          << what << " lane " << lane << " element " << i << ": expects ("
          << expected.row << ", " << expected.column << "), but got ("
          << got.row << ", " << got.column << ")";
    }
}

/// The 8 x 8 x 4 product of a lane's quad pair, two by two in the warp's tile.
bool hasQuadPairs(const MatrixInstruction &instruction) {
  return instruction.a == target::ElementType::F16 && instruction.m == 8;
}

void checkSynchronous(const MatrixInstruction &instruction) {
  std::string_view name = instruction.name;
  std::string_view shape = name.substr(name.rfind('.') + 1);
  const figures::Figure *figure =
      figures::find(shape, target::elementTypeBits(instruction.a),
                    target::elementTypeBits(instruction.accumulator));
  ASSERT_TRUE(figure) << name;
  layout::Fragment fragment =
      tilegpu::toFragment(tilegpu::getMmaFamily(instruction));
  layout::FragmentBits bits = layout::fragmentBits(fragment);
  unsigned k = layout::log2Exact(instruction.k);
  unsigned width = layout::log2Exact(tilegpu::getRegisterElements(instruction));
  const unsigned one[] = {0, 0}, aShape[] = {bits.rows, k},
                 bShape[] = {k, bits.columns},
                 cShape[] = {bits.rows, bits.columns};
  bool pairs = hasQuadPairs(instruction);
  auto none = [](unsigned) -> Place { return {0, 0}; };
  auto row = [](unsigned lane) -> Place { return {lane & 4 ? 8u : 0u, 0}; };
  auto column = [](unsigned lane) -> Place { return {0, lane & 8 ? 8u : 0u}; };
  auto both = [](unsigned lane) -> Place {
    return {lane & 4 ? 8u : 0u, lane & 8 ? 8u : 0u};
  };
  using Origin = Place (*)(unsigned);
  compare(layout::mmaOperand(fragment, 0, width, one, aShape), figure->aCount,
          figure->a, pairs ? Origin(row) : none, name);
  compare(layout::mmaOperand(fragment, 1, width, one, bShape), figure->bCount,
          figure->b, pairs ? Origin(column) : none, name);
  compare(layout::mmaAccumulator(fragment, one, cShape), figure->cCount,
          figure->c, pairs ? Origin(both) : none, name);
}

TEST(Fragments, EverySynchronousInstructionIsThePtxIsasFigure) {
  unsigned checked = 0;
  for (const MatrixInstruction &instruction : target::allMatrixInstructions())
    if (!instruction.asynchronous) {
      checkSynchronous(instruction);
      ++checked;
    }
  EXPECT_GT(checked, 40u);
}

TEST(Fragments, WgmmaAccumulatorsAreThePtxIsasFigure) {
  for (unsigned n = 8, bits = 3; n <= 256; n *= 2, ++bits) {
    const unsigned warps[] = {2, 0}, shape[] = {6, bits};
    LinearLayout map = layout::wgmmaAccumulator(bits, warps, shape);
    ASSERT_EQ(1u << map.inputBits(Axis::Register), n / 2);
    EXPECT_TRUE(map.isBijective());
    for (unsigned thread = 0; thread < 128; ++thread)
      for (unsigned i = 0; i < n / 2; ++i)
        ASSERT_TRUE(place(map, i, thread % 32, thread / 32) ==
                    figures::wgmmaAccumulator(thread, i))
            << "n " << n << " thread " << thread << " element " << i;
  }
}

TEST(Fragments, WgmmaRegisterOperandsAreThePtxIsasFigure) {
  for (const MatrixInstruction &instruction : target::allMatrixInstructions()) {
    if (!instruction.asynchronous)
      continue;
    unsigned bits = target::elementTypeBits(instruction.a);
    const unsigned warps[] = {2, 0},
                   shape[] = {6, layout::log2Exact(instruction.k)};
    LinearLayout map =
        layout::wgmmaOperand(layout::log2Exact(32 / bits), warps, shape);
    unsigned count = 64 * instruction.k / 128;
    ASSERT_EQ(1u << map.inputBits(Axis::Register), count);
    for (unsigned thread = 0; thread < 128; ++thread)
      for (unsigned i = 0; i < count; ++i)
        ASSERT_TRUE(place(map, i, thread % 32, thread / 32) ==
                    figures::wgmmaOperand(bits, thread, i))
            << instruction.name << " thread " << thread << " element " << i;
  }
}

/// Two groups along the rows, two along the columns, each with two instructions
/// of 64 x 16: whole instructions follow one another in a thread's registers.
TEST(Fragments, WarpGroupsStandSideBySideRowsFastest) {
  const unsigned warps[] = {3, 1}, shape[] = {7, 6};
  LinearLayout map = layout::wgmmaAccumulator(4, warps, shape);
  ASSERT_EQ(map.inputBits(Axis::Register), 4u);
  EXPECT_TRUE(map.isBijective());
  for (unsigned warp = 0; warp < 16; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 16; ++i) {
        Place expected = figures::wgmmaAccumulator(warp % 4 * 32 + lane, i % 8);
        expected.row += warp / 4 % 2 * 64;
        expected.column += warp / 8 * 16 + i / 8 * 32;
        ASSERT_TRUE(place(map, i, lane, warp) == expected)
            << "warp " << warp << " lane " << lane << " element " << i;
      }
}

/// The left operand of those: groups that differ in columns alone hold copies.
TEST(Fragments, WarpGroupsAlongColumnsCopyTheLeftOperand) {
  const unsigned warps[] = {3, 1}, shape[] = {7, 5};
  LinearLayout map = layout::wgmmaOperand(1, warps, shape);
  EXPECT_EQ(map.redundantBits(Axis::Warp), 0b1000u);
  EXPECT_EQ(map.redundantBits(Axis::Lane), 0u);
  EXPECT_TRUE(map.isSurjective());
  EXPECT_TRUE(place(map, 0, 0, 4) == (Place{64, 0}));
  EXPECT_TRUE(place(map, 0, 0, 12) == (Place{64, 0}));
}

TEST(Fragments, BatchesOfWarpGroups) {
  const unsigned warps[] = {1, 2, 0}, shape[] = {1, 6, 3};
  LinearLayout map = layout::wgmmaAccumulator(3, warps, shape);
  EXPECT_TRUE(map.isBijective());
  const layout::AxisValue at[] = {{Axis::Warp, 4}};
  EXPECT_EQ(map.apply(at)[0].value, 1u);
}

} // namespace
