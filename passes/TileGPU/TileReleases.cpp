// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/TileReleases.h"

#include "passes/TileGPU/LoopSchedule.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

MbarrierWaitOp tilegpu::findAcquire(BulkCopyOp copy) {
  Operation *op = copy->getPrevNode();
  while (op && isPure(op))
    op = op->getPrevNode();
  auto wait = dyn_cast_or_null<MbarrierWaitOp>(op);
  return wait && wait.getBefore() ? wait : MbarrierWaitOp();
}

void tilegpu::dropAcquire(BulkCopyOp copy) {
  MbarrierWaitOp wait = findAcquire(copy);
  auto barrier = wait.getBarrier().getDefiningOp<LocalAllocOp>();
  wait.erase();
  for (Operation *user : llvm::make_early_inc_range(barrier->getUsers()))
    user->erase();
  barrier.erase();
}

SmallVector<LocalAllocOp> tilegpu::getRing(BulkCopyOp copy) {
  SmallVector<Value> memory(copy.getDestinations());
  memory.push_back(copy.getBarrier());
  if (MbarrierWaitOp acquire = findAcquire(copy))
    memory.push_back(acquire.getBarrier());
  SmallVector<LocalAllocOp> ring;
  for (Value value : memory)
    if (auto allocation = value.getDefiningOp<LocalAllocOp>())
      ring.push_back(allocation);
  return ring;
}

/// When all that reads what `copy` brings is done.
static ScheduledTime findEnd(BulkCopyOp copy, scf::ForOp loop) {
  ScheduledTime end;
  for (Value tile : copy.getDestinations())
    if (auto allocation = tile.getDefiningOp<LocalAllocOp>())
      end = std::max(end, getLastUse(allocation, loop));
  return end;
}

/// False in the first iteration, and true in all others.
static Value addFlag(scf::ForOp &loop, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(loop);
  Value no = arith::ConstantIntOp::create(rewriter, loop.getLoc(), 0, 1);
  Value yes = arith::ConstantIntOp::create(rewriter, loop.getLoc(), 1, 1);
  unsigned number =
      addCarried(loop, rewriter, no, [&](OpBuilder &, Value) { return yes; });
  return loop.getRegionIterArg(number);
}

void tilegpu::addReleases(scf::ForOp &loop, IRRewriter &rewriter) {
  int last = getLastStage(loop);
  for (auto copy : llvm::to_vector(loop.getBody()->getOps<BulkCopyOp>())) {
    MbarrierWaitOp acquire = findAcquire(copy);
    if (!acquire)
      continue;
    ScheduledTime end = findEnd(copy, loop);
    // Behind the last step nobody waits for the buffer any more.
    bool isPrevious = end.stage > last;
    Value predicate = isPrevious ? addFlag(loop, rewriter) : Value();
    rewriter.setInsertionPoint(loop.getBody()->getTerminator());
    auto release = MbarrierArriveOp::create(
        rewriter, copy.getLoc(), acquire.getBarrier(), predicate, isPrevious);
    setScheduledTime(release, {std::min(end.stage, last), end.order});
  }
}
