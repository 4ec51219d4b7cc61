// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point arithmetic (PTX ISA, "Floating Point Instructions", "Half
// Precision Floating Point Instructions"). What the host does the same way, f32
// and f64 rounded to nearest, is the host's; all else is
// lib/Judges/Emulator/Numeric's, f16 and bf16 rounded to nearest by loops over
// lanes (HalfArithmetic.cpp).

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Lanes.h"
#include "lib/Judges/Emulator/Numeric/FloatFormats.h"
#include "lib/Judges/Emulator/Numeric/Numeric.h"

#include <bit>
#include <cmath>

using namespace tilewright::emulator;

namespace {

//===----------------------------------------------------------------------===//
// By the host
//===----------------------------------------------------------------------===//

/// Hardware gives one NaN of f32, whatever came in.
inline float canonical(float value) {
  return value == value ? value : std::bit_cast<float>(0x7fffffffu);
}
inline double canonical(double value) { return value; }

template <typename T>
struct AddFloats {
  T operator()(T a, T b) const { return canonical(a + b); }
};
template <typename T>
struct SubtractFloats {
  T operator()(T a, T b) const { return canonical(a - b); }
};
template <typename T>
struct MultiplyFloats {
  T operator()(T a, T b) const { return canonical(a * b); }
};
template <typename T>
struct MultiplyAddFloats {
  T operator()(T a, T b, T c) const { return canonical(std::fma(a, b, c)); }
};

//===----------------------------------------------------------------------===//
// By the numeric library
//===----------------------------------------------------------------------===//

enum class FloatOperation : uint8_t {
  Add,
  Subtract,
  Multiply,
  MultiplyAdd,
  Divide,
  Minimum,
  Maximum,
  Negate,
  Absolute,
  SquareRoot,
  Reciprocal,
};

/// In Decoded::flags: [0] the operation, [1] the format, [2] the rounding,
/// [3] bits: flush, saturate, NaN, relu, and [4] two elements in a word.
enum FlagBits : uint8_t {
  flushBit = 1,
  saturateBit = 2,
  nanBit = 4,
  reluBit = 8
};

unsigned formatBits(FloatFormat format) {
  return format == FloatFormat::F64 ? 64 : format == FloatFormat::F32 ? 32 : 16;
}

uint64_t one(FloatFormat format) {
  switch (format) {
  case FloatFormat::F16:
    return 0x3c00;
  case FloatFormat::BF16:
    return 0x3f80;
  case FloatFormat::F32:
    return 0x3f800000;
  default:
    return 0x3ff0000000000000;
  }
}

uint64_t compute(const uint8_t *flags, uint64_t a, uint64_t b, uint64_t c) {
  auto format = static_cast<FloatFormat>(flags[1]);
  FloatFlags options;
  options.rounding = static_cast<Rounding>(flags[2]);
  options.flushSubnormals = flags[3] & flushBit;
  options.saturates = flags[3] & saturateBit;
  options.clampsNegative = flags[3] & reluBit;
  uint64_t sign = uint64_t(1) << (formatBits(format) - 1);
  switch (static_cast<FloatOperation>(flags[0])) {
  case FloatOperation::Add:
    return addFloat(a, b, format, options);
  case FloatOperation::Subtract:
    return addFloat(a, b ^ sign, format, options);
  case FloatOperation::Multiply:
    return multiplyFloat(a, b, format, options);
  case FloatOperation::MultiplyAdd:
    return fusedMultiplyAdd(a, b, c, format, options);
  case FloatOperation::Divide:
    return divideFloat(a, b, format, options);
  case FloatOperation::Minimum:
    return minimumFloat(a, b, format, flags[3] & nanBit, false, options);
  case FloatOperation::Maximum:
    return maximumFloat(a, b, format, flags[3] & nanBit, false, options);
  case FloatOperation::Negate:
    return a ^ sign;
  case FloatOperation::Absolute:
    return a & ~sign;
  case FloatOperation::SquareRoot:
    return squareRoot(a, format, options);
  case FloatOperation::Reciprocal:
    return divideFloat(one(format), a, format, options);
  }
  return 0;
}

struct ExactOperation {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    const uint8_t *flags = instruction.flags;
    if (!flags[4])
      return compute(flags, words[0], words[1], words[2]);
    uint64_t low =
        compute(flags, words[0] & 0xffff, words[1] & 0xffff, words[2] & 0xffff);
    uint64_t high = compute(flags, words[0] >> 16 & 0xffff,
                            words[1] >> 16 & 0xffff, words[2] >> 16 & 0xffff);
    return low | high << 16;
  }
};

