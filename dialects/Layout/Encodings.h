// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of layouts that compilers name, as constructors of linear maps:
// blocked tiles, the fragments of matrix instructions, their operands, slices,
// swizzled shared memory.
//
// Shapes are given as log2 of each dimension. Register layouts have the inputs
// (register, lane, warp) and the outputs (dim0, dim1, …); shared layouts have
// the input offset.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_ENCODINGS_H
#define TILEWRIGHT_DIALECTS_LAYOUT_ENCODINGS_H

#include "dialects/Layout/LinearLayout.h"

namespace tilewright::layout {

/// log2 of the sizes of a tensor's dimensions.
using ShapeBits = std::span<const unsigned>;

/// The fragment of an accumulator, as `mma.sync` defines it (PTX ISA, "Matrix
/// Fragments for mma").
enum class Fragment {
  M8N8K4,    ///< Volta: four quad pairs, arranged two by two, f32 accumulators
  M8N8K4F16, ///< the same with f16 accumulators
  M8N8,      ///< 8-bit operands on Turing; f64
  M16N8      ///< every other synchronous instruction from Turing on
};

/// log2 of the rows and columns of the result that one instruction of a warp
/// computes: for Volta's, the four quad pairs together.
struct FragmentBits {
  unsigned rows, columns;
};
FragmentBits fragmentBits(Fragment fragment);

/// Adapts a tile to a tensor: drops the coordinate bits that the tensor does
/// not have (threads that differ in them hold copies; registers that would are
/// dropped) and repeats the tile in registers, the dimension `order[0]` first,
/// up to the tensor's size.
LinearLayout fitToShape(const LinearLayout &tile, ShapeBits shape,
                        std::span<const unsigned> order);

/// `elements`, `threads`, `warps`: log2 of the tile in each dimension, at each
/// level; `order[0]` is the fastest.
LinearLayout blockedLayout(ShapeBits elements, ShapeBits threads,
                           ShapeBits warps, std::span<const unsigned> order,
                           ShapeBits shape);

/// Accumulator of `fragment`, `warps` (log2 in each dimension) side by side.
/// Rank 2, or 3 with a leading batch.
LinearLayout mmaAccumulator(Fragment fragment, ShapeBits warps,
                            ShapeBits shape);

/// Operand `index` (0: left, M x K; 1: right, K x N) of the dots whose result
/// is mmaAccumulator(fragment, warps, …). `widthBits`: log2 of the consecutive
/// elements of K in a thread (those of a 32-bit register).
LinearLayout mmaOperand(Fragment fragment, unsigned index, unsigned widthBits,
                        ShapeBits warps, ShapeBits shape);

/// Accumulator of `wgmma.mma_async` with 2^columnBits columns (8 to 256),
/// executed by groups of four warps, each with 64 rows: `warps` (log2 in each
/// dimension, at least 2 for the rows) stand above, the rows fastest. Rank 2,
/// or 3 with a leading batch.
LinearLayout wgmmaAccumulator(unsigned columnBits, ShapeBits warps,
                              ShapeBits shape);

/// The left operand (M x K) of the same instruction, where it is taken from
/// registers. `widthBits`: log2 of the elements of a 32-bit register.
LinearLayout wgmmaOperand(unsigned widthBits, ShapeBits warps, ShapeBits shape);

/// Operand of a dot computed by the threads that hold the result under `result`
/// (a layout of rank 2 or 3): each thread holds its rows (or columns) and all
/// of K. `shape` is the operand's.
LinearLayout threadOperand(const LinearLayout &result, unsigned index,
                           ShapeBits shape);

/// What `parent`, laid out with dimension `dim` of one element, leaves when
/// that dimension is dropped.
LinearLayout sliceLayout(const LinearLayout &parent, unsigned dim);

/// XOR swizzle: see `#tilegpu.shared_swizzled`. All counts are log2.
LinearLayout sharedSwizzled(unsigned vectorBits, unsigned perPhaseBits,
                            unsigned maxPhaseBits,
                            std::span<const unsigned> order, ShapeBits shape);

/// The arrangements of the tensor-copy engine and of wgmma.
struct TensorCopyTile {
  /// Bytes of an atom: 32, 64 or 128; 0: 16, without a swizzle.
  unsigned swizzleBytes;
  /// Bits of an element: a power of two up to 64. Smaller ones than a byte lie
  /// packed.
  unsigned elementBits;
  /// A 16-byte vector holds 8 bytes of elements and 8 bytes of padding (PTX
  /// ISA, "Sub-byte types": b4x16_p64).
  bool halfVectors = false;

  unsigned atomBytes() const { return swizzleBytes ? swizzleBytes : 16; }
  /// log2 of the elements of one 16-byte vector.
  unsigned vectorBits() const {
    return log2Exact((halfVectors ? 64 : 128) / elementBits);
  }
  /// log2 of the elements of a row of an atom.
  unsigned atomBits() const {
    return vectorBits() + log2Exact(atomBytes() / 16);
  }
};

/// offset -> coordinates of such a tile, the padding of half vectors left out
/// (see Padding.h). `order[0]` is cut into atoms, one after the other, each
/// with all its rows; a dimension that is smaller than an atom is one.
LinearLayout sharedTensorCopy(TensorCopyTile tile,
                              std::span<const unsigned> order, ShapeBits shape);

/// All `rank` dimensions, the fastest first: `inner`, then the others from the
/// last one on.
std::vector<unsigned> orderFrom(unsigned inner, unsigned rank);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_ENCODINGS_H
