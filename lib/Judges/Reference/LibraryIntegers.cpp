// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of libdevice on integers and bits, by name: on the bits that the
// operands have as scalars, integers zero-extended.

#include "lib/Judges/Reference/LibraryIntegers.h"

#include "lib/Judges/Reference/Numbers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <bit>
#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

namespace {
using Bits = ArrayRef<uint64_t>;
} // namespace

static int64_t asSigned(uint64_t bits) { return int32_t(bits); }
static double asFloat(uint64_t bits) {
  return std::bit_cast<float>(uint32_t(bits));
}
static double asDouble(uint64_t bits) { return std::bit_cast<double>(bits); }

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The 24 low bits, with their sign or without.
static int64_t cut24(uint64_t bits, bool isSigned) {
  return isSigned ? llvm::SignExtend64(bits, 24) : int64_t(bits & 0xffffff);
}

/// The bytes of two words that the digits of a selector name, with PTX's copies
/// of their signs (PTX ISA, prmt).
static uint64_t permuteBytes(Bits x) {
  uint64_t pool = (x[1] << 32) | (x[0] & 0xffffffff), result = 0;
  for (unsigned place = 0; place < 4; ++place) {
    unsigned digit = x[2] >> (4 * place) & 15;
    uint64_t byte = pool >> (8 * (digit & 7)) & 0xff;
    if (digit & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * place);
  }
  return result;
}

static LibraryIntegerFunction findCounting(StringRef name) {
  return llvm::StringSwitch<LibraryIntegerFunction>(name)
      .Case(
          "brev",
          [](Bits x) -> uint64_t { return llvm::reverseBits(uint32_t(x[0])); })
      .Case("brevll", [](Bits x) { return llvm::reverseBits(x[0]); })
      .Case("byte_perm", permuteBytes)
      .Case("clz",
            [](Bits x) -> uint64_t { return std::countl_zero(uint32_t(x[0])); })
      .Case("clzll", [](Bits x) -> uint64_t { return std::countl_zero(x[0]); })
      .Case("ffs",
            [](Bits x) -> uint64_t {
              return uint32_t(x[0]) ? std::countr_zero(x[0]) + 1 : 0;
            })
      .Case("ffsll",
            [](Bits x) -> uint64_t {
              return x[0] ? std::countr_zero(x[0]) + 1 : 0;
            })
      .Cases({"popc", "popcll"},
             [](Bits x) -> uint64_t { return std::popcount(x[0]); })
      .Default(nullptr);
}

static LibraryIntegerFunction findArithmetic(StringRef name) {
  return llvm::StringSwitch<LibraryIntegerFunction>(name)
      .Case("abs", [](Bits x) -> uint64_t { return std::abs(asSigned(x[0])); })
      .Case("hadd",
            [](Bits x) -> uint64_t {
              return (asSigned(x[0]) + asSigned(x[1])) >> 1;
            })
      .Case("llabs", [](Bits x) { return int64_t(x[0]) < 0 ? 0 - x[0] : x[0]; })
      .Case("mul24",
            [](Bits x) -> uint64_t {
              return cut24(x[0], true) * cut24(x[1], true);
            })
      .Case("mul64hi",
            [](Bits x) -> uint64_t {
              return __int128(int64_t(x[0])) * int64_t(x[1]) >> 64;
            })
      .Case("mulhi",
            [](Bits x) -> uint64_t {
              return asSigned(x[0]) * asSigned(x[1]) >> 32;
            })
      .Case("rhadd",
            [](Bits x) -> uint64_t {
              return (asSigned(x[0]) + asSigned(x[1]) + 1) >> 1;
            })
      .Case("sad",
            [](Bits x) -> uint64_t {
              return std::abs(asSigned(x[0]) - asSigned(x[1])) + x[2];
            })
      .Case("uhadd", [](Bits x) { return (x[0] + x[1]) >> 1; })
      .Case("umul24",
            [](Bits x) -> uint64_t {
              return cut24(x[0], false) * cut24(x[1], false);
            })
      .Case("umul64hi",
            [](Bits x) -> uint64_t {
              return (unsigned __int128)(x[0]) * x[1] >> 64;
            })
      .Case("umulhi", [](Bits x) { return x[0] * x[1] >> 32; })
      .Case("urhadd", [](Bits x) { return (x[0] + x[1] + 1) >> 1; })
      .Case("usad",
            [](Bits x) {
              return (x[0] > x[1] ? x[0] - x[1] : x[1] - x[0]) + x[2];
            })
      .Default(nullptr);
}

