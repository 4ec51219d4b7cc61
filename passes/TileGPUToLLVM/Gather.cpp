// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements at indices known at run time, in shared memory or in the registers
// of the warp.
//
// Where an element is (an offset; a register and a lane) is linear in its
// coordinates: the place of its index along the axis, XORed with that of its
// other coordinates, which are the thread's and the register's.

#include "dialects/Layout/GatherPlan.h"
#include "passes/TileGPUToLLVM/SharedMemory.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::GatherPlan;
using layout::LinearLayout;

namespace {

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

/// Emits a GatherPlan.
class GatherEmitter {
public:
  GatherEmitter(Emitter &emitter, const GatherPlan &plan, Axis axis)
      : emitter(emitter), plan(plan), axis(axis), place(emitter, plan.from) {}

  /// The element of `source` that `index` (i32, within bounds) picks for
  /// register `number` of the result.
  Value emit(ValueRange source, unsigned number, Value index) {
    Value lane =
        join(place.get(number, Axis::Lane),
             emitAxisPart(emitter, plan.from, axis, index, Axis::Lane));
    layout::AxisValue input = {Axis::Register, number};
    uint64_t first = plan.from.apply({&input, 1}).front().value;
    SmallVector<unsigned> bits;
    for (uint64_t left = plan.variableRegisters; left; left &= left - 1)
      bits.push_back(llvm::countr_zero(left));
    SmallVector<Value> values;
    for (unsigned choice = 0; choice < (1u << bits.size()); ++choice) {
      uint64_t candidate = first;
      for (auto [position, bit] : llvm::enumerate(bits))
        candidate ^= uint64_t(choice >> position & 1) << bit;
      values.push_back(emitter.shuffleIndex(source[candidate], lane));
    }
    if (bits.empty())
      return values.front();
    return choose(values, bits, index);
  }

private:
  Value join(Value a, Value b) { return b ? emitter.bitXor(a, b) : a; }

  /// The one of `values` that `bits` of the register's variable part name, the
  /// first of them the lowest bit.
  Value choose(SmallVector<Value> values, ArrayRef<unsigned> bits,
               Value index) {
    Value variable =
        join(place.get(0, Axis::Register),
             emitAxisPart(emitter, plan.from, axis, index, Axis::Register));
    return emitter.selectByBits(std::move(values), variable, bits);
  }

  Emitter &emitter;
  const GatherPlan &plan;
  Axis axis;
  ThreadCoordinates place;
};

/// Lower tt.gather within warps.
struct LowerGather : TileGPUPattern<tt::GatherOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::GatherOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getSrc().getType());
    auto type = cast<RankedTensorType>(op.getType());
    Axis axis = Axis::coordinate(op.getAxis());
    std::optional<GatherPlan> plan =
        layout::planGather(toLinearLayout(source), toLinearLayout(type), axis);
    if (!plan)
      return op.emitOpError(
          "expects tilegpu-decompose-gathers to have run, but "
          "got a gather that moves data between warps");
    Emitter emitter(rewriter, op.getLoc());
    GatherEmitter gather(emitter, *plan, axis);
    SmallVector<Value> results;
    for (auto [number, index] : llvm::enumerate(adaptor.getIndices()))
      results.push_back(
          gather.emit(adaptor.getSrc(), number,
                      emitIndex(emitter, index, plan->from.inputBits(axis))));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// The lowest bits of a register's number that are those of its element's
/// offset in memory, and that neither threads nor the gathered axis reach: so
/// many elements, of `elementBits` each, lie side by side wherever the indices
/// of a thread's registers are the same. `place` leaves out the axis.
unsigned countNeighbourBits(const LinearLayout &place,
                            const LinearLayout &offsets, Axis axis,
                            unsigned elementBits) {
  unsigned bits = 0;
  while (bits < place.inputBits(Axis::Register) &&
         place.basis(Axis::Register, bits, Axis::Offset) == 1u << bits &&
         elementBits << (bits + 1) <= 128)
    ++bits;
  // The lowest bit that anything else reaches ends them.
  uint64_t reached = 0;
  auto reach = [&](const LinearLayout &layout, Axis input, unsigned first) {
    for (unsigned bit = first; bit < layout.inputBits(input); ++bit)
      reached |= layout.basis(input, bit, Axis::Offset);
  };
  reach(place, Axis::Register, bits);
  reach(place, Axis::Lane, 0);
  reach(place, Axis::Warp, 0);
  reach(offsets, axis, 0);
  return reached == 0 ? bits
                      : std::min<unsigned>(bits, llvm::countr_zero(reached));
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
    if (bits > 64 || !llvm::isPowerOf2_32(bits))
      return op.emitOpError("expects elements of 8, 16, 32 or 64 bits, but "
                            "got ")
             << source;
    Emitter emitter(rewriter, op.getLoc());
    auto type = cast<RankedTensorType>(op.getType());
    Axis axis = Axis::coordinate(op.getAxis());
    LinearLayout offsets = *shared.invert();
    LinearLayout place =
        layout::clearAxis(toLinearLayout(type), axis, offsets.inputs())
            .compose(offsets);
    ThreadCoordinates others(emitter, place);
    Type element = converter.convertElement(type.getElementType());
    size_t neighbours = 1;
    if (source.getEncoding().getPadding().empty())
      neighbours <<= countNeighbourBits(place, offsets, axis, bits);
    ValueRange indices = adaptor.getIndices();
    SmallVector<Value> results;
    while (results.size() < indices.size()) {
      unsigned first = results.size();
      ValueRange group =
          indices.slice(first, first % neighbours == 0 ? neighbours : 1);
      if (!llvm::all_equal(group))
        group = group.take_front();
      Value offset = others.get(first, Axis::Offset);
      Value along = emitAxisPart(
          emitter, offsets, axis,
          emitIndex(emitter, group[0], offsets.inputBits(axis)), Axis::Offset);
      if (along)
        offset = emitter.bitXor(offset, along);
      offset = emitPlace(emitter, offset, source.getEncoding().getPadding());
      Value address = emitter.gep(adaptor.getSource().front(),
                                  rewriter.getIntegerType(bits), offset);
      llvm::append_range(
          results, loadElements(emitter, address, group.size(), element, bits));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void tilegpu::populateGatherPatterns(const TileGPUTypeConverter &converter,
                                     const target::Target &target,
                                     RewritePatternSet &patterns) {
  patterns.add<LowerGather, LowerLocalGather>(converter, target);
}
