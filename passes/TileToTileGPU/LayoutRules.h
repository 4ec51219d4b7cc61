// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the layout of an op's result follows from that of its operands, and back,
// where no element changes its thread.
//
// In: an op on tensors without encodings, and an encoding of one of them. Out:
// the encoding of another, under a name (blocked, slice, ...) where one fits
// and as bases otherwise.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTRULES_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTRULES_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/IR/Operation.h"

namespace tilewright::tilegpu {

/// Ops whose tensors all have one shape and one layout: elementwise ops, loads,
/// stores, atomics, scans.
bool hasUniformLayout(mlir::Operation *op);

/// Layout that the source of `op` (a renaming; see ShapeMaps.h) needs so that
/// its result under `result` moves no element.
RegisterLayoutInterface inferSourceLayout(mlir::Operation *op,
                                          RegisterLayoutInterface result);

/// Layout that the result of `op` gets from a source under `source` without
/// moving an element. Null where the source alone does not say (tt.broadcast).
RegisterLayoutInterface inferResultLayout(mlir::Operation *op,
                                          RegisterLayoutInterface source);

/// A layout of the result of `op` (a renaming, or free of one) in which its
/// source lies under `source`, as a candidate: as inferResultLayout, or for
/// tt.broadcast `source` itself where it describes every shape. May be null.
RegisterLayoutInterface proposeResultLayout(mlir::Operation *op,
                                            RegisterLayoutInterface source);

/// The layout of a tensor of `shape` under `layout` after its last two
/// dimensions are exchanged and nothing moved.
RegisterLayoutInterface transposeLayout(RegisterLayoutInterface layout,
                                        llvm::ArrayRef<int64_t> shape);

/// Whether tt.join can have its result under `layout`: each thread holds both
/// halves.
bool canJoin(RegisterLayoutInterface layout, llvm::ArrayRef<int64_t> shape);

/// Layout of tt.split's source for results under `result`, and back. The
/// inverse is null where the two halves lie in different threads.
RegisterLayoutInterface inferSplitSource(mlir::RankedTensorType resultType,
                                         RegisterLayoutInterface result);
RegisterLayoutInterface inferSplitResult(mlir::RankedTensorType sourceType,
                                         RegisterLayoutInterface source);

/// `map` under one of the names in `candidates` that has just this map for
/// `shape`, or as bases.
RegisterLayoutInterface
nameLayout(const layout::LinearLayout &map, llvm::ArrayRef<int64_t> shape,
           llvm::ArrayRef<RegisterLayoutInterface> candidates,
           mlir::MLIRContext *context);

/// `layout` without the bits of `axis` in the warp index, whose threads then
/// hold copies, or unchanged: what a scan along `axis` takes. Null where the
/// axis is mixed among registers and lanes in a way that it does not take.
RegisterLayoutInterface makeScannable(RegisterLayoutInterface layout,
                                      llvm::ArrayRef<int64_t> shape,
                                      unsigned axis);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTRULES_H
