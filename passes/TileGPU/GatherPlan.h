// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a gather within warps is done by shuffles.
//
// In: the register layouts of a gather's source and of its result (which is
// that of its indices). Out: where each element picked lies, as data, which
// passes/TileGPUToLLVM emits and DecomposeGathers prices. It holds no IR.

#ifndef TILEWRIGHT_PASSES_TILEGPU_GATHERPLAN_H
#define TILEWRIGHT_PASSES_TILEGPU_GATHERPLAN_H

#include "dialects/Layout/LinearLayout.h"

namespace tilewright::tilegpu {

/// The coordinates of the elements of `result` in a source whose coordinates
/// have the bits `source`, 0 along `axis`: (register, lane, warp) ->
/// coordinates.
layout::LinearLayout clearAxis(const layout::LinearLayout &result,
                               layout::Axis axis,
                               const std::vector<layout::AxisBits> &source);

/// A gather along an axis whose elements a warp holds for itself.
struct GatherPlan {
  /// (register, lane, warp, index) -> (register, lane): where in the same warp
  /// the element is that the index picks for a register of the result. The
  /// index stands under the axis' own name.
  layout::LinearLayout from;
  /// Bits of the source's register that the thread or the index decides: as
  /// many shuffles are needed as they have values.
  uint64_t variableRegisters = 0;

  /// Shuffles for all registers of the result, of one element each.
  unsigned countShuffles() const;
  /// Selects between what was shuffled.
  unsigned countSelects() const;
};

/// The plan of a gather along `axis`; none where some element picked may lie in
/// another warp.
std::optional<GatherPlan> planGather(const layout::LinearLayout &source,
                                     const layout::LinearLayout &result,
                                     layout::Axis axis);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_GATHERPLAN_H
