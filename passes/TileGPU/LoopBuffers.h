// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of a scheduled loop, with as many buffers as iterations use them at a
// time. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_LOOPBUFFERS_H
#define TILEWRIGHT_PASSES_TILEGPU_LOOPBUFFERS_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::tilegpu {

/// What stands on a wait of an early stage: the groups that it leaves in the
/// steps before all stages run.
constexpr llvm::StringLiteral earlyPendingName = "early_pending";

/// Gives the tiles of the loop's body as many buffers as its schedule asks for,
/// outside of the loop, and has each iteration use the next one; its waits say
/// how many groups they leave. The loop, which keeps its schedule, is made
/// anew. It has the attribute TileGPUDialect::bufferedAttrName then, as its
/// buffers have.
///
/// Tiles that go round between copies and their readers by mbarriers (getRing)
/// are there throughout the loops around it as well, from one of its runs to
/// the next.
mlir::scf::ForOp bufferTiles(mlir::scf::ForOp loop);

/// Whether that has been done.
bool isBuffered(mlir::scf::ForOp loop);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_LOOPBUFFERS_H
