// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that go round between copies and their readers by mbarriers: a copy
// waits (`tilegpu.mbarrier_wait before`) until all warps have said that they
// are done with what was in its buffer (`tilegpu.mbarrier_arrive`). Private to
// this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_TILERELEASES_H
#define TILEWRIGHT_PASSES_TILEGPU_TILERELEASES_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::tilegpu {

/// The wait in front of `copy` until its tiles' readers are done; null where
/// there is none.
MbarrierWaitOp findAcquire(BulkCopyOp copy);

/// Has `copy`, which has such a wait, not wait so any more: it is not buffered
/// yet, and barriers of all warps have to order it with its tiles' readers.
void dropAcquire(BulkCopyOp copy);

/// The tiles of `copy`, its mbarrier, and that of the wait in front of it: they
/// go round together, and have as many buffers each.
llvm::SmallVector<LocalAllocOp> getRing(BulkCopyOp copy);

/// For each copy of the body that waits for its tiles' readers an arrival where
/// the last of them is done. The loop has a schedule, and its waits say how
/// much they leave in flight. It may be made anew.
void addReleases(mlir::scf::ForOp &loop, mlir::IRRewriter &rewriter);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_TILERELEASES_H
