// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who runs an op.
//
// An agent is a set of warps that run the same code. A function is one agent;
// each region of `tilegpu.warp_specialize` is one of its own, which has some of
// the function's warps.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_AGENTS_H
#define TILEWRIGHT_DIALECTS_TILEGPU_AGENTS_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tilewright::tilegpu {

/// A region of a `tilegpu.warp_specialize`.
struct Agent {
  WarpSpecializeOp op;
  unsigned number;
  /// Of the CTA's warps, which are numbered from 0, its first, and how many
  /// follow, itself included.
  unsigned firstWarp, numWarps;

  mlir::Region &region() const { return op->getRegion(number); }
  /// The hardware's barrier of the agent; 0 where none was given to it.
  unsigned barrierId() const;
  /// Whether it has all warps of the op.
  bool isAlone() const { return op->getNumRegions() == 1; }
};

/// The agent that `region` belongs to; none where that is a whole function.
std::optional<Agent> lookupAgent(mlir::Region *region);
/// The agent that runs `op`, likewise.
std::optional<Agent> lookupAgent(mlir::Operation *op);

/// The agents of `op`, in order.
llvm::SmallVector<Agent> getAgents(WarpSpecializeOp op);

/// Whether a function's body has agents of their own.
bool hasAgents(mlir::FunctionOpInterface function);

/// The body of a function and behind it the regions of its agents: the graphs
/// of blocks that one set of warps runs each.
llvm::SmallVector<mlir::Region *>
getAgentRegions(mlir::FunctionOpInterface function);

/// Whether `op` is a barrier of all warps of the agent that runs it, whatever
/// else it is.
bool joinsAgent(mlir::Operation *op);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_AGENTS_H
