// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions within warps: registers are combined in a balanced tree, then lanes in a butterfly. Comes in: tt.reduce
// whose rows no two warps share (tilegpu-decompose-reductions), and tilegpu.partial_reduce, which keeps what the warps
// share. No shared memory and no barrier is made here.
//
// The elements that one reduction combines are those with equal coordinates apart from the axis: in a linear layout a
// coset of the kernel of the map to these coordinates. A basis of that kernel whose images along the axis are
// independent names every element exactly once, whatever copies the layout holds; each basis vector is one step.

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

/// One step: each register r is combined with register r ^ `registers` of the lane that differs by `lanes`.
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
    llvm::stable_sort(registerSteps, [](const Step &a, const Step &b) {
      return a.coordinate < b.coordinate;
    });
    findRepresentatives();
  }

  ArrayRef<Step> getRegisterSteps() const { return registerSteps; }
  ArrayRef<Step> getLaneSteps() const { return laneSteps; }
  /// The register that stands for `index` once the registers are combined.
  unsigned getRepresentative(unsigned index) const {
    return combined.reduce(index);
  }
  /// log2 of the partial results that a row leaves in different warps.
  unsigned partialBits() const { return bits - within.dimension(); }

  /// Where the result of each source element is: (register, lane, warp) -> the other coordinates and, if `keepAxis`,
  /// the number of the partial result along the axis.
  LinearLayout getResultMap(bool keepAxis) const {
    std::vector<AxisBits> outputs;
    for (const AxisBits &output : source.outputs()) {
      unsigned dim = output.axis.dimension();
      if (output.axis != axis)
        outputs.push_back({Axis::coordinate(
                               dim - (!keepAxis && dim > axis.dimension())),
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
    for (const Step &step : registerSteps)
      combined.add(step.registers);
    for (uint64_t copy : f2::System(getRegisterColumns(source)).kernel())
      combined.add(copy);
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

  /// The number of the partial result of a coordinate, as tilegpu-decompose-reductions counts: ascending along the axis.
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
  /// Registers that differ by these hold the same once the registers are combined.
  f2::Span combined;
};

/// Combines the tuples of a thread, then of the lanes; afterwards the entry of each representative register is the
/// reduction that its elements belong to, in every lane.
void emitReduction(const ReductionPlan &plan, Combiner &combiner,
                   SmallVector<Tuple> &tuples) {
  // Registers still to be combined; those with the lower coordinate come first, so that the order is ascending.
  SmallVector<bool> isLeft(tuples.size(), true);
  f2::Span done;
  for (const Step &step : plan.getRegisterSteps()) {
    for (unsigned index = 0; index < tuples.size(); ++index) {
      unsigned other = index ^ step.registers;
      if (!isLeft[index] || !isLeft[other])
        continue;
      tuples[index] = combiner.combine(tuples[index], tuples[other]);
      isLeft[other] = false;
    }
  }
  (void)done;
}

} // namespace
