// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
#include "passes/TileToTileGPU/LayoutAnchors.h"
#include "passes/TileToTileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_WIDENDOTS
#include "passes/TileToTileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static bool isSmallFloat(Value operand) {
  Type element = cast<RankedTensorType>(operand.getType()).getElementType();
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
}

/// The operand in f16, which holds every 8-bit float.
static Value widen(OpBuilder &builder, Location location, Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  return tt::FpToFpOp::create(builder, location,
                              type.clone(builder.getF16Type()), operand,
                              /*rbits=*/Value(), tt::RoundingModeAttr());
}

namespace {
struct WidenDots : tilegpu::impl::WidenDotsBase<WidenDots> {
  using WidenDotsBase::WidenDotsBase;

  void runOnOperation() override {
    const target::Target *target = target::lookup(targetName);
    if (!target) {
      getOperation().emitError(target::unknownTargetMessage(targetName));
      return signalPassFailure();
    }
    getOperation().walk([&](tt::DotOp dot) {
      if (!isSmallFloat(dot.getA()) ||
          chooseDot(dot, *target, numWarps).instruction)
        return;
      OpBuilder builder(dot);
      dot.getAMutable().assign(widen(builder, dot.getLoc(), dot.getA()));
      dot.getBMutable().assign(widen(builder, dot.getLoc(), dot.getB()));
    });
  }
};
} // namespace
