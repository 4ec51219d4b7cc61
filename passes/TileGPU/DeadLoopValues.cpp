// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/DeadLoopValues.h"

#include "passes/TileGPU/LoopSchedule.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tilewright;

/// The values of the body that something is done with, carried ones included.
static llvm::SmallDenseSet<Value> findLiveValues(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> live;
  SmallVector<Value> open;
  auto use = [&](Operation *op) {
    op->walk([&](Operation *inner) {
      llvm::append_range(open, inner->getOperands());
    });
  };
  Operation *yield = loop.getBody()->getTerminator();
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isPure(&op))
      use(&op);
  for (auto [result, value] :
       llvm::zip_equal(loop.getResults(), yield->getOperands()))
    if (!result.use_empty())
      open.push_back(value);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!live.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp()) {
      if (op->getBlock() == loop.getBody())
        use(op);
    } else if (value.getParentBlock() == loop.getBody() &&
               value != loop.getInductionVar()) {
      open.push_back(
          loop.getTiedLoopYieldedValue(cast<BlockArgument>(value))->get());
    }
  }
  // A result has its argument's place.
  for (auto [result, argument] :
       llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
    if (!result.use_empty())
      live.insert(argument);
  return live;
}

scf::ForOp tilegpu::dropDeadValues(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> live = findLiveValues(loop);
  llvm::BitVector dead(loop.getNumRegionIterArgs());
  SmallVector<Value> inits;
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (live.contains(argument))
      inits.push_back(loop.getInitArgs()[index]);
    else
      dead.set(index);
  scf::ForOp made = takeLoop(loop, inits);
  Block *body = made.getBody();
  body->getTerminator()->eraseOperands(dead);
  SmallVector<Operation *> unused;
  for (Operation &op : body->without_terminator())
    if (isPure(&op) && llvm::none_of(op.getResults(), [&](Value result) {
          return live.contains(result);
        }))
      unused.push_back(&op);
  for (Operation *op : llvm::reverse(unused))
    op->erase();
  unsigned next = 0;
  for (unsigned index = 0; index < dead.size(); ++index)
    if (!dead[index])
      loop.getResult(index).replaceAllUsesWith(made.getResult(next++));
  for (int index = dead.size() - 1; index >= 0; --index)
    if (dead[index])
      body->eraseArgument(index + made.getNumInductionVars());
  loop.erase();
  return made;
}
