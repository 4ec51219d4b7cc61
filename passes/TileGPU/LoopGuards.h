// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Early ops of iterations that are not: the steps of a software pipeline run
// the early stages of iterations behind the last one too. Private to this
// folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_LOOPGUARDS_H
#define TILEWRIGHT_PASSES_TILEGPU_LOOPGUARDS_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright::tilegpu {

/// Has `op` do nothing that matters where `isThere` (i1) is false: what stands
/// in its place, itself most often; null where the op would do what it must
/// not. `buffers`: allocations of the pipeline.
mlir::Operation *guardOp(mlir::RewriterBase &rewriter, mlir::Operation *op,
                         mlir::Value isThere,
                         const llvm::SmallDenseSet<mlir::Value> &buffers);

/// Whether `op` computes, or chooses what is computed, and has no effects.
bool isComputation(mlir::Operation *op);

/// Whether guardOp has a guard for `op` whatever the buffers. Such an op writes
/// no memory but a tile of its own.
bool mayBeGuarded(mlir::Operation *op);

/// Whether for some bounds of the loop its counter `stages` iterations behind
/// the end, or the end as many before the begin, is no number of its type: what
/// scf::pipelineForLoop compares.
bool mayOverflow(mlir::scf::ForOp loop, int stages);

/// Has the early ops of the loop, which is made anew, ask a flag that it
/// carries, instead of what scf::pipelineForLoop compares. Failure where an op
/// has no guard.
llvm::LogicalResult guardByFlag(mlir::scf::ForOp &loop,
                                const llvm::SmallDenseSet<mlir::Value> &buffers,
                                mlir::IRRewriter &rewriter);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_LOOPGUARDS_H
