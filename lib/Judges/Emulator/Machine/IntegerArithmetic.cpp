// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions"). Overflow
// wraps; a division by zero gives all ones, as hardware does.

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Lanes.h"
#include "lib/Judges/Emulator/Numeric/Numeric.h"

#include <algorithm>
#include <limits>

using namespace tilewright::emulator;

namespace {

/// Signed overflow is undefined in C++: sums and products are taken unsigned.
template <typename T>
using Unsigned = std::make_unsigned_t<T>;
/// C++ takes products of 16 bits as signed ints.
template <typename T>
using Modular = std::conditional_t<sizeof(T) < 4, uint32_t, Unsigned<T>>;

template <typename T>
struct Add {
  T operator()(T a, T b) const { return Modular<T>(a) + Modular<T>(b); }
};
template <typename T>
struct Subtract {
  T operator()(T a, T b) const { return Modular<T>(a) - Modular<T>(b); }
};
template <typename T>
struct MultiplyLow {
  T operator()(T a, T b) const { return Modular<T>(a) * Modular<T>(b); }
};
template <typename T>
struct MultiplyHigh {
  T operator()(T a, T b) const {
    return multiplyHigh(Unsigned<T>(a), Unsigned<T>(b), 8 * sizeof(T),
                        std::is_signed_v<T>);
  }
};
template <typename T>
struct Divide {
  T operator()(T a, T b) const {
    if (b == 0)
      return ~T(0);
    if (std::is_signed_v<T> && b == T(-1))
      return Modular<T>(0) - Modular<T>(a);
    return a / b;
  }
};
template <typename T>
struct Remainder {
  T operator()(T a, T b) const {
    if (b == 0)
      return a;
    return std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
  }
};
template <typename T>
struct Minimum {
  T operator()(T a, T b) const { return std::min(a, b); }
};
template <typename T>
struct Maximum {
  T operator()(T a, T b) const { return std::max(a, b); }
};
/// The same with negative results clamped to 0 (.relu).
template <typename T>
struct PositiveMinimum {
  T operator()(T a, T b) const { return std::max(std::min(a, b), T(0)); }
};
template <typename T>
struct PositiveMaximum {
  T operator()(T a, T b) const { return std::max(std::max(a, b), T(0)); }
};
template <typename T>
struct Absolute {
  T operator()(T a) const { return a < 0 ? Modular<T>(0) - Modular<T>(a) : a; }
};
template <typename T>
struct Negate {
  T operator()(T a) const { return Modular<T>(0) - Modular<T>(a); }
};
struct AddSaturating {
  int32_t operator()(int32_t a, int32_t b) const {
    return std::clamp<int64_t>(int64_t(a) + b, INT32_MIN, INT32_MAX);
  }
};
struct SubtractSaturating {
  int32_t operator()(int32_t a, int32_t b) const {
    return std::clamp<int64_t>(int64_t(a) - b, INT32_MIN, INT32_MAX);
  }
};
template <typename T, typename R>
struct MultiplyWide {
  R operator()(T a, T b) const { return R(a) * R(b); }
};
template <typename T, typename R>
struct MultiplyAddWide {
  R operator()(T a, T b, R c) const {
    return Unsigned<R>(R(a) * R(b)) + Unsigned<R>(c);
  }
};
template <typename T>
struct MultiplyAddLow {
  T operator()(T a, T b, T c) const {
    return Modular<T>(a) * Modular<T>(b) + Modular<T>(c);
  }
};
template <typename T>
struct MultiplyAddHigh {
  T operator()(T a, T b, T c) const {
    return Modular<T>(MultiplyHigh<T>()(a, b)) + Modular<T>(c);
  }
};
template <typename T>
struct SumOfDifferences {
  T operator()(T a, T b, T c) const {
    return Modular<T>(c) + (a < b ? Modular<T>(b) - Modular<T>(a)
                                  : Modular<T>(a) - Modular<T>(b));
  }
};

/// Twice as wide; 64 bits stay (they have no wide product).
template <typename T>
using Wide =
    std::conditional_t<std::is_signed_v<T>,
                       std::conditional_t<sizeof(T) == 2, int32_t, int64_t>,
                       std::conditional_t<sizeof(T) == 2, uint32_t, uint64_t>>;

template <typename T, template <typename> typename Operation>
bool decodeBinary(DecodeContext &context) {
  constexpr unsigned bits = 8 * sizeof(T);
  context.out.execute = executeBinary<T, T, Operation<T>>;
  return context.expectOperands(3) && context.destination(0, bits) &&
         context.source(1, bits) && context.source(2, bits);
}

template <typename T, template <typename> typename Operation>
bool decodeUnary(DecodeContext &context) {
  constexpr unsigned bits = 8 * sizeof(T);
  context.out.execute = executeUnary<T, T, Operation<T>>;
  return context.expectOperands(2) && context.destination(0, bits) &&
         context.source(1, bits);
}

bool decodeTernary(DecodeContext &context, unsigned bits, unsigned resultBits) {
  return context.expectOperands(4) && context.destination(0, resultBits) &&
         context.source(1, bits) && context.source(2, bits) &&
         context.source(3, resultBits);
}

template <typename T>
bool decodeSum(DecodeContext &context, bool isSubtraction) {
  if (context.take("sat")) {
    if (!std::is_same_v<T, int32_t>)
      return false;
    context.out.execute =
        isSubtraction ? executeBinary<int32_t, int32_t, SubtractSaturating>
                      : executeBinary<int32_t, int32_t, AddSaturating>;
    return context.expectOperands(3) && context.destination(0, 32) &&
           context.source(1, 32) && context.source(2, 32);
  }
  return isSubtraction ? decodeBinary<T, Subtract>(context)
                       : decodeBinary<T, Add>(context);
}

template <typename T>
bool decodeProduct(DecodeContext &context) {
  constexpr unsigned bits = 8 * sizeof(T);
  if (context.take("wide")) {
    if (bits == 64)
      return false;
    context.out.execute = executeBinary<T, Wide<T>, MultiplyWide<T, Wide<T>>>;
    return context.expectOperands(3) && context.destination(0, 2 * bits) &&
           context.source(1, bits) && context.source(2, bits);
  }
  if (context.take("hi"))
    return decodeBinary<T, MultiplyHigh>(context);
  return context.take("lo") && decodeBinary<T, MultiplyLow>(context);
}

template <typename T>
bool decodeMultiplyAdd(DecodeContext &context) {
  constexpr unsigned bits = 8 * sizeof(T);
  if (context.take("wide")) {
    if (bits == 64)
      return false;
    context.out.execute =
        executeTernary<T, Wide<T>, MultiplyAddWide<T, Wide<T>>>;
    return decodeTernary(context, bits, 2 * bits);
  }
  context.out.execute =
      context.take("hi")   ? executeTernary<T, T, MultiplyAddHigh<T>>
      : context.take("lo") ? executeTernary<T, T, MultiplyAddLow<T>>
                           : nullptr;
  return context.out.execute && decodeTernary(context, bits, bits);
}

/// The low 24 bits, as a number of 32 (PTX ISA, mul24).
template <typename T>
T cutTo24(T a) {
  return T(uint32_t(a) << 8) >> 8;
}
/// The low and the high 32 of the product's 48 bits.
template <typename T>
struct Multiply24Low {
  T operator()(T a, T b) const {
    return MultiplyLow<T>()(cutTo24(a), cutTo24(b));
  }
};
template <typename T>
struct Multiply24High {
  T operator()(T a, T b) const {
    return Wide<T>(cutTo24(a)) * cutTo24(b) >> 16;
  }
};
template <typename T, template <typename> typename Product>
struct AddTo {
  T operator()(T a, T b, T c) const { return Add<T>()(Product<T>()(a, b), c); }
};

/// mul24 and mad24, of 32 bits only.
template <typename T>
bool decodeProduct24(DecodeContext &context, bool isAdded) {
  std::optional<unsigned> half = context.takeOneOf({"lo", "hi"});
  if (sizeof(T) != 4 || !half)
    return false;
  if (!isAdded)
    return *half ? decodeBinary<T, Multiply24High>(context)
                 : decodeBinary<T, Multiply24Low>(context);
  context.out.execute = *half ? executeTernary<T, T, AddTo<T, Multiply24High>>
                              : executeTernary<T, T, AddTo<T, Multiply24Low>>;
  return decodeTernary(context, 32, 32);
}

template <typename T>
bool decodeTyped(DecodeContext &context) {
  std::string_view name = context.in.name;
  if (name == "mul24" || name == "mad24")
    return decodeProduct24<T>(context, name == "mad24");
  if (name == "add" || name == "sub")
    return decodeSum<T>(context, name == "sub");
  if (name == "mul")
    return decodeProduct<T>(context);
  if (name == "mad")
    return decodeMultiplyAdd<T>(context);
  if (name == "div")
    return decodeBinary<T, Divide>(context);
  if (name == "rem")
    return decodeBinary<T, Remainder>(context);
  bool clampsNegative = std::is_same_v<T, int32_t> && context.take("relu");
  if (name == "min")
    return clampsNegative ? decodeBinary<T, PositiveMinimum>(context)
                          : decodeBinary<T, Minimum>(context);
  if (name == "max")
    return clampsNegative ? decodeBinary<T, PositiveMaximum>(context)
                          : decodeBinary<T, Maximum>(context);
  if (name == "neg")
    return decodeUnary<T, Negate>(context);
  if (name == "abs")
    return decodeUnary<T, Absolute>(context);
  if (name == "sad") {
    context.out.execute = executeTernary<T, T, SumOfDifferences<T>>;
    return decodeTernary(context, 8 * sizeof(T), 8 * sizeof(T));
  }
  return false;
}

/// dp4a and dp2a: four products of bytes, two of halves with bytes.
struct DotProduct {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    const uint8_t *flags = instruction.flags;
    return flags[2]
               ? dotProduct2(words[0], flags[0], words[1], flags[1], flags[3],
                             words[2])
               : dotProduct4(words[0], flags[0], words[1], flags[1], words[2]);
  }
};

