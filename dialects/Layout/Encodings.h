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

/// The tensor-copy swizzle of `swizzleBytes` (0, 32, 64 or 128) for elements of
/// `elementBits`.
LinearLayout sharedNvmma(unsigned swizzleBytes, unsigned elementBits,
                         std::span<const unsigned> order, ShapeBits shape);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_ENCODINGS_H
