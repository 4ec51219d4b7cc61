// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a gather into the way of its source to shared memory and the reads of
// the elements picked, unless shuffles within warps do.

#include "dialects/Layout/GatherPlan.h"
#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/SharedTile.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DECOMPOSEGATHERS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::GatherPlan;
using layout::LinearLayout;

namespace {

/// Whether shuffles cost no more than the way through shared memory, where most
/// stores and loads take a wavefront each.
bool isCheap(const GatherPlan &plan, const LinearLayout &source,
             unsigned elementBits, const layout::ConversionRules &rules) {
  unsigned words = std::max(1u, elementBits / 32);
  unsigned shuffles = words * (rules.shuffle * plan.countShuffles() +
                               rules.select * plan.countSelects());
  unsigned accesses = words * ((1u << source.inputBits(Axis::Register)) +
                               (1u << plan.from.inputBits(Axis::Register)));
  return shuffles <=
         2 * rules.barrier + accesses * (rules.sharedAccess + rules.wavefront);
}

/// Elements in row-major order: which of them a warp reads is not known, so
/// that no order is better.
LinearLayout getRowMajorLayout(ArrayRef<int64_t> shape) {
  LinearLayout layout;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim)
    layout =
        layout * LinearLayout::identity(Axis::Offset, Axis::coordinate(dim),
                                        layout::log2Exact(shape[dim]));
  return layout;
}

struct DecomposeGathers
    : tilegpu::impl::DecomposeGathersBase<DecomposeGathers> {
  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    layout::ConversionRules rules = getConversionRules(*target);
    SmallVector<tt::GatherOp> gathers;
    getOperation().walk([&](tt::GatherOp op) { gathers.push_back(op); });
    for (tt::GatherOp op : gathers)
      if (failed(decompose(op, rules)))
        return signalPassFailure();
  }

private:
  static LogicalResult decompose(tt::GatherOp op,
                                 const layout::ConversionRules &rules) {
    auto source = cast<RankedTensorType>(op.getSrc().getType());
    auto indices = cast<RankedTensorType>(op.getIndices().getType());
    auto result = cast<RankedTensorType>(op.getType());
    for (RankedTensorType type : {source, indices})
      if (!getRegisterLayout(type))
        return op.emitOpError("expects tensors with a register layout, but "
                              "got ")
               << type;
    if (result.getEncoding() != indices.getEncoding())
      return op.emitOpError("expects indices and result of one layout, but "
                            "got ")
             << indices << " and " << result;
    LinearLayout layout = toLinearLayout(source);
    std::optional<GatherPlan> plan = layout::planGather(
        layout, toLinearLayout(result), Axis::coordinate(op.getAxis()));
    if (plan &&
        isCheap(*plan, layout, getMemoryBits(source.getElementType()), rules))
      return success();
    IRRewriter rewriter(op);
    Value memory = createSharedTile(rewriter, op.getLoc(), op.getSrc(),
                                    getRowMajorLayout(source.getShape()));
    rewriter.replaceOpWithNewOp<LocalGatherOp>(op, result, memory,
                                               op.getIndices(), op.getAxis());
    return success();
  }
};

} // namespace
