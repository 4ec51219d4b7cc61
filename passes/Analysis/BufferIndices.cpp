// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/BufferIndices.h"

#include "dialects/TileGPU/Agents.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "passes/Analysis/LiveRanges.h"

#include <set>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Values of one number beyond which it is not followed: pipelines have fewer
/// buffers.
static constexpr size_t mostValues = 16;
/// States of one block beyond which nothing is: pipelines in pipelines have
/// fewer.
static constexpr size_t mostStates = 64;

/// What `argument` of a block may receive on an edge into it, and null for
/// edges of which that is not known.
static SmallVector<Value> listIncoming(BlockArgument argument) {
  SmallVector<Value> values;
  Block *block = argument.getOwner();
  for (auto it = block->pred_begin(), end = block->pred_end(); it != end; ++it)
    if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator()))
      values.push_back(branch.getSuccessorOperands(
          it.getSuccessorIndex())[argument.getArgNumber()]);
    else
      values.push_back(Value());
  return values;
}

/// Whether the op gives one integer of integers, by nothing else.
static bool isArithmetic(Operation *op) {
  auto isInteger = [](Type type) { return type.isSignlessIntOrIndex(); };
  return op && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isPure(op) && llvm::all_of(op->getResultTypes(), isInteger) &&
         llvm::all_of(op->getOperandTypes(), isInteger);
}

static IntegerAttr getIntegerAttr(Type type, int64_t value) {
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return IntegerAttr::get(
      type, APInt(bits, value, /*isSigned=*/true, /*implicitTrunc=*/true));
}

/// The result of an op of integers for constant operands.
static std::optional<int64_t> fold(Operation *op,
                                   ArrayRef<Attribute> operands) {
  // Folding may change the op that it is asked of.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> results;
  Attribute result;
  if (succeeded(copy->fold(operands, results)) && results.size() == 1) {
    result = dyn_cast<Attribute>(results.front());
    // Or it gives one of the operands.
    for (auto [value, known] : llvm::zip_equal(copy->getOperands(), operands))
      if (!result && value == dyn_cast<Value>(results.front()))
        result = known;
  }
  copy->destroy();
  auto number = dyn_cast_or_null<IntegerAttr>(result);
  return number ? std::optional(number.getValue().getSExtValue())
                : std::nullopt;
}

/// Numbers that say which phase of an mbarrier the op is at, and whether.
static SmallVector<Value> listPhases(Operation *op) {
  SmallVector<Value> phases;
  if (auto wait = dyn_cast<MbarrierWaitOp>(op))
    phases = {wait.getPhase()};
  if (auto arrive = dyn_cast<MbarrierArriveOp>(op))
    phases = {arrive.getPredicate()};
  llvm::erase(phases, Value());
  return phases;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

BufferIndices::BufferIndices(ArrayRef<Region *> regions,
                             llvm::function_ref<bool(Value)> isAsked) {
  collect(regions, isAsked);
  findLiveBlocks();
  while (!explore(regions))
    ;
}

/// Finds the numbers, from the indices back.
void BufferIndices::collect(ArrayRef<Region *> regions,
                            llvm::function_ref<bool(Value)> isAsked) {
  llvm::SetVector<Value> values;
  llvm::DenseMap<Value, SmallVector<Value>> users;
  auto addUse = [&](Value value, Operation *user) {
    values.insert(value);
    if (user->getNumResults() == 1)
      users[value].push_back(user->getResult(0));
  };
  for (Region *region : regions)
    for (Operation &op : region->getOps()) {
      if (op.getNumOperands() == 0 || !isAsked(op.getOperand(0)))
        continue;
      if (auto view = dyn_cast<MemDescIndexOp>(op))
        addUse(view.getIndex(), view);
      else if (lookupAgent(region))
        for (Value value : listPhases(&op))
          addUse(value, &op);
    }
  for (size_t next = 0; next < values.size(); ++next) {
    Value value = values[next];
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument && !isArithmetic(value.getDefiningOp()))
      continue;
    if (!argument) {
      for (Value operand : value.getDefiningOp()->getOperands()) {
        users[operand].push_back(value);
        values.insert(operand);
      }
      continue;
    }
    if (argument.getOwner()->isEntryBlock() ||
        !llvm::is_contained(regions, argument.getOwner()->getParent()))
      continue;
    numbers.insert(argument);
    for (Value incoming : listIncoming(argument))
      if (incoming)
        values.insert(incoming);
  }
  for (BlockArgument number : numbers) {
    llvm::SetVector<Value> computed;
    computed.insert(number);
    for (size_t next = 0; next < computed.size(); ++next) {
      Value value = computed[next];
      computed.insert_range(users.lookup(value));
      // Whoever accesses a buffer asks for its index.
      if (!isa<MemDescType>(value.getType()))
        continue;
      for (Operation *view : value.getUsers())
        for (Value result : view->getResults())
          if (isa<MemDescType>(result.getType()))
            computed.insert(result);
    }
    uses.push_back(computed.takeVector());
  }
}

