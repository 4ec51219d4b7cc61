// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where barriers go, such that no two conflicting accesses to shared memory are
// unordered: as few as can be, where they are executed least, and no stronger
// than needed.
//
// In: the hazards of a function. Out: choices of its gaps. It changes no IR.

#ifndef TILEWRIGHT_PASSES_TILEGPU_BARRIERPLACEMENT_H
#define TILEWRIGHT_PASSES_TILEGPU_BARRIERPLACEMENT_H

#include "passes/Analysis/SharedMemoryHazards.h"

namespace tilewright::tilegpu {

struct BarrierPlan {
  BarrierChoice barriers;
  /// The gaps, ascending, for fences by which the asynchronous proxy sees what
  /// threads have written behind a later barrier, or one of the same gap, which
  /// the fence precedes.
  llvm::SmallVector<unsigned> fences;
};

/// Barriers that leave no hazard, and their fences. Those of all warps are
/// chosen first; what is left within warps then gets barriers of the warp.
BarrierPlan placeBarriers(const SharedMemoryHazards &hazards);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_BARRIERPLACEMENT_H
