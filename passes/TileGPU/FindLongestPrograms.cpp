// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In: loops whose bounds are computed of program numbers. Out: whether the
// first programs along an axis have the longest ones, or the last (of a causal
// attention: the later a query, the more keys it sees).

#include "dialects/Interfaces/LaunchOpInterfaces.h"
#include "dialects/Interfaces/Slopes.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/TileGPU/Passes.h"

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

/// Slopes of integers as the program's number along an axis grows and nothing
/// else does.
class SlopeAnalysis {
public:
  explicit SlopeAnalysis(unsigned axis) : axis(axis) {}

  /// That of the loop's trip count; 0 where it hardly changes.
  Slope getTrips(LoopLikeOpInterface loop);

private:
  Slope get(OpFoldResult value);
  Slope get(Value value, unsigned steps);
  Slope compute(Operation *op, unsigned steps);

  unsigned axis;
  llvm::DenseMap<Value, Slope> known;
};

} // namespace

Slope SlopeAnalysis::getTrips(LoopLikeOpInterface loop) {
  auto begins = loop.getLoopLowerBounds(), ends = loop.getLoopUpperBounds(),
       steps = loop.getLoopSteps();
  if (!begins || !ends || !steps || begins->size() != 1)
    return std::nullopt;
  std::optional<int64_t> step = getConstantIntValue(steps->front());
  Slope begin = get(begins->front()), end = get(ends->front());
  if (!step || !begin || !end)
    return std::nullopt;
  double slope = (*end - *begin) / double(*step);
  return *begin != 0 && std::abs(slope) < leastSlope ? 0 : slope;
}

Slope SlopeAnalysis::get(OpFoldResult value) {
  return isa<Attribute>(value) ? Slope(0) : get(cast<Value>(value), mostSteps);
}

Slope SlopeAnalysis::get(Value value, unsigned steps) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp())
               ? Slope(0)
               : std::nullopt;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Slope slope =
      steps ? compute(value.getDefiningOp(), steps - 1) : std::nullopt;
  known.insert({value, slope});
  return slope;
}

Slope SlopeAnalysis::compute(Operation *op, unsigned steps) {
  if (auto grid = dyn_cast<GridOpInterface>(op)) {
    GridQuantity quantity = grid.getGridQuantity();
    return !quantity.isSize && quantity.axis == axis ? 1 : 0;
  }
  if (op->getNumRegions())
    return std::nullopt;
  SmallVector<Slope> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand, steps));
  // What is computed, or loaded, of the same is the same.
  if (llvm::all_of(operands, [](const Slope &slope) { return slope == 0; }))
    return 0;
  return inferSlope(op, operands);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether `op` has an effect on other memory than that which an operand
/// addresses: it orders accesses, as atomics and volatile ones do, or prints.
/// (Without operands it is a barrier of the program's own threads.)
static bool hasOtherEffects(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return op->getNumOperands() != 0 &&
         llvm::any_of(instances,
                      [](const MemoryEffects::EffectInstance &effect) {
                        return !effect.getValue() &&
                               !isa<SharedMemoryResource>(effect.getResource());
                      });
}

/// Whether programs may not take each other's numbers: where they wait for each
/// other those that wait are to start last, and prints and failed assertions
/// name them.
static bool isOrderKept(FunctionOpInterface function) {
  return function.getFunctionBody()
      .walk([](Operation *op) {
        return WalkResult(failure(hasOtherEffects(op)));
      })
      .wasInterrupted();
}

/// Notes at `function` where its longest programs are along `axis`; false where
/// no loop, or one in either direction, tells.
static bool noteLongest(FunctionOpInterface function, tt::ProgramAxis axis) {
  SlopeAnalysis analysis{unsigned(axis)};
  bool grow = false, fall = false;
  function.walk([&](LoopLikeOpInterface loop) {
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
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!isOrderKept(function))
        (void)llvm::any_of(
            ArrayRef{tt::ProgramAxis::X, tt::ProgramAxis::Y,
                     tt::ProgramAxis::Z},
            [&](tt::ProgramAxis axis) { return noteLongest(function, axis); });
  }
};

} // namespace
