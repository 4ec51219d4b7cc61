// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on tilegpu IR: how data move between layouts, and where in shared
// memory. What each of them takes and guarantees is in Passes.td.

#ifndef TILEWRIGHT_PASSES_TILEGPU_PASSES_H
#define TILEWRIGHT_PASSES_TILEGPU_PASSES_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::tilegpu {

#define GEN_PASS_DECL
#include "passes/TileGPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/TileGPU/Passes.h.inc"

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_PASSES_H
