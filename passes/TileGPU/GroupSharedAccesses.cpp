// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves loads from shared memory behind later stores to it, tiles that products
// read next to the one made before, and waits for copies before earlier loads,
// so that one barrier serves several of them.

#include "dialects/TileGPU/Agents.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/SharedAccesses.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_GROUPSHAREDACCESSES
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// Whether moving the op down costs little: it has no effects, and is no work
/// that hides the latency of what is loaded meanwhile.
bool isCheap(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         !isa<MmaOp>(op) && !op->hasTrait<OpTrait::IsTerminator>();
}

/// Whether the op or what is in it uses a result of `ops`.
bool dependsOn(Operation *op, const llvm::SetVector<Operation *> &ops) {
  auto uses = [&](Operation *user) {
    return llvm::any_of(user->getOperands(), [&](Value operand) {
      return ops.contains(operand.getDefiningOp());
    });
  };
  if (op->getNumRegions() == 0)
    return uses(op);
  WalkResult result = op->walk([&](Operation *inner) {
    return uses(inner) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// A load, and what depends on it up to a store that does not.
struct Group {
  llvm::SetVector<Operation *> ops;
  Operation *store = nullptr;
};

/// Groups the accesses of one block.
class BlockGrouping {
public:
  /// `liveness` is kept up to date as far as the block is concerned.
  BlockGrouping(Block &block, SharedLiveness &liveness, int64_t budget)
      : liveness(liveness), budget(budget) {
    for (auto [number, allocation] : llvm::enumerate(liveness.getAllocations()))
      numbers[allocation] = number;
    for (Operation &op : block) {
      for (const SharedOperand &operand : getSharedOperands(&op)) {
        SmallVector<unsigned> touched = getAllocations(operand.descriptor);
        if (operand.isWrite)
          written[&op].append(touched);
        else if (operand.accessor == SharedAccessor::AsynchronousProxy)
          readByProxy.insert_range(touched);
      }
      if (op.getNumRegions())
        op.walk([&](Operation *inner) {
          if (inner != &op && !getSharedOperands(inner).empty())
            opaque.insert(&op);
        });
      if (auto wait = dyn_cast<AsyncWaitOp>(op))
        waits.push_back(wait);
      if (auto load = dyn_cast<LocalLoadOp>(op); load && !load.getToken())
        loads.emplace_back(load, load.getSource());
      if (auto gather = dyn_cast<LocalGatherOp>(op))
        loads.emplace_back(gather, gather.getSource());
    }
  }

  void run() {
    // The last first, so that those before find it out of the way.
    for (auto [load, tile] : llvm::reverse(loads)) {
      SmallVector<unsigned> read = getAllocations(tile);
      for (;;) {
        std::optional<Group> group = findGroup(load, read);
        if (!group || !fits(*group, read))
          break;
        move(*group, read);
      }
    }
    for (AsyncWaitOp wait : waits)
      moveUp(wait);
    for (LocalAllocOp tile : findMade())
      moveUp(tile);
  }

private:
  /// Whether the op is for the order of others.
  static bool usesMbarrier(Operation *op) {
    return llvm::any_of(getSharedOperands(op),
                        [](const SharedOperand &operand) {
                          return operand.accessor == SharedAccessor::Mbarrier;
                        });
  }

  SmallVector<unsigned> getAllocations(Value descriptor) const {
    return llvm::map_to_vector(findOrigins(descriptor),
                               [&](const SharedOrigin &origin) {
                                 return numbers.at(origin.allocation);
                               });
  }

  /// Has the wait stand before earlier loads that need a barrier all the same,
  /// for what was stored before them in the block: that barrier then stands
  /// behind the wait, and serves what was copied too. A little sooner, a copy
  /// is seldom less complete.
  void moveUp(AsyncWaitOp wait) {
    Operation *first = nullptr;
    for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
      // The groups that it counts are those closed before it. Behind a store
      // there will be a barrier.
      if (isa<BarrierOp, AsyncWaitOp, AsyncCommitOp, WarpSpecializeOp,
              BarrierArriveOp, BarrierWaitOp>(op) ||
          usesMbarrier(op) || opaque.contains(op) || written.contains(op))
        break;
      if (readsStored(op))
        first = op;
    }
    if (!first)
      return;
    wait->moveBefore(first);
    liveness.moveNextTo(wait, first);
  }

  /// Whether the op makes a tile that the asynchronous proxy reads.
  bool isMadeForProxy(Operation *op) const {
    auto tile = dyn_cast<LocalAllocOp>(op);
    return tile && tile.getSource() && readByProxy.contains(numbers.at(tile));
  }

  SmallVector<LocalAllocOp> findMade() const {
    SmallVector<LocalAllocOp> made;
    for (auto &[op, tiles] : written)
      if (isMadeForProxy(op))
        made.push_back(cast<LocalAllocOp>(op));
    llvm::sort(made, [](LocalAllocOp a, LocalAllocOp b) {
      return a->isBeforeInBlock(b);
    });
    return made;
  }

  /// Has the tile made right behind the one made before for the asynchronous
  /// proxy, where what it is made of is known there: each by itself has a fence
  /// and a barrier.
  void moveUp(LocalAllocOp tile) {
    llvm::SetVector<Operation *> needed;
    needed.insert(tile);
    SmallVector<unsigned> read;
    Operation *first = tile->getPrevNode();
    for (; first && !isMadeForProxy(first); first = first->getPrevNode()) {
      if (isa<BarrierOp, WarpSpecializeOp, BarrierArriveOp, BarrierWaitOp>(
              first) ||
          usesMbarrier(first) || opaque.contains(first) ||
          mayChange(first, read))
        return;
      if (llvm::none_of(first->getUsers(),
                        [&](Operation *user) { return needed.contains(user); }))
        continue;
      if (auto load = dyn_cast<LocalLoadOp>(first))
        read.append(getAllocations(load.getSource()));
      else if (!isCheap(first))
        return;
      needed.insert(first);
    }
    if (!first || dependsOnTile(needed, first) || !fits(tile, first))
      return;
    for (Operation *op = first; op != tile; op = op->getNextNode())
      liveness.addLive(numbers.at(tile), op);
    // The last one was found first.
    for (Operation *op : needed) {
      op->moveAfter(first);
      liveness.moveNextTo(op, first);
    }
  }

  /// Whether what is in one of `tiles` may be another before the op than
  /// behind it.
  bool mayChange(Operation *op, ArrayRef<unsigned> tiles) const {
    if (tiles.empty())
      return false;
    auto writes = written.find(op);
    return isa<AsyncWaitOp>(op) ||
           (writes != written.end() &&
            llvm::any_of(writes->second, [&](unsigned tile) {
              return llvm::is_contained(tiles, tile);
            }));
  }

  /// Whether one of `ops` takes `tile`.
  static bool dependsOnTile(const llvm::SetVector<Operation *> &ops,
                            Operation *tile) {
    return llvm::any_of(tile->getUsers(),
                        [&](Operation *user) { return ops.contains(user); });
  }

  /// Whether there is room for the tile from `first` on.
  bool fits(LocalAllocOp tile, Operation *first) const {
    int64_t size = tile.getType().getSizeInBytes();
    for (Operation *op = first; op != tile; op = op->getNextNode())
      if (liveness.getLiveBytes(op) + size > budget)
        return false;
    return true;
  }

  /// Whether `op` reads what other warps have stored before it in the block,
  /// with no barrier yet in between.
  bool readsStored(Operation *op) {
    SmallVector<SharedAccess> reads = accesses.get(op);
    for (Operation *before = op->getPrevNode();
         !reads.empty() && before && !isa<BarrierOp>(before);
         before = before->getPrevNode())
      if (written.contains(before) && !isa<AsyncCopyOp>(before))
        for (const SharedAccess &store : accesses.get(before))
          for (const SharedAccess &read : reads)
            if (store.isWrite && store.allocation == read.allocation &&
                compareFootprints(*store.footprint, store.begin,
                                  *read.footprint, read.begin) == Ordering::Cta)
              return true;
    return false;
  }

  /// The next store behind the load that it can be moved behind; none where
  /// something must stay between them.
  std::optional<Group> findGroup(Operation *load, ArrayRef<unsigned> read) {
    Group group;
    group.ops.insert(load);
    for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
      if (isa<BarrierOp, AsyncWaitOp, WarpSpecializeOp, BarrierArriveOp,
              BarrierWaitOp>(op) ||
          usesMbarrier(op) || opaque.contains(op) ||
          op->hasTrait<OpTrait::IsTerminator>())
        return std::nullopt;
      auto writes = written.find(op);
      bool isStore = writes != written.end();
      if (isStore && llvm::any_of(writes->second, [&](unsigned allocation) {
            return llvm::is_contained(read, allocation);
          }))
        return std::nullopt;
      if (dependsOn(op, group.ops)) {
        if (!isCheap(op))
          return std::nullopt;
        group.ops.insert(op);
      } else if (isStore) {
        group.store = op;
        return group;
      }
    }
    return std::nullopt;
  }

  /// Whether the tiles that would live together are within the budget.
  bool fits(const Group &group, ArrayRef<unsigned> read) const {
    for (Operation *op = group.ops.front();; op = op->getNextNode()) {
      int64_t bytes = liveness.getLiveBytes(op);
      for (unsigned tile : read)
        if (!liveness.isLiveAt(tile, op))
          bytes += LocalAllocOp(liveness.getAllocations()[tile])
                       .getType()
                       .getSizeInBytes();
      if (bytes > budget)
        return false;
      if (op == group.store)
        return true;
    }
  }

  void move(const Group &group, ArrayRef<unsigned> read) {
    for (Operation *op = group.ops.front();; op = op->getNextNode()) {
      for (unsigned tile : read)
        liveness.addLive(tile, op);
      if (op == group.store)
        break;
    }
    Operation *last = group.store;
    for (Operation *op : group.ops) {
      op->moveAfter(last);
      liveness.moveNextTo(op, last);
      last = op;
    }
  }

  SharedLiveness &liveness;
  int64_t budget;
  llvm::DenseMap<LocalAllocOp, unsigned> numbers;
  /// Allocations that an op writes, where it does.
  llvm::DenseMap<Operation *, SmallVector<unsigned>> written;
  /// Allocations that products of the block read, or bulk copies.
  llvm::SmallDenseSet<unsigned> readByProxy;
  /// Ops in whose regions shared memory is accessed.
  llvm::SmallDenseSet<Operation *> opaque;
  SmallVector<std::pair<Operation *, Value>> loads;
  SmallVector<AsyncWaitOp> waits;
  SharedAccesses accesses;
};

struct GroupSharedAccesses
    : tilegpu::impl::GroupSharedAccessesBase<GroupSharedAccesses> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const target::Target *target = requireTarget(module);
    if (!target)
      return signalPassFailure();
    for (auto function : module.getOps<FunctionOpInterface>())
      if (!function.isExternal())
        group(function, *target);
  }

private:
  static void group(FunctionOpInterface function,
                    const target::Target &target) {
    // The lanes of one warp wait for each other at hardly any cost.
    if (lookupNumWarps(function) == 1)
      return;
    SharedLiveness liveness(function);
    if (liveness.getPeakBytes() == 0)
      return;
    int64_t budget = Occupancy(function, target)
                         .getBytesOfSameCount(liveness.getPeakBytes());
    for (Region *region : getAgentRegions(function)) {
      std::optional<Agent> agent = lookupAgent(region);
      if (agent && agent->numWarps == 1)
        continue;
      for (Block &block : *region)
        BlockGrouping(block, liveness, budget).run();
    }
  }
};

} // namespace