bool decodeDotProduct(DecodeContext &context) {
  std::optional<DataType> a = context.takeType(), b = context.takeType();
  if (!a || !b)
    return false;
  context.out.flags[0] = *a == DataType::S32;
  context.out.flags[1] = *b == DataType::S32;
  context.out.flags[2] = context.in.name == "dp2a";
  if (context.out.flags[2]) {
    std::optional<unsigned> half = context.takeOneOf({"lo", "hi"});
    if (!half)
      return false;
    context.out.flags[3] = *half;
  }
  context.out.execute = executeWords<DotProduct>;
  return decodeTernary(context, 32, 32);
}

/// The halves of words, each by itself.
template <typename Half, template <typename> typename Operation>
struct OnHalves {
  template <typename>
  struct Of {
    uint32_t operator()(uint32_t a, uint32_t b) const {
      Operation<Half> operation;
      uint16_t low = operation(Half(a), Half(b));
      uint16_t high = operation(Half(a >> 16), Half(b >> 16));
      return uint32_t(high) << 16 | low;
    }
  };
};

/// add, min and max of .s16x2 and .u16x2.
template <typename Half>
bool decodeHalves(DecodeContext &context) {
  std::string_view name = context.in.name;
  bool clampsNegative = std::is_signed_v<Half> && context.take("relu");
  auto decode = [&]<template <typename> typename Operation>() {
    return decodeBinary<uint32_t, OnHalves<Half, Operation>::template Of>(
        context);
  };
  if (name == "add" && !clampsNegative)
    return decode.template operator()<Add>();
  if (name == "min")
    return clampsNegative ? decode.template operator()<PositiveMinimum>()
                          : decode.template operator()<Minimum>();
  if (name == "max")
    return clampsNegative ? decode.template operator()<PositiveMaximum>()
                          : decode.template operator()<Maximum>();
  return false;
}

