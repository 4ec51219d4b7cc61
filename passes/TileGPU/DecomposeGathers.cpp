// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a gather into the way of its source to shared memory and the reads of
// the elements picked, unless shuffles within warps do.

#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/TileGPU/GatherPlan.h"
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
using layout::LinearLayout;

namespace {

/// Whether shuffles cost no more than the way through shared memory: a
/// wavefront each for most stores and loads, twice as long as a shuffle with
/// its address, and the wait of two barriers (prices as in PlanConversions, in
/// half cycles).
bool isCheap(const GatherPlan &plan, const LinearLayout &source,
             unsigned elementBits) {
  unsigned words = std::max(1u, elementBits / 32);
  unsigned shuffles = words * (2 * plan.countShuffles() + plan.countSelects());
  unsigned accesses = (1u << source.inputBits(Axis::Register)) +
                      (1u << plan.from.inputBits(Axis::Register));
  return shuffles <= 40 + 4 * words * accesses;
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
    SmallVector<tt::GatherOp> gathers;
    getOperation().walk([&](tt::GatherOp op) { gathers.push_back(op); });
    for (tt::GatherOp op : gathers)
      if (failed(decompose(op)))
        return signalPassFailure();
  }

private:
  static LogicalResult decompose(tt::GatherOp op) {
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
    std::optional<GatherPlan> plan = planGather(layout, toLinearLayout(result),
                                                Axis::coordinate(op.getAxis()));
    if (plan && isCheap(*plan, layout, getMemoryBits(source.getElementType())))
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
