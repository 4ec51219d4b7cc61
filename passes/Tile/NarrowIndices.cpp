// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/Triton.h"
#include "mlir/IR/Matchers.h"
#include "passes/Analysis/IntegerRanges.h"
#include "passes/Tile/NarrowingPlan.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_NARROWINDICES
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// `value` as a constant of `type`: an integer, or all elements of a tile.
static TypedAttr getConstantLike(Type type, const APInt &value) {
  auto number = IntegerAttr::get(getElementTypeOrSelf(type), value);
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return DenseElementsAttr::get(tile, number);
  return number;
}

/// Gives the hints (tt.divisibility and its like) on extensions to what they
/// extend, which will take their place: they speak of the same number. In one
/// block only: elsewhere a hint may hold under a condition.
static void moveHintsBeforeExtensions(Operation *root) {
  root->walk([](Operation *op) {
    Operation *source =
        isExtension(op) ? op->getOperand(0).getDefiningOp() : nullptr;
    if (!source || source->getNumResults() != 1 ||
        source->getBlock() != op->getBlock())
      return;
    for (NamedAttribute hint : llvm::to_vector(op->getDiscardableAttrs())) {
      if (source->hasAttr(hint.getName()))
        continue;
      source->setDiscardableAttr(hint.getName(), hint.getValue());
      op->removeDiscardableAttr(hint.getName());
    }
  });
}

/// Replaces what can only be one number by that number.
static void foldKnownResults(Operation *root, const IntegerRanges &ranges) {
  root->walk([&](Operation *op) {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
        op->hasTrait<OpTrait::ConstantLike>() || !isMemoryEffectFree(op))
      return;
    const ConstantIntRanges *range = ranges.lookup(op->getResult(0));
    std::optional<APInt> value =
        range ? range->getConstantValue() : std::nullopt;
    if (!value)
      return;
    OpBuilder builder(op);
    Value constant = arith::ConstantOp::create(
        builder, op->getLoc(),
        getConstantLike(op->getResult(0).getType(), *value));
    op->getResult(0).replaceAllUsesWith(constant);
  });
}

namespace {

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Makes the ops of 32 bits that a plan asks for. Ops that nobody uses any more
/// are left to others.
class Narrower {
public:
  explicit Narrower(const NarrowingPlan &plan) : plan(plan) {}

  void run() {
    for (Operation *op : plan.getOps())
      rewrite(op);
  }

private:
  void rewrite(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return narrowLoop(loop);
    // The value stays, of narrow operands.
    if (std::optional<Narrowing> conditions = getNarrowing(op);
        conditions && conditions->keepsResult) {
      for (OpOperand &operand : op->getOpOperands())
        if (isWideInteger(operand.get().getType()))
          operand.set(getNarrow(operand.get()));
      return;
    }
    Value wide = op->getResult(0);
    const ClampedDifference *difference = plan.getClampedDifference(op);
    Value result = difference ? create(op, *difference) : create(op);
    narrow[wide] = result;
    if (plan.keepsWideForm(op))
      return;
    OpBuilder builder(op);
    wide.replaceAllUsesWith(
        arith::ExtSIOp::create(builder, op->getLoc(), wide.getType(), result));
  }

  /// The low 32 bits of a value of 64.
  Value getNarrow(Value wide) {
    if (Value known = narrow.lookup(wide))
      return known;
    return narrow[wide] = createNarrow(wide);
  }

  Value createNarrow(Value wide) {
    Operation *definition = wide.getDefiningOp();
    Type type = getNarrowType(wide.getType());
    if (isExtension(definition) && definition->getOperand(0).getType() == type)
      return definition->getOperand(0);
    OpBuilder builder(wide.getContext());
    builder.setInsertionPointAfterValue(wide);
    if (isExtension(definition)) {
      OperationState state(wide.getLoc(), definition->getName(),
                           definition->getOperands(), {type});
      return builder.create(state)->getResult(0);
    }
    if (Attribute constant; matchPattern(wide, m_Constant(&constant)))
      if (TypedAttr value = truncate(constant))
        return arith::ConstantOp::create(builder, wide.getLoc(), value);
    return arith::TruncIOp::create(builder, wide.getLoc(), type, wide);
  }

  /// The low 32 bits of a constant; null for those whose numbers are not at
  /// hand.
  static TypedAttr truncate(Attribute value) {
    auto low = [](const APInt &number) { return number.trunc(32); };
    if (auto number = dyn_cast<IntegerAttr>(value))
      return IntegerAttr::get(getNarrowType(number.getType()),
                              low(number.getValue()));
    if (auto numbers = dyn_cast<DenseIntElementsAttr>(value))
      return numbers.mapValues(IntegerType::get(value.getContext(), 32), low);
    return {};
  }

  /// The same op on 32 bits, with its hints.
  Value create(Operation *op) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isWideInteger(operand.getType()) ? getNarrow(operand)
                                                          : operand);
    OperationState state(op->getLoc(), op->getName(), operands,
                         {getNarrowType(op->getResult(0).getType())},
                         op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    OpBuilder builder(op);
    Operation *result = builder.create(state);
    if (auto flags =
            dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(result))
      result->setAttr(flags.getIntegerOverflowAttrName(),
                      arith::IntegerOverflowFlagsAttr::get(
                          op->getContext(), plan.getOverflowFlags(op)));
    return result->getResult(0);
  }

  /// min(max(a - b, 0), limit) without the bit that a - b may need more.
  Value create(Operation *op, const ClampedDifference &clamped) {
    OpBuilder builder(op);
    Location location = op->getLoc();
    Value a = getNarrow(clamped.lhs), b = getNarrow(clamped.rhs);
    Value difference = arith::SubIOp::create(builder, location, a, b);
    Value limited = arith::MinUIOp::create(builder, location, difference,
                                           getNarrow(clamped.limit));
    Value isPositive = arith::CmpIOp::create(builder, location,
                                             arith::CmpIPredicate::sgt, a, b);
    auto result = arith::SelectOp::create(builder, location, isPositive,
                                          limited, getNarrow(clamped.zero));
    result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return result;
  }

  void narrowLoop(scf::ForOp loop) {
    if (plan.needsClampedBound(loop)) {
      OpBuilder builder(loop);
      loop.setUpperBound(arith::MaxSIOp::create(
          builder, loop.getLoc(), loop.getUpperBound(), loop.getLowerBound()));
    }
    loop.setLowerBound(getNarrow(loop.getLowerBound()));
    loop.setUpperBound(getNarrow(loop.getUpperBound()));
    loop.setStep(getNarrow(loop.getStep()));
    Value index = loop.getInductionVar();
    Type wide = index.getType();
    index.setType(getNarrowType(wide));
    narrow[index] = index;
    OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
    auto extension =
        arith::ExtSIOp::create(builder, loop.getLoc(), wide, index);
    index.replaceAllUsesExcept(extension, extension);
  }

  const NarrowingPlan &plan;
  /// The values of 32 bits that stand for values of 64.
  llvm::DenseMap<Value, Value> narrow;
};

struct NarrowIndices : tile::impl::NarrowIndicesBase<NarrowIndices> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      moveHintsBeforeExtensions(function);
      IntegerRanges ranges(function);
      foldKnownResults(function, ranges);
      Narrower(NarrowingPlan(function, ranges)).run();
    }
  }
};

} // namespace
