// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a loop that the asynchronous proxy can carry out: boxes of strided
// tensors that products by warp groups read, or threads. Private to this
// folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_BULKCOPIES_H
#define TILEWRIGHT_PASSES_TILEGPU_BULKCOPIES_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// The copies that come by one mbarrier, and the wait for them.
struct BulkGroup {
  BulkCopyOp copy;
  MbarrierWaitOp wait;
  /// The wait, in front of the copy, until its tiles' last readers are done;
  /// null where the copy needs none.
  MbarrierWaitOp acquire;

  /// What runs ahead of the wait.
  llvm::SmallVector<mlir::Operation *, 2> listEarly() const {
    llvm::SmallVector<mlir::Operation *, 2> ops;
    if (acquire)
      ops.push_back(acquire);
    ops.push_back(copy);
    return ops;
  }
};

/// Replaces those of `copies`, which stand in the body of `loop`, that bring
/// boxes, and takes them from the list: by one group, which an mbarrier that is
/// made in the body tells of. What they alone needed is taken out of the loop,
/// which is made anew. Nothing, and nothing has changed, where there are none.
/// With `acquires` the copies wait at another mbarrier for who reads the tiles,
/// so that warps of their own may run them.
std::optional<BulkGroup>
replaceByBulkCopies(mlir::scf::ForOp &loop,
                    llvm::SmallVectorImpl<AsyncCopyOp> &copies, bool acquires);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_BULKCOPIES_H
