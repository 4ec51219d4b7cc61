// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of elements of shared memory at indices known at run time.
//
// The offset of an element is linear in its coordinates: that of its index
// along the axis, XORed with that of its other coordinates, which are the
// thread's and the register's.

#include "passes/TileGPUToLLVM/Lowering.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

namespace {

/// (register, lane, warp) -> the coordinates of `result` in the source, 0 along
/// `axis`. `source`: the bits of the source's coordinates.
LinearLayout clearAxis(const LinearLayout &result, Axis axis,
                       const std::vector<AxisBits> &source) {
  std::vector<uint64_t> columns;
  for (const AxisBits &input : result.inputs())
    for (unsigned bit = 0; bit < input.bits; ++bit) {
      uint64_t column = 0;
      unsigned shift = 0;
      for (const AxisBits &output : source) {
        if (!(output.axis == axis))
          column |= result.basis(input.axis, bit, output.axis) << shift;
        shift += output.bits;
      }
      columns.push_back(column);
    }
  return LinearLayout(result.inputs(), source, std::move(columns));
}

/// `index` as an i32 inside [0, 2^bits).
Value emitIndex(Emitter &emitter, Value index, unsigned bits) {
  Type i32 = emitter.builder.getI32Type();
  unsigned width = index.getType().getIntOrFloatBitWidth();
  if (width > 32)
    index =
        LLVM::TruncOp::create(emitter.builder, emitter.location, i32, index);
  else if (width < 32)
    index = LLVM::SExtOp::create(emitter.builder, emitter.location, i32, index);
  return emitter.bitAnd(index, emitter.constant((uint64_t(1) << bits) - 1));
}

/// Lower tilegpu.local_gather.
struct LowerLocalGather : TileGPUPattern<LocalGatherOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(LocalGatherOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemDescType source = op.getSource().getType();
    unsigned bits = source.getElementBits();
    LinearLayout shared = source.toLinearLayout();
    if (bits > 64 || !llvm::isPowerOf2_32(bits) || !shared.isBijective())
      return op.emitOpError("expects elements of 8, 16, 32 or 64 bits, placed "
                            "once each, but got ")
             << source;
    Emitter emitter(rewriter, op.getLoc());
    auto type = cast<RankedTensorType>(op.getType());
    Axis axis = Axis::coordinate(op.getAxis());
    LinearLayout offsets = *shared.invert();
    ThreadCoordinates others(
        emitter, clearAxis(toLinearLayout(type), axis, offsets.inputs())
                     .compose(offsets));
    Type integer = rewriter.getIntegerType(bits);
    Type element = converter.convertElement(type.getElementType());
    SmallVector<Value> results;
    for (auto [number, index] : llvm::enumerate(adaptor.getIndices())) {
      Value offset = others.get(number, Axis::Offset);
      Value along = emitAxisPart(
          emitter, offsets, axis,
          emitIndex(emitter, index, offsets.inputBits(axis)), Axis::Offset);
      if (along)
        offset = emitter.bitXor(offset, along);
      Value loaded = LLVM::LoadOp::create(
          rewriter, op.getLoc(), integer,
          emitter.gep(adaptor.getSource().front(), integer, offset), bits / 8);
      results.push_back(
          unpackElements(emitter, loaded, 1, element, bits).front());
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void tilegpu::populateGatherPatterns(const TileGPUTypeConverter &converter,
                                     const target::Target &target,
                                     RewritePatternSet &patterns) {
  patterns.add<LowerLocalGather>(converter, target);
}