//===----------------------------------------------------------------------===//
// Bits of floats
//===----------------------------------------------------------------------===//

static LibraryIntegerFunction findClass(StringRef name) {
  return llvm::StringSwitch<LibraryIntegerFunction>(name)
      .Case("finitef",
            [](Bits x) -> uint64_t { return std::isfinite(asFloat(x[0])); })
      .Case("isfinited",
            [](Bits x) -> uint64_t { return std::isfinite(asDouble(x[0])); })
      .Case("isinfd",
            [](Bits x) -> uint64_t { return std::isinf(asDouble(x[0])); })
      .Case("isinff",
            [](Bits x) -> uint64_t { return std::isinf(asFloat(x[0])); })
      .Case("isnand",
            [](Bits x) -> uint64_t { return std::isnan(asDouble(x[0])); })
      .Case("isnanf",
            [](Bits x) -> uint64_t { return std::isnan(asFloat(x[0])); })
      .Case("signbitd", [](Bits x) { return x[0] >> 63; })
      .Case("signbitf", [](Bits x) { return x[0] >> 31; })
      .Default(nullptr);
}

/// The upper half of the bits of 1 / x, where subnormal numbers are zeros.
static uint64_t takeReciprocal(Bits x) {
  auto flush = [](double number) {
    return std::fabs(number) < 0x1p-1022 ? std::copysign(0.0, number) : number;
  };
  double inverse = flush(1 / flush(asDouble(x[0])));
  return std::bit_cast<uint64_t>(inverse) >> 32 << 32;
}

static LibraryIntegerFunction findBits(StringRef name) {
  return llvm::StringSwitch<LibraryIntegerFunction>(name)
      .Case("double2hiint", [](Bits x) { return x[0] >> 32; })
      .Case("double2loint", [](Bits x) { return x[0] & 0xffffffff; })
      .Case("rcp64h", takeReciprocal)
      .Case("hiloint2double",
            [](Bits x) { return x[0] << 32 | (x[1] & 0xffffffff); })
      .Cases({"double_as_longlong", "float_as_int", "float_as_uint"},
             [](Bits x) { return x[0]; })
      .Cases({"int_as_float", "longlong_as_double", "uint_as_float"},
             [](Bits x) { return x[0]; })
      .Default(nullptr);
}

LibraryIntegerFunction reference::findLibraryIntegerFunction(StringRef name) {
  for (auto *lookUp : {findCounting, findArithmetic, findClass, findBits})
    if (LibraryIntegerFunction function = lookUp(name))
      return function;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static std::optional<llvm::RoundingMode> takeRounding(StringRef &name) {
  auto mode =
      llvm::StringSwitch<std::optional<llvm::RoundingMode>>(name.take_back(3))
          .Case("_rn", llvm::RoundingMode::NearestTiesToEven)
          .Case("_rz", llvm::RoundingMode::TowardZero)
          .Case("_rd", llvm::RoundingMode::TowardNegative)
          .Case("_ru", llvm::RoundingMode::TowardPositive)
          .Default(std::nullopt);
  if (mode)
    name = name.drop_back(3);
  return mode;
}

/// Of what integers and floats are called in names of conversions.
static std::optional<LibraryConversion::Kind> findKind(StringRef name) {
  using Kind = LibraryConversion::Kind;
  return llvm::StringSwitch<std::optional<Kind>>(name)
      .Cases({"int", "ll"}, Kind::Signed)
      .Cases({"uint", "ull"}, Kind::Unsigned)
      .Cases({"float", "double"}, Kind::Real)
      .Default(std::nullopt);
}

std::optional<LibraryConversion>
reference::findLibraryConversion(StringRef name) {
  using Kind = LibraryConversion::Kind;
  StringRef base = name;
  base.consume_back("f");
  if (base == "llrint" || base == "llround")
    return LibraryConversion{Kind::Real, Kind::Signed,
                             base == "llrint"
                                 ? llvm::RoundingMode::NearestTiesToEven
                                 : llvm::RoundingMode::NearestTiesToAway};
  std::optional<llvm::RoundingMode> rounding = takeRounding(name);
  auto [from, to] = name.split('2');
  auto source = findKind(from), result = findKind(to);
  if (!rounding || !source || !result)
    return std::nullopt;
  return LibraryConversion{*source, *result, *rounding};
}
