// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on tile IR, before any hardware is known.
//
// Comes in: parsed and verified `tt` and `tile` IR. Goes out: the same, checked
// and cleaned. Layouts are not their business: see passes/TileToTileGPU.

#ifndef TILEWRIGHT_PASSES_TILE_PASSES_H
#define TILEWRIGHT_PASSES_TILE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tilewright::tile {

#define GEN_PASS_DECL
#include "passes/Tile/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Tile/Passes.h.inc"

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_PASSES_H
