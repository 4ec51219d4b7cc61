// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of a loop that stay loads beside its asynchronous copies: scales,
// biases, indices. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_SMALLLOADS_H
#define TILEWRIGHT_PASSES_TILEGPU_SMALLLOADS_H

#include "dialects/Target/Target.h"
#include "passes/TileGPU/EarlyOps.h"

namespace tilewright::tilegpu {

/// Loads in the body of a loop whose results a thread can hold for one
/// iteration, beside what lives in the loop: few registers each, and together
/// what the target has. Those that are early already, whose result the loop
/// carries, or that the loop may write, are none.
class SmallLoads {
public:
  SmallLoads(mlir::scf::ForOp loop, const EarlyOps &early,
             const target::Target &target);

  llvm::ArrayRef<mlir::Operation *> getLoads() const { return loads; }

  /// Iterations, from one to `most`, by which they may run ahead: as many as
  /// there are registers for that cost the multiprocessor no CTA. Memory takes
  /// longer than an iteration of a small tile.
  int findDistance(int most) const;

private:
  unsigned countRegisters(int distance) const;

  const target::Target &target;
  llvm::SmallVector<mlir::Operation *> loads;
  /// Registers of a thread: of the results, and of all that else lives at once.
  unsigned held = 0, most;
  unsigned warps;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_SMALLLOADS_H