struct ApproximateOperation {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    bool flushes = instruction.flags[3] & flushBit;
    if (instruction.flags[1])
      return divideApproximately(words[0], words[1], flushes,
                                 /*isFullRange=*/instruction.flags[2]);
    return approximate(static_cast<Approximation>(instruction.flags[0]),
                       words[0], flushes);
  }
};

/// rcp and rsqrt of f64.
struct ApproximateDouble {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    return approximateDouble(static_cast<Approximation>(instruction.flags[0]),
                             words[0], instruction.flags[3] & flushBit);
  }
};

/// ex2 and tanh of halves: the function of f32, rounded.
struct ApproximateHalf {
  static uint64_t compute(const uint8_t *flags, uint64_t bits) {
    auto format = static_cast<FloatFormat>(flags[1]);
    uint64_t wide = convertFloat(bits, format, FloatFormat::F32, FloatFlags());
    uint32_t result =
        approximate(static_cast<Approximation>(flags[0]), wide, false);
    return convertFloat(result, FloatFormat::F32, format, FloatFlags());
  }
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    const uint8_t *flags = instruction.flags;
    if (!flags[4])
      return compute(flags, words[0]);
    return compute(flags, words[0] & 0xffff) |
           compute(flags, words[0] >> 16 & 0xffff) << 16;
  }
};

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

std::optional<FloatOperation> findOperation(std::string_view name) {
  static const std::unordered_map<std::string_view, FloatOperation> operations =
      {{"add", FloatOperation::Add},
       {"sub", FloatOperation::Subtract},
       {"mul", FloatOperation::Multiply},
       {"fma", FloatOperation::MultiplyAdd},
       {"mad", FloatOperation::MultiplyAdd},
       {"div", FloatOperation::Divide},
       {"min", FloatOperation::Minimum},
       {"max", FloatOperation::Maximum},
       {"neg", FloatOperation::Negate},
       {"abs", FloatOperation::Absolute},
       {"sqrt", FloatOperation::SquareRoot},
       {"rcp", FloatOperation::Reciprocal}};
  auto found = operations.find(name);
  if (found == operations.end())
    return std::nullopt;
  return found->second;
}

std::optional<Approximation> findApproximation(std::string_view name) {
  static const std::unordered_map<std::string_view, Approximation> functions = {
      {"ex2", Approximation::Ex2},     {"lg2", Approximation::Lg2},
      {"sin", Approximation::Sin},     {"cos", Approximation::Cos},
      {"tanh", Approximation::Tanh},   {"rcp", Approximation::Rcp},
      {"rsqrt", Approximation::Rsqrt}, {"sqrt", Approximation::Sqrt}};
  auto found = functions.find(name);
  if (found == functions.end())
    return std::nullopt;
  return found->second;
}

unsigned countSources(FloatOperation operation) {
  switch (operation) {
  case FloatOperation::MultiplyAdd:
    return 3;
  case FloatOperation::Negate:
  case FloatOperation::Absolute:
  case FloatOperation::SquareRoot:
  case FloatOperation::Reciprocal:
    return 1;
  default:
    return 2;
  }
}

bool decodeOperands(DecodeContext &context, unsigned count, unsigned bits) {
  if (!context.expectOperands(count + 1) || !context.destination(0, bits))
    return false;
  for (unsigned i = 1; i <= count; ++i)
    if (!context.source(i, bits))
      return false;
  context.out.flags[5] = bits == 64 ? 0xff : 0;
  return true;
}

template <typename T>
Handler findHostHandler(FloatOperation operation) {
  switch (operation) {
  case FloatOperation::Add:
    return executeBinary<T, T, AddFloats<T>>;
  case FloatOperation::Subtract:
    return executeBinary<T, T, SubtractFloats<T>>;
  case FloatOperation::Multiply:
    return executeBinary<T, T, MultiplyFloats<T>>;
  case FloatOperation::MultiplyAdd:
    return executeTernary<T, T, MultiplyAddFloats<T>>;
  default:
    return nullptr;
  }
}

/// d = b with the sign of a (PTX ISA, copysign), on bits: a NaN keeps its own.
template <typename Word>
struct CopySign {
  Word operator()(Word a, Word b) const {
    Word sign = Word(1) << (8 * sizeof(Word) - 1);
    return (a & sign) | (b & ~sign);
  }
};

