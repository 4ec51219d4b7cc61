// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of a loop's body that run ahead of the others, and in which stage of
// its software pipeline. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_EARLYOPS_H
#define TILEWRIGHT_PASSES_TILEGPU_EARLYOPS_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::tilegpu {

class EarlyOps {
public:
  explicit EarlyOps(mlir::scf::ForOp loop) : loop(loop) {}

  /// The stage of an op of the body; none where it is not early.
  std::optional<int> getStage(mlir::Operation *op) const {
    auto it = stages.find(op);
    return it == stages.end() ? std::nullopt : std::optional(it->second);
  }

  /// Has `op` run in `stage`, or earlier if it does already, and with it what
  /// it needs of the body, of this iteration or of those before: numbers that
  /// it loads, such as the rows that it gathers, a stage before they are used,
  /// if there is one and the loop does not carry them already. False, and
  /// nothing has changed, where something that it needs may not run ahead: what
  /// has effects, or loops; allocations, which happen at no time, are left out.
  /// What it reads from global memory is added to `reads`.
  bool add(mlir::Operation *op, int stage,
           llvm::SmallVectorImpl<mlir::Value> &reads);

  /// Computes in each stage, the `last` one included, what it needs of ops
  /// without effects in earlier ones, so that nothing is held in between; for
  /// early ops and for others by itself, since the former may run first.
  void cloneForLaterStages(int last);

private:
  mlir::scf::ForOp loop;
  llvm::MapVector<mlir::Operation *, int> stages;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_EARLYOPS_H
