// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host arrays and element conversion; see Tensor.h.

#include "lib/Run/Tensor.h"

#include "lib/Judges/Emulator/Numeric/Numeric.h"

#include <charconv>
#include <cmath>
#include <cstring>

using namespace tilewright::run;
using tilewright::emulator::FloatFormat;

namespace {
/// What there is to know of an element type.
struct TypeFacts {
  ElementType type;
  std::string_view name;
  unsigned bytes;
  /// Of floating-point types.
  std::optional<FloatFormat> format = std::nullopt;
};
} // namespace

static constexpr TypeFacts typeTable[] = {
    {ElementType::I1, "i1", 1},
    {ElementType::I8, "i8", 1},
    {ElementType::I16, "i16", 2},
    {ElementType::I32, "i32", 4},
    {ElementType::I64, "i64", 8},
    {ElementType::U8, "u8", 1},
    {ElementType::U16, "u16", 2},
    {ElementType::U32, "u32", 4},
    {ElementType::U64, "u64", 8},
    {ElementType::F8E4M3, "f8e4m3", 1, FloatFormat::E4M3},
    {ElementType::F8E5M2, "f8e5m2", 1, FloatFormat::E5M2},
    {ElementType::F16, "f16", 2, FloatFormat::F16},
    {ElementType::BF16, "bf16", 2, FloatFormat::BF16},
    {ElementType::F32, "f32", 4, FloatFormat::F32},
    {ElementType::F64, "f64", 8, FloatFormat::F64},
};

static const TypeFacts &facts(ElementType type) {
  return typeTable[static_cast<unsigned>(type)];
}

std::string_view tilewright::run::name(ElementType type) {
  return facts(type).name;
}

std::optional<ElementType>
tilewright::run::elementTypeFromName(std::string_view name) {
  if (name == "f8e4m3fn")
    return ElementType::F8E4M3;
  for (const TypeFacts &row : typeTable)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

std::string tilewright::run::elementTypeNames() {
  std::string names;
  for (const TypeFacts &row : typeTable)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

unsigned tilewright::run::byteSize(ElementType type) {
  return facts(type).bytes;
}

bool tilewright::run::isFloat(ElementType type) {
  return facts(type).format.has_value();
}

bool tilewright::run::isSigned(ElementType type) {
  return type >= ElementType::I8 && type <= ElementType::I64;
}

static uint64_t loadBits(ElementType type, const uint8_t *bytes) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < byteSize(type); ++i)
    bits |= uint64_t(bytes[i]) << (8 * i);
  return bits;
}

static void storeBits(ElementType type, uint64_t bits, uint8_t *bytes) {
  for (unsigned i = 0; i < byteSize(type); ++i)
    bytes[i] = uint8_t(bits >> (8 * i));
}

double tilewright::run::toDouble(ElementType type, const uint8_t *bytes) {
  uint64_t bits = loadBits(type, bytes);
  if (std::optional<FloatFormat> format = facts(type).format)
    return emulator::decodeFloat(bits, *format);
  if (type == ElementType::U64)
    return double(bits);
  return double(toInteger(type, bytes));
}

void tilewright::run::fromDouble(ElementType type, double value,
                                 uint8_t *bytes) {
  if (std::optional<FloatFormat> format = facts(type).format)
    return storeBits(type, emulator::encodeFloat(value, *format), bytes);
  if (type == ElementType::I1)
    return storeBits(type, value != 0, bytes);
  unsigned bits = 8 * byteSize(type) - (isSigned(type) ? 1 : 0);
  double limit = std::ldexp(1.0, int(bits));
  double low = isSigned(type) ? -limit : 0;
  uint64_t highest = bits == 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
  uint64_t result;
  if (std::isnan(value))
    result = 0;
  else if (value >= limit)
    result = highest;
  else if (value <= low)
    result = isSigned(type) ? ~highest : 0;
  else
    result = value < 0 ? uint64_t(int64_t(value)) : uint64_t(value);
  storeBits(type, result, bytes);
}

int64_t tilewright::run::toInteger(ElementType type, const uint8_t *bytes) {
  uint64_t bits = loadBits(type, bytes);
  unsigned unused = 64 - 8 * byteSize(type);
  return isSigned(type) ? int64_t(bits << unused) >> unused : int64_t(bits);
}

void tilewright::run::fromInteger(ElementType type, int64_t value,
                                  uint8_t *bytes) {
  storeBits(type, type == ElementType::I1 ? value != 0 : uint64_t(value),
            bytes);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

std::vector<int64_t> HostTensor::strides() const {
  std::vector<int64_t> result(shape.size());
  uint64_t stride = 1; // wraps in empty arrays alone
  for (size_t d = shape.size(); d-- > 0;) {
    result[d] = int64_t(stride);
    stride *= uint64_t(shape[d]);
  }
  return result;
}

std::string HostTensor::typeName() const {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + std::string(name(type));
}

Result<HostTensor> HostTensor::create(ElementType type,
                                      std::vector<int64_t> shape) {
  unsigned __int128 size = byteSize(type);
  bool isEmpty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return Error{ErrorCode::InvalidArgument,
                   "expects sizes of at least 0, but got " +
                       std::to_string(extent)};
    isEmpty |= extent == 0;
    // The bound keeps the product from overflowing, whatever the rank.
    if (extent > 0 && size <= tensorBytesLimit)
      size *= uint64_t(extent);
  }
  HostTensor tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  if (size > tensorBytesLimit)
    return Error{ErrorCode::InvalidArgument,
                 "expects an array of at most " +
                     std::to_string(tensorBytesLimit) + " bytes, but got " +
                     tensor.typeName()};
  tensor.bytes.resize(isEmpty ? 0 : size_t(size));
  return tensor;
}

Result<HostTensor> tilewright::run::tensorFromTypeName(std::string_view text) {
  std::vector<int64_t> shape;
  std::string_view rest = text;
  // Sizes are digits; the element type, which is last, begins with a letter.
  while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
    size_t end = rest.find('x');
    int64_t extent = 0;
    std::string_view digits = rest.substr(0, end);
    auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), extent);
    if (end == std::string_view::npos || error != std::errc() ||
        stop != digits.data() + digits.size())
      break;
    shape.push_back(extent);
    rest.remove_prefix(end + 1);
  }
  std::optional<ElementType> type = elementTypeFromName(rest);
  if (!type)
    return Error{ErrorCode::InvalidArgument,
                 "expects a shape and element type such as 128x64xf16, but "
                 "got '" +
                     std::string(text) +
                     "' (element types: " + elementTypeNames() + ")"};
  return HostTensor::create(*type, std::move(shape));
}
