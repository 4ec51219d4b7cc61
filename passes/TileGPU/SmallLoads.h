// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of a loop that stay loads beside its asynchronous copies: scales,
// biases, indices. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_SMALLLOADS_H
#define TILEWRIGHT_PASSES_TILEGPU_SMALLLOADS_H

#include "dialects/Target/Target.h"
#include "passes/TileGPU/EarlyOps.h"

namespace tilewright::tilegpu {

/// Loads in the body of `loop` whose results a thread can hold for one
/// iteration, beside what lives in the loop: few registers each, and together
/// what the target has. Those that `early` has, whose result the loop carries,
/// or that the loop may write, are none.
llvm::SmallVector<mlir::Operation *>
findSmallLoads(mlir::scf::ForOp loop, const EarlyOps &early,
               const target::Target &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_SMALLLOADS_H
