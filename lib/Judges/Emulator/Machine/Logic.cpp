// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logic, shifts and bits (PTX ISA, "Logic and Shift Instructions", and the
// bit-field ones among the integer instructions).

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Lanes.h"
#include "lib/Judges/Emulator/Numeric/Numeric.h"

using namespace tilewright::emulator;

namespace {

template <typename T>
struct And {
  T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct Or {
  T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct Xor {
  T operator()(T a, T b) const { return a ^ b; }
};
template <typename T>
struct Not {
  T operator()(T a) const { return ~a; }
};
template <typename T>
struct LogicalNot {
  T operator()(T a) const { return a == 0; }
};

/// Amounts beyond the width shift everything out.
template <typename T>
struct ShiftLeft {
  T operator()(T a, uint32_t amount) const {
    return amount >= 8 * sizeof(T) ? T(0) : T(a << amount);
  }
};
template <typename T>
struct ShiftRight {
  T operator()(T a, uint32_t amount) const {
    return a >> std::min<uint32_t>(amount, 8 * sizeof(T) - 1) >>
           (!std::is_signed_v<T> && amount >= 8 * sizeof(T) ? 1 : 0);
  }
};

template <typename T, typename Operation>
void executeShift(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto *a = warp.read<WordOf<T>>(instruction.sources[0]);
  const auto *b = warp.read<uint32_t>(instruction.sources[1]);
  auto *d = warp.write<WordOf<T>>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] = toWord<T>(Operation()(fromWord<T>(a[lane]), b[lane]));
  });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction));
}

bool decodeShift(DecodeContext &context) {
  std::optional<DataType> type = context.takeType();
  bool isLeft = context.in.name == "shl";
  return type && dispatchInteger(*type, [&](auto value) {
           using T = decltype(value);
           constexpr unsigned bits = 8 * sizeof(T);
           context.out.execute = isLeft ? executeShift<T, ShiftLeft<T>>
                                        : executeShift<T, ShiftRight<T>>;
           return context.expectOperands(3) && context.destination(0, bits) &&
                  context.source(1, bits) && context.source(2, 32);
         });
}

//===----------------------------------------------------------------------===//
// Predicates and words
//===----------------------------------------------------------------------===//

enum class PredicateOperation : uint8_t { And, Or, Xor, Not };

void executePredicates(Warp &warp, const Decoded &instruction, uint32_t mask) {
  uint32_t a = warp.readPredicate(instruction.sources[0]), result = ~a;
  if (instruction.sources.size() > 1) {
    uint32_t b = warp.readPredicate(instruction.sources[1]);
    switch (static_cast<PredicateOperation>(instruction.flags[0])) {
    case PredicateOperation::And:
      result = a & b;
      break;
    case PredicateOperation::Or:
      result = a | b;
      break;
    case PredicateOperation::Xor:
      result = a ^ b;
      break;
    case PredicateOperation::Not:
      break;
    }
  }
  warp.writePredicate(instruction.destinations[0], result, mask);
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction));
}

template <typename T>
Handler findWordHandler(std::string_view name) {
  return name == "and"   ? executeBinary<T, T, And<T>>
         : name == "or"  ? executeBinary<T, T, Or<T>>
         : name == "xor" ? executeBinary<T, T, Xor<T>>
         : name == "not" ? executeUnary<T, T, Not<T>>
                         : executeUnary<T, T, LogicalNot<T>>;
}

bool decodeLogic(DecodeContext &context) {
  std::optional<DataType> type = context.takeType();
  std::string_view name = context.in.name;
  bool isUnary = name == "not" || name == "cnot";
  if (!type || !context.expectOperands(isUnary ? 2 : 3))
    return false;
  unsigned bits = bitWidth(*type);
  if (*type == DataType::Predicate) {
    PredicateOperation operation = name == "and"   ? PredicateOperation::And
                                   : name == "or"  ? PredicateOperation::Or
                                   : name == "xor" ? PredicateOperation::Xor
                                                   : PredicateOperation::Not;
    context.out.flags[0] = static_cast<uint8_t>(operation);
    context.out.execute = executePredicates;
  } else {
    context.out.execute = bits == 64   ? findWordHandler<uint64_t>(name)
                          : bits == 32 ? findWordHandler<uint32_t>(name)
                          : bits == 16 ? findWordHandler<uint16_t>(name)
                                       : nullptr;
  }
  return context.out.execute && context.destination(0, bits) &&
         context.source(1, bits) && (isUnary || context.source(2, bits));
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// lop3: bit i of the table is the result for the operands' bits (a, b, c) = i.
struct LogicOfThree {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    uint32_t a = words[0], b = words[1], c = words[2], result = 0;
    for (unsigned i = 0; i < 8; ++i)
      if (instruction.flags[0] >> i & 1)
        result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
  }
};

bool decodeLogicOfThree(DecodeContext &context) {
  if (!context.take("b32") || !context.expectOperands(5))
    return false;
  const auto *table =
      std::get_if<IntegerOperand>(&context.in.operands[4].value);
  if (!table)
    return false;
  context.out.flags[0] = table->bits;
  context.out.execute = executeWords<LogicOfThree>;
  return context.destination(0, 32) && context.source(1, 32) &&
         context.source(2, 32) && context.source(3, 32);
}

struct FunnelShift {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    uint32_t amount = words[2];
    amount = instruction.flags[1] ? std::min(amount, 32u) : amount & 31;
    uint64_t value = words[1] << 32 | (words[0] & 0xffffffff);
    return uint32_t(instruction.flags[0] ? value << amount >> 32
                                         : value >> amount);
  }
};

