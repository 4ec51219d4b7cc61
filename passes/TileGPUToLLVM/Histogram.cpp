// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counting in shared memory: one reduction for each element that a thread owns.

#include "dialects/Layout/F2.h"
#include "passes/TileGPUToLLVM/Combine.h"
#include "passes/TileGPUToLLVM/SharedMemory.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

namespace {

/// Lower tilegpu.local_count.
struct LowerLocalCount : TileGPUPattern<LocalCountOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(LocalCountOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    LinearLayout layout =
        toLinearLayout(cast<RankedTensorType>(op.getElements().getType()));
    layout::f2::Span copies;
    for (uint64_t copy :
         layout::f2::System(getRegisterColumns(layout)).kernel())
      copies.add(copy);
    Value owner = emitOwnerPredicate(emitter, layout);
    for (auto [number, element] : llvm::enumerate(adaptor.getElements())) {
      if (copies.reduce(number) != number)
        continue;
      Value counts = owner;
      if (op.getMask())
        counts = both(counts, adaptor.getMask()[number], emitter);
      count(op, adaptor.getDestination().front(), element, counts, emitter);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value both(Value a, Value b, Emitter &emitter) {
    return a ? emitter.bitAnd(a, b) : b;
  }

  /// Adds 1 to the bin `element` of those at `base`, if there is such a bin and
  /// `counts`, which may be null, is true.
  static void count(LocalCountOp op, Value base, Value element, Value counts,
                    Emitter &emitter) {
    OpBuilder &builder = emitter.builder;
    MemDescType bins = op.getDestination().getType();
    uint64_t number = bins.getShape().front();
    unsigned width = element.getType().getIntOrFloatBitWidth();
    if (width > 63 || number < uint64_t(1) << width)
      counts = both(counts,
                    LLVM::ICmpOp::create(builder, emitter.location,
                                         LLVM::ICmpPredicate::ult, element,
                                         emitter.constant(number, width)),
                    emitter);
    LinearLayout offsets = *bins.toLinearLayout().invert();
    Value index = emitBin(element, number, emitter);
    Value offset = emitAxisPart(emitter, offsets, Axis::coordinate(0), index,
                                Axis::Offset);
    if (!offset)
      offset = emitter.constant(0);
    offset = emitPlace(emitter, offset, bins.getEncoding().getPadding());
    Value place = emitter.gep(base, builder.getI32Type(), offset);
    SmallVector<Value> operands = {LLVM::PtrToIntOp::create(
        builder, emitter.location, builder.getI32Type(), place)};
    if (counts)
      operands.push_back(counts);
    emitter.inlineAssembly(counts ? "@$1 red.shared.add.u32 [$0], 1;"
                                  : "red.shared.add.u32 [$0], 1;",
                           counts ? "r,b" : "r", {}, operands);
  }

  /// `element` as an i32 inside [0, number), where it is a bin.
  static Value emitBin(Value element, uint64_t number, Emitter &emitter) {
    Type i32 = emitter.builder.getI32Type();
    unsigned width = element.getType().getIntOrFloatBitWidth();
    if (width > 32)
      element = LLVM::TruncOp::create(emitter.builder, emitter.location, i32,
                                      element);
    else if (width < 32)
      element =
          LLVM::ZExtOp::create(emitter.builder, emitter.location, i32, element);
    return emitter.bitAnd(element, emitter.constant(number - 1));
  }
};

} // namespace

void tilegpu::populateHistogramPatterns(const TileGPUTypeConverter &converter,
                                        const target::Target &target,
                                        RewritePatternSet &patterns) {
  patterns.add<LowerLocalCount>(converter, target);
}
