// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/SharedMemoryHazards.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// The allocations that a descriptor may stand for. A block argument may stand
/// for whatever its predecessors pass.
static SmallVector<LocalAllocOp> findAllocations(Value descriptor) {
  SmallVector<LocalAllocOp> allocations;
  SmallVector<Value> worklist = {descriptor};
  llvm::SmallDenseSet<Value> seen = {descriptor};
  auto push = [&](Value value) {
    if (seen.insert(value).second)
      worklist.push_back(value);
  };
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (auto allocation = value.getDefiningOp<LocalAllocOp>()) {
      allocations.push_back(allocation);
      continue;
    }
    if (Operation *op = value.getDefiningOp()) {
      for (Value operand : op->getOperands())
        if (isa<MemDescType>(operand.getType()))
          push(operand);
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    for (auto it = argument.getOwner()->pred_begin(),
              end = argument.getOwner()->pred_end();
         it != end; ++it)
      if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator()))
        push(branch.getSuccessorOperands(
            it.getSuccessorIndex())[argument.getArgNumber()]);
  }
  return allocations;
}

SharedMemoryHazards::SharedMemoryHazards(FunctionOpInterface function)
    : function(function) {
  for (Block &block : function.getFunctionBody()) {
    SmallVector<Operation *> &list = events[&block];
    for (Operation &op : block) {
      SmallVector<SharedAccess> found = getAccesses(&op);
      if (found.empty() && !isa<BarrierOp>(op))
        continue;
      list.push_back(&op);
      for (const SharedAccess &access : found) {
        auto *known = llvm::find(accesses, access);
        accessesOf[&op].push_back(known - accesses.begin());
        if (known == accesses.end())
          accesses.push_back(access);
      }
    }
  }
}

SmallVector<SharedAccess>
SharedMemoryHazards::getAccesses(Operation *op) const {
  SmallVector<SharedAccess> found;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || isa<BarrierOp>(op))
    return found;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances) {
    if (effect.getResource() != SharedMemoryResource::get())
      continue;
    Value value = effect.getValue();
    bool isWrite = isa<MemoryEffects::Write>(effect.getEffect());
    if (!value || !(isWrite || isa<MemoryEffects::Read>(effect.getEffect())))
      continue;
    for (LocalAllocOp allocation : findAllocations(value)) {
      int64_t begin = allocation.getOffset().value_or(0);
      found.push_back(
          {begin, begin + allocation.getType().getSizeInBytes(), isWrite});
    }
  }
  return found;
}

Operation *SharedMemoryHazards::findUnordered(
    const llvm::SetVector<Operation *> &barriersBefore) const {
  llvm::DenseMap<Block *, State> entry;
  bool changed = true;
  Operation *firstConflict = nullptr;
  while (changed) {
    changed = false;
    firstConflict = nullptr;
    for (const auto &[block, list] : events) {
      State state = entry[block];
      for (Operation *op : list) {
        if (isa<BarrierOp>(op) || barriersBefore.contains(op))
          state.clear();
        auto touched = accessesOf.find(op);
        if (touched == accessesOf.end())
          continue;
        for (unsigned access : touched->second)
          for (unsigned earlier : state)
            if (!firstConflict &&
                accesses[access].conflictsWith(accesses[earlier]))
              firstConflict = op;
        state.insert(touched->second.begin(), touched->second.end());
      }
      for (Block *successor : block->getSuccessors())
        for (unsigned access : state)
          changed |= entry[successor].insert(access);
    }
  }
  return firstConflict;
}
