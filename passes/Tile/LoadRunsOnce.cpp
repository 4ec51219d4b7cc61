// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the addresses of a tile of loads are the same along runs of a dimension
// (a word of eight 4-bit weights for each of the eight, the scale of a group
// for each of its rows), each run is loaded once, and what was loaded is
// repeated in registers.

#include "dialects/Interfaces/AxisRules.h"
#include "dialects/Interfaces/IndexArithmetic.h"
#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/Triton/Triton.h"
#include "passes/Analysis/AxisAnalysis.h"
#include "passes/Tile/FirstElements.h"
#include "passes/Tile/Passes.h"
#include "passes/Tile/TileBuilder.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_LOADRUNSONCE
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {

/// What is known of tiles along runs, before anything is changed.
class RunFacts {
public:
  explicit RunFacts(const tilegpu::AxisAnalysis &axes) : axes(axes) {}

  /// The longest runs along which all elements of `tile` are known to be equal.
  Runs findEqual(Value tile) const;
  /// The longest runs along which a condition is known to hold for a first part
  /// of the elements, if for any.
  Runs findFalling(Value condition, unsigned depth = mostConditions) const;
  /// Whether an access through `pointers` takes several elements.
  bool takesVectors(Value pointers, Value mask) const;

private:
  /// Longer chains of conditions and views are not followed.
  static constexpr unsigned mostConditions = 16;

  Runs findOrdered(Value lesser, Value greater) const;

  const tilegpu::AxisAnalysis &axes;
};

/// How a load is carried out: the runs that it loads once, and the conditions
/// under which their elements are not all `other`.
struct Plan {
  tt::LoadOp load;
  Runs runs;
  /// Where one of these does not hold, the element is what the load gives where
  /// it is masked, whatever is loaded for its run.
  SmallVector<Value> selects = {};
  /// Masked elements are not the same along runs: all of the mask selects, and
  /// the load needs no value for them.
  bool selectsAll = false;
};

} // namespace

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Runs getShapeOf(Value tile) { return Runs(tileType(tile).getShape()); }

/// The shorter runs of each dimension, or (`longer`) the longer ones.
static Runs combine(Runs a, ArrayRef<int64_t> b, bool longer = false) {
  for (auto [run, other] : llvm::zip_equal(a, b))
    run = longer ? std::max(run, other) : std::min(run, other);
  return a;
}

//===----------------------------------------------------------------------===//
// What is known along runs
//===----------------------------------------------------------------------===//

Runs RunFacts::findEqual(Value tile) const {
  if (const AxisInfo *info = axes.lookup(tile))
    return Runs(info->constancy);
  // Of floats: a number for all elements.
  Operation *op = tile.getDefiningOp();
  bool isOne = isSplatConstant(tile) ||
               (op && makesTileOfScalars(op) && isMoveOfOne(op));
  return isOne ? getShapeOf(tile) : Runs(tileType(tile).getRank(), 1);
}

/// Runs along which `lesser` < `greater` is falling: the one ascends or stays,
/// the other stays.
Runs RunFacts::findOrdered(Value lesser, Value greater) const {
  const AxisInfo *ascending = axes.lookup(lesser);
  // Narrow numbers that are consecutive may wrap.
  if (!ascending || !axis::isOverflowExcluded(lesser.getType()))
    return Runs(tileType(lesser).getRank(), 1);
  return combine(combine(Runs(ascending->constancy), ascending->contiguity,
                         /*longer=*/true),
                 findEqual(greater));
}

Runs RunFacts::findFalling(Value condition, unsigned depth) const {
  Runs equal = findEqual(condition);
  Operation *op = condition.getDefiningOp();
  if (!op || depth == 0)
    return equal;
  auto orFalling = [&](ArrayRef<int64_t> falling) {
    return combine(std::move(equal), falling, /*longer=*/true);
  };
  auto find = [&](unsigned operand) {
    return findFalling(op->getOperand(operand), depth - 1);
  };
  if (isView(op))
    return orFalling(getRunsOfResult(op, find(0)));
  switch (getIndexOp(op).value_or(IndexOp::Select)) {
  case IndexOp::Less:
  case IndexOp::LessOrEqual:
    return orFalling(findOrdered(op->getOperand(0), op->getOperand(1)));
  case IndexOp::Greater:
  case IndexOp::GreaterOrEqual:
    return orFalling(findOrdered(op->getOperand(1), op->getOperand(0)));
  case IndexOp::And:
    return orFalling(combine(find(0), find(1)));
  default:
    return equal;
  }
}

