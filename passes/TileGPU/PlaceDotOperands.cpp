// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the operands of dots without a matrix instruction into shared memory.

#include "dialects/Layout/SharedLayout.h"
#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PLACEDOTOPERANDS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using target::Capability;

namespace {

/// The placement that serves the store from the operand's own layout and the
/// loads of the dot's threads.
SharedLinearAttr planOperand(RankedTensorType type, RankedTensorType result,
                             unsigned index, const target::Target &target) {
  layout::SharedPlan plan = layout::planShared(
      toLinearLayout(type),
      getThreadOperandLayout(getRegisterLayout(result), index, type.getShape()),
      getMemoryBits(type.getElementType()),
      {/*ldMatrix=*/false, target.has(Capability::StMatrix)});
  SmallVector<Axis> dimensions;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    dimensions.push_back(Axis::coordinate(dim));
  return SharedLinearAttr::get(type.getContext(),
                               plan.shared.reorderOutputs(dimensions));
}

/// Before the dot, and outside the loops that leave the operand as it is.
void setInsertionPoint(OpBuilder &builder, tt::DotOp op, Value operand) {
  Operation *place = op;
  while (auto loop = dyn_cast<LoopLikeOpInterface>(place->getParentOp())) {
    if (!loop.isDefinedOutsideOfLoop(operand))
      break;
    place = loop;
  }
  builder.setInsertionPoint(place);
}

struct PlaceDotOperands
    : tilegpu::impl::PlaceDotOperandsBase<PlaceDotOperands> {
  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp op) { dots.push_back(op); });
    for (tt::DotOp op : dots)
      if (failed(place(op, *target)))
        return signalPassFailure();
  }

private:
  static LogicalResult place(tt::DotOp op, const target::Target &target) {
    auto result = cast<RankedTensorType>(op.getType());
    const Value operands[] = {op.getA(), op.getB()};
    Value memory[2];
    for (auto [index, operand] : llvm::enumerate(operands)) {
      auto type = cast<RankedTensorType>(operand.getType());
      if (!getRegisterLayout(type) || !getRegisterLayout(result))
        return op.emitOpError("expects tensors with register layouts (run "
                              "tilegpu-assign-layouts first), but got ")
               << type << " for " << result;
      auto descriptor = MemDescType::get(
          op.getContext(), type.getShape(), type.getElementType(),
          planOperand(type, result, index, target),
          /*buffers=*/1, /*isMutable=*/false);
      OpBuilder builder(op);
      setInsertionPoint(builder, op, operand);
      memory[index] = LocalAllocOp::create(builder, op.getLoc(), descriptor,
                                           operand, /*offset=*/IntegerAttr());
    }
    OpBuilder builder(op);
    Value sum = MultiplyAddOp::create(builder, op.getLoc(), result, memory[0],
                                      memory[1], op.getC());
    op.getResult().replaceAllUsesWith(sum);
    op.erase();
    return success();
  }
};

} // namespace
