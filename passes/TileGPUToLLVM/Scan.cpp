// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans within warps. Comes in: tt.scan along an axis that only registers and
// lanes distribute. The region need not be commutative. No shared memory and no
// barrier is made here.
//
// The bits of the coordinate along the axis are taken from the lowest up, a run
// of register bits or of lane bits at a time. Before a run every element holds
// the scan of its block (the elements that differ from it in the lower bits
// alone); the run scans the blocks' totals, exclusively, and puts these carries
// before the elements. A block's total is at its last element, which shuffles
// reach wherever it is.
//
// A reverse scan is the scan of the axis read backwards: its result at i is
// combine(... combine(src[last], src[last - 1]) ..., src[i]).

#include "dialects/Layout/F2.h"
#include "dialects/Layout/ScanSteps.h"
#include "passes/TileGPUToLLVM/Combine.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;
using layout::ScanBit;
namespace f2 = layout::f2;

namespace {

/// How the axis lies in the registers and lanes of a warp.
class ScanPlan {
public:
  /// Diagnoses, at `op`, layouts that would need more than registers and lanes.
  static FailureOr<ScanPlan> create(Operation *op, const LinearLayout &source,
                                    Axis axis) {
    ScanPlan plan(source, axis);
    if (!plan.steps.obstacle.empty())
      return plan.diagnose(op);
    return plan;
  }

  ArrayRef<ScanBit> getBits() const { return steps.bits; }
  /// The coordinate of register `index` in lane 0 of warp 0.
  uint64_t getCoordinate(unsigned index) const {
    return source.apply(index) >> source.outputOffset(axis) &
           ((uint64_t(1) << source.outputBits(axis)) - 1);
  }
  /// The lowest register that holds what `index` holds.
  unsigned getRepresentative(unsigned index) const {
    return copies.reduce(index);
  }
  const LinearLayout &getSource() const { return source; }
  Axis getAxis() const { return axis; }

private:
  ScanPlan(const LinearLayout &source, Axis axis)
      : source(source), axis(axis), steps(layout::findScanSteps(source, axis)) {
    for (uint64_t copy : f2::System(getRegisterColumns(source)).kernel())
      copies.add(copy);
  }

  LogicalResult diagnose(Operation *op) const {
    return op->emitOpError("expects a layout in which each bit of axis ")
           << axis.dimension()
           << " is distributed among registers alone or lanes alone, but got ["
           << StringRef(steps.obstacle) << "] for bit " << steps.bits.size()
           << " of " << op->getOperand(0).getType()
           << "; convert the source to a layout with the axis in one warp";
  }

  LinearLayout source;
  Axis axis;
  layout::ScanSteps steps;
  /// Registers that hold the same.
  f2::Span copies;
};

/// Emits the scan of the registers of one thread.
class ScanEmitter {
public:
  ScanEmitter(Emitter &emitter, Combiner &combiner, const ScanPlan &plan,
              bool reverse, SmallVector<Tuple> tuples)
      : emitter(emitter), combiner(combiner), plan(plan), reverse(reverse),
        coordinates(emitter, plan.getSource()), tuples(std::move(tuples)) {}

  SmallVector<Tuple> emit() {
    ArrayRef<ScanBit> bits = plan.getBits();
    for (size_t first = 0; first < bits.size();) {
      size_t last = first;
      while (last < bits.size() && bits[last].isLane == bits[first].isLane)
        ++last;
      ArrayRef<ScanBit> run = bits.slice(first, last - first);
      if (run.front().isLane)
        scanLanes(bits.take_front(first), run);
      else
        scanRegisters(bits.take_front(first), run);
      first = last;
    }
    SmallVector<Tuple> results;
    for (unsigned index = 0; index < tuples.size(); ++index)
      results.push_back(tuples[plan.getRepresentative(index)]);
    return results;
  }

private:
  /// Whether register `index` is at 1 in a register bit, counted in the
  /// direction of the scan.
  bool isUpper(unsigned index, const ScanBit &bit) const {
    return (plan.getCoordinate(index) >> bit.bit & 1) != reverse;
  }

  /// The registers of one thread that are last, or first, in every register bit
  /// of `bits`.
  SmallVector<unsigned> selectRegisters(ArrayRef<ScanBit> bits,
                                        bool last) const {
    SmallVector<unsigned> selected;
    for (unsigned index = 0; index < tuples.size(); ++index)
      if (plan.getRepresentative(index) == index &&
          llvm::all_of(bits, [&](const ScanBit &bit) {
            return bit.isLane || isUpper(index, bit) == last;
          }))
        selected.push_back(index);
    return selected;
  }

