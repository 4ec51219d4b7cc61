// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts that memory accesses ask for by themselves: they want coalescing.
// DotChoice.h has those of dots.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTANCHORS_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTANCHORS_H

#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "passes/TileToTileGPU/AxisAnalysis.h"

namespace tilewright::tilegpu {

/// A blocked layout in row-major order with one element a thread at a time:
/// what a tensor gets that nothing else decides.
BlockedAttr getDefaultLayout(mlir::MLIRContext *context,
                             llvm::ArrayRef<int64_t> shape, unsigned numWarps);

/// The blocked layout under which an access through `pointers` is coalesced:
/// threads along the dimension in which addresses run, each with as many
/// elements (at most `widestBits` together) as are proven consecutive and
/// aligned.
BlockedAttr getCoalescedLayout(mlir::Value pointers, mlir::Value mask,
                               const AxisAnalysis &axes, unsigned numWarps,
                               unsigned widestBits = 128);

/// Spreads `count` units (threads or warps) over `left[dim]` places, which it
/// divides, in order; what remains goes to the slowest dimension, where units
/// hold copies. Gives the units in each dimension.
llvm::SmallVector<unsigned> spreadUnits(unsigned count,
                                        llvm::SmallVectorImpl<int64_t> &left,
                                        llvm::ArrayRef<unsigned> order);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTANCHORS_H
