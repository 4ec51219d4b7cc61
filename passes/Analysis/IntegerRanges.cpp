// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/IntegerRanges.h"

#include "dialects/Interfaces/LaunchOpInterfaces.h"
#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/Target/GridLimits.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using dataflow::IntegerRangeAnalysis;
using dataflow::IntegerValueRangeLattice;

namespace {

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// The integers of 32 bits from `first` to `last`, as signed.
ConstantIntRanges getRange(int64_t first, int64_t last) {
  return ConstantIntRanges::fromSigned(APInt(32, first, /*isSigned=*/true),
                                       APInt(32, last, /*isSigned=*/true));
}

/// The range of a place in the grid, or of its size; nothing for other ops. The
/// ops cannot say it: how large a grid may be is the hardware's.
std::optional<ConstantIntRanges> getGridRange(Operation *op) {
  auto grid = dyn_cast<GridOpInterface>(op);
  if (!grid)
    return std::nullopt;
  GridQuantity quantity = grid.getGridQuantity();
  int64_t most = target::maxGridSize[quantity.axis];
  return quantity.isSize ? getRange(1, most) : getRange(0, most - 1);
}

/// The range of a signed quotient or remainder by what may be 0, which no
/// launch divides by; nothing for other ops. (MLIR's rule has any number then.)
std::optional<ConstantIntRanges>
getDivisionRange(Operation *op, ArrayRef<const IntegerValueRangeLattice *> of) {
  if (!isa<arith::DivSIOp, arith::RemSIOp>(op) ||
      llvm::any_of(of, [](const IntegerValueRangeLattice *operand) {
        return operand->getValue().isUninitialized();
      }))
    return std::nullopt;
  const ConstantIntRanges &dividend = of[0]->getValue().getValue();
  const ConstantIntRanges &divisor = of[1]->getValue().getValue();
  const APInt &least = dividend.smin(), &most = dividend.smax();
  if (least.isMinSignedValue() || divisor.smin().isStrictlyPositive() ||
      divisor.smax().isNegative())
    return std::nullopt;
  APInt zero = APInt::getZero(least.getBitWidth());
  if (isa<arith::RemSIOp>(op))
    return ConstantIntRanges::fromSigned(llvm::APIntOps::smin(least, zero),
                                         llvm::APIntOps::smax(most, zero));
  APInt furthest = llvm::APIntOps::umax(least.abs(), most.abs());
  bool isPositive = least.isNonNegative() && divisor.smin().isNonNegative();
  return ConstantIntRanges::fromSigned(isPositive ? zero : -furthest, furthest);
}

/// From the lower bound to the last number below the upper one; none for a loop
/// that never runs.
std::optional<ConstantIntRanges>
getInductionRange(scf::ForOp loop, const ConstantIntRanges &lower,
                  const ConstantIntRanges &upper) {
  if (loop.getUnsignedCmp()) {
    if (lower.umin().uge(upper.umax()))
      return std::nullopt;
    return ConstantIntRanges::fromUnsigned(lower.umin(), upper.umax() - 1);
  }
  if (lower.smin().sge(upper.smax()))
    return std::nullopt;
  return ConstantIntRanges::fromSigned(lower.smin(), upper.smax() - 1);
}

//===----------------------------------------------------------------------===//
// Data flow
//===----------------------------------------------------------------------===//

/// Says of all that is no integer that it is no known constant. The analysis of
/// dead code takes a loop for dead until it hears that of whatever the loop
/// starts with; of integers it hears by their ranges.
struct UnknownConstants : dataflow::SparseForwardDataFlowAnalysis<
                              dataflow::Lattice<dataflow::ConstantValue>> {
  using Lattice = dataflow::Lattice<dataflow::ConstantValue>;
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op, ArrayRef<const Lattice *>,
                               ArrayRef<Lattice *> results) override {
    for (Lattice *result : results)
      if (!getElementTypeOrSelf(result->getAnchor().getType()).isIntOrIndex())
        setToEntryState(result);
    return success();
  }

protected:
  void setToEntryState(Lattice *lattice) override {
    propagateIfChanged(
        lattice, lattice->join(dataflow::ConstantValue::getUnknownConstant()));
  }
};

