// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions within warps: registers are combined in a balanced tree, or in
// chains where they are products to be summed, then lanes in a butterfly. Comes
// in: tt.reduce whose rows no two warps share
// (tilegpu-decompose-reductions), and tilegpu.partial_reduce, which keeps what
// the warps share. No shared memory and no barrier is made here.
//
// The elements that one reduction combines are those with equal coordinates
// apart from the axis: in a linear layout a coset of the kernel of the map to
// these coordinates. A basis of that kernel whose images along the axis are
// independent names every element exactly once, whatever copies the layout
// holds; each basis vector is one step.

#include "dialects/Layout/F2.h"
#include "passes/TileGPUToLLVM/Combine.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;
namespace f2 = layout::f2;

namespace {

/// One step: each register r is combined with register r ^ `registers` of the
/// lane that differs by `lanes`.
struct Step {
  uint64_t registers;
  uint64_t lanes;
  /// How the coordinate along the axis differs.
  uint64_t coordinate;
};

/// How the elements of a reduction lie in the registers and lanes of one warp.
class ReductionPlan {
public:
  ReductionPlan(const LinearLayout &source, Axis axis)
      : source(source), axis(axis), bits(source.outputBits(axis)),
        registerCount(1u << source.inputBits(Axis::Register)) {
    f2::System rows(getThreadColumns(source.removeOutput(axis)));
    // In reduced echelon form the vectors of registers alone come first.
    for (uint64_t vector : rows.kernel())
      addStep(vector);
    auto isBefore = [](const Step &a, const Step &b) {
      return a.coordinate < b.coordinate;
    };
    llvm::sort(registerSteps, isBefore);
    llvm::sort(laneSteps, isBefore);
    findRepresentatives();
  }

  ArrayRef<Step> getRegisterSteps() const { return registerSteps; }
  ArrayRef<Step> getLaneSteps() const { return laneSteps; }
  const f2::Span &getCopies() const { return copies; }
  /// The register that stands for `index` once the registers are combined.
  unsigned getRepresentative(unsigned index) const {
    return combined.reduce(index);
  }
  /// log2 of the partial results that a row leaves in different warps.
  unsigned partialBits() const { return bits - within.dimension(); }

  /// Where the result of each source element is: (register, lane, warp) -> the
  /// other coordinates and, if `keepAxis`, the number of the partial result
  /// along the axis.
  LinearLayout getResultMap(bool keepAxis) const {
    std::vector<AxisBits> outputs;
    for (const AxisBits &output : source.outputs()) {
      unsigned dim = output.axis.dimension();
      if (output.axis != axis)
        outputs.push_back(
            {Axis::coordinate(dim - (!keepAxis && dim > axis.dimension())),
             output.bits});
      else if (keepAxis)
        outputs.push_back({axis, partialBits()});
    }
    std::vector<uint64_t> columns;
    for (const AxisBits &input : source.inputs())
      for (unsigned bit = 0; bit < input.bits; ++bit)
        columns.push_back(getResultColumn(input.axis, bit, keepAxis));
    return LinearLayout(source.inputs(), std::move(outputs),
                        std::move(columns));
  }

private:
  void addStep(uint64_t vector) {
    unsigned registerBits = source.inputBits(Axis::Register);
    Step step{vector & (registerCount - 1), vector >> registerBits, 0};
    step.coordinate =
        source.apply(vector) >> source.outputOffset(axis) & axisMask();
    // A vector that adds nothing along the axis leads to a copy.
    if (!within.add(step.coordinate))
      return;
    (step.lanes ? laneSteps : registerSteps).push_back(step);
  }

  void findRepresentatives() {
    for (uint64_t copy : f2::System(getRegisterColumns(source)).kernel())
      copies.add(copy);
    combined = copies;
    for (const Step &step : registerSteps)
      combined.add(step.registers);
  }

  uint64_t getResultColumn(Axis input, unsigned bit, bool keepAxis) const {
    uint64_t column = 0;
    unsigned shift = 0;
    for (const AxisBits &output : source.outputs()) {
      uint64_t value = source.basis(input, bit, output.axis);
      unsigned width = output.bits;
      if (output.axis == axis) {
        value = keepAxis ? getPartial(value) : 0;
        width = keepAxis ? partialBits() : 0;
      }
      column |= value << shift;
      shift += width;
    }
    return column;
  }

