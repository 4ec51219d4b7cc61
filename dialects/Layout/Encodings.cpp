// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/Encodings.h"

#include <algorithm>
#include <cassert>
#include <optional>

namespace tilewright::layout {

namespace {

/// A column before the tensor's shape is known: `value` along dimension `dim`,
/// 0 for a bit that holds copies.
struct Basis {
  unsigned dim;
  uint64_t value;
};

/// The columns of one input axis.
using Bases = std::vector<Basis>;

/// A tile under construction: bases appended level by level, each level above
/// what the dimension already has.
struct Tile {
  explicit Tile(unsigned rank) : rank(rank), size(rank, 0) {}

  /// Appends `bits` bits of `bases` along `dim`.
  void append(Bases &bases, unsigned dim, unsigned bits) {
    for (unsigned bit = 0; bit < bits; ++bit)
      bases.push_back({dim, uint64_t(1) << size[dim]++});
  }
  /// Appends `bits` bits of `bases` that hold copies.
  void replicate(Bases &bases, unsigned bits) {
    bases.insert(bases.end(), bits, {0, 0});
  }
  /// Appends one bit that has a given place, and accounts for it.
  void place(Bases &bases, unsigned dim, unsigned position) {
    bases.push_back({dim, uint64_t(1) << position});
    size[dim] = std::max(size[dim], position + 1);
  }

  LinearLayout build() const {
    std::vector<AxisBits> inputs = {
        {Axis::Register, (unsigned)registers.size()},
        {Axis::Lane, (unsigned)lanes.size()},
        {Axis::Warp, (unsigned)warps.size()}};
    std::vector<AxisBits> outputs;
    std::vector<unsigned> shift;
    unsigned total = 0;
    for (unsigned dim = 0; dim < rank; ++dim) {
      outputs.push_back({Axis::coordinate(dim), size[dim]});
      shift.push_back(total);
      total += size[dim];
    }
    std::vector<uint64_t> columns;
    columns.reserve(registers.size() + lanes.size() + warps.size());
    for (const Bases *bases : {&registers, &lanes, &warps})
      for (const Basis &basis : *bases)
        columns.push_back(basis.value << shift[basis.dim]);
    return LinearLayout(std::move(inputs), std::move(outputs),
                        std::move(columns));
  }

  unsigned rank;
  std::vector<unsigned> size;
  Bases registers, lanes, warps;
};

/// Dimensions from the last to the first: row-major order.
std::vector<unsigned> rowMajor(unsigned rank) {
  std::vector<unsigned> order(rank);
  for (unsigned i = 0; i < rank; ++i)
    order[i] = rank - 1 - i;
  return order;
}

bool isQuadPair(Fragment fragment) {
  return fragment == Fragment::M8N8K4 || fragment == Fragment::M8N8K4F16;
}

/// q = (lane & 3) + 4 (lane >> 4 & 1); the quad pairs (lane >> 2) & 3 stand two
/// by two.
void appendQuadPairTile(Tile &tile, Fragment fragment, unsigned rows,
                        unsigned columns) {
  if (fragment == Fragment::M8N8K4F16) {
    // row = q, col = e.
    tile.append(tile.registers, columns, 3);
    tile.place(tile.lanes, rows, 0);
    tile.place(tile.lanes, rows, 1);
  } else {
    // row = (q&1) + (e&2) + 4(q>>2), col = (e&1) + (q&2) + 4(e>>2).
    tile.place(tile.registers, columns, 0);
    tile.place(tile.registers, rows, 1);
    tile.place(tile.registers, columns, 2);
    tile.place(tile.lanes, rows, 0);
    tile.place(tile.lanes, columns, 1);
  }
  tile.place(tile.lanes, rows, 3);
  tile.place(tile.lanes, columns, 3);
  tile.place(tile.lanes, rows, 2);
}

/// Lane bits of the fragments of m16n8 and m8n8 accumulators: t = lane & 3, g =
/// lane >> 2.
void appendAccumulatorTile(Tile &tile, Fragment fragment, unsigned rows,
                           unsigned columns) {
  if (isQuadPair(fragment)) {
    appendQuadPairTile(tile, fragment, rows, columns);
    return;
  }
  tile.append(tile.registers, columns, 1);
  tile.append(tile.lanes, columns, 2);
  tile.append(tile.lanes, rows, 3);
  if (fragment == Fragment::M16N8)
    tile.append(tile.registers, rows, 1);
}

/// The warps of warp groups, the rows fastest: the four of a group hold 64 rows
/// (PTX ISA, "wgmma": warp i of the group has rows 16 i to 16 i + 15). Along
/// `copied` warps hold copies.
void appendWarpGroups(Tile &tile, ShapeBits warps,
                      std::optional<unsigned> copied) {
  std::vector<unsigned> order = {tile.rank - 2, tile.rank - 1};
  for (unsigned dim = tile.rank - 2; dim-- > 0;)
    order.push_back(dim);
  for (unsigned dim : order)
    if (dim == copied)
      tile.replicate(tile.warps, warps[dim]);
    else
      tile.append(tile.warps, dim, warps[dim]);
}

} // namespace

LinearLayout fitToShape(const LinearLayout &tile, ShapeBits shape,
                        std::span<const unsigned> order) {
  assert(tile.outputs().size() == shape.size() && "rank mismatch");
  // Where a dimension's bits are in the tile's columns and where they go.
  struct Rows {
    unsigned from, to;
    uint64_t mask;
  };
  std::vector<AxisBits> outputs;
  std::vector<Rows> rows;
  unsigned total = 0;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    Axis axis = Axis::coordinate(dim);
    outputs.push_back({axis, shape[dim]});
    unsigned kept = std::min(shape[dim], tile.outputBits(axis));
    rows.push_back({tile.outputOffset(axis), total, (uint64_t(1) << kept) - 1});
    total += shape[dim];
  }

