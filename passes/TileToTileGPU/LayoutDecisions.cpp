// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/LayoutDecisions.h"

#include "dialects/Layout/Conversion.h"
#include "dialects/Layout/F2.h"
#include "dialects/TileGPU/RegisterMaps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

/// More options than this are seldom worth their time.
static constexpr unsigned maxOptions = 12;

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LayoutDecisions::LayoutDecisions(tt::FuncOp function,
                                 const PlacementContext &context)
    : function(function), frequency(function), context(context) {
  collectMerges();
  collectOps();
  addListed();
  spread();
  // What nothing reaches may have any layout.
  for (unsigned index = 0; index < decisions.size(); ++index)
    if (decisions[index].options.empty()) {
      addOption(index, makeDefault(decisions[index]));
      spread();
    }
}

RegisterLayoutInterface
LayoutDecisions::makeDefault(const LayoutDecision &decision) const {
  if (auto op = dyn_cast_if_present<PlacementOpInterface>(decision.op))
    return op.getDefaultLayout(context.numWarps);
  return getDefaultLayout(decision.values.front());
}

RegisterLayoutInterface LayoutDecisions::getDefaultLayout(Value value) const {
  return tilegpu::getDefaultLayout(
      value.getContext(), tensorType(value).getShape(), context.numWarps);
}

std::optional<unsigned> LayoutDecisions::lookup(Value value) const {
  auto found = decisionOfValue.find(value);
  if (found == decisionOfValue.end())
    return std::nullopt;
  return found->second;
}

std::optional<unsigned> LayoutDecisions::lookup(Operation *op) const {
  auto found = decisionOfOp.find(op);
  if (found == decisionOfOp.end())
    return std::nullopt;
  return found->second;
}

std::optional<unsigned> LayoutDecisions::lookupMerge(OpOperand &operand) const {
  auto found = mergeOfOperand.find(&operand);
  if (found == mergeOfOperand.end())
    return std::nullopt;
  return found->second;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

void LayoutDecisions::addMerge(LayoutDecision merge) {
  if (merge.values.empty() || !isTensor(merge.values.front()))
    return;
  for (Value value : merge.values)
    decisionOfValue[value] = decisions.size();
  for (OpOperand *operand : merge.operands)
    mergeOfOperand[operand] = decisions.size();
  decisions.push_back(std::move(merge));
}

void LayoutDecisions::collectMerges() {
  auto add = [&](ValueMerge merge) {
    LayoutDecision decision;
    decision.values = std::move(merge.values);
    decision.operands = std::move(merge.operands);
    addMerge(std::move(decision));
  };
  function.walk<WalkOrder::PreOrder>([&](ValueMergeOpInterface op) {
    for (ValueMerge &merge : op.getMerges())
      add(std::move(merge));
  });
  for (Block &block : llvm::drop_begin(function.getBody()))
    for (BlockArgument argument : block.getArguments()) {
      ValueMerge merge = {{argument}, {}};
      for (auto it = block.pred_begin(), end = block.pred_end(); it != end;
           ++it) {
        auto branch = cast<BranchOpInterface>((*it)->getTerminator());
        SuccessorOperands passed =
            branch.getSuccessorOperands(it.getSuccessorIndex());
        merge.operands.push_back(
            &passed.getMutableForwardedOperands()[argument.getArgNumber()]);
      }
      add(std::move(merge));
    }
}

/// Whether the result has no more to it than its source: it repeats elements,
/// or has more dimensions of one element. It is made of the source wherever it
/// is wanted.
static bool onlyExtends(Operation *op) {
  if (!isView(op))
    return false;
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  auto isLarge = [](int64_t size) { return size != 1; };
  bool addsDimensions =
      source.getRank() < result.getRank() &&
      llvm::equal(llvm::make_filter_range(source.getShape(), isLarge),
                  llvm::make_filter_range(result.getShape(), isLarge));
  return addsDimensions || source.getNumElements() < result.getNumElements();
}

bool tilegpu::isCheapElementwise(Operation *op) {
  return isElementwise(op) && isPure(op) &&
         getElementCost(op).isRematerializable;
}

/// Whether `op` makes a dimension of elements that its operand repeats, and of
/// others: as the last step of repeating a load of runs.
static bool mergesRepeated(Operation *op) {
  auto countLarge = [](Value tile) {
    return llvm::count_if(tensorType(tile).getShape(),
                          [](int64_t size) { return size != 1; });
  };
  if (!isView(op) ||
      countLarge(op->getResult(0)) >= countLarge(op->getOperand(0)))
    return false;
  Operation *source = op->getOperand(0).getDefiningOp();
  return source && onlyExtends(source);
}

/// Where repeated elements become part of a dimension the result is not free:
/// it stands for the load, and what is computed of it is no index arithmetic
/// but a dequantization.
void LayoutDecisions::markFree(Operation *op) {
  auto areAllIn = [&](const llvm::DenseSet<Value> &values) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return !isTensor(operand) || values.contains(operand);
    });
  };
  bool moves = isa<DataMovementOpInterface>(op) && op->getNumOperands() == 1;
  bool isCheap = makesTileOfScalars(op) || moves || isCheapElementwise(op);
  bool isOfScalars = isCheap && areAllIn(madeOfScalars);
  bool isOfFree = isCheap && areAllIn(freeValues) && !mergesRepeated(op);
  if (isOfScalars)
    madeOfScalars.insert(op->result_begin(), op->result_end());
  if (isOfScalars || isOfFree || onlyExtends(op))
    freeValues.insert(op->result_begin(), op->result_end());
}

