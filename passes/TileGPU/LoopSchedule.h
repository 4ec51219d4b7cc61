// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of a loop, as it stands on its ops.
//
// In a software pipeline op `op` of iteration i runs in step i + stage, and
// within a step in the order of the orders. A loop has a schedule where every
// op of its body has the attribute. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_LOOPSCHEDULE_H
#define TILEWRIGHT_PASSES_TILEGPU_LOOPSCHEDULE_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::tilegpu {

/// When an op runs: later ones compare greater.
struct ScheduledTime {
  int stage = 0, order = 0;
  auto operator<=>(const ScheduledTime &) const = default;
};

/// What stands on `op`; none where nothing does.
std::optional<ScheduledTime> getScheduledTime(mlir::Operation *op);
void setScheduledTime(mlir::Operation *op, ScheduledTime time);

/// Whether ops of the body have a schedule.
bool isScheduled(mlir::scf::ForOp loop);

/// Stages that a loop may have: what it asks for itself, or else `numStages`,
/// and no more than it has iterations, since copies of a further stage would be
/// of nothing.
unsigned getMostStages(mlir::scf::ForOp loop, unsigned numStages);

/// The last stage of a loop that has a schedule.
int getLastStage(mlir::scf::ForOp loop);

/// The op of the body that gives `value`, and how many iterations earlier; null
/// where none does.
std::pair<mlir::Operation *, int> findSource(mlir::Value value,
                                             mlir::scf::ForOp loop);

/// The outermost of the scf.for around `loop`, one in the other; `loop` where
/// there is none.
mlir::scf::ForOp getOutermostLoop(mlir::scf::ForOp loop);

/// The loop with these initial values, one for each of its body's arguments but
/// the counter, and that body, which it takes from `loop`.
mlir::scf::ForOp takeLoop(mlir::scf::ForOp loop, mlir::ValueRange inits);

/// Has the loop, which is made anew, carry one value more: `init` first, and
/// then what `next` makes, at the body's end, of the value before. Gives its
/// number.
unsigned addCarried(
    mlir::scf::ForOp &loop, mlir::RewriterBase &rewriter, mlir::Value init,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> next);

/// Puts the ops of the body in the order in which those of an iteration run,
/// and drops the schedule: iterations run one after the other.
void dropSchedule(mlir::scf::ForOp loop);

/// Has the loop's schedule begin with stage 0, and drops one of a single stage.
void normalizeSchedule(mlir::scf::ForOp loop);

/// Diagnoses ops without a time, and values that would be used before they are
/// there.
llvm::LogicalResult verifySchedule(mlir::scf::ForOp loop);

/// Whether what is in an allocation of the body is there for more than one step
/// of the pipeline, or is used before its last stage.
bool livesAcrossSteps(LocalAllocOp allocation, mlir::scf::ForOp loop);

/// Tiles that one allocation of the body must have room for, so that no
/// iteration writes what another one has yet to read.
unsigned countBuffers(LocalAllocOp allocation, mlir::scf::ForOp loop);

/// When the last of those that use the memory of the body's `allocation` is
/// done with it, asynchronous products included: of later iterations' steps
/// where the stage is beyond the last one. Waits know how much they leave in
/// flight.
ScheduledTime getLastUse(LocalAllocOp allocation, mlir::scf::ForOp loop);

/// Groups of the body's copies that may be in flight behind `wait` while that
/// of the group whose token it takes is complete, from the iteration of this
/// number on.
unsigned countPendingGroups(AsyncWaitOp wait, mlir::scf::ForOp loop,
                            int iteration);

/// Products of the body that may be in flight behind `wait`, which gives the
/// sums of one of them, while that one is complete, from the iteration of this
/// number on.
unsigned countPendingProducts(WgmmaWaitOp wait, mlir::scf::ForOp loop,
                              int iteration);

/// Groups of the body's bulk copies, likewise, behind the wait for the one that
/// tells the same mbarrier.
unsigned countPendingCopies(MbarrierWaitOp wait, mlir::scf::ForOp loop);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_LOOPSCHEDULE_H
