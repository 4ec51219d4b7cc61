// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars that only the thread needs that stores scalars. Private to this
// folder.
//
// Every thread computes scalars, and the agent's first thread stores them. What
// is loaded for nothing but such a store need not be loaded by the others, and
// then is no concern of theirs: a thread sees its own stores without a barrier.

#ifndef TILEWRIGHT_PASSES_TILEGPU_FIRSTTHREADLOADS_H
#define TILEWRIGHT_PASSES_TILEGPU_FIRSTTHREADLOADS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// Whether `op` stores a scalar, which the agent's first thread does.
bool isScalarStore(mlir::Operation *op);

/// Which values threads other than the first need, in the code of one agent.
class FirstThreadLoads {
public:
  /// Of the code in `region`, a function's body or an agent's: a graph of
  /// blocks.
  explicit FirstThreadLoads(mlir::Region &region);

  /// Whether `op` loads a scalar that reaches no more than the operands of
  /// scalar stores, and of other such loads. To load them all in the first
  /// thread is right; to do so with some is not.
  bool contains(mlir::Operation *op) const;

private:
  bool isScalarLoad(mlir::Operation *op) const;
  /// Whether nobody needs the operands of `op` but who needs its results.
  bool onlyComputes(mlir::Operation *op) const;
  void addOperands(mlir::Operation *op);

  mlir::Region &region;
  /// Those that other threads need.
  llvm::SetVector<mlir::Value> needed;
  /// What branches pass to the arguments of blocks.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> passed;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_FIRSTTHREADLOADS_H
