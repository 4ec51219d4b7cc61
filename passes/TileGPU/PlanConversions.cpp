// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how each layout conversion moves its data, and makes those through
// shared memory explicit.

#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/SharedTile.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PLANCONVERSIONS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::ConversionPlan;
using layout::LinearLayout;

namespace {

/// Diagnoses what a conversion between `source` and `result` cannot be made
/// for.
LogicalResult verifyConversion(ConvertLayoutOp op, const LinearLayout &source,
                               const LinearLayout &result) {
  for (Axis axis : {Axis(Axis::Lane), Axis(Axis::Warp)})
    if (source.inputBits(axis) != result.inputBits(axis))
      return op.emitOpError("expects source and result of as many ")
             << axis.name() << "s, but got " << (1u << source.inputBits(axis))
             << " and " << (1u << result.inputBits(axis));
  return success();
}

/// Diagnoses a conversion that has no plan.
LogicalResult diagnoseUnplanned(ConvertLayoutOp op, const LinearLayout &source,
                                const LinearLayout &result) {
  if (!layout::classifyConversion(source, result))
    return op.emitOpError("expects a source that holds every element, but got ")
           << op.getSource().getType();
  return op.emitOpError("expects elements of 8, 16, 32 or 64 bits in shared "
                        "memory, but got ")
         << getElementTypeOrSelf(op.getType());
}

/// Rewrites the conversion as a store and a load under `shared`.
void lowerToShared(ConvertLayoutOp op, const LinearLayout &shared) {
  IRRewriter rewriter(op);
  Value memory =
      createSharedTile(rewriter, op.getLoc(), op.getSource(), shared);
  rewriter.replaceOpWithNewOp<LocalLoadOp>(op, op.getType(), memory,
                                           /*token=*/Value());
}

struct PlanConversions : tilegpu::impl::PlanConversionsBase<PlanConversions> {
  void runOnOperation() override {
    StringRef name = lookupTargetName(getOperation());
    const target::Target *target = target::lookup(name);
    if (!target) {
      getOperation().emitError(target::unknownTargetMessage(name));
      return signalPassFailure();
    }
    SmallVector<ConvertLayoutOp> conversions;
    getOperation().walk([&](ConvertLayoutOp op) { conversions.push_back(op); });
    for (ConvertLayoutOp op : conversions)
      if (failed(plan(op, *target)))
        return signalPassFailure();
  }

private:
  static LogicalResult plan(ConvertLayoutOp op, const target::Target &target) {
    auto resultType = cast<RankedTensorType>(op.getType());
    LinearLayout source =
        toLinearLayout(cast<RankedTensorType>(op.getSource().getType()));
    LinearLayout result = toLinearLayout(resultType);
    if (failed(verifyConversion(op, source, result)))
      return failure();
    std::optional<ConversionPlan> plan = planConversionOf(
        op, source, result, getMemoryBits(resultType.getElementType()), target);
    if (!plan)
      return diagnoseUnplanned(op, source, result);
    if (plan->means == layout::Means::Shared)
      lowerToShared(op, plan->shared->shared);
    return success();
  }
};

} // namespace
