// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/CopiesAhead.h"

#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/RegisterPressure.h"
#include "passes/TileGPU/DeferredProducts.h"
#include "passes/TileGPU/LoopMemory.h"
#include "passes/TileGPU/LoopSchedule.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static int64_t getBytes(AsyncCopyOp copy) {
  return cast<MemDescType>(copy.getDestination().getType()).getBufferBytes();
}

CopiesAhead::CopiesAhead(scf::ForOp loop, const target::Target &target)
    : loop(loop), target(target), early(loop) {
  for (auto copy : loop.getBody()->getOps<AsyncCopyOp>())
    copies.push_back(copy);
}

/// Whether the groups that the body waits for are of its own copies, and
/// waited for in the body itself.
bool CopiesAhead::ownsGroups() {
  auto waits = loop.getBody()->getOps<AsyncWaitOp>();
  if (waits.empty())
    return false;
  for (AsyncWaitOp wait : waits)
    for (Value token : wait.getTokens()) {
      auto group = token.getDefiningOp<AsyncCommitOp>();
      if (!group || group->getBlock() != loop.getBody())
        return false;
    }
  for (auto group : loop.getBody()->getOps<AsyncCommitOp>())
    for (Operation *user : group->getUsers())
      if (!isa<AsyncWaitOp>(user) || user->getBlock() != loop.getBody())
        return false;
  return true;
}

