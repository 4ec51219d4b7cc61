// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/LayoutDecisions.h"

#include "dialects/Layout/F2.h"
#include "dialects/TileGPU/ShapeMaps.h"
#include "dialects/Triton/MemoryAccess.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/TileToTileGPU/LayoutPrices.h"
#include "passes/TileToTileGPU/LayoutRules.h"

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

LayoutDecisions::LayoutDecisions(tt::FuncOp function, const AxisAnalysis &axes,
                                 const target::Target &target,
                                 unsigned numWarps)
    : function(function), axes(axes), target(target), numWarps(numWarps) {
  weighLoops();
  collectMerges();
  collectOps();
  addAnchors();
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
  MLIRContext *context = decision.values.empty()
                             ? decision.op->getContext()
                             : decision.values.front().getContext();
  // The halves of a join lie in one thread.
  if (auto join = dyn_cast_if_present<tt::JoinOp>(decision.op))
    return inferResultLayout(
        join,
        getDefaultLayout(context, tensorType(join->getOperand(0)).getShape(),
                         numWarps));
  return getDefaultLayout(context, getType(decision).getShape(), numWarps);
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
  auto add = [&](SmallVector<Value> values, SmallVector<OpOperand *> operands) {
    LayoutDecision merge;
    merge.values = std::move(values);
    merge.operands = std::move(operands);
    addMerge(std::move(merge));
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      Operation *yield = loop.getBody()->getTerminator();
      for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
        add({argument, loop.getResult(index)},
            {&yield->getOpOperand(index), &loop.getInitArgsMutable()[index]});
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (auto [index, result] : llvm::enumerate(branch.getResults()))
        add({result}, {&branch.thenYield()->getOpOperand(index),
                       &branch.elseYield()->getOpOperand(index)});
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments()))
        add({argument}, {&loop.getYieldOp()->getOpOperand(index),
                         &loop.getInitsMutable()[index]});
      for (auto [index, argument] : llvm::enumerate(loop.getAfterArguments()))
        add({argument, loop.getResult(index)},
            {&loop.getConditionOp().getArgsMutable()[index]});
    }
  });
  for (Block &block : llvm::drop_begin(function.getBody()))
    for (BlockArgument argument : block.getArguments()) {
      SmallVector<OpOperand *> operands;
      for (auto it = block.pred_begin(), end = block.pred_end(); it != end;
           ++it) {
        auto branch = cast<BranchOpInterface>((*it)->getTerminator());
        SuccessorOperands passed =
            branch.getSuccessorOperands(it.getSuccessorIndex());
        operands.push_back(
            &passed.getMutableForwardedOperands()[argument.getArgNumber()]);
      }
      add({argument}, std::move(operands));
    }
}

/// Ops that hold the same value whatever the layout.
static bool isLayoutless(Operation *op) {
  return isa<arith::ConstantOp, tt::SplatOp, tt::MakeRangeOp, ub::PoisonOp>(op);
}

void LayoutDecisions::markFree(Operation *op) {
  bool allFree = llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isTensor(operand) || isFree(operand);
  });
  bool isFreeOp = isLayoutless(op) ||
                  isa<tt::ExpandDimsOp, tt::BroadcastOp>(op) ||
                  (allFree && !tt::getMemoryAccess(op) &&
                   (isa<tt::TransOp, tt::ReshapeOp, tt::SplitOp>(op) ||
                    (hasUniformLayout(op) && isCheap(op) && isPure(op))));
  if (isFreeOp)
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
                   : !isa<tt::StoreOp, tt::ReduceOp>(op) ||
                         !isTensor(op->getOperand(0)))
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
  if (decision.op &&
      (isa<tt::ReduceOp>(decision.op) || decision.values.empty()))
    return tensorType(decision.op->getOperand(0));
  return tensorType(decision.values.front());
}

