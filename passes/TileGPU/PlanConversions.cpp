// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how each layout conversion moves its data, and makes those through
// shared memory explicit.

#include "dialects/Layout/SharedLayout.h"
#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/TileGPU/ConversionPlan.h"
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
using layout::Conversion;
using layout::LinearLayout;
using layout::Movement;
using layout::SharedPlan;
using target::Capability;

namespace {

// Prices, in half cycles of a multiprocessor. A warp's select takes half a
// cycle and its shuffle one. A wavefront of shared memory takes as long as a
// shuffle, and as much again for addresses and issue: on a T4, exchanging one
// (two) register bits with lane bits by shuffles took 0.25 to 0.35 (0.51 to
// 0.61) of the round trip's time (triton-lang/triton, issue 10360). The round
// trip waits for two barriers besides.
constexpr unsigned selectPrice = 1;
constexpr unsigned shufflePrice = 2;
constexpr unsigned wavefrontPrice = 4;
constexpr unsigned barriersPrice = 40;

uint64_t priceOf(const ShufflePlan &plan) {
  return uint64_t(shufflePrice) * plan.countShuffles() +
         uint64_t(selectPrice) * plan.countSelects();
}

uint64_t priceOf(const SharedPlan &plan, unsigned elementBits) {
  uint64_t wavefronts =
      (plan.matrixStore ? layout::wavefronts(*plan.matrixStore, elementBits)
                        : plan.storeWavefronts) +
      (plan.matrixLoad ? layout::wavefronts(*plan.matrixLoad, elementBits)
                       : plan.loadWavefronts);
  return wavefrontPrice * wavefronts + barriersPrice;
}

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
    std::optional<Conversion> conversion =
        layout::classifyConversion(source, result);
    assert(conversion && "a register layout holds every element");
    if (conversion->movement <= Movement::Registers)
      return success();
    unsigned bits = getMemoryBits(resultType.getElementType());
    bool inWarps = conversion->movement < Movement::Warps;
    if (bits > 64 || !llvm::isPowerOf2_32(bits)) {
      if (inWarps)
        return success();
      return op.emitOpError("expects elements of 8, 16, 32 or 64 bits in "
                            "shared memory, but got ")
             << resultType.getElementType();
    }
    SharedPlan shared = layout::planShared(
        source, result, bits,
        {target.has(Capability::LdMatrix), target.has(Capability::StMatrix)});
    if (inWarps) {
      std::optional<ShufflePlan> shuffles = planShuffles(source, result, bits);
      if (shuffles && priceOf(*shuffles) <= priceOf(shared, bits))
        return success();
    }
    lowerToShared(op, shared.shared);
    return success();
  }
};

} // namespace
