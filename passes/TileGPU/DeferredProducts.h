// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by warp groups that go on while the next iteration of their loop
// starts. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_DEFERREDPRODUCTS_H
#define TILEWRIGHT_PASSES_TILEGPU_DEFERREDPRODUCTS_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// Whether the loop has products, and each may still be in flight when the next
/// iteration starts: its sums go from one iteration to the next and are read by
/// nothing else, and what it reads from shared memory is not written in the
/// loop but by the copies of `copied`, tiles of the body that get buffers for
/// all iterations in flight.
bool canDeferProducts(mlir::scf::ForOp loop,
                      llvm::ArrayRef<mlir::Value> copied);

/// Has the products of such a loop wait at the end of an iteration for those of
/// the one before, and the last ones behind the loop. Gives the loop, which is
/// made anew; the ops of its body stay.
mlir::scf::ForOp deferProducts(mlir::scf::ForOp loop);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_DEFERREDPRODUCTS_H
