// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In: loops whose bounds are computed of program numbers. Out: whether the
// first programs along an axis have the longest ones, or the last (of a causal
// attention: the later a query, the more keys it sees).

#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/TileGPU/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_FINDLONGESTPROGRAMS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Iterations that a program has to have more than the one before it, or fewer,
/// where loops begin at another place in each: those that go through a grid's
/// tiles, from the program's number on, differ by one iteration in all.
static constexpr double leastSlope = 1.0 / 8;

/// How far back from a loop's bound it is looked for program numbers.
static constexpr unsigned mostSteps = 100;

namespace {

/// By how much a value grows, about, as the program's number along an axis
/// grows by one and nothing else does; none where that is not known.
using Slope = std::optional<double>;

class SlopeAnalysis {
public:
  explicit SlopeAnalysis(tt::ProgramAxis axis) : axis(axis) {}

  /// That of the loop's trip count; 0 where it hardly changes.
  Slope getTrips(scf::ForOp loop);

private:
  Slope get(Value value, unsigned steps = mostSteps);
  Slope compute(Operation *op, unsigned steps);
  /// Of the smaller or the larger of two values.
  static Slope choose(Slope left, Slope right);

  tt::ProgramAxis axis;
  llvm::DenseMap<Value, Slope> known;
};

} // namespace

static std::optional<double> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return double(constant.getSExtValue());
}

Slope SlopeAnalysis::getTrips(scf::ForOp loop) {
  std::optional<double> step = getConstant(loop.getStep());
  Slope begin = get(loop.getLowerBound()), end = get(loop.getUpperBound());
  if (!step || !begin || !end)
    return std::nullopt;
  double slope = (*end - *begin) / *step;
  return *begin != 0 && std::abs(slope) < leastSlope ? 0 : slope;
}

Slope SlopeAnalysis::choose(Slope left, Slope right) {
  if (!left || !right || *left * *right < 0)
    return std::nullopt;
  return std::abs(*left) > std::abs(*right) ? left : right;
}

Slope SlopeAnalysis::get(Value value, unsigned steps) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<tt::FuncOp>(argument.getOwner()->getParentOp()) ? Slope(0)
                                                               : std::nullopt;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Slope slope =
      steps ? compute(value.getDefiningOp(), steps - 1) : std::nullopt;
  known.insert({value, slope});
  return slope;
}

Slope SlopeAnalysis::compute(Operation *op, unsigned steps) {
  if (auto number = dyn_cast<tt::GetProgramIdOp>(op))
    return number.getAxis() == axis ? 1 : 0;
  if (op->getNumRegions())
    return std::nullopt;
  // Loads of addresses that are the same load the same.
  auto of = [&](Value operand) { return get(operand, steps); };
  if (llvm::all_of(op->getOperands(),
                   [&](Value operand) { return of(operand) == 0; }))
    return 0;
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return of(op->getOperand(0));
  if (op->getNumOperands() != 2)
    return std::nullopt;
  Slope left = of(op->getOperand(0)), right = of(op->getOperand(1));
  std::optional<double> factor = getConstant(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, Slope>(op)
      .Case([&](arith::AddIOp) { return *left + *right; })
      .Case([&](arith::SubIOp) { return *left - *right; })
      .Case([&](arith::MulIOp) {
        return factor ? Slope(*left * *factor) : std::nullopt;
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
          [&](Operation *) {
            return factor && *factor != 0 ? Slope(*left / *factor)
                                          : std::nullopt;
          })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](Operation *) {
        // At most a constant: what is left of a chunk, less in the last alone.
        return factor ? std::nullopt : choose(left, right);
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](Operation *) { return choose(left, right); })
      .Default(Slope());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether programs may not take each other's numbers: where they wait for each
/// other those that wait are to start last, and prints and failed assertions
/// name them.
static bool isOrderKept(tt::FuncOp function) {
  WalkResult found = function.walk([](Operation *op) {
    auto load = dyn_cast<tt::LoadOp>(op);
    return WalkResult(
        failure(isa<tt::AtomicRMWOp, tt::AtomicCASOp, tt::PrintOp, tt::AssertOp,
                    tt::ElementwiseInlineAsmOp>(op) ||
                (load && load.getIsVolatile())));
  });
  return found.wasInterrupted();
}

/// Notes at `function` where its longest programs are along `axis`; false where
/// no loop, or one in either direction, tells.
static bool noteLongest(tt::FuncOp function, tt::ProgramAxis axis) {
  SlopeAnalysis analysis(axis);
  bool grow = false, fall = false;
  function.walk([&](scf::ForOp loop) {
    double slope = analysis.getTrips(loop).value_or(0);
    grow |= slope > 0;
    fall |= slope < 0;
  });
  if (grow == fall)
    return false;
  function->setAttr(
      grow ? TileGPUDialect::longestLastAttrName
           : TileGPUDialect::longestFirstAttrName,
      StringAttr::get(function.getContext(), tt::stringifyProgramAxis(axis)));
  return true;
}

namespace {

struct FindLongestPrograms
    : tilegpu::impl::FindLongestProgramsBase<FindLongestPrograms> {
  void runOnOperation() override {
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
      if (!isOrderKept(function))
        (void)llvm::any_of(
            ArrayRef{tt::ProgramAxis::X, tt::ProgramAxis::Y,
                     tt::ProgramAxis::Z},
            [&](tt::ProgramAxis axis) { return noteLongest(function, axis); });
  }
};

} // namespace
