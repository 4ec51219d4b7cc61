// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// testp: what kind of number a float is (PTX ISA, testp).

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Lanes.h"

using namespace tilewright::emulator;

namespace {

enum class Property : uint8_t {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};

/// By the bits: exponents of zeros and of ones are the special ones.
template <typename Word>
bool has(Property property, Word bits) {
  constexpr unsigned mantissaBits = sizeof(Word) == 8 ? 52 : 23;
  constexpr Word unit = Word(1) << mantissaBits;
  Word magnitude = bits & ~(Word(1) << (8 * sizeof(Word) - 1));
  constexpr Word infinity = (~Word(0) >> 1) & ~(unit - 1);
  switch (property) {
  case Property::Finite:
    return magnitude < infinity;
  case Property::Infinite:
    return magnitude == infinity;
  case Property::Number:
    return magnitude <= infinity;
  case Property::NotANumber:
    return magnitude > infinity;
  case Property::Normal:
    return magnitude >= unit && magnitude < infinity;
  case Property::Subnormal:
    return magnitude > 0 && magnitude < unit;
  }
  return false;
}

/// In flags: [0] the property.
template <typename Word>
void executeTest(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const Word *a = warp.read<Word>(instruction.sources[0]);
  auto property = static_cast<Property>(instruction.flags[0]);
  uint32_t result = 0;
  forLanes(mask, [&](unsigned lane) {
    result |= uint32_t(has(property, a[lane])) << lane;
  });
  warp.writePredicate(instruction.destinations[0], result, mask);
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction));
}

} // namespace

bool tilewright::emulator::decodeFloatTest(DecodeContext &context) {
  std::optional<unsigned> property = context.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  std::optional<DataType> type = context.takeType();
  if (!property || !type ||
      (*type != DataType::F32 && *type != DataType::F64) ||
      !context.expectOperands(2))
    return false;
  unsigned bits = bitWidth(*type);
  context.out.flags[0] = *property;
  context.out.execute =
      bits == 64 ? executeTest<uint64_t> : executeTest<uint32_t>;
  return context.destination(0, 1) && context.source(1, bits);
}
