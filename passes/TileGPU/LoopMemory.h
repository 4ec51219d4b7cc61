// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the iterations of a loop do to global memory, as far as it keeps loads
// from running ahead. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_LOOPMEMORY_H
#define TILEWRIGHT_PASSES_TILEGPU_LOOPMEMORY_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// Whether `loop` may change, before a later iteration reads it, what the
/// pointers `reads` point at: it writes through the same argument of the
/// kernel, or synchronises with other programs. Arguments are taken to point at
/// memory of their own.
bool mayWrite(mlir::scf::ForOp loop, llvm::ArrayRef<mlir::Value> reads);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_LOOPMEMORY_H