struct TileRangeAnalysis : IntegerRangeAnalysis {
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  LogicalResult
  visitOperation(Operation *op,
                 ArrayRef<const IntegerValueRangeLattice *> operands,
                 ArrayRef<IntegerValueRangeLattice *> results) override {
    // Poison is any number, so it may be 0, which loops often start from.
    if (Attribute constant; matchPattern(op, m_Constant(&constant)) &&
                            isa<ub::PoisonAttrInterface>(constant)) {
      joinZero(results.front());
      return success();
    }
    if (std::optional<ConstantIntRanges> range = getGridRange(op)) {
      join(results.front(), IntegerValueRange(*range));
      return success();
    }
    if (std::optional<ConstantIntRanges> range =
            getDivisionRange(op, operands)) {
      join(results.front(), IntegerValueRange(*range));
      return success();
    }
    if (auto movement = dyn_cast<DataMovementOpInterface>(op)) {
      IntegerValueRange range;
      for (const IntegerValueRangeLattice *operand :
           operands.take_front(movement.getNumMovedOperands()))
        range = IntegerValueRange::join(range, operand->getValue());
      for (IntegerValueRangeLattice *result : results)
        joinMoved(result, range);
      return success();
    }
    if (failed(IntegerRangeAnalysis::visitOperation(op, operands, results)))
      return failure();
    setForgottenResults(operands, results);
    return success();
  }

  /// MLIR's rule takes bounds for signed where they are not, and bounds that
  /// are not known yet for any number.
  void
  visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                               ArrayRef<IntegerValueRangeLattice *> arguments,
                               unsigned firstIndex) override {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || arguments.empty() ||
        arguments.front()->getAnchor() != loop.getInductionVar())
      return IntegerRangeAnalysis::visitNonControlFlowArguments(
          op, successor, arguments, firstIndex);

    ProgramPoint *point = getProgramPointBefore(loop.getBody());
    const IntegerValueRange &lower =
        getLatticeElementFor(point, loop.getLowerBound())->getValue();
    const IntegerValueRange &upper =
        getLatticeElementFor(point, loop.getUpperBound())->getValue();
    if (lower.isUninitialized() || upper.isUninitialized())
      return;
    if (auto range =
            getInductionRange(loop, lower.getValue(), upper.getValue()))
      join(arguments.front(), IntegerValueRange(*range));
  }

private:
  /// Some ops say nothing of a result whatever their operands are: of a
  /// constant whose numbers are not at hand, say.
  void setForgottenResults(ArrayRef<const IntegerValueRangeLattice *> operands,
                           ArrayRef<IntegerValueRangeLattice *> results) {
    auto isAwaited = [](const IntegerValueRangeLattice *operand) {
      Type type = getElementTypeOrSelf(operand->getAnchor().getType());
      return type.isIntOrIndex() && operand->getValue().isUninitialized();
    };
    if (llvm::any_of(operands, isAwaited))
      return;
    for (IntegerValueRangeLattice *result : results)
      if (result->getValue().isUninitialized())
        setToEntryState(result);
  }

  void join(IntegerValueRangeLattice *lattice, const IntegerValueRange &range) {
    propagateIfChanged(lattice, lattice->join(range));
  }

  void joinZero(IntegerValueRangeLattice *lattice) {
    unsigned bits =
        ConstantIntRanges::getStorageBitwidth(lattice->getAnchor().getType());
    if (bits != 0)
      join(lattice, IntegerValueRange(
                        ConstantIntRanges::constant(APInt::getZero(bits))));
  }

  /// As `join`, but a result that a loop may carry round gets any number when
  /// it changes.
  void joinMoved(IntegerValueRangeLattice *result,
                 const IntegerValueRange &range) {
    bool isFirst = result->getValue().isUninitialized();
    ChangeResult changed = result->join(range);
    auto isTerminator = [](Operation *user) {
      return user->hasTrait<OpTrait::IsTerminator>();
    };
    Value value = result->getAnchor();
    if (changed == ChangeResult::Change && !isFirst &&
        llvm::any_of(value.getUsers(), isTerminator))
      changed |= result->join(IntegerValueRange::getMaxRange(value));
    propagateIfChanged(result, changed);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// IntegerRanges
//===----------------------------------------------------------------------===//

tile::IntegerRanges::IntegerRanges(Operation *root) {
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<UnknownConstants>();
  solver.load<TileRangeAnalysis>();
  if (failed(solver.initializeAndRun(root)))
    solver.eraseAllStates();
}

const ConstantIntRanges *tile::IntegerRanges::lookup(Value value) const {
  const auto *lattice = solver.lookupState<IntegerValueRangeLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return nullptr;
  return &lattice->getValue().getValue();
}

bool tile::IntegerRanges::fits(Value value, unsigned bits) const {
  const ConstantIntRanges *range = lookup(value);
  return range && range->smin().isSignedIntN(bits) &&
         range->smax().isSignedIntN(bits);
}

bool tile::IntegerRanges::isNonNegative(Value value) const {
  const ConstantIntRanges *range = lookup(value);
  return range && range->smin().isNonNegative();
}
