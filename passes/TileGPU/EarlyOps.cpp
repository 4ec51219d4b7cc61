// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/EarlyOps.h"

#include "passes/TileGPU/LoopGuards.h"
#include "passes/TileGPU/LoopSchedule.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

bool EarlyOps::add(Operation *op, int stage, SmallVectorImpl<Value> &reads) {
  llvm::MapVector<Operation *, int> added;
  SmallVector<Value> newReads;
  SmallVector<Operation *> open = {op};
  added.insert({op, stage});
  while (!open.empty()) {
    Operation *user = open.pop_back_val();
    int own = added.lookup(user);
    auto needs = [&](Value operand) {
      auto [source, distance] = findSource(operand, loop);
      if (!source || isa<LocalAllocOp>(source))
        return true;
      std::optional<GlobalAccess> access = getGlobalAccess(source);
      bool isRead = access && hasSingleEffect<MemoryEffects::Read>(source);
      // What it takes to arrive passes while another iteration is computed.
      int wanted = isRead && distance == 0 ? std::max(own - 1, 0) : own;
      if (std::optional<int> known = getStage(source);
          known && *known <= wanted)
        return true;
      auto [it, isNew] = added.insert({source, wanted});
      if (!isNew && it->second <= wanted)
        return true;
      it->second = wanted;
      if (isNew && isRead)
        newReads.push_back(access->pointers);
      open.push_back(source);
      // Also for an iteration that is not.
      return isRead || (isComputation(source) && mayBeGuarded(source));
    };
    // What is in a region takes values of the body too.
    WalkResult result = user->walk([&](Operation *inner) {
      return llvm::all_of(inner->getOperands(), needs)
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return false;
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
    // By stage, and whether it is early there: what is not may run later.
    std::map<std::pair<int, bool>, SmallVector<OpOperand *>> later;
    for (OpOperand &use : op->getUses()) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      if (!user || user->hasTrait<OpTrait::IsTerminator>())
        continue;
      std::optional<int> early = getStage(user);
      int stage = early.value_or(last);
      if (stage > own)
        later[{stage, early.has_value()}].push_back(&use);
    }
    for (auto &[when, uses] : later) {
      Operation *clone = OpBuilder(op).clone(*op);
      if (auto [stage, isEarly] = when; isEarly)
        stages.insert({clone, stage});
      for (OpOperand *use : uses)
        use->set(
            clone->getResult(cast<OpResult>(use->get()).getResultNumber()));
    }
  }
}
