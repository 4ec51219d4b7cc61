// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much shared memory there is for further buffers of tiles. Private to this
// folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_LOOPTILES_H
#define TILEWRIGHT_PASSES_TILEGPU_LOOPTILES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Analysis/SharedLiveness.h"

namespace tilewright::tilegpu {

/// The most bytes of shared memory that are in use somewhere in the loop,
/// without those of `tiles`, which its body allocates.
int64_t countBytesBeside(mlir::scf::ForOp loop,
                         llvm::ArrayRef<mlir::Value> tiles,
                         const SharedMemoryBudget &budget);

/// Bytes of a whole tile of `type` in shared memory: what a conversion of its
/// layout takes, which makes do with less, in rounds.
int64_t countTileBytes(mlir::RankedTensorType type);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_LOOPTILES_H