  /// The registers that differ from `index` in the register bits of `bits`
  /// alone, ascending in the scan's direction where `index` is the first.
  SmallVector<unsigned> expand(unsigned index, ArrayRef<ScanBit> bits) const {
    SmallVector<unsigned> registers = {index};
    for (const ScanBit &bit : bits)
      if (!bit.isLane)
        for (size_t i = 0, size = registers.size(); i < size; ++i)
          registers.push_back(plan.getRepresentative(registers[i] ^ bit.flip));
    return registers;
  }

  static bool hasLanes(ArrayRef<ScanBit> bits) {
    return llvm::any_of(bits, [](const ScanBit &bit) { return bit.isLane; });
  }

  /// The total of the block (the bits `below`) whose last register is `last`:
  /// in that register of the block's last lane.
  Tuple getTotal(unsigned last, ArrayRef<ScanBit> below) {
    if (!hasLanes(below))
      return tuples[last];
    return combiner.shuffleIndex(tuples[last],
                                 getLane(last, /*cleared=*/{}, below));
  }

  /// Blocks that lie one above the other in the registers of a thread: their
  /// totals are added up in order.
  void scanRegisters(ArrayRef<ScanBit> below, ArrayRef<ScanBit> run) {
    SmallVector<ScanBit> upTo(below);
    upTo.append(run.begin(), run.end());
    for (unsigned origin : selectRegisters(upTo, /*last=*/false)) {
      Tuple carry;
      SmallVector<unsigned> blocks = expand(origin, run);
      for (unsigned block : blocks) {
        SmallVector<unsigned> members = expand(block, below);
        Tuple total;
        bool isScanned = !hasLanes(below);
        // Totals before the carry: their shuffles do not wait for each other.
        if (!isScanned && block != blocks.back())
          total = getTotal(members.back(), below);
        if (!carry.empty())
          for (unsigned member : members)
            tuples[member] = combiner.combine(carry, tuples[member]);
        if (isScanned)
          carry = tuples[members.back()];
        else if (block != blocks.back())
          carry = carry.empty() ? total : combiner.combine(carry, total);
      }
    }
  }

  /// Blocks that lie in different lanes: a scan of their totals by shuffles,
  /// doubling the reach each time, and one more shuffle that takes the result
  /// from the block before.
  void scanLanes(ArrayRef<ScanBit> below, ArrayRef<ScanBit> run) {
    for (unsigned last : selectRegisters(below, /*last=*/true)) {
      Tuple sum = getTotal(last, below);
      for (size_t level = 0; level < run.size(); ++level) {
        Tuple lower = combiner.shuffleIndex(
            sum, getLane(last, run[level], run.take_front(level)));
        sum = combiner.select(getUpper(last, run[level]),
                              combiner.combine(lower, sum), sum);
      }
      putCarryBefore(expand(last, below), last, sum, hasLanes(below), run);
    }
  }

  /// Puts the sum of the blocks before, from the lane before, in front of
  /// `members`, the elements of a block. `sum` is the result of the last of
  /// them, register `last`, unless the block spreads over lanes (`inLanes`).
  void putCarryBefore(ArrayRef<unsigned> members, unsigned last,
                      ArrayRef<Value> sum, bool inLanes,
                      ArrayRef<ScanBit> run) {
    Tuple carry;
    Value hasCarry;
    for (unsigned member : members) {
      if (member == last && !inLanes) {
        tuples[member] = Tuple(sum);
        continue;
      }
      if (carry.empty()) {
        carry = combiner.shuffleIndex(sum, getLaneBefore(last, run));
        for (const ScanBit &bit : run)
          hasCarry = hasCarry ? emitter.bitOr(hasCarry, getUpper(last, bit))
                              : getUpper(last, bit);
      }
      tuples[member] = combiner.select(
          hasCarry, combiner.combine(carry, tuples[member]), tuples[member]);
    }
  }

  /// True in the lanes where the element in register `index` is at 1 in `bit`,
  /// counted in the scan's direction.
  Value getUpper(unsigned index, const ScanBit &bit) {
    bool isSet = plan.getCoordinate(index) >> bit.bit & 1;
    Value &known = upper[{bit.bit, isSet}];
    if (known)
      return known;
    Value coordinate = emitter.bitAnd(coordinates.get(index, plan.getAxis()),
                                      emitter.constant(int64_t(1) << bit.bit));
    auto predicate =
        reverse ? LLVM::ICmpPredicate::eq : LLVM::ICmpPredicate::ne;
    return known =
               LLVM::ICmpOp::create(emitter.builder, emitter.location,
                                    predicate, coordinate, emitter.constant(0));
  }

