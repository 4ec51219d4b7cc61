// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/NarrowingPlan.h"

#include "dialects/Interfaces/IndexArithmetic.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

bool tile::isWideInteger(Type type) {
  return getElementTypeOrSelf(type).isInteger(64);
}

bool tile::isExtension(Operation *op) {
  if (!isa_and_present<CastOpInterface>(op) || op->getNumOperands() != 1)
    return false;
  auto from =
      dyn_cast<IntegerType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  auto to =
      dyn_cast<IntegerType>(getElementTypeOrSelf(op->getResult(0).getType()));
  return from && to && from.getWidth() < to.getWidth();
}

Type tile::getNarrowType(Type wide) {
  Type element = IntegerType::get(wide.getContext(), 32);
  if (auto type = dyn_cast<RankedTensorType>(wide))
    return type.clone(element);
  return element;
}

std::optional<ClampedDifference> tile::matchClampedDifference(Operation *op) {
  // The op that makes the first operand of `user`.
  auto getFirst = [](Operation *user) {
    return user ? user->getOperand(0).getDefiningOp() : nullptr;
  };
  auto computes = [](Operation *op, IndexOp kind) {
    return op && getIndexOp(op) == kind;
  };
  Operation *least = computes(op, IndexOp::SignedMinimum) ? op : nullptr;
  Operation *most = getFirst(least);
  Operation *difference =
      computes(most, IndexOp::SignedMaximum) ? getFirst(most) : nullptr;
  APInt limit;
  if (!computes(difference, IndexOp::Difference) ||
      !matchPattern(most->getOperand(1), m_Zero()) ||
      !matchPattern(least->getOperand(1), m_ConstantInt(&limit)) ||
      limit.isNegative() || !limit.isSignedIntN(32))
    return std::nullopt;
  return ClampedDifference{difference->getResult(0), difference->getOperand(0),
                           difference->getOperand(1), most->getOperand(1),
                           least->getOperand(1)};
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Constants may be newer than the ranges.
bool NarrowingPlan::fits(Value value) const {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isSignedIntN(32);
  return ranges.fits(value, 32);
}

bool NarrowingPlan::isNonNegative(Value value) const {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isNonNegative();
  return ranges.isNonNegative(value);
}

bool NarrowingPlan::isBelow(Value amount, uint64_t bound) const {
  APInt constant;
  if (matchPattern(amount, m_ConstantInt(&constant)))
    return constant.ult(bound);
  const ConstantIntRanges *range = ranges.lookup(amount);
  return range && range->umax().ult(bound);
}

/// What `value` is moved from, or itself.
Value NarrowingPlan::getMoved(Value value) const {
  Value source = moved.lookup(value);
  return source ? source : value;
}

//===----------------------------------------------------------------------===//
// What is right
//===----------------------------------------------------------------------===//

/// Whether the operands are such that the op may be done on 32 bits, where its
/// result allows it.
bool NarrowingPlan::meets(Operation *op, const Narrowing &conditions) const {
  if (conditions.isShift && !isBelow(op->getOperand(1), 32))
    return false;
  auto nonNegative = [&](Value operand) { return isNonNegative(operand); };
  switch (conditions.nonNegative) {
  case Narrowing::NonNegative::None:
    break;
  case Narrowing::NonNegative::Any:
    if (!llvm::any_of(op->getOperands(), nonNegative))
      return false;
    break;
  case Narrowing::NonNegative::All:
    if (!llvm::all_of(op->getOperands(), nonNegative))
      return false;
    break;
  }
  return conditions.isOfLowBits ||
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isWideInteger(operand.getType()) || fits(operand);
         });
}

bool NarrowingPlan::isNarrowable(Operation *op) const {
  if (op->getNumResults() != 1 || !isWideInteger(op->getResult(0).getType()))
    return false;
  std::optional<Narrowing> conditions = getNarrowing(op);
  return conditions && !conditions->keepsResult && fits(op->getResult(0)) &&
         meets(op, *conditions);
}

