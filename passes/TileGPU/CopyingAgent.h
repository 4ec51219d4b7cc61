// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a function that its bulk copies need: the loops around them, and
// the numbers that their coordinates and conditions are made of. Private to
// this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_COPYINGAGENT_H
#define TILEWRIGHT_PASSES_TILEGPU_COPYINGAGENT_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

class CopyingAgent {
public:
  /// `copies`: in `function`, whose control flow is structured, each behind the
  /// wait that `findAcquire` gives.
  CopyingAgent(mlir::FunctionOpInterface function,
               llvm::ArrayRef<BulkCopyOp> copies);

  /// Why other warps than the function's cannot run the copies; nothing where
  /// they can.
  std::optional<llvm::StringRef> findObstacle() const { return obstacle; }

  /// Writes, by `builder`, what of `block` the copies need. Values from outside
  /// of the block are used as they are.
  void write(mlir::Block &block, mlir::OpBuilder &builder) const;

private:
  void need(mlir::Value value);
  mlir::scf::ForOp needLoop(mlir::Operation *loop);
  void needArgument(mlir::BlockArgument argument);
  void needOp(mlir::Operation *op);
  void writeBlock(mlir::Block &block, mlir::OpBuilder &builder,
                  mlir::IRMapping &mapping) const;
  void writeLoop(mlir::scf::ForOp loop, mlir::OpBuilder &builder,
                 mlir::IRMapping &mapping) const;

  mlir::FunctionOpInterface function;
  /// Copies, waits and what gives the values that they need; loops of which
  /// parts are needed; and those parts.
  llvm::SmallPtrSet<mlir::Operation *, 32> ops;
  llvm::DenseMap<mlir::Operation *, mlir::scf::ForOp> loops;
  llvm::SetVector<mlir::Value> values;
  llvm::SmallVector<mlir::Value> reads;
  std::optional<llvm::StringRef> obstacle;
};

/// Says at `copy` why other warps cannot run it.
void remarkOnObstacle(BulkCopyOp copy, llvm::StringRef obstacle);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_COPYINGAGENT_H
