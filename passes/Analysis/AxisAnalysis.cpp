// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data flow of the axis analysis: how information travels through blocks,
// loops and calls. The rules of the ops are theirs.

#include "passes/Analysis/AxisAnalysis.h"

#include "dialects/Interfaces/AxisRules.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::tilegpu {

namespace {

/// An element of the lattice: nothing computed yet (the optimistic start), an
/// AxisInfo, or a value of a type that is not analysed.
struct AxisState {
  enum class Kind { Uninitialized, Known, NotAnalyzed };

  Kind kind = Kind::Uninitialized;
  AxisInfo info;
  /// getStep of the value's type; the join needs it.
  int64_t step = 1;

  static AxisState join(const AxisState &lhs, const AxisState &rhs) {
    if (lhs.kind == Kind::Uninitialized || rhs.kind == Kind::NotAnalyzed)
      return rhs;
    if (rhs.kind == Kind::Uninitialized || lhs.kind == Kind::NotAnalyzed)
      return lhs;
    return {Kind::Known, axis::join(lhs.info, rhs.info, lhs.step), lhs.step};
  }

  bool operator==(const AxisState &) const = default;

  void print(raw_ostream &os) const {
    if (kind == Kind::Known)
      info.print(os);
    else
      os << (kind == Kind::Uninitialized ? "uninitialized" : "not analyzed");
  }
};

using AxisLattice = dataflow::Lattice<AxisState>;

AxisState getState(Type type, AxisInfo info) {
  return {AxisState::Kind::Known, std::move(info), axis::getStep(type)};
}

/// What `load` finds in shared memory, if one op alone writes there; null where
/// several do, or where that cannot be seen.
Value findStored(LocalLoadOp load) {
  auto alloc = load.getSource().getDefiningOp<LocalAllocOp>();
  if (!alloc)
    return Value();
  Value stored = alloc.getSource();
  for (Operation *user : alloc->getUsers()) {
    auto store = dyn_cast<LocalStoreOp>(user);
    if (isa<LocalLoadOp>(user))
      continue;
    if (!store || stored)
      return Value();
    stored = store.getSource();
  }
  return stored;
}

class AxisDataFlow
    : public dataflow::SparseForwardDataFlowAnalysis<AxisLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const AxisLattice *> operands,
                               ArrayRef<AxisLattice *> results) override {
    if (auto load = dyn_cast<LocalLoadOp>(op))
      if (Value stored = findStored(load))
        return visitExchange(op, stored, results.front());
    SmallVector<const AxisInfo *> known;
    for (const AxisLattice *operand : operands) {
      const AxisState &state = operand->getValue();
      if (state.kind == AxisState::Kind::Uninitialized)
        return success();
      known.push_back(state.kind == AxisState::Kind::Known ? &state.info
                                                           : nullptr);
    }
    for (auto [index, lattice] : llvm::enumerate(results))
      propagateIfChanged(lattice, lattice->join(getResultState(
                                      op, index, lattice->getAnchor(), known)));
    return success();
  }

  void visitNonControlFlowArguments(Operation *op,
                                    const RegionSuccessor &successor,
                                    ArrayRef<AxisLattice *> arguments,
                                    unsigned firstIndex) override {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || arguments.empty() ||
        arguments.front()->getAnchor() != loop.getInductionVar())
      return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(
          op, successor, arguments, firstIndex);

    ProgramPoint *point = getProgramPointBefore(loop.getBody());
    const AxisState &lower =
        getLatticeElementFor(point, loop.getLowerBound())->getValue();
    const AxisState &step =
        getLatticeElementFor(point, loop.getStep())->getValue();
    if (lower.kind == AxisState::Kind::Uninitialized ||
        step.kind == AxisState::Kind::Uninitialized)
      return;
    AxisLattice *lattice = arguments.front();
    if (lower.kind != AxisState::Kind::Known ||
        step.kind != AxisState::Kind::Known)
      return setToEntryState(lattice);
    Type type = loop.getInductionVar().getType();
    AxisInfo info = axis::getInductionVariable(type, lower.info, step.info);
    info.nonNegative &= !loop.getUnsignedCmp();
    propagateIfChanged(lattice, lattice->join(getState(type, std::move(info))));
  }

