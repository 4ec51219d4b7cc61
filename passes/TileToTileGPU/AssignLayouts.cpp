// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies a layout assignment: tensors get their encodings, conversions stand
// where layouts meet, and free values are computed in each layout that is asked
// for.

#include "dialects/TileGPU/MatrixFragments.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
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
    for (Value operand : op->getOperands()) {
      if (!isTensor(operand) || mapping.contains(operand))
        continue;
      RegisterLayoutInterface wanted =
          assignment.getDecisions().getSourceLayout(op, value, layout);
      mapping.map(operand, materialize(operand, wanted));
    }
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
    if (isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface,
            BranchOpInterface>(op)) {
      rewriteControlFlow(op);
      return success();
    }
    if (auto barrier = dyn_cast<gpu::BarrierOp>(op)) {
      OpBuilder builder(op);
      BarrierOp::create(builder, op->getLoc(), /*warp=*/false);
      dead.insert(op);
      return success();
    }
    if (op->getNumResults() && assignment.isFree(op->getResult(0)))
      return success(); // cloned where it is wanted
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isTensor(operand.get()))
        continue;
      RegisterLayoutInterface layout = assignment.getOperandLayout(operand);
      setOperand(operand, layout ? layout : ownLayout(operand.get()));
    }
    if (auto dot = dyn_cast<tt::DotOp>(op))
      rewriteDot(dot);
    return success();
  }

  /// What flows into block arguments and results takes their layout.
  void rewriteControlFlow(Operation *op) {
    auto take = [&](OpOperand &operand, Value member) {
      if (isTensor(member))
        setOperand(operand, assignment.lookup(member));
    };
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [operand, member] :
           llvm::zip_equal(loop.getInitArgsMutable(), loop.getResults()))
        take(operand, member);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [operand, member] :
           llvm::zip_equal(loop.getInitsMutable(), loop.getBeforeArguments()))
        take(operand, member);
    } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
      for (auto [operand, member] : llvm::zip_equal(
               condition.getArgsMutable(), op->getParentOp()->getResults()))
        take(operand, member);
    } else if (isa<scf::YieldOp>(op)) {
      Operation *parent = op->getParentOp();
      if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
        for (auto [operand, member] :
             llvm::zip_equal(op->getOpOperands(), loop.getBeforeArguments()))
          take(operand, member);
        return;
      }
      for (auto [operand, member] :
           llvm::zip_equal(op->getOpOperands(), parent->getResults()))
        take(operand, member);
    } else if (auto branch = dyn_cast<BranchOpInterface>(op)) {
      for (unsigned index = 0; index < op->getNumSuccessors(); ++index) {
        SuccessorOperands operands = branch.getSuccessorOperands(index);
        MutableOperandRange forwarded = operands.getMutableForwardedOperands();
        for (auto [operand, member] : llvm::zip_equal(
                 forwarded, op->getSuccessor(index)->getArguments()))
          take(operand, member);
      }
    }
  }

  /// `value` with its last two dimensions exchanged, under `layout`, which
  /// moves nothing.
  static Value transpose(OpBuilder &builder, Value value,
                         RegisterLayoutInterface layout) {
    RankedTensorType type = tensorType(value);
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<int32_t> order =
        llvm::to_vector(llvm::seq<int32_t>(0, shape.size()));
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return tt::TransOp::create(
        builder, value.getLoc(),
        RankedTensorType::get(shape, type.getElementType(), layout), value,
        order);
  }

  /// The dot by its matrix instruction.
  static Value createMma(tt::DotOp op, const DotChoice &choice) {
    OpBuilder builder(op);
    const target::MatrixInstruction &instruction = *choice.instruction;
    int32_t shape[] = {int32_t(instruction.m), int32_t(instruction.n),
                       int32_t(instruction.k)};
    DenseI32ArrayAttr attribute = builder.getDenseI32ArrayAttr(shape);
    if (!choice.isTransposed)
      return MmaOp::create(builder, op.getLoc(), op.getType(), op.getA(),
                           op.getB(), op.getC(), attribute);
    unsigned kWidth = getRegisterElements(instruction);
    const Value sources[] = {op.getB(), op.getA()};
    Value operands[2];
    for (auto [index, value] : llvm::enumerate(sources))
      operands[index] =
          transpose(builder, value,
                    DotOperandAttr::get(op.getContext(), index,
                                        choice.accumulator, kWidth));
    Value sum = transpose(builder, op.getC(), choice.accumulator);
    sum = MmaOp::create(builder, op.getLoc(), sum.getType(), operands[0],
                        operands[1], sum, attribute);
    return transpose(builder, sum, choice.result);
  }

  void rewriteDot(tt::DotOp op) {
    const DotChoice &choice = assignment.getDotChoice(op);
    auto options = remark::RemarkOpts::name("dot-instruction")
                       .category("dot")
                       .function(function.getName());
    if (!choice.instruction) {
      remark::missed(op.getLoc(), options)
          << "this dot is computed by multiply-adds: " + choice.reason;
      return;
    }
    const target::MatrixInstruction &instruction = *choice.instruction;
    remark::passed(op.getLoc(), options)
        << (StringRef(assignment.getTarget().name) + " computes this dot by " +
            StringRef(instruction.name))
               .str();
    replaceLabelled(op, createMma(op, choice));
  }

  /// Replaces an op whose result other ops still look up by its old value.
  void replaceLabelled(Operation *op, Value result) {
    replaced.emplace_back(op, result);
    dead.insert(op);
  }

  /// Erases what was replaced, and the free ops, which were cloned.
  LogicalResult eraseOps(ArrayRef<Operation *> ops) {
    for (auto [op, result] : replaced)
      op->getResult(0).replaceAllUsesWith(result);
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
  llvm::SmallVector<std::pair<Operation *, Value>> replaced;
  /// Not erased before the end: `apply` comes by them again.
  llvm::SmallPtrSet<Operation *, 16> dead;
};

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