void LayoutDecisions::collectOps() {
  // Blocks in an order in which definitions come before uses.
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool hasTensors = llvm::any_of(op->getResults(), isTensor);
    if (llvm::any_of(op->getResults(), [&](Value result) {
          return decisionOfValue.contains(result);
        }))
      return;
    if (hasTensors)
      markFree(op);
    if (hasTensors ? isFree(op->getResult(0))
                   : !isa<PlacementOpInterface>(op) || !getFirstTensor(op))
      return;
    LayoutDecision decision;
    decision.op = op;
    for (Value result : op->getResults())
      if (isTensor(result)) {
        decision.values.push_back(result);
        decisionOfValue[result] = decisions.size();
      }
    for (OpOperand &operand : op->getOpOperands())
      if (isTensor(operand.get()))
        decision.operands.push_back(&operand);
    decisionOfOp[op] = decisions.size();
    decisions.push_back(std::move(decision));
  });
}

RankedTensorType
LayoutDecisions::getType(const LayoutDecision &decision) const {
  if (auto op = dyn_cast_if_present<PlacementOpInterface>(decision.op))
    return op.getPlacedType();
  return tensorType(decision.values.front());
}

//===----------------------------------------------------------------------===//
// What an option means
//===----------------------------------------------------------------------===//

Placement LayoutDecisions::getValuePlacement(const LayoutDecision &decision,
                                             unsigned option,
                                             Value value) const {
  const Implementation &taken = decision.options[option];
  if (!decision.op)
    return taken.layout;
  return taken.results[cast<OpResult>(value).getResultNumber()];
}

Placement LayoutDecisions::getOperandPlacement(const LayoutDecision &decision,
                                               unsigned option,
                                               OpOperand &operand) const {
  const Implementation &taken = decision.options[option];
  if (!decision.op)
    return taken.layout;
  return taken.operands[operand.getOperandNumber()];
}

RegisterLayoutInterface
LayoutDecisions::getOperandLayout(const LayoutDecision &decision,
                                  unsigned option, OpOperand &operand) const {
  return getOperandPlacement(decision, option, operand).getRegisters();
}

const Implementation *
LayoutDecisions::implement(Operation *op, RegisterLayoutInterface layout) {
  std::unique_ptr<Implementation> &known = implementations[{op, layout}];
  if (!known)
    if (std::optional<Implementation> made =
            cast<PlacementOpInterface>(op).implementUnder(layout))
      known = std::make_unique<Implementation>(std::move(*made));
  return known.get();
}

void LayoutDecisions::visitSources(
    Value value, RegisterLayoutInterface layout,
    llvm::function_ref<void(Value, RegisterLayoutInterface)> decided,
    llvm::function_ref<void(Operation *, RegisterLayoutInterface)> computed) {
  SeenValues seen;
  visitNewSources(value, layout, seen, decided, computed);
}

