// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a reduction across warps into a reduction within each warp, a
// conversion of the partial results, and a reduction in registers.

#include "dialects/Layout/F2.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DECOMPOSEREDUCTIONS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;
namespace f2 = layout::f2;

namespace {

/// The axis seen from warps: a warp that holds some elements of a row holds all
/// whose coordinates along the axis differ by a vector of `within`. The cosets
/// of `within` are the partial results.
class PartialAxis {
public:
  PartialAxis(const LinearLayout &source, Axis axis)
      : bits(source.outputBits(axis)) {
    LinearLayout rows = source.removeOutput(axis);
    unsigned threadBits =
        source.inputBits(Axis::Register) + source.inputBits(Axis::Lane);
    f2::System system(std::span(rows.columns()).first(threadBits));
    unsigned shift = source.outputOffset(axis);
    for (uint64_t sameRow : system.kernel())
      within.add(source.apply(sameRow) >> shift & mask());
    for (uint64_t vector : within.basis())
      leads |= std::bit_floor(vector);
  }

  /// log2 of the number of partial results of a row.
  unsigned partialBits() const { return bits - within.dimension(); }
  /// The number of the partial result that coordinate `value` belongs to:
  /// ascending along the axis where warps are.
  uint64_t partialOf(uint64_t value) const {
    uint64_t rest = within.reduce(value), number = 0;
    unsigned position = 0;
    for (unsigned bit = 0; bit < bits; ++bit)
      if (!(leads >> bit & 1))
        number |= (rest >> bit & 1) << position++;
    return number;
  }

private:
  uint64_t mask() const { return (uint64_t(1) << bits) - 1; }

