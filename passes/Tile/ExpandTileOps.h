// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that tile IR itself can say in others: one function for each, which
// replaces the op. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILE_EXPANDTILEOPS_H
#define TILEWRIGHT_PASSES_TILE_EXPANDTILEOPS_H

#include "dialects/Tile/Tile.h"
#include "dialects/Triton/Triton.h"

namespace tilewright::tile {

void expandScaledDot(tt::DotScaledOp op);
/// Leaves maps of one element a run. Fails, with a diagnostic, for functions
/// that are not of scalars alone.
mlir::LogicalResult expandMapElementwise(tt::MapElementwiseOp op);
void expandSolve(SolveUnitLowerOp op);

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_EXPANDTILEOPS_H
