// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/Conversion.h"

#include "LayoutTestSupport.h"

#include <gtest/gtest.h>

using namespace tilewright::layout;

namespace {

struct Place {
  uint64_t reg, lane, warp;
};

Place placeOf(const LinearLayout &layout, uint64_t flat) {
  unsigned r = layout.inputBits(Axis::Register),
           l = layout.inputBits(Axis::Lane);
  return {flat & ((1u << r) - 1), flat >> r & ((1u << l) - 1), flat >> (r + l)};
}

/// How far the elements have to come if each destination fetches from the
/// nearest source.
Movement nearest(const LinearLayout &source, const LinearLayout &destination) {
  Movement worst = Movement::Identity;
  std::vector<uint64_t> from = table(source), to = table(destination);
  for (uint64_t d = 0; d < to.size(); ++d) {
    Place at = placeOf(destination, d);
    Movement best = Movement::Warps;
    for (uint64_t s = 0; s < from.size(); ++s) {
      if (from[s] != to[d])
        continue;
      Place there = placeOf(source, s);
      if (there.warp != at.warp)
        continue;
      best = std::min(best, there.lane == at.lane ? Movement::Selects
                                                  : Movement::Lanes);
    }
    worst = std::max(worst, best);
  }
  if (worst > Movement::Selects)
    return worst;
  // One register for all threads?
  bool renaming = true;
  bool same =
      source.inputBits(Axis::Register) == destination.inputBits(Axis::Register);
  unsigned registers = destination.inputBits(Axis::Register);
  for (uint64_t d = 0; d < uint64_t(1) << registers; ++d) {
    auto serves = [&](uint64_t s) {
      for (uint64_t t = 0; t < to.size() >> registers; ++t)
        if (from[t << source.inputBits(Axis::Register) | s] !=
            to[t << registers | d])
          return false;
      return true;
    };
    bool found = false;
    for (uint64_t s = 0; s < uint64_t(1) << source.inputBits(Axis::Register);
         ++s)
      found |= serves(s);
    renaming &= found;
    same = same && serves(d);
  }
  if (same)
    return Movement::Identity;
  return renaming ? Movement::Registers : Movement::Selects;
}

void check(const LinearLayout &source, const LinearLayout &destination) {
  std::optional<Conversion> conversion =
      classifyConversion(source, destination);
  std::set<uint64_t> held = imageSet(source);
  bool covered = true;
  for (uint64_t element : imageSet(destination))
    covered &= held.count(element) != 0;
  ASSERT_EQ(conversion.has_value(), covered);
  if (!conversion)
    return;
  ASSERT_EQ(conversion->movement, nearest(source, destination))
      << source.str() << "\n"
      << destination.str();
  for (uint64_t d = 0; d < uint64_t(1) << destination.totalInputBits(); ++d) {
    uint64_t s = conversion->map.apply(d);
    ASSERT_EQ(source.apply(s), destination.apply(d));
    Place at = placeOf(destination, d), there = placeOf(source, s);
    if (conversion->movement <= Movement::Lanes)
      ASSERT_EQ(at.warp, there.warp);
    if (conversion->movement <= Movement::Selects)
      ASSERT_EQ(at.lane, there.lane);
    if (conversion->movement <= Movement::Registers)
      ASSERT_EQ(conversion->registers.at(at.reg), there.reg);
  }
  if (conversion->movement > Movement::Registers)
    ASSERT_TRUE(conversion->registers.empty());
}

TEST(Conversion, NearestSourceOfAllSmallLayouts) {
  // Every pair of layouts of three bits of inputs and two of coordinates,
  // replicas included.
  std::vector<AxisBits> inputs = {
      {Axis::Register, 1}, {Axis::Lane, 1}, {Axis::Warp, 1}};
  unsigned seen[5] = {};
  forAllMaps(inputs, {{dim(0), 1}, {dim(1), 1}}, [&](const LinearLayout &s) {
    forAllMaps(inputs, {{dim(0), 1}, {dim(1), 1}}, [&](const LinearLayout &d) {
      check(s, d);
      if (auto conversion = classifyConversion(s, d))
        ++seen[static_cast<unsigned>(conversion->movement)];
    });
  });
  for (unsigned count : seen)
    EXPECT_GT(count, 0u);
}

TEST(Conversion, NearestSourceOfRandomLayouts) {
  RandomMaps random(5);
  for (unsigned i = 0; i < 3000; ++i) {
    auto registers = [&] { return static_cast<unsigned>(random.below(4)); };
    check(random.map(
              {{Axis::Register, registers()}, {Axis::Lane, 2}, {Axis::Warp, 1}},
              {{dim(0), 2}, {dim(1), 1}}),
          random.map(
              {{Axis::Register, registers()}, {Axis::Lane, 2}, {Axis::Warp, 1}},
              {{dim(0), 2}, {dim(1), 1}}));
  }
}

TEST(Conversion, OrderOfCoordinatesDoesNotMatter) {
  LinearLayout layout = blocked({1, 1}, {2, 3}, {1, 0}, {4, 4});
  std::vector<Axis> order = {dim(1), dim(0)};
  EXPECT_EQ(classifyConversion(layout, layout.reorderOutputs(order))->movement,
            Movement::Identity);
}

TEST(Conversion, ReplicatedSourceServesItsOwnThread) {
  // Every lane holds both elements; the destination wants one of them, the
  // lane's own.
  LinearLayout all({{Axis::Register, 1}, {Axis::Lane, 1}, {Axis::Warp, 0}},
                   {{dim(0), 1}}, {1, 0});
  LinearLayout own({{Axis::Register, 0}, {Axis::Lane, 1}, {Axis::Warp, 0}},
                   {{dim(0), 1}}, {1});
  EXPECT_EQ(classifyConversion(all, own)->movement, Movement::Selects);
  EXPECT_EQ(classifyConversion(own, all)->movement, Movement::Lanes);
  EXPECT_EQ(classifyConversion(all, all)->movement, Movement::Identity);
}

} // namespace
