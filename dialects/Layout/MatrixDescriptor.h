// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the matrix descriptor of `wgmma` can say of a tile in shared memory (PTX
// ISA, "Shared Memory Matrix Layout" and "Matrix Descriptor Format" of
// "Asynchronous Warpgroup Level Matrix Instructions").
//
// In: a shared layout, offset -> coordinates. Out: whether an instruction finds
// its operand there, and the descriptor's fields. It asks the map alone, so
// that a tile which a copy, a store or a transposition made serves alike.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_MATRIXDESCRIPTOR_H
#define TILEWRIGHT_DIALECTS_LAYOUT_MATRIXDESCRIPTOR_H

#include "dialects/Layout/Encodings.h"

namespace tilewright::layout {

/// Bytes of K that one instruction takes, whatever the type.
inline constexpr unsigned descriptorKBytes = 32;

/// An operand that a descriptor is to describe: the left one by its rows and K,
/// the right one by its columns (which are the rows here) and K.
struct DescriptorOperand {
  /// Bits of an element: 8, 16 or 32.
  unsigned elementBits;
  /// The dimensions of the tile.
  unsigned rowDim, kDim;
  /// log2 of the rows of one instruction, at least 3.
  unsigned rowBits;
  bool operator==(const DescriptorOperand &) const = default;
};

/// A descriptor without its address.
struct MatrixDescriptor {
  /// Bytes of a swizzle atom: 32, 64 or 128; 0: no swizzle.
  unsigned swizzleBytes;
  /// Whether K is contiguous, or else the rows.
  bool isKMajor;
  /// The two strides of the canonical layouts, multiples of 16 below 2^18.
  uint64_t leadingBytes, strideBytes;

  /// The 64 bits, with address 0: the address in units of 16 bytes is added to
  /// the lowest 14.
  uint64_t encode() const;
  /// Bytes after which the pattern repeats, to which the tile is aligned.
  unsigned patternBytes() const { return swizzleBytes ? 8 * swizzleBytes : 16; }
  bool operator==(const MatrixDescriptor &) const = default;
};

/// How instructions find `operand` in a tile under `shared`, a bijection; none
/// where no descriptor can say it. It is one descriptor for all blocks of rows
/// and all steps along K: these begin at the sum of the bytes of their first
/// element's coordinates, wherever they are in the tile. Rows that are
/// contiguous are for elements of 16 bits alone.
std::optional<MatrixDescriptor>
matchMatrixDescriptor(const LinearLayout &shared,
                      const DescriptorOperand &operand);

/// The arrangement with the widest swizzle in which `operand` of a tile of
/// `shape` can be read, with dimension `inner` contiguous; none where there is
/// none.
std::optional<TensorCopyTile>
chooseDescriptorTile(ShapeBits shape, const DescriptorOperand &operand,
                     unsigned inner);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_MATRIXDESCRIPTOR_H
