// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/LayoutAssignment.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/Analysis/RegisterPressure.h"
#include "passes/TileToTileGPU/HighPressureLoops.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

LayoutAssignment::LayoutAssignment(tt::FuncOp function,
                                   const PlacementContext &context,
                                   std::optional<uint64_t> seed)
    : target(context.target), registers(target.maxTileRegistersOf(
                                  context.numWarps * target::Target::warpSize)),
      decisions(function, context), prices(target) {
  if (seed)
    pickAtRandom(*seed);
  else
    solve();
}

void LayoutAssignment::pickAtRandom(uint64_t seed) {
  std::mt19937_64 random(seed);
  decisions.addRandomOptions(random);
  for (const LayoutDecision &decision : decisions.get())
    chosen.push_back(random() % decision.options.size());
}

Placement LayoutAssignment::getPlacement(Value value) const {
  std::optional<unsigned> index = decisions.lookup(value);
  if (!index)
    return {};
  return decisions.getValuePlacement(decisions.get()[*index], chosen[*index],
                                     value);
}

Placement LayoutAssignment::getOperandPlacement(OpOperand &operand) {
  std::optional<unsigned> index = decisions.lookup(operand.getOwner());
  if (!index)
    return {};
  return decisions.getOperandPlacement(decisions.get()[*index], chosen[*index],
                                       operand);
}

RegisterLayoutInterface
LayoutAssignment::getMergeLayout(OpOperand &operand) const {
  std::optional<unsigned> index = decisions.lookupMerge(operand);
  return index ? decisions.get()[*index].options[chosen[*index]].layout
               : RegisterLayoutInterface();
}

const Implementation *LayoutAssignment::getImplementation(Operation *op) const {
  std::optional<unsigned> index = decisions.lookup(op);
  return index ? &decisions.get()[*index].options[chosen[*index]] : nullptr;
}

uint64_t LayoutAssignment::priceOf(Operation *op,
                                   const Implementation &implementation) {
  // Free ops are asked about again for every user of a chain of them.
  auto [known, isNew] = opPrices.try_emplace(&implementation);
  if (isNew)
    known->second = cast<PlacementOpInterface>(op).getPrice(
        implementation, decisions.getContext());
  return known->second;
}

//===----------------------------------------------------------------------===//
// Conversion or rematerialization
//===----------------------------------------------------------------------===//

/// Longer chains are not rematerialized.
static constexpr unsigned maxRematerializedDepth = 6;

/// The price of rematerializing `value` under `layout`, its operands included;
/// none where its op should not run twice.
std::optional<uint64_t> LayoutAssignment::priceRematerializing(
    Value value, RegisterLayoutInterface layout, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return std::nullopt;
  // What the assignment itself has inserted has no choice of placements.
  bool mayRunAgain =
      isa<PlacementOpInterface>(op) &&
      (decisions.isFree(value) || isView(op) || isCheapElementwise(op));
  const Implementation *taken =
      mayRunAgain ? decisions.implement(op, layout) : nullptr;
  if (!taken)
    return std::nullopt;
  uint64_t price = decisions.getWeight(op->getBlock()) *
                   (op->getNumOperands() ? priceOf(op, *taken) : 0);
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      price +=
          findWay(operand.get(),
                  taken->operands[operand.getOperandNumber()].getRegisters(),
                  depth - 1)
              .price;
  return price;
}

LayoutAssignment::Way LayoutAssignment::findWay(Value value,
                                                RegisterLayoutInterface layout,
                                                unsigned depth) {
  auto known = ways.find({value, layout});
  if (known != ways.end())
    return known->second;
  Way way;
  if (Placement own = getPlacement(value); !own.isAnywhere()) {
    auto type = cast<RankedTensorType>(value.getType());
    way.price = decisions.getWeight(value.getParentBlock()) *
                prices.get(type, own, Placement(layout));
    if (!way.price)
      return ways[{value, layout}] = way;
    std::optional<uint64_t> repeated =
        priceRematerializing(value, layout, depth);
    if (repeated && *repeated < way.price)
      way = {*repeated, true};
  } else if (std::optional<uint64_t> computed =
                 priceRematerializing(value, layout, maxRematerializedDepth)) {
    way = {*computed, true};
  }
  return ways[{value, layout}] = way;
}

