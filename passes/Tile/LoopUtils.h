// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes on loops of tile IR share. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILE_LOOPUTILS_H
#define TILEWRIGHT_PASSES_TILE_LOOPUTILS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::tile {

/// Whether `op`, or an op within it, may do more than read.
bool writesMemory(mlir::Operation *op);

/// Puts the body of `loop` in its place, which is right where there is exactly
/// one iteration.
void inlineIteration(mlir::scf::ForOp loop, mlir::RewriterBase &rewriter);

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_LOOPUTILS_H