  /// The number of the partial result of a coordinate, as
  /// tilegpu-decompose-reductions counts: ascending along the axis.
  uint64_t getPartial(uint64_t coordinate) const {
    uint64_t leads = 0, number = 0;
    for (uint64_t vector : within.basis())
      leads |= llvm::bit_floor(vector);
    uint64_t rest = within.reduce(coordinate);
    unsigned position = 0;
    for (unsigned bit = 0; bit < bits; ++bit)
      if (!(leads >> bit & 1))
        number |= (rest >> bit & 1) << position++;
    return number;
  }

  uint64_t axisMask() const { return (uint64_t(1) << bits) - 1; }

  const LinearLayout source;
  Axis axis;
  unsigned bits;
  uint64_t registerCount;
  /// The differences along the axis that a warp holds.
  f2::Span within;
  SmallVector<Step> registerSteps, laneSteps;
  /// Registers that differ by these hold the same, before and after the
  /// registers are combined.
  f2::Span copies, combined;
};

/// Combines within threads: the balanced tree, neighbours along the axis first.
/// Afterwards the entries of the plan's representatives hold the results. Steps
/// are in reduced echelon form, so they lead from representatives (registers
/// without a leading bit of a step or a copy) to representatives. The first
/// `doneSteps` have been taken already.
void combineRegisters(const ReductionPlan &plan, size_t doneSteps,
                      Combiner &combiner, MutableArrayRef<Tuple> tuples) {
  f2::Span done = plan.getCopies();
  for (auto [number, step] : llvm::enumerate(plan.getRegisterSteps())) {
    done.add(step.registers);
    if (number < doneSteps)
      continue;
    for (unsigned index = 0; index < tuples.size(); ++index)
      if (done.reduce(index) == index)
        tuples[index] =
            combiner.combine(tuples[index], tuples[index ^ step.registers]);
  }
}

/// Whether `op` sums products that may be fused with the additions.
bool sumsProducts(Operation *op, Region &region) {
  auto fuses = [](auto arithmetic) {
    return arithmetic && bitEnumContainsAll(arithmetic.getFastmath(),
                                            arith::FastMathFlags::contract);
  };
  Block &block = region.front();
  return op->getNumOperands() == 1 && block.getOperations().size() == 2 &&
         fuses(dyn_cast<arith::AddFOp>(block.front())) &&
         fuses(op->getOperand(0).getDefiningOp<arith::MulFOp>());
}

/// Combines within threads in chains, each of a quarter of a row (of half of
/// one of eight registers or fewer), and these in a tree: each addition but the
/// first of a chain fuses with a product, so that N products take at most N + 3
/// instructions, for 3 N / 2 - 1 in a tree.
void combineInChains(const ReductionPlan &plan, Combiner &combiner,
                     MutableArrayRef<Tuple> tuples) {
  ArrayRef<Step> steps = plan.getRegisterSteps();
  size_t inTree = std::min<size_t>(steps.size(), steps.size() > 3 ? 2 : 1);
  ArrayRef<Step> along = steps.drop_back(inTree);
  f2::Span chain = plan.getCopies();
  for (const Step &step : along)
    chain.add(step.registers);
  for (unsigned first = 0; first < tuples.size(); ++first) {
    // Of the registers of a chain one leads it.
    if (chain.reduce(first) != first)
      continue;
    // In the order of a Gray code, in which neighbours differ by one step.
    unsigned index = first;
    for (unsigned next = 1; next < 1u << along.size(); ++next) {
      index ^= along[llvm::countr_zero(next)].registers;
      tuples[first] = combiner.combine(tuples[first], tuples[index]);
    }
  }
  combineRegisters(plan, along.size(), combiner, tuples);
}

/// Combines the representatives across lanes, a butterfly: every lane ends with
/// the result.
void combineLanes(const ReductionPlan &plan, Combiner &combiner,
                  SmallVector<Tuple> &tuples) {
  for (const Step &step : plan.getLaneSteps()) {
    SmallVector<Tuple> next(tuples);
    for (unsigned index = 0; index < tuples.size(); ++index) {
      if (plan.getRepresentative(index) != index)
        continue;
      next[index] = combiner.combine(
          tuples[index],
          combiner.shuffleXor(tuples[index ^ step.registers], step.lanes));
    }
    tuples = std::move(next);
  }
}

/// The registers of the result, found among those that hold the reduced values.
FailureOr<SmallVector<Tuple>> pickResults(Operation *op,
                                          const ReductionPlan &plan,
                                          bool keepAxis,
                                          ArrayRef<Tuple> tuples) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return SmallVector<Tuple>{tuples.front()};
  LinearLayout held = plan.getResultMap(keepAxis);
  LinearLayout result = toLinearLayout(type);
  std::vector<layout::AxisBits> coordinates = held.outputs();
  if (result.outputs() != coordinates)
    return op->emitOpError("expects a result of ")
           << held.str() << ", but got " << type;
  LinearLayout identity;
  for (const AxisBits &output : coordinates)
    identity = identity *
               LinearLayout::identity(output.axis, output.axis, output.bits);
  std::optional<SmallVector<unsigned>> registers =
      matchRegisters(held, result, identity);
  if (!registers)
    return op->emitOpError("expects a result in the threads that hold the "
                           "source's rows, but got ")
           << op->getOperand(0).getType() << " and " << type;
  return llvm::map_to_vector(*registers, [&](unsigned index) {
    return tuples[plan.getRepresentative(index)];
  });
}

