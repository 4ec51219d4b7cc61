// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons and choices (PTX ISA, "Comparison and Selection Instructions").

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Lanes.h"
#include "lib/Judges/Emulator/Numeric/Numeric.h"

using namespace tilewright::emulator;

namespace {

enum class Relation : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};

template <typename T>
bool holds(Relation relation, T a, T b) {
  // Only floats are unordered.
  bool unordered = a != a || b != b;
  switch (relation) {
  case Relation::Eq:
    return a == b;
  case Relation::Ne:
    return !unordered && a != b;
  case Relation::Lt:
    return a < b;
  case Relation::Le:
    return a <= b;
  case Relation::Gt:
    return a > b;
  case Relation::Ge:
    return a >= b;
  case Relation::Equ:
    return unordered || a == b;
  case Relation::Neu:
    return a != b;
  case Relation::Ltu:
    return unordered || a < b;
  case Relation::Leu:
    return unordered || a <= b;
  case Relation::Gtu:
    return unordered || a > b;
  case Relation::Geu:
    return unordered || a >= b;
  case Relation::Num:
    return !unordered;
  case Relation::Nan:
    return unordered;
  }
  return false;
}

/// A half as a float, which it is exactly.
float widen(uint32_t bits, FloatFormat format) {
  return std::bit_cast<float>(uint32_t(
      convertFloat(bits & 0xffff, format, FloatFormat::F32, FloatFlags())));
}

float flush(float value) {
  return std::bit_cast<uint32_t>(value) & 0x7f800000 ? value : value * 0.0f;
}

/// In flags: [0] the relation, [1] the type, [2] flushes, [3] how a predicate
/// is combined: 0 not, 1 and, 2 or, 3 xor.
template <Relation relation, typename T>
uint32_t compareLanes(const Warp &warp, const Decoded &instruction,
                      uint32_t mask) {
  const auto *a = warp.read<WordOf<T>>(instruction.sources[0]);
  const auto *b = warp.read<WordOf<T>>(instruction.sources[1]);
  uint32_t result = 0;
  // Lanes that do not take part are compared in vain.
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result |=
        uint32_t(holds(relation, fromWord<T>(a[lane]), fromWord<T>(b[lane])))
        << lane;
  return result;
}

template <typename T>
uint32_t compareAs(const Warp &warp, const Decoded &instruction,
                   uint32_t mask) {
  switch (static_cast<Relation>(instruction.flags[0])) {
  case Relation::Eq:
    return compareLanes<Relation::Eq, T>(warp, instruction, mask);
  case Relation::Ne:
    return compareLanes<Relation::Ne, T>(warp, instruction, mask);
  case Relation::Lt:
    return compareLanes<Relation::Lt, T>(warp, instruction, mask);
  case Relation::Le:
    return compareLanes<Relation::Le, T>(warp, instruction, mask);
  case Relation::Gt:
    return compareLanes<Relation::Gt, T>(warp, instruction, mask);
  case Relation::Ge:
    return compareLanes<Relation::Ge, T>(warp, instruction, mask);
  case Relation::Equ:
    return compareLanes<Relation::Equ, T>(warp, instruction, mask);
  case Relation::Neu:
    return compareLanes<Relation::Neu, T>(warp, instruction, mask);
  case Relation::Ltu:
    return compareLanes<Relation::Ltu, T>(warp, instruction, mask);
  case Relation::Leu:
    return compareLanes<Relation::Leu, T>(warp, instruction, mask);
  case Relation::Gtu:
    return compareLanes<Relation::Gtu, T>(warp, instruction, mask);
  case Relation::Geu:
    return compareLanes<Relation::Geu, T>(warp, instruction, mask);
  case Relation::Num:
    return compareLanes<Relation::Num, T>(warp, instruction, mask);
  case Relation::Nan:
    return compareLanes<Relation::Nan, T>(warp, instruction, mask);
  }
  return 0;
}

/// Halves, pairs of them (bit `lane` for the low one alone), and flushed
/// floats.
uint32_t compareConverted(const Warp &warp, const Decoded &instruction,
                          uint32_t mask, unsigned shift) {
  const uint32_t *a = warp.read<uint32_t>(instruction.sources[0]);
  const uint32_t *b = warp.read<uint32_t>(instruction.sources[1]);
  auto type = static_cast<DataType>(instruction.flags[1]);
  auto relation = static_cast<Relation>(instruction.flags[0]);
  auto get = [&](uint32_t word) {
    if (type == DataType::F32)
      return flush(std::bit_cast<float>(word));
    bool isHalf = type == DataType::F16 || type == DataType::F16x2;
    float value =
        widen(word >> shift, isHalf ? FloatFormat::F16 : FloatFormat::BF16);
    return value;
  };
  uint32_t result = 0;
  forLanes(mask, [&](unsigned lane) {
    result |= uint32_t(holds(relation, get(a[lane]), get(b[lane]))) << lane;
  });
  return result;
}

uint32_t compare(const Warp &warp, const Decoded &instruction, uint32_t mask) {
  switch (static_cast<DataType>(instruction.flags[1])) {
  case DataType::B16:
  case DataType::U16:
    return compareAs<uint16_t>(warp, instruction, mask);
  case DataType::S16:
    return compareAs<int16_t>(warp, instruction, mask);
  case DataType::B32:
  case DataType::U32:
    return compareAs<uint32_t>(warp, instruction, mask);
  case DataType::S32:
    return compareAs<int32_t>(warp, instruction, mask);
  case DataType::B64:
  case DataType::U64:
    return compareAs<uint64_t>(warp, instruction, mask);
  case DataType::S64:
    return compareAs<int64_t>(warp, instruction, mask);
  case DataType::F32:
    return instruction.flags[2] ? compareConverted(warp, instruction, mask, 0)
                                : compareAs<float>(warp, instruction, mask);
  case DataType::F64:
    return compareAs<double>(warp, instruction, mask);
  default:
    return compareConverted(warp, instruction, mask, 0);
  }
}

