// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a histogram of bins in shared memory, which are cleared, counted in and
// read.

#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/SharedTile.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DECOMPOSEHISTOGRAMS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

namespace {
struct DecomposeHistograms
    : tilegpu::impl::DecomposeHistogramsBase<DecomposeHistograms> {
  void runOnOperation() override {
    SmallVector<tt::HistogramOp> histograms;
    getOperation().walk([&](tt::HistogramOp op) { histograms.push_back(op); });
    for (tt::HistogramOp op : histograms)
      if (failed(decompose(op)))
        return signalPassFailure();
  }

private:
  static LogicalResult decompose(tt::HistogramOp op) {
    auto type = cast<RankedTensorType>(op.getType());
    for (Type each : {op.getSrc().getType(), op.getType()})
      if (!getRegisterLayout(each))
        return op.emitOpError("expects tensors with a register layout, but "
                              "got ")
               << each;
    IRRewriter rewriter(op);
    Value zeros = arith::ConstantOp::create(rewriter, op.getLoc(),
                                            rewriter.getZeroAttr(type));
    // Which bins a warp counts in is not known, so that no order is better.
    Value bins = createSharedTile(
        rewriter, op.getLoc(), zeros,
        LinearLayout::identity(Axis::Offset, Axis::coordinate(0),
                               layout::log2Exact(type.getDimSize(0))));
    LocalCountOp::create(rewriter, op.getLoc(), op.getSrc(), bins,
                         op.getMask());
    rewriter.replaceOpWithNewOp<LocalLoadOp>(op, type, bins, /*token=*/Value());
    return success();
  }
};
} // namespace
