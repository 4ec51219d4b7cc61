// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation of LinearLayout against its definition, by brute force over
// all values of small maps.

#include "LayoutTestSupport.h"

#include <gtest/gtest.h>

#include <map>

using namespace tilewright::layout;

namespace {

const std::vector<AxisBits> twoInputs = {{Axis::Register, 2}, {Axis::Lane, 1}};
const std::vector<AxisBits> twoOutputs = {{dim(0), 1}, {dim(1), 2}};

/// All maps of 3 x 3 bits, and random ones of up to 8 x 8.
void forManyMaps(const std::function<void(const LinearLayout &)> &visit) {
  forAllMaps(twoInputs, twoOutputs, visit);
  RandomMaps random(1);
  for (unsigned i = 0; i < 2000; ++i) {
    auto size = [&] { return static_cast<unsigned>(random.below(4)); };
    visit(random.map(
        {{Axis::Lane, size()}, {Axis::Register, size()}, {Axis::Warp, size()}},
        {{dim(1), size()}, {dim(0), size()}, {Axis::Offset, size()}}));
  }
}

TEST(Axis, NamesRoundTrip) {
  for (Axis axis :
       {Axis(Axis::Register), Axis(Axis::Lane), Axis(Axis::Warp),
        Axis(Axis::Block), Axis(Axis::Offset), dim(0), dim(12), dim(250)})
    EXPECT_EQ(Axis::fromName(axis.name()), axis);
  for (const char *name : {"", "dim", "dim01", "dim-1", "dim251", "dim256",
                           "dim4294967296", "lanes", "Lane", "dim1 "})
    EXPECT_FALSE(Axis::fromName(name)) << name;
}

TEST(LinearLayout, AddsWhatItsBitsGive) {
  forManyMaps([](const LinearLayout &map) {
    std::vector<uint64_t> values = table(map);
    for (uint64_t x = 0; x < values.size(); ++x) {
      ASSERT_EQ(map.apply(x), values[x]);
      std::vector<AxisValue> byAxis;
      for (const AxisBits &axis : map.inputs())
        byAxis.push_back({axis.axis, x >> map.inputOffset(axis.axis) &
                                         ((1u << axis.bits) - 1)});
      uint64_t flat = 0;
      std::vector<AxisValue> result = map.apply(byAxis);
      ASSERT_EQ(result.size(), map.outputs().size());
      for (const AxisValue &value : result) {
        ASSERT_EQ(value.value >> map.outputBits(value.axis), 0u);
        flat |= value.value << map.outputOffset(value.axis);
      }
      ASSERT_EQ(flat, values[x]);
    }
  });
}

TEST(LinearLayout, AnalysesMatchTheTable) {
  forManyMaps([](const LinearLayout &map) {
    std::vector<uint64_t> values = table(map);
    std::set<uint64_t> image = imageSet(map);
    ASSERT_EQ(image.size(), uint64_t(1) << map.rank());
    ASSERT_EQ(map.isInjective(), image.size() == values.size());
    ASSERT_EQ(map.isSurjective(), image.size() == uint64_t(1)
                                                      << map.totalOutputBits());

    std::set<uint64_t> kernel;
    for (uint64_t x = 0; x < values.size(); ++x)
      if (!values[x])
        kernel.insert(x);
    LinearLayout kernelMap({{Axis::Offset, (unsigned)map.kernel().size()}},
                           {{Axis::Block, map.totalInputBits()}}, map.kernel());
    ASSERT_TRUE(kernelMap.isInjective());
    ASSERT_EQ(imageSet(kernelMap), kernel);
    LinearLayout basis({{Axis::Offset, (unsigned)map.image().size()}},
                       {{Axis::Block, map.totalOutputBits()}}, map.image());
    ASSERT_TRUE(basis.isInjective());
    ASSERT_EQ(imageSet(basis), image);
  });
}

TEST(LinearLayout, RedundantBitsAddNothingToEarlierValues) {
  forManyMaps([](const LinearLayout &map) {
    std::vector<uint64_t> values = table(map);
    for (const AxisBits &axis : map.inputs()) {
      uint64_t expected = 0;
      for (unsigned bit = 0; bit < axis.bits; ++bit) {
        uint64_t unit = uint64_t(1) << (map.inputOffset(axis.axis) + bit);
        for (uint64_t x = 0; x < unit; ++x)
          if (values[x] == values[unit])
            expected |= uint64_t(1) << bit;
      }
      ASSERT_EQ(map.redundantBits(axis.axis), expected) << map.str();
    }
  });
}

TEST(LinearLayout, InvertsBijectionsAndNothingElse) {
  unsigned inverted = 0;
  forManyMaps([&](const LinearLayout &map) {
    std::optional<LinearLayout> inverse = map.invert();
    ASSERT_EQ(inverse.has_value(),
              map.totalInputBits() == map.totalOutputBits() &&
                  imageSet(map).size() == uint64_t(1) << map.totalInputBits());
    if (!inverse)
      return;
    ++inverted;
    ASSERT_EQ(inverse->inputs(), map.outputs());
    ASSERT_EQ(inverse->outputs(), map.inputs());
    for (uint64_t x = 0; x < uint64_t(1) << map.totalInputBits(); ++x)
      ASSERT_EQ(inverse->apply(map.apply(x)), x);
  });
  EXPECT_GE(inverted, 168u); // the invertible matrices of 3 x 3
}

TEST(LinearLayout, RightInverseTakesTheSmallestPreimage) {
  forManyMaps([](const LinearLayout &map) {
    std::optional<LinearLayout> inverse = map.rightInverse();
    ASSERT_EQ(inverse.has_value(), map.isSurjective());
    if (!inverse)
      return;
    std::vector<uint64_t> values = table(map);
    for (uint64_t y = 0; y < uint64_t(1) << map.totalOutputBits(); ++y) {
      uint64_t smallest = 0;
      while (values[smallest] != y)
        ++smallest;
      ASSERT_EQ(inverse->apply(y), smallest);
    }
  });
}

TEST(LinearLayout, ComposesByAxisName) {
  RandomMaps random(2);
  for (unsigned i = 0; i < 2000; ++i) {
    LinearLayout inner = random.map({{Axis::Lane, 2}, {Axis::Warp, 1}},
                                    {{dim(0), 1}, {dim(1), 2}});
    LinearLayout outer =
        random.map({{dim(1), 3}, {dim(0), 1}}, {{Axis::Offset, 4}});
    LinearLayout both = inner.compose(outer);
    ASSERT_EQ(both.inputs(), inner.inputs());
    ASSERT_EQ(both.outputs(), outer.outputs());
    for (uint64_t x = 0; x < 8; ++x) {
      uint64_t y = inner.apply(x);
      ASSERT_EQ(both.apply(x), outer.apply((y >> 1) | (y & 1) << 3));
    }
  }
}

TEST(LinearLayout, ProductTakesLowBitsFirst) {
  forAllMaps(
      {{Axis::Register, 1}, {Axis::Lane, 1}}, {{dim(0), 2}},
      [](const LinearLayout &low) {
        forAllMaps(
            {{Axis::Lane, 1}, {Axis::Warp, 1}}, {{dim(1), 1}, {dim(0), 1}},
            [&](const LinearLayout &high) {
              LinearLayout product = low * high;
              ASSERT_EQ(product.inputs(),
                        (std::vector<AxisBits>{{Axis::Register, 1},
                                               {Axis::Lane, 2},
                                               {Axis::Warp, 1}}));
              ASSERT_EQ(product.outputs(),
                        (std::vector<AxisBits>{{dim(0), 3}, {dim(1), 1}}));
              for (uint64_t x = 0; x < 4; ++x)
                for (uint64_t y = 0; y < 4; ++y) {
                  // x: register, low lane bit; y: high lane bit, warp.
                  uint64_t value = product.apply(x | y << 2);
                  uint64_t a = low.apply(x), b = high.apply(y);
                  ASSERT_EQ(value, a | (b >> 1) << 2 | (b & 1) << 3);
                }
              std::optional<LinearLayout> quotient = product.divideLeft(low);
              ASSERT_TRUE(quotient);
              ASSERT_EQ(low * *quotient, product);
              ASSERT_EQ(quotient->inputBits(Axis::Lane), 1u);
              ASSERT_EQ(quotient->inputBits(Axis::Register), 0u);
            });
      });
}

TEST(LinearLayout, DividesExactlyByFactors) {
  // Every map of 2 x 2 bits divided by every map of 1 x 1: there is a quotient
  // exactly where some product gives it.
  forAllMaps({{Axis::Lane, 2}}, {{dim(0), 2}}, [](const LinearLayout &map) {
    forAllMaps({{Axis::Lane, 1}}, {{dim(0), 1}},
               [&](const LinearLayout &divisor) {
                 std::optional<LinearLayout> expected;
                 forAllMaps({{Axis::Lane, 1}}, {{dim(0), 1}},
                            [&](const LinearLayout &factor) {
                              if (divisor * factor == map)
                                expected = factor;
                            });
                 ASSERT_EQ(map.divideLeft(divisor), expected) << map.str();
               });
  });
  LinearLayout lane = LinearLayout::identity(Axis::Lane, dim(0), 3);
  EXPECT_FALSE(lane.divideLeft(LinearLayout::identity(Axis::Warp, dim(0), 1)));
  EXPECT_FALSE(lane.divideLeft(LinearLayout::identity(Axis::Lane, dim(0), 4)));
  // Axes in another order.
  LinearLayout pair = LinearLayout::identity(Axis::Register, dim(1), 2) *
                      LinearLayout::identity(Axis::Lane, dim(0), 2);
  EXPECT_EQ(pair.divideLeft(LinearLayout::identity(Axis::Lane, dim(0), 1))
                ->inputBits(Axis::Lane),
            1u);
}

TEST(LinearLayout, ConvertsToWhereTheElementIs) {
  forAllMaps({{Axis::Register, 1}, {Axis::Lane, 1}}, {{dim(0), 2}},
             [](const LinearLayout &map) {
               forAllMaps(
                   twoInputs, {{dim(0), 2}}, [&](const LinearLayout &target) {
                     std::optional<LinearLayout> move = map.convertTo(target);
                     std::set<uint64_t> reached = imageSet(target);
                     bool covered = true;
                     for (uint64_t value : imageSet(map))
                       covered &= reached.count(value) != 0;
                     ASSERT_EQ(move.has_value(), covered);
                     if (!move)
                       return;
                     for (uint64_t x = 0; x < 4; ++x)
                       ASSERT_EQ(target.apply(move->apply(x)), map.apply(x));
                     for (Axis axis : {Axis(Axis::Register), Axis(Axis::Lane)})
                       if (map.column(axis, 0) == target.column(axis, 0))
                         ASSERT_EQ(move->column(axis, 0),
                                   uint64_t(1) << target.inputOffset(axis));
                   });
             });
}

TEST(LinearLayout, SelectsAndRenamesAxes) {
  forManyMaps([](const LinearLayout &map) {
    if (map.inputs().size() != 3)
      return;
    std::vector<Axis> inputs = {Axis::Warp, Axis::Lane};
    std::vector<Axis> outputs = {Axis::Offset, dim(1)};
    LinearLayout part = map.sublayout(inputs, outputs);
    for (Axis input : inputs)
      for (unsigned bit = 0; bit < map.inputBits(input); ++bit)
        for (Axis output : outputs)
          ASSERT_EQ(part.basis(input, bit, output),
                    map.basis(input, bit, output));
    ASSERT_EQ(map.removeInput(Axis::Register)
                  .removeOutput(dim(0))
                  .reorderInputs(inputs)
                  .reorderOutputs(outputs),
              part);

    unsigned in = map.totalInputBits(), out = map.totalOutputBits();
    LinearLayout flat =
        map.reshapeInputs({{Axis::Block, in}}).reshapeOutputs({{dim(7), out}});
    ASSERT_EQ(table(flat), table(map));
    ASSERT_EQ(flat.reshapeInputs(map.inputs()).reshapeOutputs(map.outputs()),
              map);
  });
}

TEST(LinearLayout, TransposesCoordinates) {
  LinearLayout map({{Axis::Register, 2}, {Axis::Lane, 1}},
                   {{dim(0), 1}, {dim(1), 2}, {dim(2), 3}}, {1, 2, 8});
  LinearLayout moved = map.transposeCoordinates(std::vector<unsigned>{2, 0, 1});
  EXPECT_EQ(moved.outputs(),
            (std::vector<AxisBits>{{dim(0), 3}, {dim(1), 1}, {dim(2), 2}}));
  for (unsigned bit = 0; bit < 2; ++bit) {
    EXPECT_EQ(moved.basis(Axis::Register, bit, dim(0)),
              map.basis(Axis::Register, bit, dim(2)));
    EXPECT_EQ(moved.basis(Axis::Register, bit, dim(1)),
              map.basis(Axis::Register, bit, dim(0)));
    EXPECT_EQ(moved.basis(Axis::Register, bit, dim(2)),
              map.basis(Axis::Register, bit, dim(1)));
  }
  EXPECT_EQ(moved.transposeCoordinates(std::vector<unsigned>{1, 2, 0}), map);
}

TEST(LinearLayout, RemovesZeroBits) {
  LinearLayout map({{Axis::Register, 3}, {Axis::Lane, 1}}, {{dim(0), 2}},
                   {0, 2, 0, 0});
  EXPECT_EQ(map.removeZeroBits(Axis::Register),
            LinearLayout({{Axis::Register, 1}, {Axis::Lane, 1}}, {{dim(0), 2}},
                         {2, 0}));
}

TEST(LinearLayout, ContiguousBitsAreConsecutiveElements) {
  forManyMaps([](const LinearLayout &map) {
    for (const AxisBits &input : map.inputs())
      for (const AxisBits &output : map.outputs()) {
        // 2^v registers are consecutive if raising the register by one raises
        // the coordinate by one, everywhere.
        unsigned in = map.inputOffset(input.axis),
                 out = map.outputOffset(output.axis);
        unsigned expected = 0;
        for (unsigned v = 1; v <= std::min(input.bits, output.bits); ++v) {
          bool consecutive = true;
          uint64_t low = (uint64_t(1) << v) - 1;
          for (uint64_t x = 0; x < uint64_t(1) << map.totalInputBits(); ++x) {
            uint64_t value = map.apply(x);
            uint64_t start = map.apply(x & ~(low << in));
            consecutive &= (value >> out & low) == (x >> in & low) &&
                           value == (start | (x >> in & low) << out);
          }
          if (consecutive)
            expected = v;
        }
        ASSERT_EQ(map.contiguousBits(input.axis, output.axis), expected)
            << map.str();
      }
  });
}

TEST(LinearLayout, PrintsEachInputBit) {
  LinearLayout map({{Axis::Register, 2}, {Axis::Lane, 1}, {Axis::Warp, 0}},
                   {{dim(0), 1}, {dim(1), 2}}, {2, 4, 5});
  EXPECT_EQ(map.str(), "(register, lane, warp) -> (dim0, dim1): register=1 -> "
                       "(0, 1), register=2 -> (0, 2); lane=1 -> (1, 2)");
  EXPECT_EQ(LinearLayout().str(), "() -> ()");
  std::map<std::string, LinearLayout> seen;
  forAllMaps(twoInputs, twoOutputs, [&](const LinearLayout &map) {
    EXPECT_TRUE(seen.emplace(map.str(), map).second);
  });
}

TEST(LinearLayout, NeutralElements) {
  std::vector<Axis> inputs = {Axis::Register, Axis::Lane}, outputs = {dim(0)};
  LinearLayout none = LinearLayout::empty(inputs, outputs);
  LinearLayout lane = LinearLayout::identity(Axis::Lane, dim(0), 2);
  EXPECT_EQ((none * lane).inputs(),
            (std::vector<AxisBits>{{Axis::Register, 0}, {Axis::Lane, 2}}));
  EXPECT_EQ(LinearLayout() * lane, lane);
  LinearLayout zeros = LinearLayout::zeros(Axis::Warp, dim(0), 2, 1);
  EXPECT_EQ(zeros.rank(), 0u);
  EXPECT_EQ(zeros.outputBits(dim(0)), 1u);
  EXPECT_EQ(zeros.redundantBits(Axis::Warp), 3u);
}

} // namespace
