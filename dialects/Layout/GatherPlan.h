// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a gather within warps is done by shuffles.
//
// In: the register layouts of a gather's source and of its result (which is
// that of its indices). Out: where each element picked lies, as data, which
// the lowering emits and the pass that splits gathers prices. It holds no IR.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_GATHERPLAN_H
#define TILEWRIGHT_DIALECTS_LAYOUT_GATHERPLAN_H

#include "dialects/Layout/LinearLayout.h"

namespace tilewright::layout {

/// The coordinates of the elements of `result` in a source whose coordinates
/// have the bits `source`, 0 along `axis`: (register, lane, warp) ->
/// coordinates.
LinearLayout clearAxis(const LinearLayout &result, Axis axis,
                       const std::vector<AxisBits> &source);

/// A gather along an axis whose elements a warp holds for itself.
struct GatherPlan {
  /// (register, lane, warp, index) -> (register, lane): where in the same warp
  /// the element is that the index picks for a register of the result. The
  /// index stands under the axis' own name.
  LinearLayout from;
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
std::optional<GatherPlan> planGather(const LinearLayout &source,
                                     const LinearLayout &result, Axis axis);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_GATHERPLAN_H
