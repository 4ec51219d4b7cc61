// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which part of a tensor each register of a thread is of, where the tensor is
// cut into equal slices along a dimension.
//
// In: a map of registers. Out: the map of one slice, and its registers. What
// hands out parts of a tensor asks it, for example to the CTAs of a cluster.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_REGISTERPARTS_H
#define TILEWRIGHT_DIALECTS_LAYOUT_REGISTERPARTS_H

#include "dialects/Layout/LinearLayout.h"

#include <optional>
#include <vector>

namespace tilewright::layout {

class RegisterParts {
public:
  /// 2^`bits` slices along `axis` of a tensor that threads hold as `map` says;
  /// none where the number of the register alone does not say which slice it is
  /// of: where a lane, a warp, a copy or another coordinate takes part in that.
  static std::optional<RegisterParts> get(const LinearLayout &map, Axis axis,
                                          unsigned bits);

  /// (register, lane, warp) -> coordinates in a part: the same of each.
  const LinearLayout &getLayout() const { return layout; }
  /// The tensor's registers that are those of part number `part`, in order.
  std::vector<unsigned> getRegisters(unsigned part) const;

private:
  LinearLayout layout;
  /// The bits of a register's number: those of the part's number, from the
  /// lowest up, and the others.
  std::vector<unsigned> partBits, otherBits;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_REGISTERPARTS_H