void LayoutDecisions::visitNewSources(
    Value value, RegisterLayoutInterface layout, SeenValues &seen,
    llvm::function_ref<void(Value, RegisterLayoutInterface)> decided,
    llvm::function_ref<void(Operation *, RegisterLayoutInterface)> computed) {
  SmallVector<std::pair<Value, RegisterLayoutInterface>> worklist;
  auto push = [&](Value next, RegisterLayoutInterface wanted) {
    if (isTensor(next) && seen.insert({next, wanted}).second)
      worklist.push_back({next, wanted});
  };
  push(value, layout);
  for (size_t next = 0; next < worklist.size(); ++next) {
    auto [current, wanted] = worklist[next];
    if (lookup(current)) {
      decided(current, wanted);
      continue;
    }
    Operation *op = current.getDefiningOp();
    if (!op || makesTileOfScalars(op))
      continue;
    computed(op, wanted);
    const Implementation &taken = *implement(op, wanted);
    for (OpOperand &operand : op->getOpOperands())
      if (isTensor(operand.get()))
        push(operand.get(),
             taken.operands[operand.getOperandNumber()].getRegisters());
  }
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

bool LayoutDecisions::isKnown(const LayoutDecision &decision,
                              RegisterLayoutInterface layout) const {
  // One that keeps its result out of registers is another implementation.
  auto isInRegisters = [](const Implementation &known) {
    return known.results.empty() || !known.results.front().getTile();
  };
  RankedTensorType type = getType(decision);
  const LinearLayout &map = getRegisterMap(type, layout);
  return llvm::any_of(decision.options, [&](const Implementation &known) {
    return isInRegisters(known) && getRegisterMap(type, known.layout) == map;
  });
}

void LayoutDecisions::addOption(unsigned index,
                                RegisterLayoutInterface layout) {
  LayoutDecision &decision = decisions[index];
  if (!layout || decision.options.size() >= maxOptions)
    return;
  Implementation option;
  option.layout = layout;
  if (decision.op) {
    const Implementation *made = implement(decision.op, layout);
    if (!made)
      return;
    option = *made;
  }
  if (isKnown(decision, option.layout))
    return;
  decision.options.push_back(std::move(option));
  pending.push_back({index, unsigned(decision.options.size() - 1)});
}

void LayoutDecisions::addListed() {
  for (auto [index, decision] : llvm::enumerate(decisions))
    if (auto op = dyn_cast_if_present<PlacementOpInterface>(decision.op))
      for (Implementation &option : op.listImplementations(context)) {
        pending.push_back({unsigned(index), unsigned(decision.options.size())});
        decision.options.push_back(std::move(option));
      }
}

/// Offers the decision behind `value`, if it has one, to have it under
/// `layout`.
void LayoutDecisions::propose(Value value, RegisterLayoutInterface layout) {
  std::optional<unsigned> index = lookup(value);
  if (!index || !layout)
    return;
  if (auto op = dyn_cast_if_present<PlacementOpInterface>(decisions[*index].op))
    layout =
        op.proposeForResult(cast<OpResult>(value).getResultNumber(), layout);
  addOption(*index, layout);
}

/// How the op behind `value` puts it into shared memory as `demand` asks for
/// it; nothing where it cannot, or is offered to already.
std::optional<Implementation>
LayoutDecisions::implementInSharedMemory(Value value,
                                         const SharedPlacement &demand) const {
  std::optional<unsigned> index = lookup(value);
  auto op =
      index ? dyn_cast_if_present<PlacementOpInterface>(decisions[*index].op)
            : PlacementOpInterface();
  if (!op)
    return std::nullopt;
  unsigned result = cast<OpResult>(value).getResultNumber();
  bool isKnown =
      llvm::any_of(decisions[*index].options, [&](const Implementation &known) {
        std::optional<SharedPlacement> tile = known.results[result].getTile();
        return tile && tile->serves(demand, tensorType(value).getShape());
      });
  return isKnown ? std::nullopt
                 : op.implementInSharedMemory(result, demand, context);
}

/// Offers the decision behind `value`, if it has one, to put it into shared
/// memory as `demand` asks for it.
void LayoutDecisions::addShared(Value value, const SharedPlacement &demand) {
  std::optional<Implementation> made = implementInSharedMemory(value, demand);
  if (!made)
    return;
  unsigned index = *lookup(value);
  // What it wants in shared memory itself is offered in its turn.
  if (llvm::any_of(made->operands, [](const Placement &operand) {
        return operand.getTile().has_value();
      }))
    pending.push_back({index, unsigned(decisions[index].options.size())});
  decisions[index].options.push_back(std::move(*made));
}

/// Offers a value whose elements would change threads on their way to `wanted`
/// from where its op would have it alone to come by shared memory.
void LayoutDecisions::addCopy(Value value, RegisterLayoutInterface wanted) {
  std::optional<Implementation> made =
      implementInSharedMemory(value, {wanted, /*isForMatrixLoads=*/true});
  if (!made)
    return;
  LayoutDecision &decision = decisions[*lookup(value)];
  RegisterLayoutInterface own =
      decision.options.empty() ? RegisterLayoutInterface()
                               : getValueLayout(decision, /*option=*/0, value);
  if (!own)
    return;
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  std::optional<layout::Conversion> conversion = layout::classifyConversion(
      own.toLinearLayout(shape), wanted.toLinearLayout(shape));
  if (!conversion || conversion->movement < layout::Movement::Lanes)
    return;
  // A load's own options have its pointers where other copies want them; where
  // these do is still to be said.
  if (context.ownReaders.contains(decision.op))
    pending.push_back({*lookup(value), unsigned(decision.options.size())});
  decision.options.push_back(std::move(*made));
}

void LayoutDecisions::spreadBackward(unsigned index, unsigned option) {
  // By index: options are added to `decisions` on the way.
  for (size_t i = 0; i < decisions[index].operands.size(); ++i) {
    OpOperand &operand = *decisions[index].operands[i];
    Placement wanted = getOperandPlacement(decisions[index], option, operand);
    if (std::optional<SharedPlacement> demand = wanted.getTile())
      addShared(operand.get(), *demand);
    if (RegisterLayoutInterface layout = wanted.getRegisters())
      visitNewSources(
          operand.get(), layout, proposed,
          [&](Value source, RegisterLayoutInterface wanted) {
            propose(source, wanted);
            addCopy(source, wanted);
          },
          [](Operation *, RegisterLayoutInterface) {});
  }
}

void LayoutDecisions::spreadForward(Value value,
                                    RegisterLayoutInterface layout) {
  SmallVector<std::pair<Value, RegisterLayoutInterface>> worklist = {
      {value, layout}};
  llvm::SmallDenseSet<std::pair<Value, Attribute>> seen;
  for (size_t next = 0; next < worklist.size(); ++next) {
    auto [current, held] = worklist[next];
    for (OpOperand &use : current.getUses()) {
      auto merge = mergeOfOperand.find(&use);
      if (merge != mergeOfOperand.end()) {
        addOption(merge->second, held);
        continue;
      }
      auto user = dyn_cast<PlacementOpInterface>(use.getOwner());
      RegisterLayoutInterface own =
          user ? user.proposeForOperand(use, held) : RegisterLayoutInterface();
      if (!own)
        continue;
      if (std::optional<unsigned> decision = lookup(user.getOperation()))
        addOption(*decision, own);
      else if (user->getNumResults() && isFree(user->getResult(0)) &&
               seen.insert({user->getResult(0), own}).second)
        worklist.push_back({user->getResult(0), own});
    }
  }
}

void LayoutDecisions::spread() {
  for (size_t next = 0; next < pending.size(); ++next) {
    auto [index, option] = pending[next];
    spreadBackward(index, option);
    for (size_t i = 0; i < decisions[index].values.size(); ++i) {
      Value value = decisions[index].values[i];
      if (RegisterLayoutInterface layout =
              getValueLayout(decisions[index], option, value))
        spreadForward(value, layout);
    }
  }
  pending.clear();
}

/// `layout` with its coordinates mixed by a random bijection.
static RegisterLayoutInterface mixCoordinates(RegisterLayoutInterface layout,
                                              ArrayRef<int64_t> shape,
                                              std::mt19937_64 &random) {
  LinearLayout map = layout.toLinearLayout(shape);
  unsigned bits = map.totalOutputBits();
  // A shuffled unit matrix, then some rows added to others.
  std::vector<uint64_t> mixed;
  for (unsigned bit = 0; bit < bits; ++bit)
    mixed.insert(mixed.begin() + random() % (bit + 1), uint64_t(1) << bit);
  for (unsigned step = 0; bits > 1 && step < bits / 2; ++step) {
    unsigned to = random() % bits, from = random() % bits;
    if (to != from)
      mixed[to] ^= mixed[from];
  }
  std::vector<uint64_t> columns;
  for (uint64_t column : map.columns())
    columns.push_back(layout::f2::apply(mixed, column));
  return LinearAttr::get(
      layout.getContext(),
      LinearLayout(map.inputs(), map.outputs(), std::move(columns)));
}

void LayoutDecisions::addRandomOptions(std::mt19937_64 &random) {
  for (unsigned index = 0; index < decisions.size(); ++index)
    for (unsigned count = 0; count < 2; ++count)
      addOption(index,
                mixCoordinates(decisions[index].options.front().layout,
                               getType(decisions[index]).getShape(), random));
  pending.clear();
}
