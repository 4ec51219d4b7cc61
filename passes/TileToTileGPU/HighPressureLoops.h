// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with high register pressure: those that hold more than a thread has
// registers for.
//
// In: the decisions of a function with an option taken for each. Out: the loops
// in which the tiles that they carry, those that they use and leave as they
// are, and the operands of a product are too many. Floating-point tiles alone
// count.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_HIGHPRESSURELOOPS_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_HIGHPRESSURELOOPS_H

#include "passes/TileToTileGPU/LayoutDecisions.h"

namespace tilewright::tilegpu {

/// Loops (of scf) inside which tiles take more than `limit` registers.
llvm::SmallDenseSet<mlir::Operation *>
findHighPressureLoops(LayoutDecisions &decisions,
                      llvm::ArrayRef<unsigned> chosen, unsigned limit);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_HIGHPRESSURELOOPS_H
