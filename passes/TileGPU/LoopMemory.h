// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the iterations of a loop do to global memory, as far as it keeps loads
// from running ahead, or a whole function, as far as it keeps stores from
// running behind. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_LOOPMEMORY_H
#define TILEWRIGHT_PASSES_TILEGPU_LOOPMEMORY_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Analysis/IndexSums.h"

namespace tilewright::tilegpu {

/// The stores of a loop, or of a whole function, and whatever else in it may
/// write global memory or synchronise with other programs.
class LoopWrites {
public:
  explicit LoopWrites(mlir::Operation *loop);

  /// Whether the loop may change, before a later iteration reads it, what the
  /// pointers `reads` point at: it writes through the same argument of the
  /// kernel, and not surely elsewhere. Arguments are taken to point at memory
  /// of their own. Of a whole function: whether it writes through it at all.
  bool mayReach(llvm::ArrayRef<mlir::Value> reads);

private:
  /// A store, or an atomic access.
  struct Write {
    /// The argument of the kernel; null where it is not known.
    mlir::Value base;
    /// Null of an atomic access.
    mlir::Value pointers;
  };
  bool mayMeet(mlir::Value read, const Write &write);

  /// None of a whole function.
  mlir::scf::ForOp loop;
  IndexSums sums;
  llvm::SmallVector<Write, 2> writes;
  /// Whether anything may be written, and whether something is through pointers
  /// of which nothing is known.
  bool isAnything = false, isUnknown = false;
};

/// Whether nothing in `function` but `stores` accesses, maybe, what `base`, an
/// argument of it, points at, and nothing synchronises with other programs.
bool accessAlone(mlir::Operation *function, mlir::Value base,
                 llvm::ArrayRef<mlir::Operation *> stores);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_LOOPMEMORY_H