  std::vector<AxisBits> inputs = {{Axis::Register, 0}};
  std::vector<uint64_t> columns;
  std::vector<uint64_t> others;
  auto next = tile.columns().begin();
  for (const AxisBits &input : tile.inputs()) {
    bool isRegister = input.axis == Axis::Register;
    if (!isRegister)
      inputs.push_back(input);
    for (unsigned bit = 0; bit < input.bits; ++bit) {
      uint64_t whole = *next++, column = 0;
      for (const Rows &part : rows)
        column |= (whole >> part.from & part.mask) << part.to;
      if (!isRegister)
        others.push_back(column);
      else if (column)
        columns.push_back(column);
    }
  }
  for (unsigned dim : order)
    for (unsigned bit = tile.outputBits(Axis::coordinate(dim));
         bit < shape[dim]; ++bit)
      columns.push_back(uint64_t(1) << (rows[dim].to + bit));
  inputs[0].bits = columns.size();
  columns.insert(columns.end(), others.begin(), others.end());
  return LinearLayout(std::move(inputs), std::move(outputs),
                      std::move(columns));
}

LinearLayout blockedLayout(ShapeBits elements, ShapeBits threads,
                           ShapeBits warps, std::span<const unsigned> order,
                           ShapeBits shape) {
  Tile tile(shape.size());
  for (unsigned dim : order)
    tile.append(tile.registers, dim, elements[dim]);
  for (unsigned dim : order)
    tile.append(tile.lanes, dim, threads[dim]);
  for (unsigned dim : order)
    tile.append(tile.warps, dim, warps[dim]);
  return fitToShape(tile.build(), shape, order);
}

FragmentBits fragmentBits(Fragment fragment) {
  Tile tile(2);
  appendAccumulatorTile(tile, fragment, 0, 1);
  return {tile.size[0], tile.size[1]};
}

LinearLayout mmaAccumulator(Fragment fragment, ShapeBits warps,
                            ShapeBits shape) {
  unsigned rank = shape.size();
  Tile tile(rank);
  appendAccumulatorTile(tile, fragment, rank - 2, rank - 1);
  for (unsigned dim : rowMajor(rank))
    tile.append(tile.warps, dim, warps[dim]);
  return fitToShape(tile.build(), shape, rowMajor(rank));
}

