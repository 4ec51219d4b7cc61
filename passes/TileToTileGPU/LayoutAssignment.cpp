// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/LayoutAssignment.h"

#include "dialects/TileGPU/ShapeMaps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "passes/TileToTileGPU/LayoutRules.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

static int64_t countBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * getMemoryBits(type.getElementType()) / 8;
}

/// Ops that hold the same value whatever the layout.
static bool isLayoutless(Operation *op) {
  return isa<arith::ConstantOp, tt::SplatOp, tt::MakeRangeOp, ub::PoisonOp>(op);
}

LayoutAssignment::LayoutAssignment(tt::FuncOp function,
                                   const AxisAnalysis &axes,
                                   const target::Target &target,
                                   unsigned numWarps)
    : function(function), axes(axes), target(target), numWarps(numWarps) {
  function.walk([&](Operation *op) {
    if (auto dot = dyn_cast<tt::DotOp>(op))
      dots[op] = chooseDot(dot, target, numWarps);
    else if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op))
      if (isTensor(op->getOperand(0))) {
        Value mask;
        // Atomics take a word each: neighbours belong in neighbouring lanes.
        bool isAtomic = isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op);
        if (auto load = dyn_cast<tt::LoadOp>(op))
          mask = load.getMask();
        else if (auto store = dyn_cast<tt::StoreOp>(op))
          mask = store.getMask();
        else if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op))
          mask = atomic.getMask();
        accesses[op] = getCoalescedLayout(op->getOperand(0), mask, axes,
                                          numWarps, isAtomic ? 32 : 128);
      }
  });
  collectMerges();
  propagate();
}

RegisterLayoutInterface LayoutAssignment::lookup(Value value) const {
  return labelOf(value).layout;
}

bool LayoutAssignment::isFree(Value value) const { return labelOf(value).free; }

const DotChoice &LayoutAssignment::getDotChoice(tt::DotOp dot) const {
  return dots.find(dot)->second;
}

RegisterLayoutInterface LayoutAssignment::getAccessLayout(Operation *op) const {
  return accesses.lookup(op);
}

LayoutAssignment::Label LayoutAssignment::labelOf(Value value) const {
  return labels.lookup(value);
}

RegisterLayoutInterface LayoutAssignment::getDefault(Value value) const {
  return getDefaultLayout(value.getContext(),
                          cast<RankedTensorType>(value.getType()).getShape(),
                          numWarps);
}

//===----------------------------------------------------------------------===//
// Merges
//===----------------------------------------------------------------------===//

void LayoutAssignment::addMerge(Merge merge) {
  if (merge.members.empty() || !isTensor(merge.members.front()))
    return;
  for (Value member : merge.members)
    mergeOf[member] = merges.size();
  merges.push_back(std::move(merge));
}

void LayoutAssignment::collectMerges() {
  function.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
        addMerge({{argument, loop.getResult(index)},
                  {loop.getYieldedValues()[index], loop.getInitArgs()[index]}});
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (auto [index, result] : llvm::enumerate(branch.getResults()))
        addMerge({{result},
                  {branch.thenYield().getOperand(index),
                   branch.elseYield().getOperand(index)}});
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments()))
        addMerge(
            {{argument},
             {loop.getYieldOp().getOperand(index), loop.getInits()[index]}});
      for (auto [index, argument] : llvm::enumerate(loop.getAfterArguments()))
        addMerge({{argument, loop.getResult(index)},
                  {loop.getConditionOp().getArgs()[index]}});
    }
  });
  for (Block &block : llvm::drop_begin(function.getBody()))
    for (BlockArgument argument : block.getArguments()) {
      Merge merge{{argument}, {}};
      for (auto it = block.pred_begin(), end = block.pred_end(); it != end;
           ++it) {
        auto branch = cast<BranchOpInterface>((*it)->getTerminator());
        merge.incoming.push_back(branch.getSuccessorOperands(
            it.getSuccessorIndex())[argument.getArgNumber()]);
      }
      addMerge(std::move(merge));
    }
}

