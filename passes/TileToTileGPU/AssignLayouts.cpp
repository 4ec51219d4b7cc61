// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies a layout assignment: tensors get their encodings, conversions stand
// where layouts meet, and free values are computed in each layout that is asked
// for.

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"
#include "passes/TileToTileGPU/LayoutAssignment.h"
#include "passes/TileToTileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/TileToTileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

class LayoutApplier {
public:
  LayoutApplier(tt::FuncOp function, LayoutAssignment &assignment,
                unsigned numWarps)
      : function(function), assignment(assignment), numWarps(numWarps) {}

  LogicalResult apply() {
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { ops.push_back(op); });
    setTypes(ops);
    for (Operation *op : ops)
      if (failed(rewrite(op)))
        return failure();
    return eraseOps(ops);
  }

private:
  static RankedTensorType tensorType(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  static bool isTensor(Value value) {
    return isa<RankedTensorType>(value.getType());
  }

  RegisterLayoutInterface getDefault(Value value) const {
    return getDefaultLayout(value.getContext(), tensorType(value).getShape(),
                            numWarps);
  }

  /// Gives every value that has a layout its encoding.
  void setTypes(ArrayRef<Operation *> ops) {
    auto set = [&](Value value) {
      if (isTensor(value))
        if (RegisterLayoutInterface layout = assignment.lookup(value))
          value.setType(withEncoding(tensorType(value), layout));
    };
    for (Operation *op : ops) {
      llvm::for_each(op->getResults(), set);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), set);
    }
  }

  /// `value` under `layout`.
  Value materialize(Value value, RegisterLayoutInterface layout) {
    if (assignment.lookup(value) == layout)
      return value;
    Value &known = made[{value, layout}];
    if (known)
      return known;
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Value result = assignment.isRecomputed(value, layout)
                       ? recompute(value, layout, builder)
                       : ConvertLayoutOp::create(
                             builder, value.getLoc(),
                             withEncoding(tensorType(value), layout), value);
    // Not through `known`: recomputing operands may have moved it.
    made[{value, layout}] = result;
    return result;
  }

  /// Clones the op behind a free value, with operands and results under the
  /// layouts that `layout` asks for.
  Value recompute(Value value, RegisterLayoutInterface layout,
                  OpBuilder &builder) {
    Operation *op = value.getDefiningOp();
    IRMapping mapping;
    const Implementation &taken =
        *assignment.getDecisions().implement(op, layout);
    for (OpOperand &operand : op->getOpOperands())
      if (isTensor(operand.get()) && !mapping.contains(operand.get()))
        mapping.map(
            operand.get(),
            materialize(
                operand.get(),
                taken.operands[operand.getOperandNumber()].getRegisters()));
    Operation *clone = builder.clone(*op, mapping);
    for (Value result : clone->getResults())
      if (isTensor(result))
        result.setType(withEncoding(tensorType(result), layout));
    if (auto constant = dyn_cast<arith::ConstantOp>(clone))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            elements.reshape(cast<ShapedType>(constant.getType())));
    return clone->getResult(cast<OpResult>(value).getResultNumber());
  }

  void setOperand(OpOperand &operand, RegisterLayoutInterface layout) {
    if (isTensor(operand.get()))
      operand.set(materialize(operand.get(), layout));
  }

  /// The layout that `value` has, or a default where it is free.
  RegisterLayoutInterface ownLayout(Value value) const {
    RegisterLayoutInterface layout = assignment.lookup(value);
    return layout ? layout : getDefault(value);
  }

  LogicalResult rewrite(Operation *op) {
    if (auto barrier = dyn_cast<gpu::BarrierOp>(op)) {
      OpBuilder builder(op);
      BarrierOp::create(builder, op->getLoc(), /*warp=*/false);
      dead.insert(op);
      return success();
    }
    if (op->getNumResults() && assignment.isFree(op->getResult(0)))
      return success(); // cloned where it is wanted
    for (OpOperand &operand : op->getOpOperands())
      if (isTensor(operand.get()))
        setOperand(operand, getWantedLayout(operand));
    if (const Implementation *taken = assignment.getImplementation(op))
      replaceLabelled(op, cast<PlacementOpInterface>(op).realize(
                              *taken, assignment.getDecisions().getContext()));
    return success();
  }

  RegisterLayoutInterface getWantedLayout(OpOperand &operand) {
    if (RegisterLayoutInterface merge = assignment.getMergeLayout(operand))
      return merge;
    RegisterLayoutInterface layout = assignment.getOperandLayout(operand);
    return layout ? layout : ownLayout(operand.get());
  }

  /// Replaces an op whose result other ops still look up by its old value.
  void replaceLabelled(Operation *op, SmallVector<Value> results) {
    if (results.empty())
      return;
    replaced.emplace_back(op, std::move(results));
    dead.insert(op);
  }

  /// Erases what was replaced, and the free ops, which were cloned.
  LogicalResult eraseOps(ArrayRef<Operation *> ops) {
    for (auto &[op, results] : replaced)
      op->replaceAllUsesWith(results);
    for (Operation *op : llvm::reverse(ops)) {
      if (dead.contains(op)) {
        op->erase();
        continue;
      }
      bool isUnplaced = op->getNumResults() != 0 &&
                        isTensor(op->getResult(0)) &&
                        !tensorType(op->getResult(0)).getEncoding();
      if (!isUnplaced)
        continue;
      if (!op->use_empty())
        return op->emitOpError("has no layout after assignment");
      op->erase();
    }
    return success();
  }

  tt::FuncOp function;
  LayoutAssignment &assignment;
  unsigned numWarps;
  /// Values made in other layouts than their own.
  llvm::DenseMap<std::pair<Value, Attribute>, Value> made;
  llvm::SmallVector<std::pair<Operation *, SmallVector<Value>>> replaced;
  /// Not erased before the end: `apply` comes by them again.
  llvm::SmallPtrSet<Operation *, 16> dead;
};