/// Neither the index nor the sum that ends the loop leaves 32 bits. An upper
/// bound may lie below them: such a loop does not run.
bool NarrowingPlan::isLoopNarrowable(scf::ForOp loop) const {
  if (!loop.getInductionVar().getType().isInteger(64) ||
      loop.getUnsignedCmp() || !fits(loop.getLowerBound()) ||
      !fits(loop.getStep()) || !isNonNegative(loop.getStep()))
    return false;
  auto getLargest = [&](Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    const ConstantIntRanges *range = ranges.lookup(value);
    return (range ? range->smax() : APInt::getSignedMaxValue(64))
        .getSExtValue();
  };
  int64_t upper = getLargest(loop.getUpperBound());
  return llvm::isInt<32>(upper) &&
         llvm::isInt<32>(upper - 1 + getLargest(loop.getStep()));
}

/// Fills the tables for an op whose operands are in them already.
void NarrowingPlan::classify(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (isLoopNarrowable(loop)) {
      narrowIndices.insert(loop.getInductionVar());
      if (!fits(loop.getUpperBound()))
        clampedLoops.insert(loop);
    }
  if (isMoveOfOne(op))
    moved[op->getResult(0)] = getMoved(op->getOperand(0));
  // First: the minimum alone may fit by itself.
  auto difference = matchClampedDifference(op);
  if (difference && isWideInteger(op->getResult(0).getType()) &&
      fits(difference->lhs) && fits(difference->rhs) &&
      !fits(difference->difference)) {
    narrowable.insert(op);
    clamped[op] = *difference;
  } else if (isNarrowable(op)) {
    narrowable.insert(op);
    flags[op] = inferOverflowFlags(op);
  }
}

/// What fits before and after does not overflow between.
arith::IntegerOverflowFlags
NarrowingPlan::inferOverflowFlags(Operation *op) const {
  auto fit = [&](Value operand) { return fits(operand); };
  auto nonNegative = [&](Value value) { return isNonNegative(value); };
  if (!llvm::all_of(op->getOperands(), fit))
    return arith::IntegerOverflowFlags::none;
  if (!llvm::all_of(op->getOperands(), nonNegative) ||
      !isNonNegative(op->getResult(0)))
    return arith::IntegerOverflowFlags::nsw;
  return arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
}

//===----------------------------------------------------------------------===//
// What is worth it
//===----------------------------------------------------------------------===//

/// Whether 32 bits of `value` are at hand: it is an extension, a constant, or
/// will be one of them. Not so an extension with hints, which would be lost.
bool NarrowingPlan::isExtended(Value value) const {
  Value original = getMoved(value);
  Operation *source = original.getDefiningOp();
  if (!source)
    return narrowIndices.contains(original);
  if (isExtension(source))
    return source->getDiscardableAttrDictionary().empty();
  return source->hasTrait<OpTrait::ConstantLike>() ||
         narrowable.contains(source);
}

bool NarrowingPlan::keepsWideForm(Operation *op) { return isMoveOfOne(op); }

void NarrowingPlan::want(Operation *op) {
  chosenInOrder.push_back(op);
  for (Value operand : op->getOperands())
    if (isWideInteger(operand.getType()))
      wanted.insert(operand);
}

/// Whether an op whose result stays is done on operands of 32 bits.
bool NarrowingPlan::isInPlaceChoice(Operation *op,
                                    const Narrowing &conditions) const {
  bool hasWideOperand = llvm::any_of(op->getOperandTypes(), isWideInteger);
  if (!hasWideOperand || !meets(op, conditions))
    return false;
  return !conditions.isFreeExtension ||
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isWideInteger(operand.getType()) || isExtended(operand);
         });
}

void NarrowingPlan::chooseLoop(scf::ForOp loop) {
  if (!narrowIndices.contains(loop.getInductionVar()))
    return;
  chosenInOrder.push_back(loop);
  for (Value bound :
       {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    wanted.insert(bound);
}

/// Decides on an op whose users are decided.
void NarrowingPlan::choose(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return chooseLoop(loop);
  std::optional<Narrowing> conditions = getNarrowing(op);
  bool isChosen =
      conditions && conditions->keepsResult
          ? isInPlaceChoice(op, *conditions)
          : narrowable.contains(op) &&
                (!keepsWideForm(op) || wanted.contains(op->getResult(0)));
  if (isChosen)
    want(op);
}

NarrowingPlan::NarrowingPlan(Operation *root, const IntegerRanges &ranges)
    : ranges(ranges) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    classify(op);
  for (Operation *op : llvm::reverse(ops))
    choose(op);
  std::reverse(chosenInOrder.begin(), chosenInOrder.end());
}
