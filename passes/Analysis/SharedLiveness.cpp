// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/SharedLiveness.h"

#include "passes/Analysis/LiveRanges.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

//===----------------------------------------------------------------------===//
// Liveness
//===----------------------------------------------------------------------===//

SharedLiveness::SharedLiveness(FunctionOpInterface function)
    : function(function) {
  unsigned next = 0;
  auto number = [&](auto &self, Operation *op) -> void {
    unsigned own = next++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          self(self, &inner);
    numbers[op] = {own, next};
  };
  number(number, function);
  function.walk<WalkOrder::PreOrder>(
      [&](LocalAllocOp op) { allocations.push_back(op); });
  for (LocalAllocOp allocation : allocations)
    addAllocation(allocation);

  bytesAt.assign(next, 0);
  for (auto [allocation, where] : llvm::zip_equal(allocations, live))
    for (unsigned op : where.set_bits())
      bytesAt[op] += allocation.getType().getSizeInBytes();
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (getLiveBytes(op) > getPeakBytes())
      peak = op;
  });
}

/// The allocation and every value that may name its memory: views, and block
/// arguments that receive any of them. Nothing where it is passed in a way that
/// is not followed.
static std::optional<SmallVector<Value>> collectAliases(Value root) {
  SmallVector<Value> aliases = {root};
  llvm::SmallDenseSet<Value> seen = {root};
  auto push = [&](Value value) {
    if (isa<MemDescType>(value.getType()) && seen.insert(value).second)
      aliases.push_back(value);
  };
  for (size_t next = 0; next < aliases.size(); ++next)
    for (OpOperand &use : aliases[next].getUses()) {
      Operation *user = use.getOwner();
      auto branch = dyn_cast<BranchOpInterface>(user);
      if (user->getNumRegions() ||
          (user->hasTrait<OpTrait::IsTerminator>() && !branch))
        return std::nullopt;
      for (Value result : user->getResults())
        push(result);
      for (unsigned index = 0; branch && index < user->getNumSuccessors();
           ++index) {
        SuccessorOperands operands = branch.getSuccessorOperands(index);
        for (unsigned argument = 0; argument < operands.size(); ++argument)
          if (operands[argument] == aliases[next])
            push(user->getSuccessor(index)->getArgument(argument));
      }
    }
  return aliases;
}

static unsigned countAllocatingRegions(Operation *op) {
  return llvm::count_if(op->getRegions(), [](Region &region) {
    return region.walk([](LocalAllocOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  });
}

void SharedLiveness::addAllocation(LocalAllocOp allocation) {
  unsigned count = numbers.at(function).second;
  llvm::BitVector where(count);
  if (auto aliases = collectAliases(allocation.getResult()))
    for (Value alias : *aliases)
      for (LiveRange range : getLiveRanges(alias))
        addRange(range.first, range.last, where);
  else
    where.set(1, count);
  // Where regions that allocate may run at the same time, all of the op.
  for (Operation *op = allocation->getParentOp(); op != function;
       op = op->getParentOp())
    if (!isa<RegionBranchOpInterface>(op) && countAllocatingRegions(op) > 1)
      addRange(op, op, where);
  live.push_back(std::move(where));
}

void SharedLiveness::addRange(Operation *first, Operation *last,
                              llvm::BitVector &where) const {
  where.set(numbers.at(first).first, numbers.at(last).second);
}

SmallVector<unsigned> SharedLiveness::getLiveAt(Operation *op) const {
  SmallVector<unsigned> here;
  for (unsigned index = 0; index < live.size(); ++index)
    if (live[index].test(numbers.at(op).first))
      here.push_back(index);
  return here;
}

void SharedLiveness::addLive(unsigned allocation, Operation *op) {
  if (isLiveAt(allocation, op))
    return;
  unsigned number = numbers.at(op).first;
  live[allocation].set(number);
  bytesAt[number] += allocations[allocation].getType().getSizeInBytes();
}

void SharedLiveness::moveNextTo(Operation *op, Operation *neighbour) {
  unsigned to = numbers.at(op).first, from = numbers.at(neighbour).first;
  for (llvm::BitVector &where : live)
    where[to] = where[from];
  bytesAt[to] = bytesAt[from];
}
