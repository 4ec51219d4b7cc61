// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves loads from shared memory behind later stores to it, so that one barrier
// serves several of them.

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "passes/TileGPU/Occupancy.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/SharedAccesses.h"
#include "passes/TileGPU/SharedLiveness.h"

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
  WalkResult result = op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (ops.contains(operand.getDefiningOp()))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

SmallVector<LocalAllocOp> getAllocations(Value descriptor) {
  return llvm::map_to_vector(
      findOrigins(descriptor),
      [](const SharedOrigin &origin) { return origin.allocation; });
}

/// A load, and what depends on it up to a store that does not.
struct Group {
  llvm::SetVector<Operation *> ops;
  Operation *store = nullptr;
};

/// The next store behind the load that it can be moved behind; none where
/// something must stay between them.
std::optional<Group> findGroup(Operation *load, Value tile) {
  SmallVector<LocalAllocOp> read = getAllocations(tile);
  Group group;
  group.ops.insert(load);
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
    if (isa<BarrierOp, AsyncWaitOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return std::nullopt;
    bool isStore = false;
    for (const SharedOperand &operand : getSharedOperands(op)) {
      if (!operand.isWrite)
        continue;
      isStore = true;
      for (LocalAllocOp written : getAllocations(operand.descriptor))
        if (llvm::is_contained(read, written))
          return std::nullopt;
    }
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

/// Moves ops, and puts them back where they were.
class Move {
public:
  explicit Move(const Group &group) {
    for (Operation *op : group.ops)
      places.emplace_back(op, op->getPrevNode());
    Operation *last = group.store;
    for (Operation *op : group.ops) {
      op->moveAfter(last);
      last = op;
    }
  }
  void undo() {
    for (auto [op, before] : places)
      if (before)
        op->moveAfter(before);
      else
        op->moveBefore(&op->getBlock()->front());
  }

private:
  SmallVector<std::pair<Operation *, Operation *>> places;
};

struct GroupSharedAccesses
    : tilegpu::impl::GroupSharedAccessesBase<GroupSharedAccesses> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    StringRef name = lookupTargetName(module);
    const target::Target *target = target::lookup(name);
    if (!target) {
      module.emitError(target::unknownTargetMessage(name));
      return signalPassFailure();
    }
    for (auto function : module.getOps<FunctionOpInterface>())
      // The lanes of one warp wait for each other at hardly any cost.
      if (!function.isExternal() && lookupNumWarps(function) != 1)
        group(function, *target);
  }

private:
  static void group(FunctionOpInterface function,
                    const target::Target &target) {
    int64_t peak = SharedLiveness(function).getPeakBytes();
    if (peak == 0)
      return;
    int64_t budget = Occupancy(function, target).getBytesOfSameCount(peak);
    for (Block &block : function.getFunctionBody()) {
      SmallVector<std::pair<Operation *, Value>> loads;
      for (Operation &op : block) {
        if (auto load = dyn_cast<LocalLoadOp>(op); load && !load.getToken())
          loads.emplace_back(load, load.getSource());
        if (auto gather = dyn_cast<LocalGatherOp>(op))
          loads.emplace_back(gather, gather.getSource());
      }
      // The last first, so that those before find it out of the way.
      for (auto [load, tile] : llvm::reverse(loads))
        while (std::optional<Group> group = findGroup(load, tile)) {
          Move move(*group);
          if (SharedLiveness(function).getPeakBytes() <= budget)
            continue;
          move.undo();
          break;
        }
    }
  }
};

} // namespace