bool decodeCopySign(DecodeContext &context, FloatFormat format) {
  bool isDouble = format == FloatFormat::F64;
  if ((!isDouble && format != FloatFormat::F32) ||
      !decodeOperands(context, 2, isDouble ? 64 : 32))
    return false;
  context.out.execute =
      isDouble ? executeBinary<uint64_t, uint64_t, CopySign<uint64_t>>
               : executeBinary<uint32_t, uint32_t, CopySign<uint32_t>>;
  return true;
}

/// 1 / a with the upper half of an f64's bits (PTX ISA, rcp.approx.ftz.f64),
/// cut off where the hardware may round.
struct GrossReciprocal {
  uint64_t operator()(uint64_t a) const {
    double number = std::bit_cast<double>(flushSubnormal(a, FloatFormat::F64));
    uint64_t result =
        flushSubnormal(std::bit_cast<uint64_t>(1 / number), FloatFormat::F64);
    return result & 0xffffffff00000000;
  }
};

bool decodeApproximation(DecodeContext &context, FloatFormat format,
                         bool isPair) {
  uint8_t *flags = context.out.flags;
  if (context.in.name == "div") {
    flags[1] = 1;
    context.out.execute = executeWords<ApproximateOperation>;
    return format == FloatFormat::F32 && decodeOperands(context, 2, 32);
  }
  if (context.in.name == "rcp" && format == FloatFormat::F64) {
    context.out.execute = executeUnary<uint64_t, uint64_t, GrossReciprocal>;
    return flags[3] == flushBit && decodeOperands(context, 1, 64);
  }
  std::optional<Approximation> function = findApproximation(context.in.name);
  if (!function)
    return false;
  flags[0] = static_cast<uint8_t>(*function);
  if (format == FloatFormat::F64) {
    // rcp has the gross form alone (PTX ISA, rcp.approx.ftz.f64).
    bool isGross = flags[3] & flushBit;
    context.out.execute = executeWords<ApproximateDouble>;
    return (*function == Approximation::Rsqrt ||
            (*function == Approximation::Rcp && isGross)) &&
           decodeOperands(context, 1, 64);
  }
  if (format == FloatFormat::F32) {
    context.out.execute = executeWords<ApproximateOperation>;
    return decodeOperands(context, 1, 32);
  }
  flags[1] = static_cast<uint8_t>(format);
  flags[4] = isPair;
  context.out.execute = executeWords<ApproximateHalf>;
  return decodeOperands(context, 1, isPair ? 32 : 16);
}

} // namespace

bool tilewright::emulator::decodeFloatArithmetic(DecodeContext &context,
                                                 DataType type) {
  bool isPair = type == DataType::F16x2 || type == DataType::BF16x2;
  FloatFormat format = type == DataType::F32   ? FloatFormat::F32
                       : type == DataType::F64 ? FloatFormat::F64
                       : type == DataType::F16 || type == DataType::F16x2
                           ? FloatFormat::F16
                           : FloatFormat::BF16;
  uint8_t *flags = context.out.flags;
  uint8_t bits = 0;
  if (context.take("ftz"))
    bits |= flushBit;
  flags[3] = bits;
  bool isFullRange = context.take("full");
  if (isFullRange || context.take("approx")) {
    flags[2] = isFullRange;
    return decodeApproximation(context, format, isPair);
  }
  if (context.in.name == "copysign")
    return decodeCopySign(context, format);
  std::optional<FloatOperation> operation = findOperation(context.in.name);
  if (!operation)
    return false;
  if (context.take("sat"))
    bits |= saturateBit;
  if (context.take("NaN"))
    bits |= nanBit;
  if (context.take("relu"))
    bits |= reluBit;
  std::optional<unsigned> rounding =
      context.takeOneOf({"rn", "rz", "rm", "rp"});
  flags[0] = static_cast<uint8_t>(*operation);
  flags[1] = static_cast<uint8_t>(format);
  flags[2] = rounding.value_or(0);
  flags[3] = bits;
  flags[4] = isPair;
  unsigned width = isPair ? 32 : formatBits(format);
  context.out.execute = executeWords<ExactOperation>;
  if (bits == 0 && flags[2] == 0) {
    Handler host = format == FloatFormat::F32
                       ? findHostHandler<float>(*operation)
                   : format == FloatFormat::F64
                       ? findHostHandler<double>(*operation)
                       : findHalfHandler(context.in.name,
                                         format == FloatFormat::BF16, isPair);
    if (host)
      context.out.execute = host;
  }
  return decodeOperands(context, countSources(*operation), width);
}