LinearLayout mmaOperand(Fragment fragment, unsigned index, unsigned widthBits,
                        ShapeBits warps, ShapeBits shape) {
  unsigned rank = shape.size();
  unsigned outer = index == 0 ? rank - 2 : rank - 1;
  unsigned inner = index == 0 ? rank - 1 : rank - 2;
  Tile tile(rank);
  tile.append(tile.registers, inner, widthBits);
  if (isQuadPair(fragment)) {
    // m|n = (lane&3) + 4(lane>>4 & 1); the left operand differs between quad
    // pairs in bit 2 of the lane, the right one in bit 3, as the accumulator's
    // arrangement of the pairs asks.
    tile.append(tile.registers, inner, 2 - widthBits);
    tile.place(tile.lanes, outer, 0);
    tile.place(tile.lanes, outer, 1);
    if (index == 0)
      tile.place(tile.lanes, outer, 3);
    tile.replicate(tile.lanes, 1);
    if (index == 1)
      tile.place(tile.lanes, outer, 3);
    tile.place(tile.lanes, outer, 2);
  } else {
    tile.append(tile.lanes, inner, 2);
    tile.append(tile.lanes, outer, 3);
    if (fragment == Fragment::M16N8 && index == 0)
      tile.append(tile.registers, outer, 1);
  }
  // The accumulator's warps, the last dimension fastest: those along the other
  // operand hold copies.
  for (unsigned dim : rowMajor(rank)) {
    if (dim == outer)
      tile.append(tile.warps, outer, warps[dim]);
    else if (dim >= rank - 2)
      tile.replicate(tile.warps, warps[dim]);
    else
      tile.append(tile.warps, dim, warps[dim]);
  }
  std::vector<unsigned> order = {inner, outer};
  for (unsigned dim = rank - 2; dim-- > 0;)
    order.push_back(dim);
  return fitToShape(tile.build(), shape, order);
}

LinearLayout wgmmaAccumulator(unsigned columnBits, ShapeBits warps,
                              ShapeBits shape) {
  unsigned rank = shape.size(), rows = rank - 2, columns = rank - 1;
  Tile tile(rank);
  appendAccumulatorTile(tile, Fragment::M16N8, rows, columns);
  if (columnBits > tile.size[columns])
    tile.append(tile.registers, columns, columnBits - tile.size[columns]);
  appendWarpGroups(tile, warps, std::nullopt);
  return fitToShape(tile.build(), shape, rowMajor(rank));
}

LinearLayout wgmmaOperand(unsigned widthBits, ShapeBits warps,
                          ShapeBits shape) {
  unsigned rank = shape.size(), rows = rank - 2, inner = rank - 1;
  Tile tile(rank);
  tile.append(tile.registers, inner, widthBits);
  tile.append(tile.lanes, inner, 2);
  tile.append(tile.lanes, rows, 3);
  tile.append(tile.registers, rows, 1);
  appendWarpGroups(tile, warps, inner);
  std::vector<unsigned> order = rowMajor(rank);
  return fitToShape(tile.build(), shape, order);
}

LinearLayout threadOperand(const LinearLayout &result, unsigned index,
                           ShapeBits shape) {
  unsigned rank = shape.size();
  unsigned inner = index == 0 ? rank - 1 : rank - 2;
  // The result with the other operand's dimension of one element, which then
  // becomes K, wholly in registers.
  std::vector<unsigned> collapsed(shape.begin(), shape.end());
  collapsed[inner] = 0;
  LinearLayout outer = fitToShape(result, collapsed, {});
  std::vector<unsigned> order = {inner};
  return fitToShape(outer, shape, order);
}

LinearLayout sliceLayout(const LinearLayout &parent, unsigned dim) {
  assert(parent.outputBits(Axis::coordinate(dim)) == 0 &&
         "the sliced dimension has one element");
  std::vector<AxisBits> outputs;
  for (const AxisBits &output : parent.outputs()) {
    unsigned number = output.axis.dimension();
    if (number != dim)
      outputs.push_back(
          {Axis::coordinate(number > dim ? number - 1 : number), output.bits});
  }
  return parent.removeOutput(Axis::coordinate(dim))
      .reshapeOutputs(std::move(outputs));
}

} // namespace tilewright::layout
