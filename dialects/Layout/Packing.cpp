// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/Packing.h"

#include <algorithm>
#include <cassert>

namespace tilewright::layout {

std::optional<LinearLayout> packElements(const LinearLayout &elements,
                                         Axis unit, unsigned dim,
                                         unsigned bits) {
  Axis packed = Axis::coordinate(dim);
  if (elements.outputBits(packed) < bits)
    return std::nullopt;
  // The input bits, unit's selecting ones first, in the order of the elements.
  unsigned low = elements.outputOffset(packed);
  unsigned first = elements.inputOffset(unit);
  std::vector<uint64_t> columns = elements.columns();
  std::vector<unsigned> selecting;
  for (unsigned bit = 0; bit < bits; ++bit) {
    auto begin = columns.begin() + first;
    auto end = begin + elements.inputBits(unit);
    auto found = std::find(begin, end, uint64_t(1) << (low + bit));
    unsigned position = found - begin;
    if (found == end || (unit == Axis::Offset && position != bit))
      return std::nullopt;
    selecting.push_back(first + position);
  }
  uint64_t rows = ((uint64_t(1) << bits) - 1) << low;
  std::vector<uint64_t> rest;
  for (unsigned i = 0; i < columns.size(); ++i) {
    if (std::find(selecting.begin(), selecting.end(), i) != selecting.end())
      continue;
    if (columns[i] & rows)
      return std::nullopt;
    uint64_t below = columns[i] & ((uint64_t(1) << low) - 1);
    rest.push_back((columns[i] >> (low + bits)) << low | below);
  }
  std::vector<AxisBits> inputs = elements.inputs(),
                        outputs = elements.outputs();
  for (AxisBits &input : inputs)
    if (input.axis == unit)
      input.bits -= bits;
  for (AxisBits &output : outputs)
    if (output.axis == packed)
      output.bits -= bits;
  return LinearLayout(std::move(inputs), std::move(outputs), std::move(rest));
}

LinearLayout unpackElements(const LinearLayout &containers, Axis unit,
                            unsigned dim, unsigned bits) {
  std::vector<Axis> inputs, outputs;
  for (const AxisBits &input : containers.inputs())
    inputs.push_back(input.axis);
  for (const AxisBits &output : containers.outputs())
    outputs.push_back(output.axis);
  LinearLayout run = LinearLayout::identity(unit, Axis::coordinate(dim), bits);
  return (run * containers).reorderInputs(inputs).reorderOutputs(outputs);
}

std::optional<unsigned> packedDimension(const LinearLayout &shared,
                                        unsigned bits) {
  for (const AxisBits &output : shared.outputs())
    if (packElements(shared, Axis::Offset, output.axis.dimension(), bits))
      return output.axis.dimension();
  return std::nullopt;
}

} // namespace tilewright::layout