/// Diagnoses ops on tensors that say neither where these may be nor that they
/// only pass them on.
LogicalResult verifyPlaceable(tt::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) -> WalkResult {
    if (op->hasTrait<ExpandedBeforePlacement>())
      return op->emitOpError("expects to be expanded before layouts are "
                             "assigned; run tilewright-tile first");
    if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
        !isa<PlacementOpInterface, ValueMergeOpInterface>(op))
      return op->emitOpError("expects an op that says where its tensors may be "
                             "(PlacementOpInterface), but got one that does "
                             "not");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Moves conversions that one branch alone needs into it.
void sinkConversions(tt::FuncOp function) {
  DominanceInfo dominance(function);
  function.walk<WalkOrder::PreOrder>([&](scf::IfOp branch) {
    SmallVector<Region *> regions = {&branch.getThenRegion(),
                                     &branch.getElseRegion()};
    controlFlowSink(
        regions, dominance,
        [](Operation *op, Region *) { return isa<ConvertLayoutOp>(op); },
        [](Operation *op, Region *region) {
          op->moveBefore(&region->front(), region->front().begin());
        });
  });
}

struct AssignLayouts : tilegpu::impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const target::Target *target = target::lookup(targetName.getValue());
    if (!target) {
      module.emitError(target::unknownTargetMessage(targetName.getValue()));
      return signalPassFailure();
    }
    if (numWarps == 0 || numWarps > target->maxWarpsPerCta ||
        !layout::isPowerOfTwo(numWarps)) {
      module.emitError("expects a number of warps that is a power of two from "
                       "1 to ")
          << target->maxWarpsPerCta << ", but got " << numWarps.getValue();
      return signalPassFailure();
    }
    Builder builder(&getContext());
    module->setAttr(TileGPUDialect::targetAttrName,
                    builder.getStringAttr(StringRef(target->name)));
    AxisAnalysis axes(module);
    for (auto function : module.getOps<tt::FuncOp>())
      if (!function.isExternal() &&
          failed(assign(function, axes, *target, builder)))
        return signalPassFailure();
  }

private:
  LogicalResult assign(tt::FuncOp function, const AxisAnalysis &axes,
                       const target::Target &target, Builder &builder) {
    for (Type type : function.getFunctionType().getInputs())
      if (isa<RankedTensorType>(type))
        return function.emitOpError("expects no tensors as arguments of a "
                                    "kernel, but got ")
               << type;
    if (failed(verifyPlaceable(function)))
      return failure();
    std::optional<uint64_t> seed;
    if (auto attribute =
            function->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(
                TileGPUDialect::layoutSeedAttrName))
      seed = attribute.getInt();
    LayoutAssignment assignment(function, axes, target, numWarps, seed);
    if (failed(LayoutApplier(function, assignment, numWarps).apply()))
      return failure();
    sinkConversions(function);
    function->setAttr(TileGPUDialect::numWarpsAttrName,
                      builder.getI32IntegerAttr(numWarps));
    return success();
  }
};

} // namespace
