// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/LiveRanges.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

SmallVector<LiveRange> tilegpu::getLiveRanges(Value value) {
  Block *home = value.getParentBlock();
  Region *region = home->getParent();
  Operation *definition = value.getDefiningOp();
  Operation *start = definition ? definition : &home->front();
  llvm::SmallDenseMap<Block *, Operation *> lastUse = {{home, start}};
  SmallVector<Block *> liveInto;
  llvm::SmallDenseSet<Block *> liveIn, liveOut;
  auto enter = [&](Block *block) {
    if (block != home && liveIn.insert(block).second)
      liveInto.push_back(block);
  };
  for (Operation *user : value.getUsers()) {
    Operation *here = region->findAncestorOpInRegion(*user);
    Operation *&last = lastUse[here->getBlock()];
    if (!last || last->isBeforeInBlock(here))
      last = here;
    enter(here->getBlock());
  }
  for (size_t next = 0; next < liveInto.size(); ++next)
    for (Block *before : liveInto[next]->getPredecessors()) {
      liveOut.insert(before);
      enter(before);
    }
  auto getLast = [&](Block *block) {
    return liveOut.contains(block) ? block->getTerminator() : lastUse.at(block);
  };
  SmallVector<LiveRange> ranges = {{start, getLast(home)}};
  for (Block *block : liveInto)
    ranges.push_back({&block->front(), getLast(block)});
  return ranges;
}

void tilegpu::forEachUse(Operation *op, llvm::function_ref<void(Value)> visit) {
  op->walk(
      [&](Operation *inner) { llvm::for_each(inner->getOperands(), visit); });
}
