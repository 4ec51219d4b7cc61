// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/IndexConstraints.h"

#include "dialects/Interfaces/IndexArithmetic.h"
#include "dialects/Interfaces/LaunchOpInterfaces.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

/// More unknowns are given up; of more choices those that came last are not
/// made, which only leaves more open. Each doubles the systems to solve at
/// worst.
static constexpr size_t mostUnknowns = 32;
static constexpr size_t mostChoices = 8;

static IndexSum negate(const IndexSum &sum) { return IndexSum() - sum; }

/// sum - 1: not negative where `sum` is positive.
static IndexSum decrement(const IndexSum &sum) {
  return sum - IndexSum::constant(1);
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

IndexConstraints::IndexConstraints(Operation *place) {
  for (Operation *op = place; op->getParentOp(); op = op->getParentOp())
    addEnclosing(op);
}

/// What holds because `op`'s parent runs it.
void IndexConstraints::addEnclosing(Operation *op) {
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp()))
    explainIteration(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()))
    addCondition(branch.getCondition(),
                 op->getParentRegion() == &branch.getThenRegion());
}

void IndexConstraints::addCondition(Value condition, bool holds) {
  Operation *op = condition.getDefiningOp();
  std::optional<IndexOp> kind = op ? getIndexOp(op) : std::nullopt;
  if (!kind)
    return;
  if (kind == IndexOp::And && holds)
    for (Value part : op->getOperands())
      addCondition(part, holds);
  bool isLess = kind == IndexOp::Less || kind == IndexOp::LessOrEqual;
  bool isGreater = kind == IndexOp::Greater || kind == IndexOp::GreaterOrEqual;
  if (!isLess && !isGreater)
    return;
  // As `greater - less`, which is at least 0 or 1 where the comparison holds,
  // and less than that where it does not.
  IndexSum difference = sums.getSum(op->getOperand(isLess)) -
                        sums.getSum(op->getOperand(isGreater));
  bool isStrict = kind == IndexOp::Less || kind == IndexOp::Greater;
  if (isStrict)
    difference = decrement(difference);
  addFact(holds ? difference : decrement(negate(difference)));
}

void IndexConstraints::addFact(const IndexSum &sum) {
  mention(sum);
  facts.push_back(sum);
}

void IndexConstraints::addChoice(const Choice &choice) {
  // First, since what it mentions may add choices, too.
  choices.push_back(choice);
  for (const Facts &alternative : choice)
    llvm::for_each(alternative, [&](const IndexSum &sum) { mention(sum); });
}

/// Gives the products of `sum` their columns, and adds what is known of their
/// factors.
void IndexConstraints::mention(const IndexSum &sum) {
  for (auto &[product, coefficient] : sum.products) {
    if (!product.empty())
      columns.try_emplace(product, columns.size());
    llvm::for_each(product, [&](unsigned factor) { explain(factor); });
  }
}

void IndexConstraints::explain(unsigned factor) {
  if (!explained.insert(factor).second)
    return;
  auto [value, loop] = sums.getFactor(factor);
  if (loop)
    return explainIteration(loop);
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  IndexSum result = IndexSum::factor(factor);
  if (isa<GridOpInterface>(op))
    return addFact(result);
  std::optional<IndexOp> kind = getIndexOp(op);
  if (kind == IndexOp::SignedMinimum)
    explainExtreme(result, op, 1);
  else if (kind == IndexOp::SignedMaximum)
    explainExtreme(result, op, -1);
  else if (kind == IndexOp::SignedQuotient)
    explainQuotient(result, op);
}

/// The number of an iteration is not negative, and its index below the bound.
void IndexConstraints::explainIteration(LoopLikeOpInterface like) {
  auto loop = dyn_cast<scf::ForOp>(like.getOperation());
  if (!loop || loop.getUnsignedCmp() || !explainedLoops.insert(loop).second)
    return;
  IndexSum index = sums.getSum(loop.getInductionVar());
  for (auto &[product, coefficient] : index.products)
    for (unsigned factor : product)
      if (sums.getFactor(factor).loop == like)
        addFact(IndexSum::factor(factor));
  addFact(decrement(sums.getSum(loop.getUpperBound()) - index));
}

/// Of a minimum (`sign` 1) or a maximum (-1): it is one of both operands, and
/// the other is not beyond it.
void IndexConstraints::explainExtreme(const IndexSum &result, Operation *op,
                                      int sign) {
  if (choices.size() == mostChoices)
    return;
  IndexSum a = sums.getSum(op->getOperand(0)),
           b = sums.getSum(op->getOperand(1));
  IndexSum beyond = (b - a) * IndexSum::constant(sign);
  addChoice({{result - a, a - result, beyond},
             {result - b, b - result, negate(beyond)}});
}

/// Of a / d, for a constant d above 0: a - d * quotient, the remainder, is less
/// than d, and of a's sign.
void IndexConstraints::explainQuotient(const IndexSum &result, Operation *op) {
  APInt constant;
  if (choices.size() == mostChoices ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&constant)) ||
      !constant.isStrictlyPositive())
    return;
  IndexSum divisor = IndexSum::constant(constant.getSExtValue());
  IndexSum dividend = sums.getSum(op->getOperand(0));
  IndexSum remainder = dividend - result * divisor;
  addChoice({{dividend, remainder, decrement(divisor - remainder)},
             {decrement(negate(dividend)), negate(remainder),
              decrement(divisor + remainder)}});
}

//===----------------------------------------------------------------------===//
// What follows
//===----------------------------------------------------------------------===//

/// Adds that `sum` is not negative.
void IndexConstraints::constrain(presburger::Simplex &simplex,
                                 const IndexSum &sum) const {
  SmallVector<DynamicAPInt> row(columns.size() + 1);
  for (auto &[product, coefficient] : sum.products)
    row[product.empty() ? columns.size() : columns.at(product)] =
        DynamicAPInt(coefficient);
  simplex.addInequality(row);
}

/// Whether any rational numbers meet the constraints with one alternative of
/// each of the choices `left`.
bool IndexConstraints::isPossible(presburger::Simplex &simplex,
                                  ArrayRef<Choice> left) const {
  if (simplex.isEmpty())
    return false;
  if (left.empty())
    return true;
  return llvm::any_of(left.front(), [&](const Facts &alternative) {
    presburger::SimplexRollbackScopeExit scope(simplex);
    for (const IndexSum &sum : alternative)
      constrain(simplex, sum);
    return isPossible(simplex, left.drop_front());
  });
}

bool IndexConstraints::isLess(Value left, Value right, int64_t offset) {
  IndexSum contrary =
      sums.getSum(left) - sums.getSum(right) - IndexSum::constant(offset);
  mention(contrary);
  if (columns.size() > mostUnknowns)
    return false;
  presburger::Simplex simplex(columns.size());
  constrain(simplex, contrary);
  for (const IndexSum &sum : facts)
    constrain(simplex, sum);
  return !isPossible(simplex, choices);
}
