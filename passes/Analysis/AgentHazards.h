// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to shared memory by different agents that nothing orders.
//
// In: agents as graphs of blocks, offsets of allocations. Out: two accesses
// that may happen at the same time though they conflict, or a use of a named
// barrier that breaks its rules. Every order in which the agents may run is
// followed, one step of one agent at a time: whatever branches are taken, an
// agent waits where the arrival that it waits for is not there. An asynchronous
// copy goes on from its start to the wait that takes its group; one that tells
// an mbarrier, until someone comes to wait there. Buffers and phases are those
// that BufferIndices knows: a wait for a phase that is not known orders
// nothing.
//
// That an agent's warps need not run in step changes nothing: between any warp
// of one agent and any of another there are only the barriers that both come
// by.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_AGENTHAZARDS_H
#define TILEWRIGHT_PASSES_ANALYSIS_AGENTHAZARDS_H

#include "passes/Analysis/SharedAccesses.h"

namespace tilewright::tilegpu {

struct AgentHazard {
  enum Kind {
    /// `first` and `second` conflict, and nothing orders them.
    Unordered,
    /// `first` may arrive at a barrier where it has arrived already, or end a
    /// phase where the one before has not been waited for.
    ArrivesAgain,
    /// The agents may end with what `first` did not waited for.
    NeverTaken,
    /// In no order do all agents end, or go on behind a wait at an mbarrier:
    /// `first` waits for what does not come.
    NeverEnds,
    /// There are too many orders to follow.
    TooMany,
  } kind;
  mlir::Operation *first, *second = nullptr;
};

/// What is wrong between the agents of `op`, the first that is found; nothing
/// where they are well ordered. `offsetOf` is asked for each allocation that is
/// accessed.
std::optional<AgentHazard>
findAgentHazard(WarpSpecializeOp op,
                llvm::function_ref<int64_t(LocalAllocOp)> offsetOf);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_AGENTHAZARDS_H
