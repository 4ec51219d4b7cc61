// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/TensorMapObject.h"

#include <algorithm>
#include <cstring>

using namespace tilewright::emulator;

namespace {

/// "TILEMAP" and a version: bytes that were never a map are not taken for one.
constexpr uint64_t magic = 0x0350414d454c4954;

/// What the bytes are. Fields of dimensions that a map does not have are 0.
struct Object {
  uint64_t first;
  /// A bit of it is cleared by who mends maps of small tensors for GPUs after
  /// Hopper (CUTLASS, Triton from 3.7 on; drivers before CUDA 13.2). On Hopper
  /// it means nothing.
  uint64_t reserved;
  uint64_t address;
  uint64_t strides[TensorMap::maximumRank - 1];
  /// The low bits of a size: 2^32 is 0 and has its bit in `largest`.
  uint32_t shape[TensorMap::maximumRank];
  uint32_t box[TensorMap::maximumRank];
  uint32_t elementStrides[TensorMap::maximumRank];
  /// The fields that were given, see bitOf().
  uint32_t given;
  uint8_t dataType, rank, interleave, swizzle, promotion, fill;
  uint8_t largest;
  uint8_t unused;
};
static_assert(sizeof(Object) == TensorMap::bytes);

uint32_t bitOf(TensorMapField field, unsigned dimension) {
  unsigned number = static_cast<unsigned>(field);
  unsigned perDimension = static_cast<unsigned>(TensorMapField::Box);
  if (number < perDimension)
    return 1u << number;
  return 1u << (perDimension +
                (number - perDimension) * TensorMap::maximumRank + dimension);
}

/// A small field, so that a value too large for it stays an illegal one.
uint8_t narrow(uint64_t value) { return std::min<uint64_t>(value, 0xff); }

void setField(Object &object, TensorMapField field, unsigned i,
              uint64_t value) {
  object.given |= bitOf(field, i);
  switch (field) {
  case TensorMapField::Address:
    object.address = value;
    return;
  case TensorMapField::Rank:
    object.rank = narrow(value);
    return;
  case TensorMapField::DataType:
    object.dataType = narrow(value);
    return;
  case TensorMapField::Interleave:
    object.interleave = narrow(value);
    return;
  case TensorMapField::Swizzle:
    object.swizzle = narrow(value);
    return;
  case TensorMapField::Fill:
    object.fill = narrow(value);
    return;
  case TensorMapField::Box:
    object.box[i] = value;
    return;
  case TensorMapField::Shape:
    object.shape[i] = value;
    object.largest &= ~(1u << i);
    object.largest |= uint32_t(value >> 32 != 0) << i;
    return;
  case TensorMapField::ElementStride:
    object.elementStrides[i] = value;
    return;
  case TensorMapField::Stride:
    object.strides[i] = value;
    return;
  }
}

/// "box_dim 1", for a field that was not given; or "".
std::string findMissing(const Object &object) {
  unsigned number = 0;
  for (std::string_view name : tensorMapFieldNames) {
    auto field = static_cast<TensorMapField>(number++);
    bool isPerDimension = field >= TensorMapField::Box;
    unsigned count = isPerDimension ? object.rank : 1;
    if (field == TensorMapField::Stride)
      --count;
    for (unsigned i = 0; i < count; ++i)
      if (!(object.given & bitOf(field, i)))
        return std::string(name) +
               (isPerDimension ? " " + std::to_string(i) : "");
  }
  return "";
}

TensorMap readFields(const Object &object) {
  TensorMap map;
  map.dataType = object.dataType;
  map.rank = object.rank;
  map.address = object.address;
  map.interleave = object.interleave;
  map.swizzle = object.swizzle;
  map.promotion = object.promotion;
  map.fill = object.fill;
  for (unsigned i = 0; i < map.rank; ++i) {
    map.shape[i] = object.shape[i] | uint64_t(object.largest >> i & 1) << 32;
    map.box[i] = object.box[i];
    map.elementStrides[i] = object.elementStrides[i];
    if (i + 1 < map.rank)
      map.strides[i] = object.strides[i];
  }
  return map;
}

} // namespace

void tilewright::emulator::encodeTensorMap(const TensorMap &map,
                                           uint8_t *bytes) {
  Object object = {};
  object.first = magic;
  setField(object, TensorMapField::Address, 0, map.address);
  setField(object, TensorMapField::Rank, 0, map.rank);
  setField(object, TensorMapField::DataType, 0, map.dataType);
  setField(object, TensorMapField::Interleave, 0, map.interleave);
  setField(object, TensorMapField::Swizzle, 0, map.swizzle);
  setField(object, TensorMapField::Fill, 0, map.fill);
  object.promotion = map.promotion;
  for (unsigned i = 0; i < map.rank; ++i) {
    setField(object, TensorMapField::Shape, i, map.shape[i]);
    setField(object, TensorMapField::Box, i, map.box[i]);
    setField(object, TensorMapField::ElementStride, i, map.elementStrides[i]);
    if (i + 1 < map.rank)
      setField(object, TensorMapField::Stride, i, map.strides[i]);
  }
  std::memcpy(bytes, &object, sizeof(object));
}

std::optional<TensorMap>
tilewright::emulator::decodeTensorMap(const uint8_t *bytes,
                                      std::string &problem) {
  Object object;
  std::memcpy(&object, bytes, sizeof(object));
  if (object.first != magic) {
    problem = "expects a tensor map that cuTensorMapEncodeTiled or "
              "tensormap.replace has made, but got other bytes";
    return std::nullopt;
  }
  bool hasRank = object.given & bitOf(TensorMapField::Rank, 0);
  if (hasRank && (object.rank < 1 || object.rank > TensorMap::maximumRank)) {
    problem = "expects a tensor map of 1 to 5 dimensions, but got one of " +
              std::to_string(object.rank);
    return std::nullopt;
  }
  if (std::string missing = findMissing(object); !missing.empty()) {
    problem = "expects a tensor map with all its fields, but nothing has "
              "given it " +
              missing;
    return std::nullopt;
  }
  TensorMap map = readFields(object);
  if (std::string wrong = map.verify(); !wrong.empty()) {
    problem = "the tensor map " + wrong;
    return std::nullopt;
  }
  return map;
}

std::string tilewright::emulator::replaceTensorMapField(uint8_t *bytes,
                                                        TensorMapField field,
                                                        unsigned dimension,
                                                        uint64_t value) {
  Object object;
  std::memcpy(&object, bytes, sizeof(object));
  if (object.first != magic &&
      std::any_of(bytes, bytes + sizeof(object),
                  [](uint8_t byte) { return byte != 0; }))
    return "expects a tensor map or 128 zeros to replace a field of, but got "
           "other bytes";
  object.first = magic;
  setField(object, field, dimension, value);
  std::memcpy(bytes, &object, sizeof(object));
  return "";
}
