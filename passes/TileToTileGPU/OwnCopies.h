// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose warps need not wait for each other's copies.
//
// In: a function with an implementation for each load. Out: loads that go to
// shared memory, and of which each warp could copy just what it reads itself.
// It changes nothing.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_OWNCOPIES_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_OWNCOPIES_H

#include "passes/Analysis/AxisAnalysis.h"
#include "passes/TileToTileGPU/LayoutAssignment.h"

namespace tilewright::tilegpu {

/// The loads to assign anew, with the layouts of their readers, as
/// PlacementContext has them. Those of a loop only where all of its copies can
/// be the warps' own but for tiles that bulk copies may bring, and nothing else
/// has all warps meet: a barrier for the sake of one copy serves all.
PlacementContext::OwnReaders findOwnReaders(tt::FuncOp function,
                                            LayoutAssignment &assignment,
                                            const AxisAnalysis &axes);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_OWNCOPIES_H
