// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sinks conversions of what was loaded behind the next reads, and of what was
// reduced behind the next reductions: they wait at a barrier, and what follows
// them in the block waits with them, and holds what it will take until then.

#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "passes/Analysis/RegisterPressure.h"
#include "passes/TileGPU/LoadsAhead.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DELAYCONVERSIONS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static bool isMovable(Operation &op) {
  return isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
         !op.hasTrait<OpTrait::IsTerminator>();
}

static bool usesAny(Operation &op,
                    const llvm::SmallPtrSetImpl<Operation *> &of) {
  return llvm::any_of(op.getOperands(), [&](Value operand) {
    return of.contains(operand.getDefiningOp());
  });
}

/// What conversions wait for, and behind what they may as well do so.
struct Delay {
  bool (*isSource)(Operation &op);
  bool (*isWorthWaiting)(Operation &op);
};

/// Whether `op` reduces tiles in one warp: several meet at barriers, which a
/// conversion that stays where it is shares.
static bool isOwnReduction(Operation &op) {
  return isa<tt::ReduceOp>(op) && lookupNumWarps(&op) == 1;
}

static bool isRead(Operation &op) { return isLoad(op) || isa<AsyncCopyOp>(op); }

static constexpr Delay delays[] = {
    {isLoad, isRead},
    // A sum of channels' gates (Kimi's, in one warp) spilled 108 bytes where
    // the first of two sums was converted while the second one's tile was held.
    {isOwnReduction, isOwnReduction},
};

/// Ops of the block that wait for sources of it at a barrier: conversions, and
/// what is computed of them.
static SmallVector<Operation *> findWaiting(Block &block, const Delay &delay) {
  TileRegisters registers;
  SmallVector<Operation *> waiting;
  llvm::SmallPtrSet<Operation *, 16> sources, converted;
  for (Operation &op : block) {
    if (delay.isSource(op)) {
      sources.insert(&op);
      continue;
    }
    if (!isMovable(op))
      continue;
    bool isOfSource = usesAny(op, sources);
    bool waits =
        isOfSource && isa<ConvertLayoutOp>(op) && !registers.getRenamed(&op);
    if (waits || usesAny(op, converted)) {
      converted.insert(&op);
      waiting.push_back(&op);
    } else if (isOfSource) {
      sources.insert(&op);
    }
  }
  return waiting;
}

/// Whether a thread holds the operands in few registers.
static bool holdsFew(Operation *op) {
  constexpr unsigned few = 8;
  unsigned held = 0;
  for (Value operand : op->getOperands())
    held += countRegistersOf(operand.getType());
  return held <= few;
}

/// The last op that is worth waiting for behind `op` and before its uses, loops
/// and branches; or null.
static Operation *findLastPlace(Operation *op, const Delay &delay) {
  llvm::SmallPtrSet<Operation *, 4> users(op->user_begin(), op->user_end());
  Operation *last = nullptr;
  for (Operation *next = op->getNextNode();
       next && !users.contains(next) &&
       (next->getNumRegions() == 0 || delay.isWorthWaiting(*next));
       next = next->getNextNode())
    if (delay.isWorthWaiting(*next))
      last = next;
  return last;
}

namespace {
struct DelayConversions
    : tilegpu::impl::DelayConversionsBase<DelayConversions> {
  void runOnOperation() override {
    getOperation().walk([](Block *block) {
      for (const Delay &delay : delays) {
        // The last one first, so that what an op is for is out of its way.
        SmallVector<Operation *> waiting = findWaiting(*block, delay);
        for (Operation *op : llvm::reverse(waiting))
          if (Operation *place =
                  holdsFew(op) ? findLastPlace(op, delay) : nullptr)
            op->moveAfter(place);
      }
    });
  }
};
} // namespace