void BufferIndices::findLiveBlocks() {
  for (ArrayRef<Value> computed : uses) {
    llvm::SmallPtrSet<Block *, 8> &blocks = liveInto.emplace_back();
    for (Value value : computed)
      for (LiveRange range : getLiveRanges(value))
        if (range.first->getBlock() != value.getParentBlock())
          blocks.insert(range.first->getBlock());
  }
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// Follows all edges; false where it had to give up a number, and begins anew.
bool BufferIndices::explore(ArrayRef<Region *> regions) {
  states.clear();
  known.clear();
  statesOf.clear();
  nextStates.clear();
  State nothing = intern(Values(numbers.size()));
  SmallVector<std::pair<Block *, State>> open;
  auto push = [&](Block *block, State state) {
    SmallVector<State, 4> &list = statesOf[block];
    if (llvm::is_contained(list, state))
      return;
    list.push_back(state);
    open.emplace_back(block, state);
  };
  SmallVector<std::set<int64_t>> values(numbers.size());
  for (Region *region : regions)
    push(&region->front(), nothing);
  for (size_t next = 0; next < open.size(); ++next) {
    auto [block, state] = open[next];
    SmallVector<State, 2> after;
    for (unsigned successor = 0; successor < block->getNumSuccessors();
         ++successor)
      after.push_back(leave(state, block, successor));
    for (auto [successor, behind] :
         llvm::zip_equal(block->getSuccessors(), after)) {
      push(successor, behind);
      for (unsigned number = 0; number < numbers.size(); ++number)
        if (std::optional<int64_t> value = states[behind][number];
            value && values[number].insert(*value).second &&
            values[number].size() > mostValues) {
          forget(number);
          return false;
        }
      if (statesOf[successor].size() > mostStates) {
        while (!numbers.empty())
          forget(numbers.size() - 1);
        return false;
      }
    }
    nextStates[{block, state}] = std::move(after);
  }
  for (auto &[block, list] : statesOf)
    llvm::sort(list);
  return true;
}

BufferIndices::State BufferIndices::leave(State state, Block *block,
                                          unsigned successor) {
  Block *to = block->getSuccessor(successor);
  auto branch = dyn_cast<BranchOpInterface>(block->getTerminator());
  Values values(numbers.size());
  for (auto [index, number] : llvm::enumerate(numbers)) {
    if (number.getOwner() != to) {
      if (liveInto[index].contains(to))
        values[index] = states[state][index];
      continue;
    }
    Value passed =
        branch ? branch.getSuccessorOperands(successor)[number.getArgNumber()]
               : Value();
    if (passed)
      values[index] = evaluate(passed, state);
  }
  return intern(values);
}

BufferIndices::State BufferIndices::intern(const Values &values) {
  auto [it, isNew] = known.try_emplace(values, states.size());
  if (isNew)
    states.push_back(values);
  return it->second;
}

void BufferIndices::forget(unsigned number) {
  BlockArgument argument = numbers[number];
  numbers.remove(argument);
  uses.erase(uses.begin() + number);
  liveInto.erase(liveInto.begin() + number);
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

ArrayRef<BufferIndices::State> BufferIndices::getStates(Block *block) const {
  static constexpr State nothing[] = {0};
  auto it = statesOf.find(block);
  return it == statesOf.end() ? ArrayRef<State>(nothing)
                              : ArrayRef<State>(it->second);
}

BufferIndices::State BufferIndices::follow(State state, Block *block,
                                           unsigned successor) const {
  auto it = nextStates.find({block, state});
  return it == nextStates.end() ? 0 : it->second[successor];
}

std::optional<int64_t> BufferIndices::evaluate(Value index, State state) const {
  llvm::DenseMap<Value, std::optional<int64_t>> found;
  return evaluate(index, state, found);
}

std::optional<int64_t> BufferIndices::evaluate(
    Value value, State state,
    llvm::DenseMap<Value, std::optional<int64_t>> &found) const {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto it = llvm::find(numbers, argument);
    return it == numbers.end() ? std::nullopt
                               : states[state][it - numbers.begin()];
  }
  Operation *op = value.getDefiningOp();
  if (!isArithmetic(op))
    return std::nullopt;
  auto [it, isNew] = found.try_emplace(value);
  if (!isNew)
    return it->second;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known = evaluate(operand, state, found);
    if (!known)
      return std::nullopt;
    operands.push_back(getIntegerAttr(operand.getType(), *known));
  }
  return found[value] = fold(op, operands);
}
