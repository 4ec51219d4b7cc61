// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/TensorMap.h"

#include <algorithm>

using namespace tilewright::emulator;

namespace {

/// CUtensorMapDataType.
struct DataTypeFacts {
  uint8_t bytes;
  /// What an H200 fills floats with instead of zeros; 0: no float.
  uint64_t nan;
  /// Copies convert, in ways that no document describes.
  bool isConverted;
};
constexpr DataTypeFacts dataTypes[] = {
    {1, 0, false},                                         // UINT8
    {2, 0, false},                                         // UINT16
    {4, 0, false},                                         // UINT32
    {4, 0, false},                                         // INT32
    {8, 0, false},                                         // UINT64
    {8, 0, false},                                         // INT64
    {2, 0x7ff7, false},                                    // FLOAT16
    {4, 0x7ff77ff7, false},                                // FLOAT32
    {8, uint64_t(0x7ff) << 52 | uint64_t(1) << 51, false}, // FLOAT64
    {2, 0x7ff7, false},                                    // BFLOAT16
    {4, 0x7ffffff7, true},                                 // FLOAT32_FTZ
    {4, 0x7ffffff7, false},                                // TFLOAT32
    {4, 0x7ffffff7, true},                                 // TFLOAT32_FTZ
};

} // namespace

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

unsigned TensorMap::elementBytes() const { return dataTypes[dataType].bytes; }

Swizzle TensorMap::sharedSwizzle() const {
  constexpr uint32_t bytes[] = {16, 32, 64, 128};
  return {bytes[swizzle]};
}

uint32_t TensorMap::extent(unsigned dimension) const {
  uint32_t step = dimension ? elementStrides[dimension] : 1;
  return (box[dimension] + step - 1) / step;
}

uint64_t TensorMap::boxBytes() const {
  uint64_t total = elementBytes();
  for (unsigned i = 0; i < rank; ++i)
    total *= extent(i);
  return total;
}

bool TensorMap::roundsToTf32() const { return dataType == 11; }

uint64_t TensorMap::fillPattern() const {
  return fill ? dataTypes[dataType].nan : 0;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static std::string expects(const std::string &what, uint64_t got) {
  return "expects " + what + ", but got " + std::to_string(got);
}

/// The rules of each dimension.
static std::string verifyDimension(const TensorMap &map, unsigned i) {
  std::string of = " in dimension " + std::to_string(i);
  if (map.shape[i] < 1 || map.shape[i] > uint64_t(1) << 32)
    return expects("a size from 1 to 2^32" + of, map.shape[i]);
  if (map.box[i] < 1 || map.box[i] > 256)
    return expects("a box from 1 to 256" + of, map.box[i]);
  if (map.elementStrides[i] < 1 || map.elementStrides[i] > 8)
    return expects("an element stride from 1 to 8" + of, map.elementStrides[i]);
  if (i + 1 < map.rank &&
      (map.strides[i] % 16 || map.strides[i] >= uint64_t(1) << 40))
    return expects("a stride that is a multiple of 16 bytes below 2^40" + of,
                   map.strides[i]);
  return "";
}

std::string TensorMap::verify() const {
  if (dataType >= std::size(dataTypes))
    return expects("a data type from 0 to 12", dataType);
  if (rank < 1 || rank > maximumRank)
    return expects("1 to 5 dimensions", rank);
  if (interleave > 2 || swizzle > 6 || promotion > 3 || fill > 1)
    return "expects values of the enumerations of cuda.h";
  if (interleave && rank < 3)
    return expects("3 dimensions or more with an interleaved layout", rank);
  if (address % (interleave == 2 ? 32 : 16))
    return expects("an address that is a multiple of 16 (32 with a 32-byte "
                   "interleaved layout)",
                   address);
  for (unsigned i = 0; i < rank; ++i)
    if (std::string problem = verifyDimension(*this, i); !problem.empty())
      return problem;
  uint64_t row = uint64_t(box[0]) * elementBytes();
  if (!interleave && row % 16)
    return expects("rows of a box in multiples of 16 bytes", row);
  if (!interleave && swizzle && row > (swizzle <= 3 ? 16u << swizzle : 128))
    return expects("rows of a box no longer than the swizzle", row);
  if (interleave == 2 && swizzle != 1)
    return expects("a swizzle of 32 bytes with a 32-byte interleaved layout",
                   swizzle);
  if (fill && !dataTypes[dataType].nan)
    return expects("a floating-point type to fill with NaN", dataType);
  return "";
}

std::string TensorMap::findUnsupported() const {
  if (interleave)
    return "the emulator has no interleaved layouts";
  if (swizzle > 3)
    return "the emulator has no swizzles of atoms";
  if (dataTypes[dataType].isConverted)
    return "the emulator does not know how copies convert this data type";
  // The programming guide asks for memory "to accommodate the full swizzle
  // width" then, and does not say where rows begin.
  if (swizzle && uint64_t(box[0]) * elementBytes() < sharedSwizzle().bytes)
    return "the emulator does not know how rows shorter than the swizzle are "
           "laid out";
  return "";
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Loads fill what is behind the row's last element. Stores write whole units
/// of 16 bytes, so also what is behind a row that ends within one: seen on an
/// H200 (242 of 242 boxes), and in no document. Reductions were not looked at.
/// The emulator has none of tensors; it should take them like stores, as one
/// that writes less than a GPU hides mistakes.
int64_t TensorMap::rowBytes(bool isStore) const {
  int64_t bytes = shape[0] * elementBytes();
  return isStore ? (bytes + 15) / 16 * 16 : bytes;
}

/// A row of a box whose first element has coordinate `first`, in a row of the
/// tensor of which `moved` bytes are moved: the parts before the tensor, in it,
/// and behind it.
void TensorMap::forRowPieces(
    int64_t first, uint64_t offset, uint64_t address, int64_t moved,
    const std::function<void(const Piece &)> &function) const {
  int64_t size = elementBytes(), total = box[0] * size;
  // Bytes of the row, the tensor's begin and end among them.
  int64_t begin = std::clamp<int64_t>(-first * size, 0, total);
  int64_t end = std::clamp<int64_t>(moved - first * size, begin, total);
  int64_t most = swizzle ? 16 : total;
  for (int64_t at = 0; at < total;) {
    int64_t border = at < begin ? begin : at < end ? end : total;
    int64_t stop = std::min(border, (at / most + 1) * most);
    Piece piece;
    piece.offset = offset + at;
    piece.address = address + uint64_t(first * size + at);
    piece.bytes = stop - at;
    piece.isOutside = at < begin || at >= end;
    function(piece);
    at = stop;
  }
}

void TensorMap::forPieces(
    const std::array<int32_t, maximumRank> &coordinates, bool isStore,
    const std::function<void(const Piece &)> &function) const {
  uint64_t rows = 1, boxRowBytes = uint64_t(box[0]) * elementBytes();
  for (unsigned i = 1; i < rank; ++i)
    rows *= extent(i);
  for (uint64_t row = 0; row < rows; ++row) {
    uint64_t left = row, from = address;
    bool isOutside = false;
    for (unsigned i = 1; i < rank; ++i) {
      int64_t at =
          coordinates[i] + int64_t(left % extent(i)) * elementStrides[i];
      left /= extent(i);
      isOutside |= at < 0 || at >= int64_t(shape[i]);
      from += uint64_t(at) * strides[i - 1];
    }
    forRowPieces(coordinates[0], row * boxRowBytes, from,
                 isOutside ? 0 : rowBytes(isStore), function);
  }
}
