// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Agents as branches, and the barriers between them. Private to this folder.
//
// While tiles are lowered, agents stay regions of their op, so that emitters
// know whose threads they emit code for. In the end the op becomes a barrier of
// all warps, a branch on the warp's number, the agents' blocks, and a barrier.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_AGENTS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_AGENTS_H

#include "dialects/TileGPU/Agents.h"
#include "passes/TileGPUToLLVM/Lowering.h"

namespace tilewright::tilegpu {

/// Warps that take part in named barriers.
class NamedBarrierWarps {
public:
  explicit NamedBarrierWarps(mlir::ModuleOp module);
  /// Of the barrier that `use`, an op of the module, arrives or waits at.
  unsigned lookup(mlir::Operation *use) const { return warps.lookup(use); }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> warps;
};

/// bar.sync `id`, 32 * `numWarps`.
void emitNamedBarrier(Emitter &emitter, mlir::Value id, unsigned numWarps);

/// Waits for all warps of the agent that runs the code.
void emitAgentBarrier(Emitter &emitter);

/// Waits for all threads of all CTAs of the cluster.
void emitClusterBarrier(mlir::OpBuilder &builder, mlir::Location location);

/// Diagnoses an op that makes the warps of its agent wait for each other where
/// the agent has no barrier of its own and needs one.
mlir::LogicalResult verifyAgentBarrier(mlir::Operation *op);

/// Registers of each thread of a kernel (`.maxnreg`): what leaves as many CTAs
/// on a multiprocessor as its tiles and shared memory allow, or, where its
/// agents have registers of their own and the target can move them, an even
/// share of these.
unsigned getRegistersAtEntry(mlir::FunctionOpInterface function,
                             const target::Target &target);

/// Diagnoses agents whose registers the target does not have.
mlir::LogicalResult verifyAgents(mlir::ModuleOp module,
                                 const target::Target &target);

/// The tilegpu.warp_specialize whose agents reach for what is of the other CTAs
/// of the cluster, so that these have to begin before, and to end behind.
class ClusterMeetings {
public:
  /// Of a module in tilegpu IR, by what copies and mbarriers say.
  explicit ClusterMeetings(mlir::ModuleOp module);
  bool contain(WarpSpecializeOp op) const { return ops.contains(op); }

private:
  llvm::DenseSet<mlir::Operation *> ops;
};

/// Lowers every tilegpu.warp_specialize of LLVM functions, whose regions are in
/// the LLVM dialect.
void lowerAgents(mlir::ModuleOp module, const target::Target &target,
                 const ClusterMeetings &meetings);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_AGENTS_H
