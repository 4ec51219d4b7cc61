// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Interfaces/Permutation.h"

#include "dialects/Interfaces/TileOpInterfaces.h"

using namespace mlir;
using namespace tilewright;
using layout::Axis;

std::optional<SmallVector<int32_t>> tilewright::getPermutation(Operation *op) {
  if (!isView(op))
    return std::nullopt;
  layout::LinearLayout map =
      cast<CoordinateMapOpInterface>(op).getCoordinateMap();
  if (map.inputs().size() != map.outputs().size() || !map.isBijective())
    return std::nullopt;
  SmallVector<int32_t> from;
  for (unsigned dim = 0; dim < map.inputs().size(); ++dim) {
    Axis axis = Axis::coordinate(dim);
    if (map.inputBits(axis) == 0)
      return std::nullopt;
    // The source's dimension in which the lowest bit lies must be this one.
    for (const layout::AxisBits &source : map.outputs())
      if (map.basis(axis, 0, source.axis))
        from.push_back(source.axis.dimension());
    if (from.size() != dim + 1)
      return std::nullopt;
    Axis source = Axis::coordinate(from.back());
    if (map.outputBits(source) != map.inputBits(axis))
      return std::nullopt;
    for (unsigned bit = 0; bit < map.inputBits(axis); ++bit)
      if (map.column(axis, bit) != uint64_t(1)
                                       << (map.outputOffset(source) + bit))
        return std::nullopt;
  }
  return from;
}
