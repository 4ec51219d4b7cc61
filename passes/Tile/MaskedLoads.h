// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What branches and loops may do under masks instead. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILE_MASKEDLOADS_H
#define TILEWRIGHT_PASSES_TILE_MASKEDLOADS_H

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::tile {

/// The load that `op` is, if nobody sees whether it is done; or null. (Block
/// pointers are expanded.)
tt::LoadOp getPlainLoad(mlir::Operation *op);

/// Whether `op` is cheap, and may be done where its branch is not taken.
bool isCheap(mlir::Operation *op);

/// What holds where `branch` runs its `block`: its condition or, made before
/// it, the opposite.
mlir::Value getConditionOf(mlir::scf::IfOp branch, mlir::Block *block,
                           mlir::RewriterBase &rewriter);

/// Has `load` read only where `condition`, a scalar, holds, too.
void addCondition(tt::LoadOp load, mlir::Value condition,
                  mlir::RewriterBase &rewriter);

/// Moves `ops` of a block of `branch` before it, in order; loads among them
/// read only where `condition`, a scalar, holds, too.
void moveBefore(mlir::scf::IfOp branch, llvm::ArrayRef<mlir::Operation *> ops,
                mlir::Value condition, mlir::RewriterBase &rewriter);

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_MASKEDLOADS_H
