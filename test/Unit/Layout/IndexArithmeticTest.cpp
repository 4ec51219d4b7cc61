// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/IndexArithmetic.h"

#include "LayoutTestSupport.h"

#include <gtest/gtest.h>

using namespace tilewright::layout;

namespace {

static_assert(IndexBuilder<EvaluatingBuilder>);
using Input = IndexInput<uint64_t>;

/// The flat result of emitApply at flat input x; axes named in `constants` are
/// given as constants.
uint64_t evaluate(const LinearLayout &map, uint64_t x,
                  const std::set<Axis> &constants, EvaluatingBuilder &builder) {
  std::vector<Input> inputs;
  for (const AxisBits &axis : map.inputs()) {
    uint64_t value =
        x >> map.inputOffset(axis.axis) & ((uint64_t(1) << axis.bits) - 1);
    if (constants.count(axis.axis))
      inputs.push_back({axis.axis, std::nullopt, value});
    else
      inputs.push_back({axis.axis, value});
  }
  uint64_t flat = 0;
  for (auto [axis, value] : emitApply<EvaluatingBuilder>(map, inputs, builder))
    flat |= value << map.outputOffset(axis);
  return flat;
}

unsigned operations(const LinearLayout &map) {
  EvaluatingBuilder builder;
  evaluate(map, 0, {}, builder);
  return builder.operations();
}

TEST(IndexArithmetic, EvaluatesToTheMap) {
  auto check = [](const LinearLayout &map) {
    EvaluatingBuilder builder;
    for (uint64_t x = 0; x < uint64_t(1) << map.totalInputBits(); ++x)
      for (const std::set<Axis> &constants :
           {std::set<Axis>{}, std::set<Axis>{Axis::Register},
            std::set<Axis>{Axis::Register, Axis::Lane}})
        ASSERT_EQ(evaluate(map, x, constants, builder), map.apply(x))
            << map.str();
  };
  forAllMaps({{Axis::Register, 2}, {Axis::Lane, 1}}, {{dim(0), 3}}, check);
  forAllMaps({{Axis::Lane, 3}}, {{dim(0), 1}, {dim(1), 2}}, check);
  RandomMaps random(3);
  for (unsigned i = 0; i < 60; ++i)
    check(random.map({{Axis::Register, 2}, {Axis::Lane, 4}, {Axis::Warp, 2}},
                     {{dim(0), 4}, {dim(1), 5}}));
  for (unsigned i = 0; i < 60; ++i)
    check(random.permutation(3, 4, 1, 3, 4));
}

TEST(IndexArithmetic, IdentityIsFree) {
  EXPECT_EQ(operations(LinearLayout::identity(Axis::Lane, dim(0), 5)), 0u);
}

TEST(IndexArithmetic, ConstantsFold) {
  RandomMaps random(4);
  LinearLayout map = random.map({{Axis::Lane, 5}, {Axis::Register, 3}},
                                {{dim(0), 5}, {dim(1), 3}});
  EvaluatingBuilder builder;
  EXPECT_EQ(evaluate(map, 77, {Axis::Lane, Axis::Register}, builder),
            map.apply(77));
  EXPECT_EQ(builder.operations(), 0u);
}

TEST(IndexArithmetic, RunsOfBitsAreOneTerm) {
  LinearLayout lane = LinearLayout::identity(Axis::Lane, dim(0), 5);
  // (warp << 5) | lane
  LinearLayout blocked = lane * LinearLayout::identity(Axis::Warp, dim(0), 2);
  EvaluatingBuilder builder;
  evaluate(blocked, 0, {}, builder);
  EXPECT_EQ(builder.operations(), 2u);
  EXPECT_EQ(builder.xors(), 0u);
  // lane & 3, lane >> 2: no mask on what the shift drops.
  LinearLayout split = lane.reshapeOutputs({{dim(0), 2}, {dim(1), 3}});
  EXPECT_EQ(operations(split), 2u);
  // The middle bits: one mask, one shift.
  LinearLayout middle({{Axis::Lane, 5}}, {{dim(0), 2}}, {0, 1, 2, 0, 0});
  EXPECT_EQ(operations(middle), 2u);
}

TEST(IndexArithmetic, SwizzleIsOneXor) {
  // x ^ ((x >> 3) & 7)
  LinearLayout swizzle({{Axis::Offset, 8}}, {{dim(0), 8}},
                       {1, 2, 4, 8 | 1, 16 | 2, 32 | 4, 64, 128});
  EvaluatingBuilder builder;
  evaluate(swizzle, 0, {}, builder);
  EXPECT_EQ(builder.operations(), 3u);
  EXPECT_EQ(builder.xors(), 1u);
}

TEST(IndexArithmetic, DenseColumnsMultiply) {
  // One bit to many places: (x & 1) * 0b10101.
  LinearLayout one({{Axis::Lane, 1}}, {{dim(0), 5}}, {21});
  EXPECT_EQ(operations(one), 1u);
  // Two copies of two bits do not overlap: x * 0b10101.
  LinearLayout two({{Axis::Lane, 2}}, {{dim(0), 6}}, {21, 42});
  EXPECT_EQ(operations(two), 1u);
}

TEST(IndexArithmetic, ConstantOutsideTheReachComesLastAsOr) {
  LinearLayout map({{Axis::Register, 2}, {Axis::Lane, 2}}, {{dim(0), 4}},
                   {1, 8, 1, 2});
  EvaluatingBuilder builder;
  // register = 3: xor 1 (the lane reaches bit 0), or 8.
  EXPECT_EQ(evaluate(map, 3 | 1 << 2, {Axis::Register}, builder), 8u);
  EXPECT_EQ(builder.operations(), 2u);
  EXPECT_EQ(builder.xors(), 1u);
  EXPECT_EQ(reachableBits(map, std::vector<Axis>{Axis::Lane}, dim(0)), 3u);
}

} // namespace
