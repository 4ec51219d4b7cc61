// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops hold more in registers than a thread has.
//
// In: the decisions of a function with an option taken for each. Out: the loops
// in which the tiles that they carry, those that they use and leave as they
// are, and the operands of a product are too many. Floating-point tiles alone
// count.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_HELDTILES_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_HELDTILES_H

#include "passes/TileToTileGPU/LayoutDecisions.h"

namespace tilewright::tilegpu {

/// Registers of a thread that holds `tensor` under `layout`; 0 where its
/// elements are no floats.
unsigned countHeldRegisters(mlir::Value tensor, RegisterLayoutInterface layout);

/// Loops (of scf) inside which tiles take more than `limit` registers.
llvm::SmallDenseSet<mlir::Operation *>
findCrowdedLoops(LayoutDecisions &decisions, llvm::ArrayRef<unsigned> chosen,
                 unsigned limit);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_HELDTILES_H
