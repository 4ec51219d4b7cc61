// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/LoopMemory.h"

#include "dialects/Triton/Triton.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static bool isPointer(Value value) {
  return isa<tt::PointerType>(getElementTypeOrSelf(value.getType()));
}

/// What `pointers` may have been computed from in one step; nothing where that
/// is not known.
static SmallVector<Value> listSteps(Value pointers) {
  auto argument = dyn_cast<BlockArgument>(pointers);
  Operation *op =
      argument ? argument.getOwner()->getParentOp() : pointers.getDefiningOp();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    OpOperand *init = argument ? loop.getTiedLoopInit(argument)
                               : loop.getTiedLoopInit(cast<OpResult>(pointers));
    BlockArgument carried =
        init ? loop.getTiedLoopRegionIterArg(init) : BlockArgument();
    OpOperand *yielded =
        carried ? loop.getTiedLoopYieldedValue(carried) : nullptr;
    if (!yielded)
      return {};
    return {init->get(), yielded->get()};
  }
  if (argument || !isPure(op))
    return {};
  return SmallVector<Value>(
      llvm::make_filter_range(op->getOperands(), isPointer));
}

/// The kernel's argument that a pointer, or a tile of them, was computed from;
/// null where that is not known, or may be several.
static Value findBase(Value pointers) {
  llvm::SmallSetVector<Value, 8> values;
  values.insert(pointers);
  Value base;
  for (size_t next = 0; next < values.size(); ++next) {
    Value value = values[next];
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument &&
        isa<FunctionOpInterface>(argument.getOwner()->getParentOp())) {
      if (base && base != value)
        return {};
      base = value;
      continue;
    }
    SmallVector<Value> steps = listSteps(value);
    if (steps.empty())
      return {};
    values.insert(steps.begin(), steps.end());
  }
  return base;
}

LoopWrites::LoopWrites(Operation *loop) {
  loop->walk([&](Operation *op) {
    // What is in it is looked at op by op.
    if (op == loop)
      return;
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      isAnything |= !barrier.getShared();
      return;
    }
    std::optional<GlobalAccess> access = getGlobalAccess(op);
    if (access && (access->isWrite || access->isAtomic)) {
      Value base = findBase(access->pointers);
      isUnknown |= !base;
      bases.push_back(base);
      return;
    }
    // Inline assembly, for one, may do anything.
    bool isOwn = access || isa<tilegpu::TileGPUDialect>(op->getDialect());
    bool isKnown = isa<MemoryEffectOpInterface>(op) ||
                   op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    isAnything |= !isOwn && (!isKnown || hasEffect<MemoryEffects::Write>(op));
  });
}

bool LoopWrites::mayReach(ArrayRef<Value> reads) const {
  if (isAnything || isUnknown)
    return true;
  return !bases.empty() && llvm::any_of(reads, [&](Value pointers) {
    Value base = findBase(pointers);
    return !base || llvm::is_contained(bases, base);
  });
}
