// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/WarpLocal.h"

#include "dialects/Layout/Conversion.h"

#include <algorithm>
#include <bit>

using namespace tilewright::layout;

/// The bits of the flat output that tell the warps apart, where each is one
/// warp bit's alone.
static std::optional<uint64_t> findWarpBits(const LinearLayout &layout) {
  uint64_t ofWarps = 0, ofOthers = 0;
  for (const AxisBits &input : layout.inputs())
    for (unsigned bit = 0; bit < input.bits; ++bit) {
      uint64_t column = layout.column(input.axis, bit);
      if (input.axis != Axis(Axis::Warp)) {
        ofOthers |= column;
        continue;
      }
      if (!std::has_single_bit(column) || (ofWarps & column))
        return std::nullopt;
      ofWarps |= column;
    }
  if (ofWarps & ofOthers)
    return std::nullopt;
  return ofWarps;
}

bool tilewright::layout::staysWithinWarps(const LinearLayout &writers,
                                          const LinearLayout &readers) {
  return findWarpBits(writers) && findWarpBits(readers) &&
         haveSameBases(writers, readers, Axis::Warp);
}

std::optional<LinearLayout>
tilewright::layout::coalesceWithinWarps(const LinearLayout &layout,
                                        std::span<const Axis> order,
                                        unsigned vectorBits) {
  std::optional<uint64_t> ofWarps = findWarpBits(layout);
  if (!ofWarps || vectorBits > layout.outputBits(order[0]))
    return std::nullopt;
  // The bits of a warp's share, in the order in which addresses run.
  std::vector<uint64_t> share;
  for (Axis axis : order)
    for (unsigned bit = 0; bit < layout.outputBits(axis); ++bit)
      if (uint64_t column = uint64_t(1) << (layout.outputOffset(axis) + bit);
          !(*ofWarps & column))
        share.push_back(column);
  for (unsigned bit = 0; bit < vectorBits; ++bit)
    if (bit >= share.size() ||
        share[bit] != uint64_t(1) << (layout.outputOffset(order[0]) + bit))
      return std::nullopt;
  unsigned lanes = layout.inputBits(Axis::Lane);
  share.resize(std::max<size_t>(share.size(), vectorBits + lanes), 0);
  auto firstLane = share.begin() + vectorBits, behind = firstLane + lanes;
  std::vector<uint64_t> columns(share.begin(), firstLane);
  columns.insert(columns.end(), behind, share.end());
  unsigned registers = columns.size();
  columns.insert(columns.end(), firstLane, behind);
  unsigned warps = layout.inputBits(Axis::Warp);
  for (unsigned bit = 0; bit < warps; ++bit)
    columns.push_back(layout.column(Axis::Warp, bit));
  return LinearLayout(
      {{Axis::Register, registers}, {Axis::Lane, lanes}, {Axis::Warp, warps}},
      layout.outputs(), std::move(columns));
}