  unsigned bits;
  f2::Span within;
  /// The leading bits of `within`: coordinates that reduce() clears.
  uint64_t leads = 0;
};

/// Drops the register bits that hold copies of what other registers of the
/// thread hold.
LinearLayout removeRegisterCopies(const LinearLayout &layout) {
  uint64_t redundant = layout.redundantBits(Axis::Register);
  std::vector<AxisBits> inputs = layout.inputs();
  std::vector<uint64_t> columns;
  for (AxisBits &input : inputs) {
    unsigned bits = input.bits;
    for (unsigned bit = 0; bit < bits; ++bit) {
      if (input.axis == Axis(Axis::Register) && (redundant >> bit & 1))
        --input.bits;
      else
        columns.push_back(layout.column(input.axis, bit));
    }
  }
  return LinearLayout(std::move(inputs), layout.outputs(), std::move(columns));
}

/// The layout of the partial results: an element is where the elements that it
/// sums up were.
LinearLayout makePartialLayout(const LinearLayout &source, Axis axis,
                               const PartialAxis &partials) {
  std::vector<AxisBits> outputs;
  for (unsigned dim = 0; dim < source.outputs().size(); ++dim) {
    Axis output = Axis::coordinate(dim);
    outputs.push_back({output, output == axis ? partials.partialBits()
                                              : source.outputBits(output)});
  }
  return removeRegisterCopies(LinearLayout::fromBases(
      source.inputs(), std::move(outputs),
      [&](Axis input, unsigned bit, Axis output) {
        uint64_t value = source.basis(input, bit, output);
        return output == axis ? partials.partialOf(value) : value;
      }));
}

/// The bits of the axis that lanes share out: those beyond a vector of 4
/// registers, as far as there are lanes that hold copies of `result`. Each such
/// lane bit gets the number of its bit of the axis.
SmallVector<std::optional<unsigned>> shareLanes(const LinearLayout &result,
                                                unsigned bits) {
  constexpr unsigned vectorBits = 2;
  SmallVector<std::optional<unsigned>> shared;
  unsigned next = std::min(bits, vectorBits);
  for (unsigned bit = 0; bit < result.inputBits(Axis::Lane); ++bit) {
    bool isCopy = result.column(Axis::Lane, bit) == 0;
    shared.push_back(isCopy && next < bits ? std::optional(next++)
                                           : std::nullopt);
  }
  return shared;
}

/// The layout in which threads hold all `bits` of the axis of each of their
/// results: lowest in a thread's registers, where there are many in lanes that
/// would else hold copies. `result` is the layout of the reduction's result, of
/// the threads of `source` where that is a scalar.
LinearLayout makeGatheredLayout(const LinearLayout &result, unsigned dim,
                                unsigned bits) {
  std::vector<AxisBits> inputs = result.inputs(), outputs;
  std::vector<uint64_t> columns;
  unsigned rank = result.outputs().size() + 1;
  for (unsigned i = 0; i < rank; ++i) {
    // Dimensions from the axis on stand one lower in the result.
    unsigned old = i > dim ? i - 1 : i;
    outputs.push_back(
        {Axis::coordinate(i),
         i == dim ? bits : result.outputBits(Axis::coordinate(old))});
  }
  auto flatten = [&](llvm::function_ref<uint64_t(unsigned)> valueOf) {
    uint64_t column = 0;
    unsigned shift = 0;
    for (unsigned i = 0; i < rank; ++i) {
      column |= valueOf(i) << shift;
      shift += outputs[i].bits;
    }
    columns.push_back(column);
  };
  SmallVector<std::optional<unsigned>> lanes = shareLanes(result, bits);
  unsigned inRegisters = 0;
  for (unsigned bit = 0; bit < bits; ++bit)
    if (!llvm::is_contained(lanes, std::optional(bit))) {
      flatten([&](unsigned i) { return i == dim ? uint64_t(1) << bit : 0; });
      ++inRegisters;
    }
  for (AxisBits &input : inputs) {
    for (unsigned bit = 0; bit < input.bits; ++bit)
      flatten([&](unsigned i) -> uint64_t {
        if (i == dim)
          return input.axis == Axis(Axis::Lane) && lanes[bit]
                     ? uint64_t(1) << *lanes[bit]
                     : 0;
        return result.basis(input.axis, bit,
                            Axis::coordinate(i > dim ? i - 1 : i));
      });
    if (input.axis == Axis(Axis::Register))
      input.bits += inRegisters;
  }
  return LinearLayout(std::move(inputs), std::move(outputs),
                      std::move(columns));
}

/// The layout of a reduction's result; a scalar is in every thread.
LinearLayout getResultLayout(Type result, const LinearLayout &source) {
  if (auto type = dyn_cast<RankedTensorType>(result))
    return toLinearLayout(type);
  return LinearLayout({{Axis::Register, 0},
                       {Axis::Lane, source.inputBits(Axis::Lane)},
                       {Axis::Warp, source.inputBits(Axis::Warp)}},
                      {},
                      std::vector<uint64_t>(source.inputBits(Axis::Lane) +
                                            source.inputBits(Axis::Warp)));
}

/// Diagnoses types that the pass cannot take.
LogicalResult verifyTypes(tt::ReduceOp op) {
  Attribute encoding;
  for (Value source : op->getOperands()) {
    if (!getRegisterLayout(source.getType()))
      return op.emitOpError("expects sources with a register layout, but got ")
             << source.getType();
    Attribute own = cast<RankedTensorType>(source.getType()).getEncoding();
    if (encoding && own != encoding)
      return op.emitOpError("expects sources of one layout, but got ")
             << encoding << " and " << own;
    encoding = own;
  }
  for (Type result : op->getResultTypes())
    if (isa<RankedTensorType>(result) && !getRegisterLayout(result))
      return op.emitOpError("expects results with a register layout, but got ")
             << result;
  return success();
}

/// Reduces within warps: the partial results, under `layout`.
PartialReduceOp createPartialReduce(tt::ReduceOp op, Attribute layout,
                                    int64_t partials, OpBuilder &builder) {
  SmallVector<Type> types;
  for (Value source : op->getOperands()) {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[op.getAxis()] = partials;
    types.push_back(
        RankedTensorType::get(shape, type.getElementType(), layout));
  }
  auto partial = PartialReduceOp::create(builder, op.getLoc(), types,
                                         op->getOperands(), op.getAxis());
  IRMapping mapping;
  op->getRegion(0).cloneInto(&partial.getCombine(), mapping);
  for (Block &block : partial.getCombine()) {
    Operation *end = block.getTerminator();
    OpBuilder atEnd(end);
    PartialReduceReturnOp::create(atEnd, end->getLoc(), end->getOperands());
    end->erase();
  }
  return partial;
}

void decompose(tt::ReduceOp op, const LinearLayout &source, Axis axis,
               const PartialAxis &partialAxis) {
  OpBuilder builder(op);
  unsigned bits = partialAxis.partialBits();
  auto partialLayout = LinearAttr::get(
      op.getContext(), makePartialLayout(source, axis, partialAxis));
  PartialReduceOp partial =
      createPartialReduce(op, partialLayout, int64_t(1) << bits, builder);
  SmallVector<Value> gathered;
  for (auto [value, result] :
       llvm::zip_equal(partial.getPartials(), op->getResultTypes())) {
    auto layout = LinearAttr::get(
        op.getContext(), makeGatheredLayout(getResultLayout(result, source),
                                            axis.dimension(), bits));
    gathered.push_back(ConvertLayoutOp::create(
        builder, op.getLoc(),
        withEncoding(cast<RankedTensorType>(value.getType()), layout), value));
  }
  // In registers, and between lanes, the same op does the rest.
  op->setOperands(gathered);
}

struct DecomposeReductions
    : tilegpu::impl::DecomposeReductionsBase<DecomposeReductions> {
  void runOnOperation() override {
    SmallVector<tt::ReduceOp> reductions;
    getOperation().walk([&](tt::ReduceOp op) { reductions.push_back(op); });
    for (tt::ReduceOp op : reductions) {
      if (failed(verifyTypes(op)))
        return signalPassFailure();
      LinearLayout source =
          toLinearLayout(cast<RankedTensorType>(op->getOperand(0).getType()));
      Axis axis = Axis::coordinate(op.getAxis());
      PartialAxis partialAxis(source, axis);
      if (partialAxis.partialBits())
        decompose(op, source, axis, partialAxis);
    }
  }
};

} // namespace
