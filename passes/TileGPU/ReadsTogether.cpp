// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/ReadsTogether.h"

#include "dialects/TileGPU/SharedAccess.h"
#include "dialects/Triton/Triton.h"
#include "passes/TileGPU/CopyGroups.h"
#include "passes/TileGPU/LoadsAhead.h"
#include "passes/TileGPU/LoopTiles.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

ReadsTogether::ReadsTogether(FunctionOpInterface function)
    : function(function), writes(function), liveness(function) {
  for (auto [number, allocation] : llvm::enumerate(liveness.getAllocations()))
    numbers[allocation] = number;
}

/// Bytes at the op and at those inside of it, at most: of tiles, and of a
/// conversion beside them.
int64_t ReadsTogether::countBytes(Operation *op) {
  int64_t most = 0;
  op->walk([&](Operation *inner) {
    int64_t bytes = liveness.getLiveBytes(inner);
    auto conversion = dyn_cast<ConvertLayoutOp>(inner);
    if (conversion && !registers.getRenamed(conversion))
      bytes += countTileBytes(conversion.getType());
    most = std::max(most, bytes);
  });
  return most;
}

int64_t ReadsTogether::countPeakBytes() {
  int64_t most = 0;
  for (Block &block : function.getFunctionBody())
    for (Operation &op : block)
      most = std::max(most, countBytes(&op));
  return most;
}

/// Whether the op, which a read needs, may move up behind an earlier one.
bool ReadsTogether::mayMove(Operation *op) {
  if (auto tile = dyn_cast<LocalAllocOp>(op))
    return !tile.getSource();
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    return !writes.mayReach({copy.getPointers()});
  if (isa<MbarrierInitOp>(op))
    return true;
  return isMemoryEffectFree(op) && op->getNumRegions() == 0;
}

/// Whether the op, between `last` and the read, moves with the read although
/// this may not name it. A group is of all copies since the one before. With a
/// bulk copy all mbarriers are made: one barrier is then enough for them.
static bool isPartOf(Operation *read, Operation *op) {
  return isa<AsyncCommitOp>(read)
             ? isa<AsyncCopyOp>(op)
             : isa<BulkCopyOp>(read) && isa<MbarrierInitOp>(op);
}

/// The ops behind `last` that the read needs, itself included. False where they
/// may not all move there.
bool ReadsTogether::findNeeded(Operation *read,
                               llvm::SetVector<Operation *> &needed) {
  SmallVector<Operation *> worklist = {read};
  for (Operation *op = last->getNextNode(); op != read; op = op->getNextNode())
    if (isPartOf(read, op))
      worklist.push_back(op);
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (next->getBlock() != last->getBlock() || !last->isBeforeInBlock(next) ||
        !needed.insert(next))
      continue;
    if (next != read && !mayMove(next))
      return false;
    for (Value operand : next->getOperands())
      if (Operation *source = operand.getDefiningOp())
        worklist.push_back(source);
  }
  return true;
}