std::optional<StringRef> CopiesAhead::findObstacle() {
  if (loop.getUnsignedCmp())
    return "it counts without a sign";
  if (!ownsGroups())
    return "it waits for other copies than its own, or in part of it";
  SmallVector<Value> reads;
  for (AsyncCopyOp copy : copies) {
    auto allocation = copy.getDestination().getDefiningOp<LocalAllocOp>();
    if (!allocation || allocation->getBlock() != loop.getBody())
      return "a tile that it copies to is not its own";
    reads.push_back(copy.getPointers());
  }
  for (AsyncCopyOp copy : copies)
    if (!early.add(copy, 0, reads))
      return "what it copies depends on what may not run ahead";
  if (LoopWrites(loop).mayReach(reads))
    return "it may write what a later iteration reads";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Room
//===----------------------------------------------------------------------===//

int64_t CopiesAhead::getTileBytes() const {
  int64_t bytes = 0;
  for (AsyncCopyOp copy : copies)
    bytes += getBytes(copy);
  return bytes;
}

/// Whether the tile is allocated and has uses at `op` of the body or behind.
bool CopiesAhead::isLive(Value tile, Operation *op) {
  Operation *allocation = tile.getDefiningOp();
  return (op == allocation || allocation->isBeforeInBlock(op)) &&
         llvm::any_of(tile.getUsers(), [&](Operation *user) {
           Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
           return here == op || op->isBeforeInBlock(here);
         });
}

/// The most bytes of other tiles that live somewhere in the loop.
int64_t CopiesAhead::countBytesBeside(const SharedMemoryBudget &budget) {
  int64_t most = 0;
  for (Operation &op : *loop.getBody()) {
    int64_t own = 0;
    for (AsyncCopyOp copy : copies)
      if (isLive(copy.getDestination(), &op))
        own += getBytes(copy);
    op.walk([&](Operation *inner) {
      most =
          std::max(most, budget.getLimit() - budget.getFreeBytes(inner) - own);
    });
  }
  return most;
}

/// Warps of a multiprocessor that hide each other's arithmetic. What is left is
/// the latency of memory, which more copies on their way hide as well as more
/// CTAs do, and in small grids better: f16 256 x 4096 x 4096 by tiles of 64 x
/// 64 took 34 us on an H200 where seven CTAs had two buffers, and 22 where
/// three have four.
static constexpr unsigned enoughWarps = 12;

/// The most buffers, up to `wanted`, for which there is room.
unsigned CopiesAhead::countBuffers(unsigned wanted,
                                   const SharedMemoryBudget &budget,
                                   int64_t moreBytes) {
  int64_t tiles = getTileBytes(), converted = 0;
  TileRegisters registers;
  // Conversions beside the tiles want room as well.
  loop.walk([&](ConvertLayoutOp op) {
    if (registers.getRenamed(op))
      return;
    auto type = cast<RankedTensorType>(op.getType());
    converted =
        std::max(converted, type.getNumElements() *
                                getMemoryBits(type.getElementType()) / 8);
  });
  int64_t ofTwo = countBytesBeside(budget) + moreBytes + 2 * tiles;
  if (ofTwo + converted > target.sharedMemoryLimit)
    return 1;
  unsigned warps = std::max(1u, lookupNumWarps(loop));
  Occupancy occupancy(
      target, warps,
      estimateRegisters(
          RegisterPressure(loop.getRegion(), registers).getMost()));
  unsigned ctas = std::min(occupancy.countCtas(ofTwo),
                           unsigned(llvm::divideCeil(enoughWarps, warps)));
  int64_t most = std::min(occupancy.getMostBytes(ctas),
                          target.sharedMemoryLimit - converted);
  return std::min<int64_t>(wanted, 2 + (most - ofTwo) / tiles);
}

CopiesAhead::Depth CopiesAhead::findDepth(unsigned wanted,
                                          const SharedMemoryBudget &budget,
                                          int64_t moreBytes) {
  SmallVector<Value> tiles = llvm::map_to_vector(
      copies, [](AsyncCopyOp copy) -> Value { return copy.getDestination(); });
  bool canDefer = canDeferProducts(loop, tiles);
  unsigned buffers =
      countBuffers(wanted + (canDefer ? 1 : 0), budget, moreBytes);
  if (canDefer && buffers > 3)
    return {buffers - 1, true, false};
  unsigned stages = std::min(buffers, wanted);
  return {stages, canDefer && stages == 3, true};
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The first op of the body that reads what `copy` brings.
Operation *CopiesAhead::findReader(AsyncCopyOp copy) {
  Operation *first = nullptr;
  for (Operation *user : listUsers(copy.getDestination())) {
    Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
    if (here != copy && (!first || here->isBeforeInBlock(first)))
      first = here;
  }
  return first;
}

/// Makes the copies of an iteration one group, with a commit and a wait in the
/// place of those that there are. Waiting for what a second product reads where
/// that stands made tiles be read before their wait in two kernels of
/// flash-linear-attention (chunk_ttt), and comes back when it is known why.
SmallVector<CopiesAhead::Group> CopiesAhead::formGroups() {
  SmallVector<std::pair<AsyncCopyOp, Operation *>> read =
      llvm::map_to_vector(copies, [&](AsyncCopyOp copy) {
        return std::pair(copy, findReader(copy));
      });
  llvm::stable_sort(read, [](const auto &a, const auto &b) {
    return b.second && (!a.second || a.second->isBeforeInBlock(b.second));
  });
  SmallVector<Group> groups;
  for (auto [copy, reader] : read) {
    if (groups.empty())
      groups.push_back({{}, reader});
    groups.back().copies.push_back(copy);
    if (!groups.back().reader)
      groups.back().reader = reader;
  }
  SmallVector<Operation *> old;
  for (Operation &op : *loop.getBody())
    if (isa<AsyncWaitOp>(op))
      old.insert(old.begin(), &op);
    else if (isa<AsyncCommitOp>(op))
      old.push_back(&op);
  for (Group &group : groups)
    close(group);
  for (Operation *op : old)
    op->erase();
  return groups;
}

void CopiesAhead::close(Group &group) {
  AsyncCopyOp last = group.copies.front();
  SmallVector<Value> tokens;
  for (AsyncCopyOp copy : copies)
    if (llvm::is_contained(group.copies, copy)) {
      tokens.push_back(copy.getToken());
      last = copy;
    }
  OpBuilder builder(last->getNextNode());
  group.commit = AsyncCommitOp::create(builder, loop.getLoc(), tokens);
  SmallVector<Value> reads;
  early.add(group.commit, 0, reads);
  if (group.reader && group.commit->isBeforeInBlock(group.reader))
    builder.setInsertionPoint(group.reader);
  group.wait =
      AsyncWaitOp::create(builder, loop.getLoc(), group.commit->getResults(),
                          /*pending=*/0);
}

unsigned CopiesAhead::useBulkCopies() {
  bulk = replaceByBulkCopies(loop, copies);
  if (!bulk)
    return 0;
  // The loop is another one, and less is needed early.
  early = EarlyOps(loop);
  SmallVector<Value> reads;
  early.add(bulk->copy, 0, reads);
  for (AsyncCopyOp copy : copies)
    early.add(copy, 0, reads);
  return bulk->copy.getMaps().size();
}

int CopiesAhead::scheduleEarly(EarlyOps &own, int order) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (own.getStage(&op) && !getScheduledTime(&op))
      setScheduledTime(&op, {0, order++});
  return order;
}

/// Copies in the order of their groups, each with what it needs; gives the
/// order behind them.
int CopiesAhead::scheduleCopies(ArrayRef<Group> groups, int order) {
  if (bulk) {
    for (auto barrier : loop.getBody()->getOps<MbarrierInitOp>())
      setScheduledTime(barrier, {0, order++});
    EarlyOps own(loop);
    SmallVector<Value> reads;
    own.add(bulk->copy, 0, reads);
    order = scheduleEarly(own, order);
  }
  for (const Group &group : groups) {
    EarlyOps own(loop);
    SmallVector<Value> reads;
    for (AsyncCopyOp copy : group.copies)
      own.add(copy, 0, reads);
    own.add(group.commit, 0, reads);
    order = scheduleEarly(own, order);
  }
  return order;
}

int CopiesAhead::scheduleOthers(int stage, int order) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (!getScheduledTime(&op) && !early.getStage(&op))
      setScheduledTime(&op, {stage, order++});
  return order;
}

scf::ForOp CopiesAhead::schedule(Depth depth) {
  early.cloneForLaterStages(depth.stages - 1);
  SmallVector<Group> groups;
  if (!copies.empty())
    groups = formGroups();
  // The loop is another one then; ops of its body are those that they were.
  if (depth.defersProducts)
    loop = deferProducts(loop);
  int last = depth.stages - 1, order = 0;
  if (bulk)
    setScheduledTime(bulk->wait, {last, order++});
  if (!groups.empty())
    setScheduledTime(groups.front().wait, {last, order++});
  if (depth.defersProducts && depth.copiesBehindProducts)
    scheduleCopies(groups, scheduleOthers(last, order));
  else
    scheduleOthers(last, scheduleCopies(groups, order));
  return loop;
}