bool LayoutAssignment::isRematerialized(Value value,
                                        RegisterLayoutInterface layout) {
  return isFree(value) ||
         findWay(value, layout, maxRematerializedDepth).rematerializes;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// A conversion stands at the definition, or at the user where that runs less
/// often.
uint64_t LayoutAssignment::getDistance(Value source, Operation *user) const {
  return std::min(decisions.getWeight(source.getParentBlock()),
                  decisions.getWeight(user->getBlock()));
}

/// Whether a product of warp groups takes the operand from registers that it
/// could as well take from shared memory: instructions of fewer columns would
/// wait for that more than they multiply.
static bool isRegisterOperandOfGroups(RegisterLayoutInterface layout) {
  constexpr unsigned fewestColumns = 128;
  auto operand = dyn_cast<DotOperandAttr>(layout);
  auto parent =
      operand ? dyn_cast<WgmmaAttr>(operand.getParent()) : WgmmaAttr();
  return parent && parent.getN() >= fewestColumns;
}

/// What is paid in the loops around `user` for a tile from outside: nothing
/// where it is held in registers. In a high-pressure loop what takes more than
/// a third of them is not, but comes from shared memory in each iteration (see
/// tilegpu-reload-shared-tiles). An operand of a product of warp groups is as
/// dear: it blocks the warps that start the product, and its registers are
/// missed where warps of their own copy.
uint64_t
LayoutAssignment::priceReloading(Value source, Operation *user,
                                 RegisterLayoutInterface wanted) const {
  auto loop = user->getParentOfType<LoopLikeOpInterface>();
  if (!loop || loop->isAncestor(source.getParentRegion()->getParentOp()))
    return 0;
  unsigned taken =
      countTileRegisters(cast<RankedTensorType>(source.getType()), wanted);
  bool isReloaded = highPressureLoops.contains(loop) && 3 * taken > registers;
  if (!isReloaded && !isRegisterOperandOfGroups(wanted))
    return 0;
  const target::InstructionPrices &each = target.prices;
  return decisions.getWeight(user->getBlock()) *
         (taken * each.sharedWavefront +
          llvm::divideCeil(taken, 4) * each.sharedAccess);
}

/// Where loops have high register pressure then, what they leave as it is has
/// its price.
void LayoutAssignment::solve() {
  chosen = findCheapest();
  highPressureLoops = findHighPressureLoops(decisions, chosen, registers);
  if (!highPressureLoops.empty())
    chosen = findCheapest();
  nameMerges();
}

/// A merge takes its encoding from the op that gives its last value, where both
/// name one map: the accumulator of one instruction is that of another. Then
/// nothing stands between the op and the merge.
void LayoutAssignment::nameMerges() {
  for (unsigned index = 0; index < chosen.size(); ++index) {
    const LayoutDecision &merge = decisions.get()[index];
    if (merge.op)
      continue;
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(merge.values.front().getType()).getShape();
    RegisterLayoutInterface layout = merge.options[chosen[index]].layout;
    for (OpOperand *operand : llvm::reverse(merge.operands)) {
      std::optional<unsigned> source = decisions.lookup(operand->get());
      if (!source || !decisions.get()[*source].op)
        continue;
      RegisterLayoutInterface given = lookup(operand->get());
      if (given && given != layout &&
          given.toLinearLayout(shape) == layout.toLinearLayout(shape))
        decisions.renameMerge(index, chosen[index], given);
      break;
    }
  }
}

/// Adds what it costs to have `source`, which is decided, in `tile` for an
/// operand of a decision under `option`.
void LayoutAssignment::addEdge(Value source, Operation *user,
                               const SharedPlacement &tile, unsigned option,
                               OperandPrices &operandPrices) {
  unsigned from = *decisions.lookup(source);
  const LayoutDecision &other = decisions.get()[from];
  unsigned count = operandPrices.computing.size();
  std::vector<uint64_t> &sum = operandPrices.edges[from];
  sum.resize(other.options.size() * count);
  auto type = cast<RankedTensorType>(source.getType());
  uint64_t weight = getDistance(source, user);
  for (unsigned i = 0; i < other.options.size(); ++i)
    sum[i * count + option] +=
        weight * prices.get(type, decisions.getValuePlacement(other, i, source),
                            Placement(tile));
}

void LayoutAssignment::priceOperand(unsigned index, unsigned option,
                                    OpOperand &operand,
                                    OperandPrices &operandPrices) {
  const LayoutDecision &decision = decisions.get()[index];
  Placement placement =
      decisions.getOperandPlacement(decision, option, operand);
  Operation *user = operand.getOwner();
  Value value = operand.get();
  if (placement.getTile() && decisions.lookup(value))
    return addEdge(value, user, *placement.getTile(), option, operandPrices);
  RegisterLayoutInterface layout = placement.getRegisters();
  if (placement.getTile()) {
    // A free value is made in registers first.
    layout = decisions.getDefaultLayout(value);
    operandPrices.computing[option] +=
        getDistance(value, user) *
        prices.get(cast<RankedTensorType>(value.getType()), layout, placement);
  }
  if (!layout)
    return;
  decisions.visitSources(
      value, layout,
      [&](Value source, RegisterLayoutInterface wanted) {
        operandPrices.computing[option] += priceReloading(source, user, wanted);
        operandPrices.conversions.push_back(
            {source, wanted, index, option, getDistance(source, user)});
      },
      [&](Operation *op, RegisterLayoutInterface wanted) {
        operandPrices.computing[option] +=
            decisions.getWeight(op->getBlock()) *
            priceOf(op, *decisions.implement(op, wanted));
      });
}

/// Tells `problem` what conversions of `source` cost, each once for all users.
void LayoutAssignment::addConversions(Value source,
                                      ArrayRef<Conversion> conversions,
                                      ChoiceProblem &problem) {
  llvm::SetVector<RegisterLayoutInterface> layouts;
  for (const Conversion &conversion : conversions)
    layouts.insert(conversion.layout);
  unsigned from = *decisions.lookup(source);
  const LayoutDecision &provider = decisions.get()[from];
  std::vector<uint64_t> sum;
  for (unsigned i = 0; i < provider.options.size(); ++i)
    for (RegisterLayoutInterface layout : layouts)
      sum.push_back(prices.get(cast<RankedTensorType>(source.getType()),
                               decisions.getValuePlacement(provider, i, source),
                               Placement(layout)));
  unsigned forms = problem.addForms(from, layouts.size(), std::move(sum));
  for (const Conversion &conversion : conversions)
    problem.addUse(forms, conversion.user, conversion.option,
                   llvm::find(layouts, conversion.layout) - layouts.begin(),
                   conversion.weight);
}

std::vector<unsigned> LayoutAssignment::findCheapest() {
  ChoiceProblem problem;
  ArrayRef<LayoutDecision> all = decisions.get();
  for (const LayoutDecision &decision : all) {
    std::vector<uint64_t> own;
    for (unsigned option = 0; option < decision.options.size(); ++option) {
      uint64_t price = 0;
      if (decision.op)
        price = decisions.getWeight(decision.op->getBlock()) *
                priceOf(decision.op, decision.options[option]);
      own.push_back(price);
    }
    problem.addDecision(std::move(own));
  }
  llvm::MapVector<Value, SmallVector<Conversion>> conversions;
  for (auto [index, decision] : llvm::enumerate(all))
    for (OpOperand *operand : decision.operands) {
      OperandPrices operandPrices(decision.options.size());
      for (unsigned option = 0; option < decision.options.size(); ++option)
        priceOperand(index, option, *operand, operandPrices);
      problem.addPrices(index, operandPrices.computing);
      for (auto &[from, sum] : operandPrices.edges)
        problem.addEdge(from, index, sum);
      for (const Conversion &conversion : operandPrices.conversions)
        conversions[conversion.source].push_back(conversion);
    }
  for (auto &[source, wanted] : conversions)
    addConversions(source, wanted, problem);
  return problem.solve();
}
