// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the bits of a coordinate lie in the registers and lanes of a warp, for a
// scan along it.
//
// In: a register layout and an axis. Out: for each bit of the coordinate what
// flips it, or which bit cannot be scanned within a warp, and why.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_SCANSTEPS_H
#define TILEWRIGHT_DIALECTS_LAYOUT_SCANSTEPS_H

#include "dialects/Layout/LinearLayout.h"

#include <string_view>

namespace tilewright::layout {

/// One bit of the coordinate along the axis: the registers, or the lanes, that
/// differ in it alone.
struct ScanBit {
  unsigned bit;
  bool isLane;
  /// XORed to a register or lane number, flips the bit.
  uint64_t flip;
};

struct ScanSteps {
  /// The bits of the axis from the lowest up; as many as it has where the
  /// layout serves.
  std::vector<ScanBit> bits;
  /// Otherwise what the next bit is distributed among: "warps", ...
  std::string_view obstacle;
};

/// How a scan along `axis` of a tensor under `source` (register, lane, warp)
/// goes.
ScanSteps findScanSteps(const LinearLayout &source, Axis axis);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_SCANSTEPS_H
