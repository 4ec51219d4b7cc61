// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Passes/Barriers/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::test;
using namespace tilewright::tilegpu;

/// The phase that an op names at an mbarrier; null where it names none.
static Value getPhase(Operation *op) {
  auto wait = dyn_cast<MbarrierWaitOp>(op);
  return wait ? wait.getPhase() : Value();
}

Value test::getPredicate(Operation *op) {
  if (auto wait = dyn_cast<MbarrierWaitOp>(op))
    return wait.getPredicate();
  if (auto arrival = dyn_cast<MbarrierArriveOp>(op))
    return arrival.getPredicate();
  auto copy = dyn_cast<BulkCopyOp>(op);
  return copy ? copy.getPredicate() : Value();
}

Counting::Counting(ArrayRef<Region *> regions) {
  for (Region *region : regions) {
    for (auto view : region->getOps<MemDescIndexOp>())
      collect(view.getIndex());
    for (Block &block : *region)
      for (Operation &op : block)
        for (Value value : {getPhase(&op), getPredicate(&op)})
          if (value)
            collect(value);
    for (Block &block : *region) {
      std::set<Block *> &behind = reached[&block];
      for (Block &other : *region)
        if (block.isReachable(&other))
          behind.insert(&other);
    }
  }
  while (!run(regions))
    ;
}

Numbers Counting::enter(Block *from, unsigned successor,
                        const Numbers &numbers) const {
  Block *to = from->getSuccessor(successor);
  Numbers next;
  for (auto [pointer, value] : numbers) {
    Block *home = Value::getFromOpaquePointer(pointer).getParentBlock();
    if (home != to && reached.at(to).contains(home))
      next[pointer] = value;
  }
  auto branch = dyn_cast<BranchOpInterface>(from->getTerminator());
  for (BlockArgument argument : to->getArguments())
    if (const void *key = argument.getAsOpaquePointer();
        branch && followed.contains(key))
      if (Value passed =
              branch.getSuccessorOperands(successor)[argument.getArgNumber()])
        if (auto value = evaluate(passed, numbers))
          next[key] = *value;
  return next;
}

std::optional<int64_t> Counting::evaluate(Value value, const Numbers &numbers) {
  std::map<const void *, std::optional<int64_t>> results;
  return evaluate(value, numbers, results);
}

void Counting::collect(Value value) {
  const void *key = value.getAsOpaquePointer();
  if (!asked.insert(key).second)
    return;
  if (Operation *op = value.getDefiningOp()) {
    for (Value operand : op->getOperands())
      collect(operand);
    return;
  }
  auto argument = cast<BlockArgument>(value);
  Block *block = argument.getOwner();
  if (block->isEntryBlock())
    return;
  followed.insert(key);
  for (Block *before : block->getPredecessors())
    if (auto branch = dyn_cast<BranchOpInterface>(before->getTerminator()))
      for (unsigned next = 0; next < before->getNumSuccessors(); ++next)
        if (before->getSuccessor(next) == block)
          if (Value passed =
                  branch.getSuccessorOperands(next)[argument.getArgNumber()])
            collect(passed);
}

bool Counting::run(ArrayRef<Region *> regions) {
  found.clear();
  std::map<const void *, std::set<int64_t>> values;
  std::vector<std::pair<Block *, Numbers>> open;
  auto push = [&](Block *block, Numbers numbers) {
    if (found[block].insert(numbers).second)
      open.emplace_back(block, std::move(numbers));
  };
  for (Region *region : regions)
    push(&region->front(), {});
  while (!open.empty()) {
    auto [block, numbers] = open.back();
    open.pop_back();
    for (auto [key, value] : numbers)
      if (values[key].insert(value).second && values[key].size() > 16) {
        followed.erase(key);
        return false;
      }
    for (unsigned next = 0; next < block->getNumSuccessors(); ++next)
      push(block->getSuccessor(next), enter(block, next, numbers));
  }
  return true;
}

std::optional<int64_t> Counting::evaluate(Value value, const Numbers &numbers,
                                          Results &results) {
  const void *key = value.getAsOpaquePointer();
  if (auto it = numbers.find(key); it != numbers.end())
    return it->second;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto it = results.find(key); it != results.end())
    return it->second;
  SmallVector<int64_t> operands;
  for (Value operand : op->getOperands()) {
    auto known = evaluate(operand, numbers, results);
    if (!known)
      return std::nullopt;
    operands.push_back(*known);
  }
  return results[key] = compute(op, operands);
}

std::optional<int64_t> Counting::compute(Operation *op, ArrayRef<int64_t> of) {
  if (isa<arith::AddIOp>(op))
    return int32_t(of[0] + of[1]);
  if (isa<arith::SubIOp>(op))
    return int32_t(of[0] - of[1]);
  if (isa<arith::XOrIOp>(op))
    return of[0] ^ of[1];
  if (isa<arith::RemSIOp, arith::RemUIOp>(op) && of[0] >= 0 && of[1] > 0)
    return of[0] % of[1];
  if (isa<arith::SelectOp>(op))
    return of[0] & 1 ? of[1] : of[2];
  auto comparison = dyn_cast<arith::CmpIOp>(op);
  if (!comparison)
    return std::nullopt;
  switch (comparison.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return of[0] == of[1];
  case arith::CmpIPredicate::ne:
    return of[0] != of[1];
  case arith::CmpIPredicate::slt:
    return of[0] < of[1];
  case arith::CmpIPredicate::sge:
    return of[0] >= of[1];
  default:
    return std::nullopt;
  }
}