bool decodeFunnelShift(DecodeContext &context) {
  std::optional<unsigned> direction = context.takeOneOf({"r", "l"});
  std::optional<unsigned> mode = context.takeOneOf({"wrap", "clamp"});
  if (!direction || !mode || !context.take("b32") || !context.expectOperands(4))
    return false;
  context.out.flags[0] = *direction;
  context.out.flags[1] = *mode;
  context.out.execute = executeWords<FunnelShift>;
  return context.destination(0, 32) && context.source(1, 32) &&
         context.source(2, 32) && context.source(3, 32);
}

struct Permute {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    if (instruction.flags[0] == 0)
      return permuteBytes(words[0], words[1], words[2]);
    return permuteBytes(words[0], words[1], words[2],
                        static_cast<PermuteMode>(instruction.flags[0] - 1));
  }
};

/// Whether a permutation takes a byte of its source `index`.
bool takesByteOf(const Decoded &instruction, unsigned index) {
  const void *lanes = instruction.sources[2].constant;
  if (!lanes || instruction.flags[0] != 0)
    return true;
  uint32_t selectors = *static_cast<const uint32_t *>(lanes);
  for (unsigned byte = 0; byte < 4; ++byte)
    if ((selectors >> (4 * byte + 2) & 1) == index)
      return true;
  return false;
}

/// Compilers fill bytes that nobody will look at from registers that were
/// never written: the result has a value if any register that it takes bytes
/// of has one.
void executePermute(Warp &warp, const Decoded &instruction, uint32_t mask) {
  bool takesRegister = false;
  uint32_t unknown = allLanes;
  for (unsigned i = 0; i < 2; ++i) {
    const Source &source = instruction.sources[i];
    if (source.constant || !takesByteOf(instruction, i))
      continue;
    takesRegister = true;
    unknown &= warp.undefinedLanes(source);
  }
  unknown = (takesRegister ? unknown : 0) |
            warp.undefinedLanes(instruction.sources[2]);
  executeWords<Permute>(warp, instruction, mask);
  warp.define(instruction.destinations[0], mask, unknown);
}

bool decodePermute(DecodeContext &context) {
  if (!context.take("b32") || !context.expectOperands(4))
    return false;
  std::optional<unsigned> mode =
      context.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  context.out.flags[0] = mode ? *mode + 1 : 0;
  context.out.execute = executePermute;
  return context.destination(0, 32) && context.source(1, 32) &&
         context.source(2, 32) && context.source(3, 32);
}

/// In flags: [0] width, [1] signed, [2] as a shift amount.
struct ExtractField {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    return extractBits(words[0], words[1], words[2], instruction.flags[0],
                       instruction.flags[1]);
  }
};
struct InsertField {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    return insertBits(words[0], words[1], words[2], words[3],
                      instruction.flags[0]);
  }
};
struct FindLeading {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    return findLeadingBit(words[0], instruction.flags[0], instruction.flags[1],
                          instruction.flags[2]);
  }
};
struct Reverse {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    return reverseBits(words[0], instruction.flags[0]);
  }
};
struct CountLeadingZeros {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    return instruction.flags[0] == 64 ? std::countl_zero(words[0])
                                      : std::countl_zero(uint32_t(words[0]));
  }
};
struct CountOnes {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    return std::popcount(words[0]);
  }
};
struct FindNth {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    return findNthSetBit(words[0], words[1], words[2]);
  }
};

bool decodeBits(DecodeContext &context) {
  std::string_view name = context.in.name;
  bool asShift = context.take("shiftamt");
  std::optional<DataType> type = context.takeType();
  if (!type)
    return false;
  unsigned bits = bitWidth(*type);
  if (bits != 32 && bits != 64)
    return false;
  bool isSigned = *type == DataType::S32 || *type == DataType::S64;
  Decoded &out = context.out;
  out.flags[0] = bits;
  out.flags[1] = isSigned;
  out.flags[2] = asShift;
  // Which sources have 64 bits.
  out.flags[5] = bits == 64 ? (name == "bfi" ? 3 : 1) : 0;
  if (name == "bfe") {
    out.execute = executeWords<ExtractField>;
    return context.expectOperands(4) && context.destination(0, bits) &&
           context.source(1, bits) && context.source(2, 32) &&
           context.source(3, 32);
  }
  if (name == "bfi") {
    out.execute = executeWords<InsertField>;
    return context.expectOperands(5) && context.destination(0, bits) &&
           context.source(1, bits) && context.source(2, bits) &&
           context.source(3, 32) && context.source(4, 32);
  }
  if (name == "brev") {
    out.execute = executeWords<Reverse>;
    return context.expectOperands(2) && context.destination(0, bits) &&
           context.source(1, bits);
  }
  out.execute = name == "bfind" ? executeWords<FindLeading>
                : name == "clz" ? executeWords<CountLeadingZeros>
                                : executeWords<CountOnes>;
  return context.expectOperands(2) && context.destination(0, 32) &&
         context.source(1, bits);
}

bool decodeFindNth(DecodeContext &context) {
  context.out.execute = executeWords<FindNth>;
  return context.take("b32") && context.expectOperands(4) &&
         context.destination(0, 32) && context.source(1, 32) &&
         context.source(2, 32) && context.source(3, 32);
}

} // namespace

Family tilewright::emulator::logicFamily() {
  return {{"and", decodeLogic},       {"or", decodeLogic},
          {"xor", decodeLogic},       {"not", decodeLogic},
          {"cnot", decodeLogic},      {"shl", decodeShift},
          {"shr", decodeShift},       {"lop3", decodeLogicOfThree},
          {"shf", decodeFunnelShift}, {"prmt", decodePermute},
          {"bfe", decodeBits},        {"bfi", decodeBits},
          {"bfind", decodeBits},      {"brev", decodeBits},
          {"clz", decodeBits},        {"popc", decodeBits},
          {"fns", decodeFindNth}};
}