bool LayoutAssignment::propagateMerges() {
  bool changed = false;
  for (const Merge &merge : merges) {
    if (labelOf(merge.members.front()).known())
      continue;
    // What the loop yields outweighs what enters it: the yield runs more often.
    Label chosen;
    for (Value value : merge.incoming) {
      Label label = labelOf(value);
      if (label.layout && !chosen.layout)
        chosen = label;
    }
    if (!chosen.layout)
      continue;
    for (Value member : merge.members)
      changed |= setLabel(member, chosen);
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Forward propagation
//===----------------------------------------------------------------------===//

bool LayoutAssignment::setLabel(Value value, Label label) {
  if (!label.known() || labelOf(value).known())
    return false;
  labels[value] = label;
  return true;
}

LayoutAssignment::Label LayoutAssignment::labelUniform(Operation *op,
                                                       bool acceptUnknown) {
  Label best;
  bool allFree = true;
  for (Value operand : op->getOperands()) {
    if (!isTensor(operand))
      continue;
    Label label = labelOf(operand);
    if (!label.known() && !acceptUnknown)
      return {};
    allFree &= label.free;
    if (label.layout && (!best.layout || label.weight > best.weight))
      best = label;
  }
  if (best.layout)
    return best;
  best.free = allFree;
  return best;
}

LayoutAssignment::Label LayoutAssignment::labelRenaming(Operation *op) {
  // Cheap in any layout: only the (small) source would move.
  if (isa<tt::ExpandDimsOp, tt::BroadcastOp>(op)) {
    Label label;
    label.free = labelOf(op->getOperand(0)).known();
    return label;
  }
  Label label = labelUniform(op, /*acceptUnknown=*/false);
  // A join is possible only where its last dimension is in registers, so users
  // cannot have it in any layout.
  if (label.free && isa<tt::JoinOp>(op)) {
    label.free = false;
    label.layout = getDefault(op->getOperand(0));
  }
  if (label.layout) {
    label.layout = inferResultLayout(op, label.layout);
    label.weight = countBytes(op->getResult(0));
  }
  return label;
}

bool LayoutAssignment::labelReduction(tt::ReduceOp op) {
  Label source = labelUniform(op, /*acceptUnknown=*/false);
  if (!source.known())
    return false;
  if (source.free)
    source.layout = getDefault(op->getOperand(0));
  bool changed = false;
  for (Value result : op->getResults()) {
    if (!isTensor(result))
      continue;
    Label label;
    label.layout = SliceAttr::get(op.getContext(), op.getAxis(), source.layout);
    label.weight = countBytes(result);
    changed |= setLabel(result, label);
  }
  return changed;
}

LayoutAssignment::Label LayoutAssignment::labelScan(tt::ScanOp op) {
  Label label = labelUniform(op, /*acceptUnknown=*/false);
  if (!label.known())
    return label;
  if (label.free)
    label.layout = getDefault(op->getOperand(0));
  label.free = false;
  label.layout = keepAxisInWarp(
      label.layout,
      cast<RankedTensorType>(op->getOperand(0).getType()).getShape(),
      op.getAxis());
  label.weight = countBytes(op->getOperand(0));
  return label;
}

/// Each thread picks the elements whose indices it holds.
LayoutAssignment::Label LayoutAssignment::labelGather(tt::GatherOp op) {
  Label label = labelOf(op.getIndices());
  if (label.free)
    label.layout = getDefault(op.getResult());
  label.free = false;
  label.weight = countBytes(op.getResult());
  return label;
}

bool LayoutAssignment::labelSplit(tt::SplitOp op) {
  Value source = op->getOperand(0);
  Label label = labelOf(source);
  if (label.layout) {
    label.layout = inferSplitResult(cast<RankedTensorType>(source.getType()),
                                    label.layout);
    if (!label.layout)
      label.layout = getDefault(op->getResult(0));
    label.weight = countBytes(op->getResult(0));
  }
  bool changed = false;
  for (Value result : op->getResults())
    changed |= setLabel(result, label);
  return changed;
}

bool LayoutAssignment::propagateThrough(Operation *op, bool acceptUnknown) {
  // Loops and branches give scalars beside tensors.
  auto tensors = llvm::make_filter_range(op->getResults(), isTensor);
  if (tensors.empty())
    return false;
  Value result = *tensors.begin();
  if (mergeOf.contains(result) || labelOf(result).known())
    return false;
  Label label;
  if (isLayoutless(op)) {
    label.free = true;
  } else if (accesses.contains(op)) {
    label.layout = accesses[op];
    label.weight = countBytes(result);
  } else if (auto dot = dyn_cast<tt::DotOp>(op)) {
    label.layout = dots[op].result;
    // A dot's accumulator stays where it is: its loop runs over it.
    label.weight = 4 * countBytes(result);
  } else if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
    return labelReduction(reduce);
  } else if (auto scan = dyn_cast<tt::ScanOp>(op)) {
    label = labelScan(scan);
  } else if (auto split = dyn_cast<tt::SplitOp>(op)) {
    return labelSplit(split);
  } else if (auto gather = dyn_cast<tt::GatherOp>(op)) {
    label = labelGather(gather);
  } else if (isRenaming(op)) {
    label = labelRenaming(op);
  } else if (hasUniformLayout(op)) {
    label = labelUniform(op, acceptUnknown);
  } else {
    label.layout = getDefault(result);
    label.weight = countBytes(result);
  }
  bool changed = false;
  for (Value value : op->getResults())
    if (isTensor(value))
      changed |= setLabel(value, label);
  return changed;
}

void LayoutAssignment::propagate() {
  while (true) {
    bool changed = true;
    while (changed) {
      changed = false;
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        changed |= propagateThrough(op, /*acceptUnknown=*/false);
      });
      changed |= propagateMerges();
    }
    // What is left waits for a merge of which nothing is known. First let ops
    // decide by the operands that are known, one by one, then ask the users.
    bool settled = false;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!hasUniformLayout(op) || !propagateThrough(op, true))
        return WalkResult::advance();
      settled = true;
      return WalkResult::interrupt();
    });
    if (settled)
      continue;
    auto unknown = llvm::find_if(merges, [&](const Merge &merge) {
      return !labelOf(merge.members.front()).known();
    });
    if (unknown == merges.end())
      return;
    Label label;
    for (Value member : unknown->members)
      if (!label.layout)
        label.layout = findDemand(member);
    if (!label.layout)
      label.layout = getDefault(unknown->members.front());
    label.weight = 1;
    for (Value member : unknown->members)
      setLabel(member, label);
  }
}

/// The layout that the nearest memory access or labelled value among the
/// users wants `value` to have, looking through ops that keep the layout.
RegisterLayoutInterface LayoutAssignment::findDemand(Value value) {
  SmallVector<Value> worklist = {value};
  llvm::SmallDenseSet<Value> seen = {value};
  for (size_t next = 0; next < worklist.size(); ++next)
    for (Operation *user : worklist[next].getUsers()) {
      if (RegisterLayoutInterface layout = accesses.lookup(user))
        return layout;
      if (!hasUniformLayout(user) || user->getNumResults() != 1)
        continue;
      if (RegisterLayoutInterface layout = lookup(user->getResult(0)))
        return layout;
      if (seen.insert(user->getResult(0)).second)
        worklist.push_back(user->getResult(0));
    }
  return {};
}
