// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/RegisterParts.h"

using namespace tilewright;
using namespace tilewright::layout;

std::optional<RegisterParts> RegisterParts::get(const LinearLayout &map,
                                                Axis axis, unsigned bits) {
  if (bits > map.outputBits(axis))
    return std::nullopt;
  unsigned lowest = map.outputOffset(axis) + map.outputBits(axis) - bits;
  uint64_t selected = ((uint64_t(1) << bits) - 1) << lowest;
  RegisterParts parts;
  parts.partBits.assign(bits, ~0u);
  std::vector<uint64_t> columns;
  for (const AxisBits &input : map.inputs())
    for (unsigned bit = 0; bit < input.bits; ++bit) {
      uint64_t column = map.column(input.axis, bit);
      bool isOfRegisters = input.axis == Axis(Axis::Register);
      if (uint64_t part = column & selected) {
        if (!isOfRegisters || !isPowerOfTwo(column) ||
            parts.partBits[log2Exact(part) - lowest] != ~0u)
          return std::nullopt;
        parts.partBits[log2Exact(part) - lowest] = bit;
        continue;
      }
      if (isOfRegisters)
        parts.otherBits.push_back(bit);
      uint64_t below = (uint64_t(1) << lowest) - 1;
      columns.push_back((column & below) | (column >> bits & ~below));
    }
  std::vector<AxisBits> inputs = map.inputs(), outputs = map.outputs();
  for (AxisBits &input : inputs)
    if (input.axis == Axis(Axis::Register))
      input.bits -= bits;
  for (AxisBits &output : outputs)
    if (output.axis == axis)
      output.bits -= bits;
  parts.layout =
      LinearLayout(std::move(inputs), std::move(outputs), std::move(columns));
  return parts;
}

std::vector<unsigned> RegisterParts::getRegisters(unsigned part) const {
  auto scatter = [](unsigned number, const std::vector<unsigned> &bits) {
    unsigned scattered = 0;
    for (unsigned bit = 0; bit < bits.size(); ++bit)
      scattered |= (number >> bit & 1) << bits[bit];
    return scattered;
  };
  std::vector<unsigned> registers;
  for (unsigned index = 0; index < 1u << otherBits.size(); ++index)
    registers.push_back(scatter(part, partBits) | scatter(index, otherBits));
  return registers;
}