/// Whether a program may wait for another one at the op, or at one inside of
/// it, whose writes what follows is to see: a lock, a flag.
static bool mayAwaitOthers(Operation *op) {
  WalkResult result = op->walk([](Operation *inner) {
    std::optional<GlobalAccess> access = getGlobalAccess(inner);
    auto load = dyn_cast<tt::LoadOp>(inner);
    bool awaits = (access && access->isAtomic) || (load && load.mustReread());
    return awaits ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether the tiles may live from behind `last` on, beside what does.
bool ReadsTogether::hasRoom(ArrayRef<Operation *> tiles, Operation *read) {
  for (Operation *op = last; op != read; op = op->getNextNode()) {
    int64_t bytes = countBytes(op);
    for (Operation *tile : tiles)
      if (!liveness.isLiveAt(numbers.at(tile), op))
        bytes += cast<LocalAllocOp>(tile).getType().getSizeInBytes();
    if (bytes > budget)
      return false;
  }
  return true;
}

/// The shared memory that the op itself accesses, as allocated.
static SmallVector<Value> listMemory(Operation *op) {
  SmallVector<Value> memory;
  if (!isMemoryEffectFree(op))
    for (Value operand : op->getOperands())
      if (isa<MemDescType>(operand.getType()))
        memory.push_back(findMemory(operand));
  return memory;
}

/// Whether ops from behind `place` to the last of `moved`, but for these, use
/// memory that `moved` write to.
static bool isUsedBetween(Operation *place, ArrayRef<Operation *> moved) {
  llvm::SmallPtrSet<Value, 4> tiles;
  for (Operation *op : moved)
    tiles.insert_range(listMemory(op));
  for (Operation *op = place->getNextNode(); op != moved.back();
       op = op->getNextNode()) {
    if (llvm::is_contained(moved, op))
      continue;
    WalkResult result = op->walk([&](Operation *inner) {
      bool uses = llvm::any_of(listMemory(inner),
                               [&](Value of) { return tiles.contains(of); });
      return uses ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

/// Moves ops, in their order, behind `last`.
void ReadsTogether::move(ArrayRef<Operation *> ops) {
  for (Operation *tile : ops)
    if (isa<LocalAllocOp>(tile))
      for (Operation *op = last; op != ops.back(); op = op->getNextNode())
        op->walk([&](Operation *inner) {
          liveness.addLive(numbers.at(tile), inner);
        });
  Operation *place = last;
  for (Operation *op : ops) {
    op->moveAfter(place);
    liveness.moveNextTo(op, place);
    place = op;
  }
}

/// Has waits from behind `last` to the group, which is to move behind `last`,
/// leave it in flight: those that know no groups count them. Behind a loop that
/// has groups it is no longer the last one.
static void countGroup(Operation *last, Operation *group) {
  for (Operation *op = last->getNextNode(); op != group;
       op = op->getNextNode()) {
    if (op->getNumRegions() != 0)
      return;
    if (auto wait = dyn_cast<AsyncWaitOp>(op); wait && wait.getTokens().empty())
      wait.setPending(wait.getPending() + 1);
  }
}

/// Moves the read behind the one before, with what it needs.
bool ReadsTogether::advance(Operation *read) {
  llvm::SetVector<Operation *> needed;
  if (!findNeeded(read, needed))
    return false;
  SmallVector<Operation *> tiles = llvm::filter_to_vector(
      needed, [](Operation *op) { return isa<LocalAllocOp>(op); });
  SmallVector<Operation *> moved = needed.takeVector();
  llvm::sort(moved,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  if (!hasRoom(tiles, read) || isUsedBetween(last, moved))
    return false;
  if (isa<AsyncCommitOp>(read))
    countGroup(last, read);
  move(moved);
  return true;
}

/// Moves the read behind `place`, if there is one.
bool ReadsTogether::advanceBehind(Operation *place, Operation *read) {
  last = place;
  return place && advance(read);
}

/// Moves a load of few registers, not out of the way of loops and branches: it
/// would hold them there.
bool ReadsTogether::advanceLoad(Operation *load) {
  constexpr unsigned mostOfOne = 4, mostOfAll = 16;
  unsigned own = countRegistersOf(load->getResult(0).getType());
  SmallVector<Value> reads = {getGlobalAccess(load)->pointers};
  if (own > mostOfOne || held + own > mostOfAll || writes.mayReach(reads))
    return false;
  for (Operation *op = last; op != load; op = op->getNextNode())
    if (op->getNumRegions() != 0)
      return false;
  if (!advance(load))
    return false;
  held += own;
  return true;
}

void ReadsTogether::run(Block &block, int64_t bytes) {
  budget = bytes;
  last = nullptr;
  held = 0;
  auto all = llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : all) {
    if (mayAwaitOthers(op)) {
      last = nullptr;
    } else if (isa<AsyncCommitOp>(op)) {
      if (last)
        advance(op);
      last = op;
    } else if (isLoad(*op) && (!last || advanceLoad(op))) {
      last = op;
    }
  }
  numberCopyWaits(block);
}

/// Whether mbarriers are waited for or undone at the op, or at one inside of
/// it: the copies in flight there are counted, and the next ones begin later
/// phases.
static bool usesMbarriers(Operation *op) {
  WalkResult result = op->walk([](Operation *inner) {
    return isa<MbarrierWaitOp, MbarrierArriveOp, MbarrierInvalOp>(inner)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether the copy may start as soon as its mbarrier is made: where that is
/// not in the block, a loop's schedule says when.
bool ReadsTogether::mayStartEarly(BulkCopyOp copy) {
  bool isMade = llvm::any_of(findMemory(copy.getBarrier()).getUsers(),
                             [&](Operation *user) {
                               return isa<MbarrierInitOp>(user) &&
                                      user->getBlock() == copy->getBlock();
                             });
  return isMade && llvm::all_of(copy.getMaps(), [&](Value map) {
           auto made = map.getDefiningOp<TensorMapOp>();
           return made && !writes.mayReach({made.getBase()});
         });
}

void ReadsTogether::advanceBulkCopies(Block &block, int64_t bytes) {
  budget = bytes;
  // The last read of those before the first wait for one, and the last of all.
  Operation *early = nullptr, *late = nullptr;
  bool hasWaited = false;
  auto all = llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : all) {
    if (mayAwaitOthers(op) || usesMbarriers(op)) {
      early = late = nullptr;
      hasWaited = false;
    } else if (auto copy = dyn_cast<BulkCopyOp>(op)) {
      if (mayStartEarly(copy) && !advanceBehind(early, copy))
        advanceBehind(late, copy);
      // Bulk copies keep their order, by which waits count them.
      early = late = copy;
    } else if (isa<AsyncWaitOp>(op)) {
      hasWaited = early;
    } else if (isa<AsyncCommitOp>(op) || isLoad(*op)) {
      late = op;
      if (!hasWaited)
        early = op;
    }
  }
}
