// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From tile IR to `tilegpu` IR: where layouts are decided.
//
// Comes in: `tt` and `tile` on plain tensors. Goes out: the same with layouts
// for one target. Shared memory, pipelining and barriers are not its business:
// see passes/TileGPU.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_PASSES_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_PASSES_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::tilegpu {

#define GEN_PASS_DECL
#include "passes/TileToTileGPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/TileToTileGPU/Passes.h.inc"

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_PASSES_H
