// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/Conversion.h"

#include "dialects/Layout/F2.h"

#include <algorithm>
#include <cassert>

namespace tilewright::layout {

namespace {

[[maybe_unused]] bool isRegisterLayout(const LinearLayout &layout) {
  const std::vector<AxisBits> &inputs = layout.inputs();
  return inputs.size() == 3 && inputs[0].axis == Axis::Register &&
         inputs[1].axis == Axis::Lane && inputs[2].axis == Axis::Warp;
}

/// A source of one destination bit and how far away it is.
struct Fetch {
  Movement movement;
  uint64_t source;
};

/// Finds the nearest source of each destination bit.
class Nearest {
public:
  explicit Nearest(const LinearLayout &source)
      : source(source), registers(prefix(source.inputBits(Axis::Register))),
        lanes(prefix(source.inputBits(Axis::Register) +
                     source.inputBits(Axis::Lane))),
        warps(source.columns()) {}

  /// Where the element column `wanted`, of destination bit (axis, bit), comes
  /// from.
  std::optional<Fetch> find(Axis axis, unsigned bit, uint64_t wanted) const {
    uint64_t same = 0, rest = wanted;
    if (bit < source.inputBits(axis)) {
      same = uint64_t(1) << (source.inputOffset(axis) + bit);
      rest ^= source.column(axis, bit);
      if (!rest)
        return Fetch{Movement::Identity, same};
    }
    if (axis == Axis::Register)
      return firstOf({{&registers, Movement::Registers, 0, wanted},
                      {&lanes, Movement::Lanes, 0, wanted},
                      {&warps, Movement::Warps, 0, wanted}});
    if (axis == Axis::Lane)
      return firstOf({{&registers, Movement::Selects, same, rest},
                      {&lanes, Movement::Lanes, 0, wanted},
                      {&warps, Movement::Warps, 0, wanted}});
    return firstOf({{&registers, Movement::Selects, same, rest},
                    {&lanes, Movement::Lanes, same, rest},
                    {&warps, Movement::Warps, 0, wanted}});
  }

private:
  struct Choice {
    const f2::System *system;
    Movement movement;
    uint64_t carried, wanted;
  };

  std::optional<Fetch> firstOf(std::initializer_list<Choice> choices) const {
    for (const Choice &choice : choices)
      if (std::optional<uint64_t> found = choice.system->solve(choice.wanted))
        return Fetch{choice.movement, choice.carried ^ *found};
    return std::nullopt;
  }

  f2::System prefix(unsigned bits) const {
    return f2::System(std::span(source.columns()).first(bits));
  }

  const LinearLayout &source;
  /// The source's columns of registers; of registers and lanes; all.
  f2::System registers, lanes, warps;
};

} // namespace

std::optional<Conversion> classifyConversion(const LinearLayout &source,
                                             const LinearLayout &destination) {
  assert(isRegisterLayout(source) && isRegisterLayout(destination) &&
         "a register layout has the inputs register, lane, warp");
  for ([[maybe_unused]] Axis axis : {Axis(Axis::Lane), Axis(Axis::Warp)})
    assert(source.inputBits(axis) == destination.inputBits(axis) &&
           "a conversion keeps the threads");
  std::vector<Axis> outputs;
  for (const AxisBits &output : source.outputs()) {
    assert(destination.outputBits(output.axis) == output.bits &&
           "a conversion keeps the tensor");
    outputs.push_back(output.axis);
  }
  LinearLayout wanted = destination.reorderOutputs(outputs);

  Nearest nearest(source);
  Movement movement = Movement::Identity;
  if (source.inputBits(Axis::Register) != wanted.inputBits(Axis::Register))
    movement = Movement::Registers;
  std::vector<uint64_t> columns;
  for (const AxisBits &input : wanted.inputs())
    for (unsigned bit = 0; bit < input.bits; ++bit) {
      std::optional<Fetch> fetch =
          nearest.find(input.axis, bit, wanted.column(input.axis, bit));
      if (!fetch)
        return std::nullopt;
      movement = std::max(movement, fetch->movement);
      columns.push_back(fetch->source);
    }

  Conversion result = {
      movement,
      LinearLayout(wanted.inputs(), source.inputs(), std::move(columns)),
      {}};
  if (movement <= Movement::Registers)
    for (uint64_t index = 0;
         index < uint64_t(1) << wanted.inputBits(Axis::Register); ++index)
      result.registers.push_back(result.map.apply(index));
  return result;
}

bool haveSameBases(const LinearLayout &a, const LinearLayout &b, Axis input) {
  if (a.inputBits(input) != b.inputBits(input))
    return false;
  for (unsigned bit = 0; bit < a.inputBits(input); ++bit)
    for (const AxisBits &output : a.outputs())
      if (a.basis(input, bit, output.axis) != b.basis(input, bit, output.axis))
        return false;
  return true;
}

bool haveSameThreads(const LinearLayout &a, const LinearLayout &b) {
  return haveSameBases(a, b, Axis::Lane) && haveSameBases(a, b, Axis::Warp);
}

} // namespace tilewright::layout