  /// The lane that is at 0 in `cleared` and at 1 in `set`, counted in the
  /// scan's direction, seen from the element in register `index`; bits of
  /// registers have no say.
  Value getLane(unsigned index, ArrayRef<ScanBit> cleared,
                ArrayRef<ScanBit> set) {
    uint64_t constant = 0, touched = 0;
    for (const ScanBit &bit : set)
      if (bit.isLane && !reverse)
        constant ^= bit.flip;
    for (const ScanBit &bit : cleared)
      if (bit.isLane && reverse)
        constant ^= bit.flip;
    // lane ^ the flips of the bits that are set: a linear map.
    auto flips = [&](uint64_t coordinate) {
      uint64_t sum = 0;
      for (ArrayRef<ScanBit> bits : {cleared, set})
        for (const ScanBit &bit : bits)
          if (bit.isLane && (coordinate >> bit.bit & 1))
            sum ^= bit.flip;
      return sum;
    };
    for (ArrayRef<ScanBit> bits : {cleared, set})
      for (const ScanBit &bit : bits)
        touched |= uint64_t(bit.isLane) << bit.bit;
    constant ^= flips(plan.getCoordinate(index));
    Value &known = lanes[{touched, constant}];
    if (known)
      return known;
    Value origin = emitLaneMap(flips);
    return known = constant ? emitter.bitXor(origin, emitter.constant(constant))
                            : origin;
  }

  /// lane ^ flips(the coordinate of register 0), as IR.
  Value emitLaneMap(function_ref<uint64_t(uint64_t)> flips) {
    const LinearLayout &source = plan.getSource();
    unsigned laneBits = source.inputBits(Axis::Lane);
    std::vector<uint64_t> columns;
    for (Axis input : {Axis(Axis::Lane), Axis(Axis::Warp)})
      for (unsigned bit = 0; bit < source.inputBits(input); ++bit)
        columns.push_back((input == Axis(Axis::Lane) ? uint64_t(1) << bit : 0) ^
                          flips(source.basis(input, bit, plan.getAxis())));
    LinearLayout map({{Axis::Register, 0},
                      {Axis::Lane, laneBits},
                      {Axis::Warp, source.inputBits(Axis::Warp)}},
                     {{Axis::Offset, laneBits}}, std::move(columns));
    return ThreadCoordinates(emitter, map).get(0, Axis::Offset);
  }

  /// The lane of the block before, seen from register `index`: one less in the
  /// bits of `run`, which flips the lowest bit that is 1 and those below it.
  /// Any lane where there is no block before.
  Value getLaneBefore(unsigned index, ArrayRef<ScanBit> run) {
    uint64_t registerPart = 0, flip = 0;
    SmallVector<uint64_t> flips;
    for (const ScanBit &bit : run) {
      registerPart |= plan.getCoordinate(index) & (uint64_t(1) << bit.bit);
      flips.push_back(flip ^= bit.flip);
    }
    Value &known = before[{run.front().bit, registerPart}];
    if (known)
      return known;
    Value difference = emitter.constant(flips.back());
    for (size_t i = run.size() - 1; i-- > 0;)
      difference = emitter.select(getUpper(index, run[i]),
                                  emitter.constant(flips[i]), difference);
    return known = emitter.bitXor(emitter.laneId(), difference);
  }

  Emitter &emitter;
  Combiner &combiner;
  const ScanPlan &plan;
  bool reverse;
  ThreadCoordinates coordinates;
  SmallVector<Tuple> tuples;
  /// What does not change between registers of the same coordinates.
  std::map<std::pair<unsigned, bool>, Value> upper;
  std::map<std::pair<uint64_t, uint64_t>, Value> lanes;
  std::map<std::pair<unsigned, uint64_t>, Value> before;
};

/// Lower tt.scan within warps.
struct LowerScan : TileGPUPattern<tt::ScanOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::ScanOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<LinearLayout> source = getCommonLayout(op);
    if (failed(source))
      return failure();
    for (Type result : op->getResultTypes())
      if (!getRegisterLayout(result) ||
          toLinearLayout(cast<RankedTensorType>(result)) != *source)
        return op.emitOpError("expects results of the sources' layout, but "
                              "got ")
               << op->getOperand(0).getType() << " and " << result;
    FailureOr<ScanPlan> plan =
        ScanPlan::create(op, *source, Axis::coordinate(op.getAxis()));
    if (failed(plan))
      return failure();
    Emitter emitter(rewriter, op.getLoc());
    Combiner combiner(emitter, rewriter, converter, op.getCombineOp());
    ScanEmitter scan(emitter, combiner, *plan, op.getReverse(),
                     zipOperands(adaptor.getOperands()));
    rewriter.replaceOpWithMultiple(
        op, unzipTuples(scan.emit(), adaptor.getOperands().size()));
    return success();
  }
};

} // namespace

void tilegpu::populateScanPatterns(const TileGPUTypeConverter &converter,
                                   const target::Target &target,
                                   RewritePatternSet &patterns) {
  patterns.add<LowerScan>(converter, target);
}
