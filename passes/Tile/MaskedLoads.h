// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What branches may do under masks instead. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILE_MASKEDLOADS_H
#define TILEWRIGHT_PASSES_TILE_MASKEDLOADS_H

#include "dialects/Triton/Triton.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::tile {

/// The load that `op` is, if nobody sees whether it is done; or null. (Block
/// pointers are expanded.)
tt::LoadOp getPlainLoad(mlir::Operation *op);

/// Whether `op` is cheap, and may be done where its branch is not taken.
bool isCheap(mlir::Operation *op);

/// Has `load` read only where `condition`, a scalar, holds, too.
void addCondition(tt::LoadOp load, mlir::Value condition,
                  mlir::RewriterBase &rewriter);

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_MASKEDLOADS_H
