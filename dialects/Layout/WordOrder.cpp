// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/WordOrder.h"

#include <array>
#include <bit>
#include <cassert>

using namespace tilewright::layout;

namespace {

using Order = std::vector<unsigned>;

/// `value` with bit b moved to order[b].
uint64_t permuted(uint64_t value, const Order &order) {
  uint64_t result = 0;
  for (unsigned bit = 0; bit < order.size(); ++bit)
    result |= (value >> bit & 1) << order[bit];
  return result;
}

/// The bits of the depth that are told apart by a thread's registers alone.
uint64_t ownDepthBits(const LinearLayout &operand, Axis depth) {
  uint64_t own = 0;
  for (unsigned bit = 0; bit < operand.inputBits(Axis::Register); ++bit) {
    uint64_t column = operand.column(Axis::Register, bit);
    uint64_t along = operand.basis(Axis::Register, bit, depth);
    if (std::has_single_bit(column) && along)
      own |= along;
  }
  return own;
}

/// Bits of the depth that are a thread's own go to its words as long as these
/// have room, the lowest of them first; all others tell words apart. None where
/// words have room left.
std::optional<Order> orderDepth(const LinearLayout &operand,
                                PackedWords packed) {
  uint64_t own = ownDepthBits(operand, packed.depth);
  Order codes;
  if (packed.codeBits)
    codes.push_back(packed.pairBit);
  for (unsigned bit = 0; bit < packed.codeBits; ++bit)
    if (bit != packed.pairBit)
      codes.push_back(bit);
  Order result;
  unsigned nextCode = 0, nextWord = packed.codeBits;
  for (unsigned bit = 0; bit < operand.outputBits(packed.depth); ++bit) {
    bool isCode = (own >> bit & 1) && nextCode < codes.size();
    result.push_back(isCode ? codes[nextCode++] : nextWord++);
  }
  if (nextCode < codes.size())
    return std::nullopt;
  return result;
}

/// Who holds which words of the operand: its inputs -> (dim0, dim1), the depth
/// in words, and without the registers that tell codes of a word apart.
LinearLayout wordsOf(const LinearLayout &operand, PackedWords packed,
                     const Order &depth) {
  std::vector<AxisBits> outputs = operand.outputs();
  for (AxisBits &output : outputs)
    if (output.axis == packed.depth)
      output.bits -= packed.codeBits;
  return LinearLayout::fromBases(
             operand.inputs(), outputs,
             [&](Axis input, unsigned bit, Axis output) {
               uint64_t along = operand.basis(input, bit, output);
               return output == packed.depth
                          ? permuted(along, depth) >> packed.codeBits
                          : along;
             })
      .removeZeroBits(Axis::Register);
}

/// The flat places of a warp's words: those of one load of a thread, then those
/// of other threads, copies left out. None where threads have too few words.
std::optional<std::vector<uint64_t>> warpColumns(const LinearLayout &words,
                                                 unsigned vectorBits) {
  if (words.inputBits(Axis::Register) < vectorBits)
    return std::nullopt;
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < vectorBits; ++bit)
    columns.push_back(words.column(Axis::Register, bit));
  uint64_t copies = words.redundantBits(Axis::Lane);
  for (unsigned bit = 0; bit < words.inputBits(Axis::Lane); ++bit)
    if (!(copies >> bit & 1))
      columns.push_back(words.column(Axis::Lane, bit));
  return columns;
}

/// The map from offsets to the smallest box that has all columns; none where it
/// has more words than they reach.
std::optional<LinearLayout> mapToBox(const LinearLayout &words,
                                     const std::vector<uint64_t> &columns) {
  uint64_t reached = 0;
  for (uint64_t column : columns)
    reached |= column;
  std::vector<AxisBits> outputs;
  std::vector<uint64_t> narrowed(columns.size());
  unsigned from = 0, to = 0;
  for (const AxisBits &axis : words.outputs()) {
    uint64_t mask = (uint64_t(1) << axis.bits) - 1;
    unsigned bits = std::bit_width(reached >> from & mask);
    for (size_t i = 0; i < columns.size(); ++i)
      narrowed[i] |= (columns[i] >> from & mask) << to;
    outputs.push_back({axis.axis, bits});
    from += axis.bits;
    to += bits;
  }
  LinearLayout result({{Axis::Offset, unsigned(columns.size())}}, outputs,
                      narrowed);
  return result.isBijective() ? std::optional(result) : std::nullopt;
}

/// Whether the first `bits` entries are an order by themselves.
bool isClosed(const Order &order, unsigned bits) {
  for (unsigned bit = 0; bit < bits; ++bit)
    if (order[bit] >= bits)
      return false;
  return true;
}

} // namespace

std::optional<WordOrder> WordOrder::of(const LinearLayout &operand,
                                       PackedWords packed,
                                       unsigned vectorBits) {
  assert(operand.outputs().size() == 2 && "expects a layout of rank 2");
  assert((packed.codeBits == 0 || packed.pairBit < packed.codeBits) &&
         "expects a bit of the index of a code");
  std::optional<Order> depth = orderDepth(operand, packed);
  if (!depth)
    return std::nullopt;
  LinearLayout held = wordsOf(operand, packed, *depth);
  auto columns = warpColumns(held, vectorBits);
  if (!columns)
    return std::nullopt;
  std::optional<LinearLayout> unit = mapToBox(held, *columns);
  if (!unit)
    return std::nullopt;
  unsigned elements = unit->outputBits(packed.depth) + packed.codeBits;
  if (!isClosed(*depth, elements))
    return std::nullopt;
  WordOrder order(packed, vectorBits);
  order.depthOrder.assign(depth->begin(), depth->begin() + elements);
  order.words = std::move(*unit);
  return order;
}

LinearLayout WordOrder::over(ShapeBits shape) const {
  assert(shape.size() == 2 && "expects two dimensions");
  LinearLayout result = words;
  unsigned depth = packed.depth.dimension();
  for (unsigned dim : {depth, 1 - depth}) {
    Axis axis = Axis::coordinate(dim);
    unsigned inUnit = words.outputBits(axis);
    assert(shape[dim] >= inUnit && "expects at least a unit");
    result = result *
             LinearLayout::identity(Axis::Offset, axis, shape[dim] - inUnit);
  }
  return result;
}

std::vector<unsigned> WordOrder::depth(unsigned bits) const {
  assert(bits >= depthOrder.size() && "expects at least a unit");
  Order result = depthOrder;
  for (unsigned bit = result.size(); bit < bits; ++bit)
    result.push_back(bit);
  return result;
}

bool WordOrder::serves(const LinearLayout &operand) const {
  LinearLayout held =
      wordsOf(operand, packed, depth(operand.outputBits(packed.depth)));
  std::array<unsigned, 2> shape = {held.outputBits(Axis::coordinate(0)),
                                   held.outputBits(Axis::coordinate(1))};
  LinearLayout places = held.compose(*over(shape).invert());
  uint64_t own = 0, others = 0;
  for (unsigned bit = 0; bit < places.inputBits(Axis::Register); ++bit)
    own |= places.column(Axis::Register, bit);
  for (unsigned bit = 0; bit < places.inputBits(Axis::Lane); ++bit)
    others |= places.column(Axis::Lane, bit);
  uint64_t vector = (uint64_t(1) << vectorBits) - 1;
  uint64_t unit = (uint64_t(1) << words.totalInputBits()) - 1;
  return (own & vector) == vector && others == (unit & ~vector);
}
