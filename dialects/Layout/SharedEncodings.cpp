// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/Encodings.h"

#include <algorithm>

namespace tilewright::layout {

namespace {

/// A shared layout under construction: the columns of the offset's bits.
struct SharedTile {
  explicit SharedTile(ShapeBits shape) {
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      outputs.push_back({Axis::coordinate(dim), shape[dim]});
      shift.push_back(total);
      total += shape[dim];
    }
  }
  /// Appends the bits [first, end) of dimension `dim`.
  void append(unsigned dim, unsigned first, unsigned end) {
    for (unsigned bit = first; bit < end; ++bit)
      columns.push_back(uint64_t(1) << (shift[dim] + bit));
  }
  /// Exchanges elements: the bit `from` of the offset flips the lower bit `to`.
  /// What is flipped must flip nothing itself, so that the exchange is its own
  /// inverse.
  void flip(unsigned from, unsigned to) { columns[from] ^= columns[to]; }

  LinearLayout build() const {
    return LinearLayout({{Axis::Offset, total}}, outputs, columns);
  }

  std::vector<AxisBits> outputs;
  std::vector<unsigned> shift;
  unsigned total = 0;
  std::vector<uint64_t> columns;
};

} // namespace

LinearLayout sharedSwizzled(unsigned vectorBits, unsigned perPhaseBits,
                            unsigned maxPhaseBits,
                            std::span<const unsigned> order, ShapeBits shape) {
  SharedTile tile(shape);
  for (unsigned dim : order)
    tile.append(dim, 0, shape[dim]);
  if (order.size() < 2)
    return tile.build();
  // Row bit perPhase + i flips bit vector + i of the column's index.
  unsigned columnBits = shape[order[0]], rowBits = shape[order[1]];
  for (unsigned i = 0; i < maxPhaseBits; ++i)
    if (perPhaseBits + i < rowBits && vectorBits + i < columnBits)
      tile.flip(columnBits + perPhaseBits + i, vectorBits + i);
  return tile.build();
}

std::vector<unsigned> orderFrom(unsigned inner, unsigned rank) {
  std::vector<unsigned> order = {inner};
  for (unsigned dim = rank; dim-- > 0;)
    if (dim != inner)
      order.push_back(dim);
  return order;
}

LinearLayout sharedTensorCopy(TensorCopyTile copy,
                              std::span<const unsigned> order,
                              ShapeBits shape) {
  SharedTile tile(shape);
  unsigned atomBits = std::min(copy.atomBits(), shape[order[0]]);
  tile.append(order[0], 0, atomBits);
  for (unsigned dim : order.subspan(1))
    tile.append(dim, 0, shape[dim]);
  tile.append(order[0], atomBits, shape[order[0]]);
  // The swizzle is a function of the byte address: bit 7 + i flips bit 4 + i,
  // for as many i as select a vector of the atom (PTX ISA, "Swizzling modes").
  unsigned vector = copy.vectorBits(), line = vector + 3;
  unsigned phases = log2Exact(copy.atomBytes() / 16);
  for (unsigned i = 0; i < phases && line + i < tile.total; ++i)
    tile.flip(line + i, vector + i);
  return tile.build();
}

} // namespace tilewright::layout