protected:
  void setToEntryState(AxisLattice *lattice) override {
    Value value = lattice->getAnchor();
    Type type = value.getType();
    if (!axis::getAxisShape(type)) {
      propagateIfChanged(lattice,
                         lattice->join({AxisState::Kind::NotAnalyzed, {}, 1}));
      return;
    }
    AxisInfo info = axis::getUnknown(type);
    if (auto argument = dyn_cast<BlockArgument>(value))
      applyArgumentHints(argument, info);
    propagateIfChanged(lattice, lattice->join(getState(type, std::move(info))));
  }

private:
  /// A tile that went through shared memory, as conversions do: under another
  /// layout it is the same.
  LogicalResult visitExchange(Operation *op, Value stored,
                              AxisLattice *result) {
    const AxisState &state =
        getLatticeElementFor(getProgramPointAfter(op), stored)->getValue();
    auto type = dyn_cast<RankedTensorType>(stored.getType());
    auto loaded = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !loaded || type.getShape() != loaded.getShape())
      setToEntryState(result);
    else
      propagateIfChanged(result, result->join(state));
    return success();
  }

  static void applyArgumentHints(BlockArgument argument, AxisInfo &info) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function || !argument.getOwner()->isEntryBlock())
      return;
    unsigned index = argument.getArgNumber();
    axis::applyHints(info, argument.getType(), [&](StringRef name) {
      return function.getArgAttr(index, name);
    });
  }

  static AxisState getResultState(Operation *op, unsigned index, Value result,
                                  ArrayRef<const AxisInfo *> operands) {
    Type type = result.getType();
    if (!axis::getAxisShape(type))
      return {AxisState::Kind::NotAnalyzed, {}, 1};
    AxisInfo info = axis::getResult(op, index, operands);
    if (op->getNumResults() != 1)
      return getState(type, std::move(info));
    axis::applyHints(info, type, [&](StringRef name) {
      return name == "tt.divisibility"
                 ? op->getDiscardableAttr(axis::knownDivisibilityAttrName)
                 : Attribute();
    });
    AxisInfo hinted = info;
    axis::applyHints(hinted, type, [&](StringRef name) {
      return op->getDiscardableAttr(name);
    });
    // Hints that say what is known anyway tell nothing.
    hinted.reliesOnHints |= hinted != info;
    return getState(type, std::move(hinted));
  }
};

/// Calls `callback` on every block argument and op result in and below `op`, in
/// the order of the ops.
void forEachValue(Operation *op, function_ref<void(Value)> callback) {
  for (Value result : op->getResults())
    callback(result);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (Value argument : block.getArguments())
        callback(argument);
      for (Operation &nested : block)
        forEachValue(&nested, callback);
    }
}

} // namespace

AxisAnalysis::AxisAnalysis(Operation *root) : root(root) {
  // A function by itself is called from places that are out of sight.
  bool hasAllCalls = root->hasTrait<OpTrait::SymbolTable>();
  DataFlowSolver solver(DataFlowConfig().setInterprocedural(hasAllCalls));
  dataflow::loadBaselineAnalyses(solver);
  solver.load<AxisDataFlow>();
  if (failed(solver.initializeAndRun(root)))
    return;
  forEachValue(root, [&](Value value) {
    const auto *lattice = solver.lookupState<AxisLattice>(value);
    if (lattice && lattice->getValue().kind == AxisState::Kind::Known)
      infos[value] = lattice->getValue().info;
  });
}

const AxisInfo *AxisAnalysis::lookup(Value value) const {
  auto it = infos.find(value);
  return it == infos.end() ? nullptr : &it->second;
}

unsigned AxisAnalysis::getVectorElements(Value pointers, Value mask,
                                         unsigned dim,
                                         MaskedVectors masked) const {
  return axis::getVectorElements(
      pointers.getType(), lookup(pointers),
      mask ? std::optional(lookup(mask)) : std::nullopt, dim, masked);
}

void AxisAnalysis::print(raw_ostream &os) const {
  AsmState names(root);
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    os << "@" << function.getName() << "\n";
    forEachValue(function, [&](Value value) {
      const AxisInfo *info = lookup(value);
      if (!info)
        return;
      os << "  ";
      value.printAsOperand(os, names);
      if (Operation *op = value.getDefiningOp())
        os << " = " << op->getName();
      os << ": ";
      info->print(os);
      os << "\n";
    });
  });
}

} // namespace tilewright::tilegpu
