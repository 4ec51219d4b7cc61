// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/EarlyOps.h"

#include "passes/TileGPU/LoopSchedule.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

bool EarlyOps::add(Operation *op, int stage, SmallVectorImpl<Value> &reads) {
  llvm::MapVector<Operation *, int> added;
  SmallVector<Value> newReads;
  added.insert({op, stage});
  for (size_t next = 0; next < added.size(); ++next) {
    Operation *user = added.begin()[next].first;
    for (Value operand : user->getOperands()) {
      Operation *source = findSource(operand, loop).first;
      if (!source || isa<LocalAllocOp>(source) || added.contains(source))
        continue;
      if (std::optional<int> known = getStage(source); known && *known <= stage)
        continue;
      std::optional<GlobalAccess> access = getGlobalAccess(source);
      if (access && hasSingleEffect<MemoryEffects::Read>(source))
        newReads.push_back(access->pointers);
      else if (!isMemoryEffectFree(source) || source->getNumRegions() != 0)
        return false;
      added.insert({source, stage});
    }
  }
  for (auto [early, at] : added) {
    auto [it, isNew] = stages.insert({early, at});
    it->second = std::min(it->second, at);
  }
  reads.append(newReads);
  return true;
}

void EarlyOps::cloneForLaterStages(int last) {
  SmallVector<Operation *> ops;
  for (Operation &op : loop.getBody()->without_terminator())
    if (getStage(&op) && isMemoryEffectFree(&op))
      ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) {
    int own = *getStage(op);
    std::map<int, SmallVector<OpOperand *>> later;
    for (OpOperand &use : op->getUses()) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      if (!user || user->hasTrait<OpTrait::IsTerminator>())
        continue;
      int stage = getStage(user).value_or(last);
      if (stage > own)
        later[stage].push_back(&use);
    }
    for (auto &[stage, uses] : later) {
      Operation *clone = OpBuilder(op).clone(*op);
      if (stage < last)
        stages.insert({clone, stage});
      for (OpOperand *use : uses)
        use->set(
            clone->getResult(cast<OpResult>(use->get()).getResultNumber()));
    }
  }
}