void LayoutDecisions::weighLoops() {
  Region &body = function.getBody();
  if (body.hasOneBlock())
    return;
  DominanceInfo dominance(function);
  CFGLoopInfo loops(dominance.getDomTree(&body));
  for (Block &block : body)
    loopDepth[&block] = loops.getLoopDepth(&block);
}

/// Trips of a loop of which nothing is known, and a limit for weights.
static constexpr uint64_t unknownTrips = 16, maxWeight = uint64_t(1) << 24;

uint64_t LayoutDecisions::getWeight(Block *block) const {
  uint64_t weight = 16;
  Block *outermost = block;
  while (!isa<tt::FuncOp>(outermost->getParentOp()))
    outermost = outermost->getParentOp()->getBlock();
  for (unsigned depth = loopDepth.lookup(outermost); depth; --depth)
    weight = std::min(weight * unknownTrips, maxWeight);
  for (Operation *parent = block->getParentOp();
       parent && !isa<tt::FuncOp>(parent); parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent)) {
      uint64_t count = unknownTrips;
      if (auto known = dyn_cast<scf::ForOp>(parent))
        if (std::optional<APInt> trips = known.getStaticTripCount())
          count = std::clamp<uint64_t>(trips->getLimitedValue(), 1, 64);
      weight = std::min(weight * count, maxWeight);
    } else if (isa<scf::IfOp>(parent)) {
      weight = std::max<uint64_t>(weight / 2, 1);
    }
  }
  return weight;
}

//===----------------------------------------------------------------------===//
// What an option means
//===----------------------------------------------------------------------===//

RegisterLayoutInterface
LayoutDecisions::getValueLayout(const LayoutDecision &decision, unsigned option,
                                Value value) const {
  RegisterLayoutInterface layout = decision.options[option];
  if (auto reduce = dyn_cast_if_present<tt::ReduceOp>(decision.op))
    return SliceAttr::get(value.getContext(), reduce.getAxis(), layout);
  return layout;
}

RegisterLayoutInterface
LayoutDecisions::getSourceLayout(Operation *op, Value value,
                                 RegisterLayoutInterface layout) {
  if (!isRenaming(op) && !isa<tt::SplitOp>(op))
    return layout;
  RegisterLayoutInterface &known = sourceLayouts[{op, value, layout}];
  if (!known)
    known = isa<tt::SplitOp>(op) ? inferSplitSource(tensorType(value), layout)
                                 : inferSourceLayout(op, layout);
  return known;
}

RegisterLayoutInterface
LayoutDecisions::getOperandLayout(const LayoutDecision &decision,
                                  unsigned option, OpOperand &operand) {
  RegisterLayoutInterface layout = decision.options[option];
  Operation *op = decision.op;
  if (!op)
    return layout;
  if (isa<tt::DotOp>(op)) {
    const DotChoice &choice = decision.dots[option];
    switch (operand.getOperandNumber()) {
    case 0:
      return choice.lhs;
    case 1:
      return choice.rhs;
    default:
      return choice.result;
    }
  }
  if (auto gather = dyn_cast<tt::GatherOp>(op))
    // The source is read from memory, so that its layout is its own.
    return &operand == &gather.getIndicesMutable() ? layout
                                                   : RegisterLayoutInterface();
  if (isRenaming(op) || isa<tt::SplitOp>(op))
    return getSourceLayout(op, op->getResult(0), layout);
  if (hasUniformLayout(op) || isa<tt::ReduceOp>(op))
    return layout;
  return {};
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
    if (!op || isLayoutless(op))
      continue;
    computed(op, wanted);
    for (Value operand : op->getOperands())
      if (isTensor(operand))
        push(operand, getSourceLayout(op, current, wanted));
  }
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

