// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts copies of straight-line code, such as the first ones of loops, right
// behind those before, so that memory answers them together.

#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/CopyGroups.h"
#include "passes/TileGPU/LoopMemory.h"
#include "passes/TileGPU/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ADVANCECOPIES
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// The groups of copies of one block.
class BlockCopies {
public:
  /// `writes`: the function's; `liveness` is kept up to date as far as the
  /// block is concerned; `budget`: bytes of shared memory that tiles may take
  /// together.
  BlockCopies(Block &block, LoopWrites &writes, SharedLiveness &liveness,
              int64_t budget)
      : block(block), writes(writes), liveness(liveness), budget(budget) {
    for (auto [number, allocation] : llvm::enumerate(liveness.getAllocations()))
      numbers[allocation] = number;
  }
  void run();

private:
  void advance(AsyncCommitOp group);
  bool findNeeded(AsyncCommitOp group,
                  llvm::SetVector<Operation *> &needed) const;
  bool hasRoom(ArrayRef<Operation *> tiles, Operation *until) const;

  Block &block;
  LoopWrites &writes;
  SharedLiveness &liveness;
  int64_t budget;
  llvm::DenseMap<Operation *, unsigned> numbers;
  /// The group behind which the next one is to stand; null where there is none
  /// since the program may have waited for others.
  AsyncCommitOp last;
};

/// Whether a block of the function, but for those in its loops, has more than
/// one group.
bool hasSeveralGroups(FunctionOpInterface function) {
  return llvm::any_of(function.getFunctionBody(), [](Block &block) {
    auto groups = block.getOps<AsyncCommitOp>();
    return !groups.empty() && std::next(groups.begin()) != groups.end();
  });
}

struct AdvanceCopies : tilegpu::impl::AdvanceCopiesBase<AdvanceCopies> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const target::Target *target = requireTarget(module);
    if (!target)
      return signalPassFailure();
    for (auto function : module.getOps<FunctionOpInterface>()) {
      if (function.isExternal() || !hasSeveralGroups(function))
        continue;
      LoopWrites writes(function);
      SharedLiveness liveness(function);
      int64_t budget = Occupancy(function, *target)
                           .getBytesOfSameCount(liveness.getPeakBytes());
      for (Block &block : function.getFunctionBody())
        BlockCopies(block, writes, liveness, budget).run();
    }
  }
};

} // namespace

/// The ops behind `last` that the group needs, itself included. False where
/// they may not all move there.
bool BlockCopies::findNeeded(AsyncCommitOp group,
                             llvm::SetVector<Operation *> &needed) const {
  SmallVector<Operation *> worklist = {group};
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (next->getBlock() != &block || !last->isBeforeInBlock(next) ||
        !needed.insert(next))
      continue;
    auto tile = dyn_cast<LocalAllocOp>(next);
    auto copy = dyn_cast<AsyncCopyOp>(next);
    bool mayMove = next == group || (tile && !tile.getSource()) ||
                   (copy && !writes.mayReach({copy.getPointers()})) ||
                   (isMemoryEffectFree(next) && next->getNumRegions() == 0);
    if (!mayMove)
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
    bool awaits =
        (access && access->isAtomic) || (load && load.getIsVolatile());
    return awaits ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether the tiles may live from behind `last` on, beside what does.
bool BlockCopies::hasRoom(ArrayRef<Operation *> tiles, Operation *until) const {
  for (Operation *op = last; op != until; op = op->getNextNode()) {
    int64_t bytes = 0;
    op->walk([&](Operation *inner) {
      bytes = std::max(bytes, liveness.getLiveBytes(inner));
    });
    for (Operation *tile : tiles)
      if (!liveness.isLiveAt(numbers.at(tile), op))
        bytes += cast<LocalAllocOp>(tile).getType().getSizeInBytes();
    if (bytes > budget)
      return false;
  }
  return true;
}

/// Moves the group behind the one before, with what it needs.
void BlockCopies::advance(AsyncCommitOp group) {
  llvm::SetVector<Operation *> needed;
  if (!findNeeded(group, needed))
    return;
  SmallVector<Operation *> tiles;
  for (Operation *op : needed)
    if (isa<LocalAllocOp>(op))
      tiles.push_back(op);
  // A tile of another copy has other readers.
  bool areOwn = llvm::all_of(needed, [&](Operation *op) {
    auto copy = dyn_cast<AsyncCopyOp>(op);
    return !copy ||
           llvm::is_contained(
               tiles, findMemory(copy.getDestination()).getDefiningOp());
  });
  if (!areOwn || !hasRoom(tiles, group))
    return;
  for (Operation *tile : tiles)
    for (Operation *op = last; op != group; op = op->getNextNode())
      op->walk(
          [&](Operation *inner) { liveness.addLive(numbers.at(tile), inner); });
  SmallVector<Operation *> moved = needed.takeVector();
  llvm::sort(moved,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Operation *place = last;
  for (Operation *op : moved) {
    op->moveAfter(place);
    liveness.moveNextTo(op, place);
    place = op;
  }
}

void BlockCopies::run() {
  bool hasAny = false;
  auto all = llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : all) {
    if (mayAwaitOthers(op))
      last = nullptr;
    auto group = dyn_cast<AsyncCommitOp>(op);
    if (!group)
      continue;
    if (last)
      advance(group);
    last = group;
    hasAny = true;
  }
  if (hasAny)
    numberCopyWaits(block);
}