bool RunFacts::takesVectors(Value pointers, Value mask) const {
  return llvm::any_of(llvm::seq<unsigned>(tileType(pointers).getRank()),
                      [&](unsigned dim) {
                        return axes.getVectorElements(pointers, mask, dim) > 1;
                      });
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The conditions that `mask` is the conjunction of.
static SmallVector<Value> getConjuncts(Value mask) {
  SmallVector<Value> conjuncts, worklist = {mask};
  while (!worklist.empty()) {
    Value condition = worklist.pop_back_val();
    Operation *op = condition.getDefiningOp();
    if (op && getIndexOp(op) == IndexOp::And)
      worklist.append({op->getOperand(1), op->getOperand(0)});
    else
      conjuncts.push_back(condition);
  }
  return conjuncts;
}

static bool areWithin(ArrayRef<int64_t> runs, ArrayRef<int64_t> longer) {
  return llvm::all_of(llvm::zip_equal(runs, longer), [](auto pair) {
    return std::get<0>(pair) <= std::get<1>(pair);
  });
}

/// None where nothing is loaded twice, or first elements cannot be made.
static std::optional<Plan> planLoad(tt::LoadOp load, const RunFacts &facts) {
  if (!isa<RankedTensorType>(load.getType()) || load.mustReread())
    return std::nullopt;
  Plan plan = {
      load, combine(facts.findEqual(load.getPtr()), getShapeOf(load.getPtr()))};
  if (areSingle(plan.runs))
    return std::nullopt;
  SmallVector<Value> conjuncts;
  if (Value mask = load.getMask())
    conjuncts = getConjuncts(mask);
  // Without a value for them, masked elements may be anything. Where they are
  // chosen one by one, that costs as much as the accesses that it spares,
  // unless these take one by one too.
  Value other = load.getOther();
  bool maySelect = !other || !facts.takesVectors(load.getPtr(), load.getMask());
  for (Value condition : conjuncts)
    plan.runs =
        combine(std::move(plan.runs), maySelect ? facts.findFalling(condition)
                                                : facts.findEqual(condition));
  if (other && load.getMask() && !maySelect)
    plan.runs = combine(std::move(plan.runs), facts.findEqual(other));
  if (other) {
    plan.selectsAll =
        load.getMask() && !areWithin(plan.runs, facts.findEqual(other));
    for (Value condition : conjuncts)
      if (!areWithin(plan.runs, facts.findEqual(condition)))
        plan.selects.push_back(condition);
  }
  SmallVector<Value> needed = {load.getPtr()};
  if (load.getMask())
    needed.push_back(load.getMask());
  if (other && !plan.selectsAll)
    needed.push_back(other);
  if (areSingle(plan.runs) || !FirstElements::canMake(needed, plan.runs))
    return std::nullopt;
  return plan;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// The load of the first elements of the plan's runs.
static Value loadFirst(const Plan &plan, FirstElements &first,
                       IRRewriter &rewriter) {
  tt::LoadOp load = plan.load;
  auto makeOperands = [&] {
    IRMapping mapping;
    for (Value operand : llvm::to_vector(load->getOperands()))
      if (operand != load.getOther() || !plan.selectsAll)
        mapping.map(operand, first.make(operand, plan.runs));
    return mapping;
  };
  // Loops may be replaced the first time (FirstElements::make).
  makeOperands();
  IRMapping mapping = makeOperands();
  rewriter.setInsertionPoint(load);
  tt::LoadOp once(rewriter.clone(*load, mapping));
  if (plan.selectsAll)
    once.getOtherMutable().clear();
  once.getResult().setType(
      getTypeOfFirst(tileType(load.getResult()), plan.runs));
  return once.getResult();
}

/// `first` for each element of its run.
static Value repeat(Value first, ArrayRef<int64_t> runs, TileBuilder &tiles) {
  SmallVector<int64_t> whole = getShape(first);
  for (auto [dim, run] : llvm::enumerate(runs)) {
    whole[dim] *= run;
    if (getShape(first)[dim] != 1)
      first = tiles.repeat(first, dim, run);
  }
  return tiles.broadcast(first, whole);
}

static void rewrite(const Plan &plan, FirstElements &first,
                    IRRewriter &rewriter) {
  tt::LoadOp load = plan.load;
  Value loaded = loadFirst(plan, first, rewriter);
  TileBuilder tiles(rewriter, load.getLoc());
  loaded = repeat(loaded, plan.runs, tiles);
  SmallVector<Value> conditions = plan.selects;
  if (plan.selectsAll)
    conditions = {load.getMask()};
  Value selects;
  for (Value condition : conditions)
    selects = selects ? arith::AndIOp::create(tiles.builder, selects, condition)
                            .getResult()
                      : condition;
  if (selects)
    loaded = arith::SelectOp::create(tiles.builder, selects, loaded,
                                     load.getOther());
  rewriter.replaceOp(load, loaded);
}

namespace {

struct LoadRunsOnce : tile::impl::LoadRunsOnceBase<LoadRunsOnce> {
  void runOnOperation() override {
    tilegpu::AxisAnalysis axes(getOperation());
    RunFacts facts(axes);
    SmallVector<Plan> plans;
    getOperation().walk([&](tt::LoadOp load) {
      if (std::optional<Plan> plan = planLoad(load, facts))
        plans.push_back(std::move(*plan));
    });
    IRRewriter rewriter(&getContext());
    FirstElements first(rewriter);
    for (const Plan &plan : plans)
      rewrite(plan, first, rewriter);
    first.freezeUnused();
  }
};

} // namespace
