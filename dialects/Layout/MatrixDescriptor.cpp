// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/MatrixDescriptor.h"

#include "dialects/Layout/DescriptorSharing.h"

#include <algorithm>
#include <bit>

namespace tilewright::layout {

namespace {

/// 16 bytes are a vector: the unit of addresses, and of what a swizzle moves.
constexpr unsigned vectorBytes = 16;
/// A stride has 14 bits of such units.
constexpr uint64_t strideLimit = uint64_t(1) << 18;

/// The bytes at which the bits of a coordinate lie.
using Places = std::vector<uint64_t>;

/// One way in which a descriptor can describe the operand.
class Form {
public:
  Form(unsigned swizzleBytes, bool isKMajor, const DescriptorOperand &operand)
      : swizzleBytes(swizzleBytes), isKMajor(isKMajor), operand(operand) {}

  /// `rows`, `k`: the places of the tile's coordinates.
  std::optional<MatrixDescriptor> match(const Places &rows, const Places &k) {
    const Places &inner = isKMajor ? k : rows;
    const Places &outer = isKMajor ? rows : k;
    unsigned kBits = log2Exact(descriptorKBytes * 8 / operand.elementBits);
    unsigned innerBits = isKMajor ? kBits : operand.rowBits;
    unsigned outerBits = isKMajor ? operand.rowBits : kBits;
    // The atom: a row of it is contiguous, eight rows follow each other.
    unsigned atomBits = log2Exact(std::max(swizzleBytes, vectorBytes) * 8 /
                                  operand.elementBits);
    unsigned own = std::min(atomBits, innerBits);
    // Rows that are contiguous come by whole atoms.
    if ((!isKMajor && own < atomBits) || outerBits < 3 ||
        inner.size() < innerBits || outer.size() < outerBits)
      return std::nullopt;
    for (unsigned bit = 0; bit < own; ++bit)
      if (inner[bit] != innerPlace(bit))
        return std::nullopt;
    for (unsigned bit = 0; bit < 3; ++bit)
      if (outer[bit] != outerPlace(bit))
        return std::nullopt;
    std::optional<uint64_t> alongInner = findStride(inner, own, innerBits);
    std::optional<uint64_t> alongOuter = findStride(outer, 3, outerBits);
    if (!alongInner || !alongOuter || !areBlocksApart(inner, innerBits) ||
        !areBlocksApart(outer, outerBits))
      return std::nullopt;
    // Without a swizzle and with contiguous rows the two change their parts.
    MatrixDescriptor descriptor = {swizzleBytes, isKMajor, *alongInner,
                                   *alongOuter};
    if (!isKMajor && !swizzleBytes)
      std::swap(descriptor.leadingBytes, descriptor.strideBytes);
    return descriptor;
  }

private:
  uint64_t innerPlace(unsigned bit) const {
    return uint64_t(operand.elementBits / 8) << bit;
  }
  /// Row `1 << bit` of the atom: bit 7 + i of a byte's address flips bit 4 + i.
  uint64_t outerPlace(unsigned bit) const {
    if (!swizzleBytes)
      return uint64_t(vectorBytes) << bit;
    uint64_t place = uint64_t(swizzleBytes) << bit;
    return place ^ (place >> 3 & (swizzleBytes - vectorBytes) & 0x70);
  }
  /// Whether nothing that the swizzle exchanges begins at `place`.
  bool isPatternStart(uint64_t place) const {
    return place % (swizzleBytes ? 8 * swizzleBytes : vectorBytes) == 0;
  }

  /// The stride by which the bits [first, end) run, one for all; 16 where there
  /// are none, and it counts for nothing.
  std::optional<uint64_t> findStride(const Places &places, unsigned first,
                                     unsigned end) const {
    if (first >= end)
      return vectorBytes;
    uint64_t stride = places[first];
    if (!std::has_single_bit(stride) || !isPatternStart(stride) ||
        stride >= strideLimit)
      return std::nullopt;
    for (unsigned bit = first; bit < end; ++bit)
      if (places[bit] != stride << (bit - first))
        return std::nullopt;
    return stride;
  }

  /// Whether further blocks begin where the pattern does, or, along K, within
  /// the first row of an atom, so that places add up.
  bool areBlocksApart(const Places &places, unsigned first) const {
    for (unsigned bit = first; bit < places.size(); ++bit) {
      bool isWithin = isKMajor && places[bit] == innerPlace(bit) &&
                      places[bit] < swizzleBytes;
      if (!isWithin &&
          !(std::has_single_bit(places[bit]) && isPatternStart(places[bit])))
        return false;
    }
    return true;
  }

  unsigned swizzleBytes;
  bool isKMajor;
  const DescriptorOperand &operand;
};

Places listPlaces(const LinearLayout &offsets, Axis axis,
                  unsigned elementBytes) {
  Places places;
  for (unsigned bit = 0; bit < offsets.inputBits(axis); ++bit)
    places.push_back(offsets.basis(axis, bit, Axis::Offset) * elementBytes);
  return places;
}

constexpr unsigned swizzles[] = {128, 64, 32, 0};

} // namespace

uint64_t MatrixDescriptor::encode() const {
  uint64_t mode = swizzleBytes == 0     ? 0
                  : swizzleBytes == 128 ? 1
                  : swizzleBytes == 64  ? 2
                                        : 3;
  return leadingBytes / vectorBytes << 16 | strideBytes / vectorBytes << 32 |
         mode << 62;
}

std::optional<MatrixDescriptor>
matchMatrixDescriptor(const LinearLayout &shared,
                      const DescriptorOperand &operand) {
  std::optional<LinearLayout> offsets = shared.invert();
  if (!offsets)
    return std::nullopt;
  unsigned bytes = operand.elementBits / 8;
  Places rows = listPlaces(*offsets, Axis::coordinate(operand.rowDim), bytes);
  Places k = listPlaces(*offsets, Axis::coordinate(operand.kDim), bytes);
  for (bool isKMajor : {true, false})
    for (unsigned swizzle : swizzles)
      if (isKMajor || operand.elementBits == 16)
        if (auto found = Form(swizzle, isKMajor, operand).match(rows, k))
          return found;
  return std::nullopt;
}

std::optional<TensorCopyTile>
chooseDescriptorTile(ShapeBits shape, const DescriptorOperand &operand,
                     unsigned inner) {
  std::vector<unsigned> order = orderFrom(inner, shape.size());
  for (unsigned swizzle : swizzles) {
    TensorCopyTile tile = {swizzle, operand.elementBits};
    if (tile.atomBits() <= shape[inner] &&
        matchMatrixDescriptor(sharedTensorCopy(tile, order, shape), operand))
      return tile;
  }
  return std::nullopt;
}

bool shareDescriptorTile(ShapeBits shape, const DescriptorOperand &a,
                         const DescriptorOperand &b) {
  if (a.elementBits != b.elementBits)
    return false;
  if (a.elementBits != 16)
    return a.kDim == b.kDim;
  // Where its rows are contiguous, an instruction of 64 and more fills the
  // widest atom that there is, and one of all rows the widest of the tile, as
  // where K is.
  constexpr unsigned atomRowBits = 6;
  auto fillsAtom = [&](const DescriptorOperand &operand) {
    return operand.rowBits >= std::min(atomRowBits, shape[operand.rowDim]);
  };
  return a == b || (fillsAtom(a) && fillsAtom(b) &&
                    (a.kDim == b.kDim || a.kDim == b.rowDim));
}

} // namespace tilewright::layout