uint32_t combinePredicate(const Warp &warp, const Decoded &instruction,
                          uint32_t result) {
  if (instruction.flags[3] == 0)
    return result;
  uint32_t other = warp.readPredicate(instruction.sources[2]);
  return instruction.flags[3] == 1   ? result & other
         : instruction.flags[3] == 2 ? result | other
                                     : result ^ other;
}

void executeSetPredicate(Warp &warp, const Decoded &instruction,
                         uint32_t mask) {
  uint32_t result = compare(warp, instruction, mask);
  uint32_t unknown = warp.undefinedLanes(instruction);
  auto type = static_cast<DataType>(instruction.flags[1]);
  bool isPair = type == DataType::F16x2 || type == DataType::BF16x2;
  for (size_t i = 0; i < instruction.destinations.size(); ++i) {
    // The second result is that of the upper halves, or the opposite.
    uint32_t value = i == 0   ? result
                     : isPair ? compareConverted(warp, instruction, mask, 16)
                              : ~result;
    warp.writePredicate(instruction.destinations[i],
                        combinePredicate(warp, instruction, value), mask);
    warp.define(instruction.destinations[i], mask, unknown);
  }
}

/// set: all ones or 1.0 where it holds.
void executeSet(Warp &warp, const Decoded &instruction, uint32_t mask) {
  uint32_t result =
      combinePredicate(warp, instruction, compare(warp, instruction, mask));
  uint32_t *d = warp.write<uint32_t>(instruction.destinations[0]);
  uint32_t isTrue = instruction.flags[4] ? 0x3f800000 : ~0u;
  forLanes(mask,
           [&](unsigned lane) { d[lane] = result >> lane & 1 ? isTrue : 0; });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction));
}

std::optional<Relation> takeRelation(DecodeContext &context, DataType type) {
  std::optional<unsigned> relation =
      context.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu",
                         "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (relation)
    return static_cast<Relation>(*relation);
  // Unsigned integers have names of their own.
  relation = context.takeOneOf({"lo", "ls", "hi", "hs"});
  if (!relation)
    return std::nullopt;
  return static_cast<Relation>(static_cast<unsigned>(Relation::Lt) + *relation);
}

/// Reads what setp and set have in common, but for the results.
bool decodeComparison(DecodeContext &context, DataType type) {
  std::optional<Relation> relation = takeRelation(context, type);
  std::optional<unsigned> combination = context.takeOneOf({"and", "or", "xor"});
  if (!relation)
    return false;
  Decoded &out = context.out;
  out.flags[0] = static_cast<uint8_t>(*relation);
  out.flags[1] = static_cast<uint8_t>(type);
  out.flags[2] = context.take("ftz");
  out.flags[3] = combination ? *combination + 1 : 0;
  unsigned bits = bitWidth(type);
  return context.expectOperands(combination ? 4 : 3) &&
         context.source(1, bits) && context.source(2, bits) &&
         (!combination || context.source(3, 1));
}

bool decodeSetPredicate(DecodeContext &context) {
  std::optional<DataType> type = context.takeType();
  if (!type || context.in.operands.empty())
    return false;
  context.out.execute = executeSetPredicate;
  const auto *pair = std::get_if<PairOperand>(&context.in.operands[0].value);
  if (!pair)
    return context.destination(0, 1) && decodeComparison(context, *type);
  for (const Operand &operand : pair->elements)
    if (!context.destination(operand, 1))
      return false;
  return decodeComparison(context, *type);
}

bool decodeSet(DecodeContext &context) {
  std::optional<DataType> result = context.takeType(),
                          type = context.takeType();
  if (!result || !type || bitWidth(*result) != 32)
    return false;
  context.out.flags[4] = *result == DataType::F32;
  context.out.execute = executeSet;
  return context.destination(0, 32) && decodeComparison(context, *type);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

template <typename Word>
void executeSelect(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const Word *a = warp.read<Word>(instruction.sources[0]);
  const Word *b = warp.read<Word>(instruction.sources[1]);
  Word *d = warp.write<Word>(instruction.destinations[0]);
  uint32_t chosen = warp.readPredicate(instruction.sources[2]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] = chosen >> lane & 1 ? a[lane] : b[lane];
  });
  // What is not chosen may be anything.
  uint32_t unknown = (chosen & warp.undefinedLanes(instruction.sources[0])) |
                     (~chosen & warp.undefinedLanes(instruction.sources[1])) |
                     warp.undefinedLanes(instruction.sources[2]);
  warp.define(instruction.destinations[0], mask, unknown);
}

bool decodeSelect(DecodeContext &context) {
  std::optional<DataType> type = context.takeType();
  if (!type || !context.expectOperands(4))
    return false;
  unsigned bits = bitWidth(*type);
  context.out.execute =
      bits == 64 ? executeSelect<uint64_t> : executeSelect<uint32_t>;
  return (bits == 64 || bits == 32 || bits == 16) &&
         context.destination(0, bits) && context.source(1, bits) &&
         context.source(2, bits) && context.source(3, 1);
}

} // namespace

Family tilewright::emulator::comparisonFamily() {
  return {{"setp", decodeSetPredicate},
          {"set", decodeSet},
          {"selp", decodeSelect},
          {"testp", decodeFloatTest}};
}
