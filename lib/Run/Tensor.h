// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays on the host: element types, shapes, bytes, and the conversion of
// single elements to and from double. In and out: plain values. Always
// little-endian and in C order (the last dimension is the fastest).

#ifndef TILEWRIGHT_LIB_RUN_TENSOR_H
#define TILEWRIGHT_LIB_RUN_TENSOR_H

#include "runtime/Result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::run {

using runtime::Error;
using runtime::ErrorCode;
using runtime::Result;

/// Element types. A boolean (`i1`) takes a byte, 0 or 1.
enum class ElementType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F8E4M3, ///< 4 exponent bits, no infinities, NaN is 0x7f and 0xff (OCP E4M3)
  F8E5M2, ///< 5 exponent bits, IEEE-like (OCP E5M2)
  F16,
  BF16,
  F32,
  F64,
};

/// "i1", "i8", ..., "u64", "f8e4m3", "f8e5m2", "f16", "bf16", "f32", "f64".
std::string_view name(ElementType type);
/// The inverse of name(); "f8e4m3fn" is accepted too.
std::optional<ElementType> elementTypeFromName(std::string_view name);
/// All names, for messages.
std::string elementTypeNames();
/// Bytes of an element.
unsigned byteSize(ElementType type);
bool isFloat(ElementType type);
bool isSigned(ElementType type); ///< signed integers; i1 is not one

/// The value of the element at `bytes`, exactly, except that 64-bit integers
/// are rounded to the nearest double.
double toDouble(ElementType type, const uint8_t *bytes);
/// Writes `value` to `bytes`: floating-point types round to the nearest, ties
/// to even, with overflow to infinity (E4M3: to NaN); integer types truncate
/// towards zero and saturate, NaN gives 0; i1 is 1 unless the value is 0.
void fromDouble(ElementType type, double value, uint8_t *bytes);
/// The value of an integer element; U64 above 2^63 wraps.
int64_t toInteger(ElementType type, const uint8_t *bytes);
/// Writes the low bytes of `value`; i1 is 1 unless it is 0.
void fromInteger(ElementType type, int64_t value, uint8_t *bytes);

/// An array on the host.
struct HostTensor {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  bool operator==(const HostTensor &) const = default;
  uint64_t elementCount() const { return bytes.size() / byteSize(type); }
  const uint8_t *element(uint64_t index) const {
    return bytes.data() + index * byteSize(type);
  }
  uint8_t *element(uint64_t index) {
    return bytes.data() + index * byteSize(type);
  }
  /// Strides in elements of the C order.
  std::vector<int64_t> strides() const;
  /// "128x64xf16"; "f16" when the rank is 0.
  std::string typeName() const;

  /// An array of zero bytes. Fails when a size is negative or the array is
  /// larger than `tensorBytesLimit`.
  static Result<HostTensor> create(ElementType type,
                                   std::vector<int64_t> shape);
};

/// Bytes that one array may have: 64 GiB.
inline constexpr uint64_t tensorBytesLimit = uint64_t(1) << 36;

/// Parses "128x64xf16" into an array of zero bytes.
Result<HostTensor> tensorFromTypeName(std::string_view text);

} // namespace tilewright::run

#endif // TILEWRIGHT_LIB_RUN_TENSOR_H