/// Lowers `op`, whose `region` combines along `dim`. `keepAxis`: the result has
/// the warps' partial results along it.
LogicalResult lowerReduction(Operation *op, unsigned dim, Region &region,
                             bool keepAxis, ArrayRef<ValueRange> operands,
                             const TileGPUTypeConverter &converter,
                             ConversionPatternRewriter &rewriter) {
  FailureOr<LinearLayout> source = getCommonLayout(op);
  if (failed(source))
    return failure();
  Axis axis = Axis::coordinate(dim);
  ReductionPlan plan(*source, axis);
  if (!keepAxis && plan.partialBits())
    return op->emitOpError("expects tilegpu-decompose-reductions to have run, "
                           "but got an axis that is distributed among ")
           << (1u << plan.partialBits())
           << " warps: " << op->getOperand(0).getType();
  for (Type result : op->getResultTypes()) {
    auto type = dyn_cast<RankedTensorType>(result);
    auto first = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (type &&
        (!getRegisterLayout(type) || type.getEncoding() != first.getEncoding()))
      return op->emitOpError("expects results of one register layout, but got ")
             << first << " and " << type;
  }
  Emitter emitter(rewriter, op->getLoc());
  Combiner combiner(emitter, rewriter, converter, region);
  SmallVector<Tuple> tuples = zipOperands(operands);
  if (sumsProducts(op, region))
    combineInChains(plan, combiner, tuples);
  else
    combineRegisters(plan, /*doneSteps=*/0, combiner, tuples);
  combineLanes(plan, combiner, tuples);
  FailureOr<SmallVector<Tuple>> results =
      pickResults(op, plan, keepAxis, tuples);
  if (failed(results))
    return failure();
  rewriter.replaceOpWithMultiple(op, unzipTuples(*results, operands.size()));
  return success();
}

/// Lower tt.reduce within warps.
struct LowerReduce : TileGPUPattern<tt::ReduceOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::ReduceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return lowerReduction(op, op.getAxis(), op.getCombineOp(),
                          /*keepAxis=*/false, adaptor.getOperands(), converter,
                          rewriter);
  }
};

/// Lower tilegpu.partial_reduce.
struct LowerPartialReduce : TileGPUPattern<PartialReduceOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(PartialReduceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return lowerReduction(op, op.getAxis(), op.getCombine(), /*keepAxis=*/true,
                          adaptor.getOperands(), converter, rewriter);
  }
};

} // namespace

void tilegpu::populateReductionPatterns(const TileGPUTypeConverter &converter,
                                        const target::Target &target,
                                        RewritePatternSet &patterns) {
  patterns.add<LowerReduce, LowerPartialReduce>(converter, target);
  populateScanPatterns(converter, target, patterns);
}
