// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts that leave each element with its warp.
//
// In: a register layout of a tensor. Out: another one of the same tensor whose
// lanes are coalesced. What goes from the one to the other stays within warps,
// so that no warp has to wait for another.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_WARPLOCAL_H
#define TILEWRIGHT_DIALECTS_LAYOUT_WARPLOCAL_H

#include "dialects/Layout/LinearLayout.h"

namespace tilewright::layout {

/// Whether every element is one warp's under both layouts (of one tensor), and
/// the same warp's.
bool staysWithinWarps(const LinearLayout &writers, const LinearLayout &readers);

/// A layout under which each warp has the elements that it has under `layout`
/// (inputs register, lane and warp; outputs coordinates, in any order), and
/// addresses run along `order`, all coordinates, fastest first: 2^vectorBits
/// elements along the first one are a register's neighbours, then come lanes,
/// then further registers. Lanes beyond the warp's share repeat others. None
/// where several warps hold one element, or a warp's share is not one of bits
/// of coordinates, or cuts the vectors.
std::optional<LinearLayout> coalesceWithinWarps(const LinearLayout &layout,
                                                std::span<const Axis> order,
                                                unsigned vectorBits);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_WARPLOCAL_H
