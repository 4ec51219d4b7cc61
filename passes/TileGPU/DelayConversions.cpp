// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sinks conversions of what was loaded behind the next reads: they wait for
// memory, at a barrier, and what follows them in the block waits with them.

#include "dialects/TileGPU/TileGPU.h"
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

/// Ops of the block that wait for loads of it at a barrier: conversions, and
/// what is computed of them.
static SmallVector<Operation *> findWaiting(Block &block) {
  TileRegisters registers;
  SmallVector<Operation *> waiting;
  llvm::SmallPtrSet<Operation *, 16> loaded, converted;
  for (Operation &op : block) {
    if (isLoad(op)) {
      loaded.insert(&op);
      continue;
    }
    if (!isMovable(op))
      continue;
    bool isLoaded = usesAny(op, loaded);
    bool waits =
        isLoaded && isa<ConvertLayoutOp>(op) && !registers.getRenamed(&op);
    if (waits || usesAny(op, converted)) {
      converted.insert(&op);
      waiting.push_back(&op);
    } else if (isLoaded) {
      loaded.insert(&op);
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

/// The last read behind `op` and before its uses, loops and branches; or null.
static Operation *findLastRead(Operation *op) {
  llvm::SmallPtrSet<Operation *, 4> users(op->user_begin(), op->user_end());
  Operation *last = nullptr;
  for (Operation *next = op->getNextNode();
       next && !users.contains(next) && next->getNumRegions() == 0;
       next = next->getNextNode())
    if (isLoad(*next) || isa<AsyncCopyOp>(next))
      last = next;
  return last;
}

namespace {
struct DelayConversions
    : tilegpu::impl::DelayConversionsBase<DelayConversions> {
  void runOnOperation() override {
    getOperation().walk([](Block *block) {
      // The last one first, so that what an op is for is out of its way.
      SmallVector<Operation *> waiting = findWaiting(*block);
      for (Operation *op : llvm::reverse(waiting))
        if (Operation *read = holdsFew(op) ? findLastRead(op) : nullptr)
          op->moveAfter(read);
    });
  }
};
} // namespace
