// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lane 4 i + j / 2 holds element (i, j) of a matrix in half j % 2 of its word.
// Transposed, half e of lane l holds element (2 (l % 4) + e, l / 4), which half
// (l / 4) % 2 of lane 4 (2 (l % 4) + e) + l / 8 held before. As a map over F2:
// lane bits 0, 1, 3, 4 come from lane bits 3, 4, 0, 1, lane bit 2 from the
// half, and the half from lane bit 2.

#include "dialects/Layout/TransposePlan.h"

#include <map>

namespace tilewright::layout {

namespace {

/// Where destination lane bits come from, as source lanes; bit 2 comes from the
/// half.
constexpr uint64_t laneSources[] = {8, 16, 0, 1, 2};
constexpr unsigned halfBit = 2;
constexpr uint64_t laneOfHalf = 4;

/// The part of an input bit's source that lies in `axis`.
uint64_t part(const LinearLayout &map, Axis input, unsigned bit, Axis axis) {
  return map.basis(input, bit, axis);
}

/// The source registers, added to each other, that the two halves of a word
/// hold; none where lanes or warps do not come from where a transposition takes
/// them.
std::optional<uint64_t> matchThreads(const LinearLayout &map) {
  if (map.inputBits(Axis::Lane) != std::size(laneSources))
    return std::nullopt;
  for (unsigned bit = 0; bit < std::size(laneSources); ++bit) {
    bool isHalf = bit == halfBit;
    if (part(map, Axis::Lane, bit, Axis::Lane) != laneSources[bit] ||
        (part(map, Axis::Lane, bit, Axis::Register) != 0) != isHalf ||
        part(map, Axis::Lane, bit, Axis::Warp))
      return std::nullopt;
  }
  for (unsigned bit = 0; bit < map.inputBits(Axis::Warp); ++bit)
    if (part(map, Axis::Warp, bit, Axis::Lane) ||
        part(map, Axis::Warp, bit, Axis::Register))
      return std::nullopt;
  return part(map, Axis::Lane, halfBit, Axis::Register);
}

} // namespace

std::optional<TransposePlan> planTransposition(const Conversion &conversion) {
  const LinearLayout &map = conversion.map;
  if (conversion.movement != Movement::Lanes)
    return std::nullopt;
  std::optional<uint64_t> halves = matchThreads(map);
  if (!halves)
    return std::nullopt;
  TransposePlan plan;
  std::map<uint64_t, unsigned> words;
  unsigned registerBits = map.inputBits(Axis::Register);
  for (uint64_t index = 0; index < uint64_t(1) << registerBits; ++index) {
    uint64_t held = 0, lane = 0;
    for (unsigned bit = 0; bit < registerBits; ++bit)
      if (index >> bit & 1) {
        held ^= part(map, Axis::Register, bit, Axis::Register);
        lane ^= part(map, Axis::Register, bit, Axis::Lane);
      }
    if (lane && lane != laneOfHalf)
      return std::nullopt;
    auto [known, isNew] = words.try_emplace(held, plan.words.size());
    if (isNew)
      plan.words.push_back({unsigned(held), unsigned(held ^ *halves)});
    plan.values.push_back({known->second, lane != 0});
  }
  return plan;
}

} // namespace tilewright::layout