void LayoutDecisions::addOption(unsigned index,
                                RegisterLayoutInterface layout) {
  LayoutDecision &decision = decisions[index];
  if (!layout || decision.options.size() >= maxOptions ||
      isa_and_present<tt::DotOp>(decision.op))
    return;
  RankedTensorType type = getType(decision);
  if (auto scan = dyn_cast_if_present<tt::ScanOp>(decision.op))
    layout = makeScannable(layout, type.getShape(), scan.getAxis());
  if (!layout)
    return;
  if (isa_and_present<tt::JoinOp>(decision.op) &&
      !canJoin(layout, type.getShape()))
    return;
  LinearLayout map = layout.toLinearLayout(type.getShape());
  for (RegisterLayoutInterface known : decision.options)
    if (known == layout || known.toLinearLayout(type.getShape()) == map)
      return;
  decision.options.push_back(layout);
  pending.push_back({index, unsigned(decision.options.size() - 1)});
}

void LayoutDecisions::addAnchors() {
  for (auto [index, decision] : llvm::enumerate(decisions)) {
    Operation *op = decision.op;
    if (!op)
      continue;
    if (auto dot = dyn_cast<tt::DotOp>(op)) {
      decision.dots = listDotChoices(dot, target, numWarps);
      for (const DotChoice &choice : decision.dots) {
        pending.push_back({unsigned(index), unsigned(decision.options.size())});
        decision.options.push_back(choice.result);
      }
    } else if (std::optional<tt::MemoryAccess> access =
                   tt::getMemoryAccess(op)) {
      // Atomics take a word each: neighbours belong in neighbouring lanes.
      addOption(index,
                getCoalescedLayout(access->pointers, access->mask, axes,
                                   numWarps, access->isAtomic ? 32 : 128));
    }
  }
}

/// Offers the decision behind `value`, if it has one, to have it under
/// `layout`.
void LayoutDecisions::propose(Value value, RegisterLayoutInterface layout) {
  std::optional<unsigned> index = lookup(value);
  if (!index || !layout)
    return;
  Operation *op = decisions[*index].op;
  if (isa_and_present<tt::ReduceOp>(op)) {
    auto slice = dyn_cast<SliceAttr>(layout);
    if (slice && slice.getDim() == cast<tt::ReduceOp>(op).getAxis() &&
        slice.getParent().getRank() == getType(decisions[*index]).getRank() &&
        !isa<LinearAttr>(slice.getParent()))
      addOption(*index, slice.getParent());
    return;
  }
  addOption(*index, layout);
}

void LayoutDecisions::spreadBackward(unsigned index, unsigned option) {
  // By index: options are added to `decisions` on the way.
  for (size_t i = 0; i < decisions[index].operands.size(); ++i) {
    OpOperand &operand = *decisions[index].operands[i];
    RegisterLayoutInterface layout =
        getOperandLayout(decisions[index], option, operand);
    if (layout)
      visitNewSources(
          operand.get(), layout, proposed,
          [&](Value source, RegisterLayoutInterface wanted) {
            propose(source, wanted);
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
      Operation *user = use.getOwner();
      RegisterLayoutInterface result = held;
      if (isRenaming(user))
        result = proposeResultLayout(user, held);
      else if (isa<tt::SplitOp>(user))
        result = inferSplitResult(tensorType(current), held);
      else if (!hasUniformLayout(user) &&
               !isa<tt::ReduceOp, tt::GatherOp>(user))
        continue;
      if (auto gather = dyn_cast<tt::GatherOp>(user))
        if (&use != &gather.getIndicesMutable())
          continue;
      if (!result)
        continue;
      if (std::optional<unsigned> decision = lookup(user))
        addOption(*decision, result);
      else if (user->getNumResults() && isFree(user->getResult(0)) &&
               seen.insert({user->getResult(0), result}).second)
        worklist.push_back({user->getResult(0), result});
    }
  }
}

void LayoutDecisions::spread() {
  for (size_t next = 0; next < pending.size(); ++next) {
    auto [index, option] = pending[next];
    spreadBackward(index, option);
    for (size_t i = 0; i < decisions[index].values.size(); ++i) {
      Value value = decisions[index].values[i];
      spreadForward(value, getValueLayout(decisions[index], option, value));
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
                mixCoordinates(decisions[index].options.front(),
                               getType(decisions[index]).getShape(), random));
  pending.clear();
}