bool decodeArithmetic(DecodeContext &context) {
  if (std::optional<unsigned> halves = context.takeOneOf({"u16x2", "s16x2"}))
    return *halves ? decodeHalves<int16_t>(context)
                   : decodeHalves<uint16_t>(context);
  std::optional<DataType> type = context.takeType();
  if (!type)
    return false;
  switch (*type) {
  case DataType::F16:
  case DataType::F16x2:
  case DataType::BF16:
  case DataType::BF16x2:
  case DataType::F32:
  case DataType::F64:
    return decodeFloatArithmetic(context, *type);
  default:
    return decodeIntegerArithmetic(context, *type);
  }
}

} // namespace

bool tilewright::emulator::decodeIntegerArithmetic(DecodeContext &context,
                                                   DataType type) {
  std::string_view name = context.in.name;
  bool hasCarry = name == "addc" || name == "subc" || name == "madc";
  for (const std::string &modifier : context.in.modifiers)
    hasCarry |= modifier == "cc";
  if (hasCarry)
    return decodeCarryArithmetic(context, type);
  return dispatchInteger(
      type, [&](auto value) { return decodeTyped<decltype(value)>(context); });
}

Family tilewright::emulator::arithmeticFamily() {
  Family family;
  for (std::string_view name :
       {"add",   "sub",  "mul",  "mad",   "fma",  "div",  "rem",
        "min",   "max",  "neg",  "abs",   "sad",  "sqrt", "rcp",
        "rsqrt", "ex2",  "lg2",  "sin",   "cos",  "tanh", "copysign",
        "addc",  "subc", "madc", "mul24", "mad24"})
    family.push_back({name, decodeArithmetic});
  family.push_back({"dp4a", decodeDotProduct});
  family.push_back({"dp2a", decodeDotProduct});
  return family;
}
