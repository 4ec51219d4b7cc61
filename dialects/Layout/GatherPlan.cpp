// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/GatherPlan.h"

#include "dialects/Layout/F2.h"

#include <bit>

using namespace tilewright;
using namespace tilewright::layout;

LinearLayout layout::clearAxis(const LinearLayout &result, Axis axis,
                               const std::vector<AxisBits> &source) {
  return LinearLayout::fromBases(
      result.inputs(), source, [&](Axis input, unsigned bit, Axis output) {
        return output == axis ? 0 : result.basis(input, bit, output);
      });
}

unsigned GatherPlan::countShuffles() const {
  return (1u << from.inputBits(Axis::Register))
         << std::popcount(variableRegisters);
}

unsigned GatherPlan::countSelects() const {
  return countShuffles() - (1u << from.inputBits(Axis::Register));
}

namespace {
/// Finds elements among the lanes and registers of a warp.
class WarpSearch {
public:
  explicit WarpSearch(const LinearLayout &source)
      : registerBits(source.inputBits(Axis::Register)),
        laneBits(source.inputBits(Axis::Lane)), system(getColumns(source)) {}

  /// The flat (register, lane) that holds coordinates, linear in them.
  std::optional<uint64_t> find(uint64_t coordinates) const {
    std::optional<uint64_t> place = system.solve(coordinates);
    if (!place)
      return std::nullopt;
    uint64_t lane = *place & ((uint64_t(1) << laneBits) - 1);
    return *place >> laneBits | lane << registerBits;
  }

private:
  /// Lanes first: a lane is free to depend on the index, a register is not.
  static std::vector<uint64_t> getColumns(const LinearLayout &source) {
    std::vector<uint64_t> columns;
    for (Axis input : {Axis(Axis::Lane), Axis(Axis::Register)})
      for (unsigned bit = 0; bit < source.inputBits(input); ++bit)
        columns.push_back(source.column(input, bit));
    return columns;
  }

  unsigned registerBits, laneBits;
  f2::System system;
};
} // namespace

std::optional<GatherPlan> layout::planGather(const LinearLayout &source,
                                             const LinearLayout &result,
                                             Axis axis) {
  if (source.inputBits(Axis::Warp) != result.inputBits(Axis::Warp))
    return std::nullopt;
  const WarpSearch search(source);
  const LinearLayout others = clearAxis(result, axis, source.outputs());
  std::vector<AxisBits> inputs = others.inputs();
  inputs.push_back({axis, source.outputBits(axis)});
  std::vector<uint64_t> columns;
  uint64_t variable = 0;
  for (const AxisBits &input : inputs)
    for (unsigned bit = 0; bit < input.bits; ++bit) {
      uint64_t wanted = input.axis == axis
                            ? uint64_t(1) << (source.outputOffset(axis) + bit)
                            : others.column(input.axis, bit);
      // The reader's warp is the holder's.
      if (input.axis == Axis(Axis::Warp))
        wanted ^= source.column(Axis::Warp, bit);
      std::optional<uint64_t> place = search.find(wanted);
      if (!place)
        return std::nullopt;
      columns.push_back(*place);
      if (!(input.axis == Axis(Axis::Register)))
        variable |= *place;
    }
  unsigned registerBits = source.inputBits(Axis::Register);
  std::vector<AxisBits> outputs = {{Axis::Register, registerBits},
                                   {Axis::Lane, source.inputBits(Axis::Lane)}};
  return GatherPlan{LinearLayout(inputs, outputs, std::move(columns)),
                    variable & ((uint64_t(1) << registerBits) - 1)};
}
