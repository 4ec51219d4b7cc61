// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots by the matrix instructions of warp groups: which there are, what they
// cost, what stands in their place. Private to this folder.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_WARPGROUPDOTS_H
#define TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_WARPGROUPDOTS_H

#include "dialects/TileGPU/Placement/DotInstructions.h"
#include "dialects/TileGPU/Placement/Placement.h"

namespace tilewright::tilegpu {

/// The implementations of `dot` by warp groups, whose plan is a DotPlanAttr of
/// a #tilegpu.wgmma accumulator: the right operand in shared memory as a
/// descriptor reads it, the left one there too or in registers; as they are, or
/// transposed (C^T = B^T A^T). None where the
/// target has no such instruction for the types, or the tile does not fill it:
/// it wants 64 rows for each group of four warps, and no more sums than a
/// thread has registers.
llvm::SmallVector<Implementation>
listWarpGroupDots(tt::DotOp dot, const PlacementContext &context);

/// Whether `implementation` is one of those.
bool isWarpGroupDot(const Implementation &implementation);

/// What one of those costs a warp, in half cycles.
uint64_t getWarpGroupPrice(tt::DotOp dot, const Implementation &implementation,
                           const PlacementContext &context);

/// The instruction of one of those.
const target::MatrixInstruction &
getWarpGroupInstruction(tt::DotOp dot, const Implementation &implementation,
                        const PlacementContext &context);

/// Starts the product of `operands`, placed as one of those asks, and waits for
/// it: the result.
mlir::Value createWarpGroupDot(tt::DotOp dot, mlir::ValueRange operands,
                               const Implementation &implementation);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_WARPGROUPDOTS_H
