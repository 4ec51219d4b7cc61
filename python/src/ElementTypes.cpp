// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementTypes.h"

#include <cctype>
#include <iterator>

using namespace tilewright::python;

static constexpr uint32_t bit(DLDataTypeCode code) { return 1u << code; }

namespace {
struct FloatRow {
  const char *name;
  DLDataTypeCode code;
  uint32_t bits;
};
} // namespace

/// The floats of tile IR.
static constexpr FloatRow floats[] = {
    {"f16", kDLFloat, 16},
    {"bf16", kDLBfloat, 16},
    {"f32", kDLFloat, 32},
    {"f64", kDLFloat, 64},
    {"f8E4M3FN", kDLFloat8_e4m3fn, 8},
    {"f8E4M3FNUZ", kDLFloat8_e4m3fnuz, 8},
    {"f8E5M2", kDLFloat8_e5m2, 8},
    {"f8E5M2FNUZ", kDLFloat8_e5m2fnuz, 8},
};

static constexpr uint32_t integers = bit(kDLInt) | bit(kDLUInt);
/// What tile IR has no type for is held by integers of the width: scales, and
/// numbers of less than a byte, packed.
static constexpr uint32_t heldByIntegers =
    bit(kDLFloat8_e3m4) | bit(kDLFloat8_e4m3) | bit(kDLFloat8_e4m3b11fnuz) |
    bit(kDLFloat8_e8m0fnu) | bit(kDLFloat6_e2m3fn) | bit(kDLFloat6_e3m2fn) |
    bit(kDLFloat4_e2m1fn);

ElementTypes ElementTypes::of(const std::string &elementType) {
  for (const FloatRow &row : floats)
    if (elementType == row.name)
      return {bit(row.code), row.bits};
  // Pointers in memory are addresses.
  if (elementType.starts_with("!tt.ptr"))
    return {integers, 64};
  // "i32"; in descriptors "ui8" and "si8", too.
  size_t at = elementType.find('i');
  std::string digits = at <= 1 ? elementType.substr(at + 1) : std::string();
  if (digits.empty() || digits.size() > 2 || !std::isdigit(digits.front()) ||
      !std::isdigit(digits.back()))
    return {};
  uint32_t bits = uint32_t(std::stoul(digits));
  // An i1 takes a byte.
  if (bits == 1)
    return {integers | bit(kDLBool), 8};
  if (bits == 8)
    return {integers | bit(kDLBool) | heldByIntegers, 8};
  return {integers, bits};
}

std::string tilewright::python::describe(DLDataType type) {
  static constexpr const char *names[] = {"int",
                                          "uint",
                                          "float",
                                          "handle",
                                          "bfloat",
                                          "complex",
                                          "bool",
                                          "float8_e3m4",
                                          "float8_e4m3",
                                          "float8_e4m3b11fnuz",
                                          "float8_e4m3fn",
                                          "float8_e4m3fnuz",
                                          "float8_e5m2",
                                          "float8_e5m2fnuz",
                                          "float8_e8m0fnu",
                                          "float6_e2m3fn",
                                          "float6_e3m2fn",
                                          "float4_e2m1fn"};
  std::string name = type.code < std::size(names)
                         ? names[type.code]
                         : "code " + std::to_string(type.code);
  // Of the others the name says the width.
  if (type.code <= kDLComplex)
    name += std::to_string(type.bits);
  return type.lanes == 1 ? name : name + "x" + std::to_string(type.lanes);
}
