// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/LaunchValues.h"

#include "dialects/Interfaces/LaunchOpInterfaces.h"
#include "dialects/Interfaces/TileOpInterfaces.h"

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<int64_t> LaunchValue::getConstant() const {
  if (!range)
    return std::nullopt;
  std::optional<APInt> constant = range->getConstantValue();
  return constant && constant->getBitWidth() <= 64
             ? std::optional(constant->getSExtValue())
             : std::nullopt;
}

/// All bounds moved by `count` steps, around the end of the type if it comes to
/// that.
static ConstantIntRanges shift(const ConstantIntRanges &range,
                               const APInt &step, int64_t count) {
  unsigned bits = range.smin().getBitWidth();
  APInt distance = step * APInt(64, count, /*isSigned=*/true).sextOrTrunc(bits);
  return ConstantIntRanges::fromSigned(range.smin() + distance,
                                       range.smax() + distance);
}

/// Addresses wrap around, as the machine's do.
static int64_t getSum(int64_t base, uint64_t step, uint64_t count) {
  return int64_t(uint64_t(base) + step * count);
}

LaunchValue LaunchValue::advance(const LaunchValue &first,
                                 const LaunchValue &second, int64_t count) {
  bool isUniform = first.isUniform && second.isUniform;
  if (first.base && first.base == second.base)
    return {.base = first.base,
            .offset = getSum(first.offset,
                             uint64_t(second.offset) - first.offset, count),
            .isUniform = isUniform};
  // Integers, or tiles of them of which each grows alike.
  if (first.range && second.range && first.range->smin().getBitWidth() > 1 &&
      first.range->smax() - first.range->smin() ==
          second.range->smax() - second.range->smin())
    return {.range = shift(*first.range,
                           second.range->smin() - first.range->smin(), count),
            .isUniform = isUniform};
  return {.isUniform = isUniform};
}

Value tilewright::getPassed(Block *predecessor, BlockArgument argument) {
  auto branch = dyn_cast<BranchOpInterface>(predecessor->getTerminator());
  if (!branch)
    return {};
  for (unsigned index = 0; index < branch->getNumSuccessors(); ++index)
    if (branch->getSuccessor(index) == argument.getOwner())
      return branch.getSuccessorOperands(index)[argument.getArgNumber()];
  return {};
}

//===----------------------------------------------------------------------===//
// LaunchValues
//===----------------------------------------------------------------------===//

LaunchValues::LaunchValues(const Launch &launch, int64_t number,
                           const LaunchValues *shared)
    : launch(&launch), shared(shared) {
  for (unsigned axis : {0, 1, 2}) {
    program[axis] = number % launch.grid[axis];
    number /= launch.grid[axis];
  }
}

LaunchValues::LaunchValues(LaunchValues &outer, const CFGLoop *loop)
    : launch(outer.launch), outer(&outer), loop(loop), program(outer.program) {}

const LaunchValue &LaunchValues::get(Value value) {
  if (outer && !loop->contains(value.getParentBlock()))
    return outer->get(value);
  if (shared) {
    auto there = shared->values.find(value);
    if (there != shared->values.end() && there->second.isUniform)
      return there->second;
  }
  // Whoever comes back here by a loop finds nothing.
  auto [known, isNew] =
      values.try_emplace(value, LaunchValue{.isUniform = false});
  if (!isNew)
    return known->second;
  LaunchValue computed = compute(value);
  return values[value] = std::move(computed);
}

Block *LaunchValues::getSuccessor(Block *block) {
  auto branch = dyn_cast<BranchOpInterface>(block->getTerminator());
  if (!branch)
    return nullptr;
  SmallVector<Attribute> operands;
  for (Value operand : branch->getOperands()) {
    std::optional<APInt> constant;
    if (isa<IntegerType>(operand.getType()) && get(operand).range)
      constant = get(operand).range->getConstantValue();
    operands.push_back(constant ? IntegerAttr::get(operand.getType(), *constant)
                                : IntegerAttr());
  }
  return branch.getSuccessorForOperands(operands);
}

bool LaunchValues::isBranchUniform(Block *block) {
  return llvm::all_of(
      block->getTerminator()->getOperands(), [&](Value operand) {
        return !isa<IntegerType>(operand.getType()) || get(operand).isUniform;
      });
}

LaunchValue LaunchValues::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return computeArgument(argument);
  return computeResult(cast<OpResult>(value));
}

/// The range of one integer; none where it does not fit the type.
static std::optional<ConstantIntRanges> getRangeOf(Type type, int64_t value) {
  unsigned bits = ConstantIntRanges::getStorageBitwidth(type);
  if (bits == 0 ||
      (bits < 64 && !llvm::isIntN(bits, value) && !llvm::isUIntN(bits, value)))
    return std::nullopt;
  return ConstantIntRanges::constant(
      APInt(64, value, /*isSigned=*/true).sextOrTrunc(bits));
}

LaunchValue LaunchValues::computeArgument(BlockArgument argument) {
  Block *block = argument.getOwner();
  bool isInteger = argument.getType().isIntOrIndex();
  if (block->isEntryBlock()) {
    if (!isa<FunctionOpInterface>(block->getParentOp()))
      return {};
    unsigned number = argument.getArgNumber();
    if (!isInteger)
      return {.base = argument};
    if (number < launch->arguments.size() && launch->arguments[number])
      return {.range =
                  getRangeOf(argument.getType(), *launch->arguments[number])};
    return {};
  }
  // Of a loop's header the value that the loop begins with; elsewhere that of
  // the first way that leads here.
  for (Block *predecessor : block->getPredecessors())
    if (Value passed = getPassed(predecessor, argument)) {
      const LaunchValue &value = get(passed);
      if (value.range || value.base)
        return value;
    }
  return {};
}

LaunchValue LaunchValues::computeResult(OpResult result) {
  Operation *op = result.getOwner();
  if (auto grid = dyn_cast<GridOpInterface>(op)) {
    GridQuantity quantity = grid.getGridQuantity();
    return {.range = getRangeOf(result.getType(),
                                quantity.isSize ? launch->grid[quantity.axis]
                                                : program[quantity.axis]),
            .isUniform = quantity.isSize};
  }
  if (auto address = dyn_cast<AddressOpInterface>(op)) {
    AddressSum sum = address.getAddressSum();
    LaunchValue value = get(sum.pointers);
    const LaunchValue &offsets = get(sum.offsets);
    value.isUniform &= offsets.isUniform;
    if (offsets.range && offsets.range->smin().getBitWidth() <= 64)
      value.offset = getSum(value.offset, sum.elementBytes,
                            offsets.range->smin().getSExtValue());
    return value;
  }
  if (auto movement = dyn_cast<DataMovementOpInterface>(op))
    return movement.getNumMovedOperands() == 1
               ? get(op->getOperand(0))
               : LaunchValue{.isUniform = false};
  if (!getElementTypeOrSelf(result.getType()).isIntOrIndex())
    return {.base = result, .isUniform = false};
  return inferRange(result);
}

LaunchValue LaunchValues::inferRange(OpResult result) {
  auto inferrable = dyn_cast<InferIntRangeInterface>(result.getOwner());
  if (!inferrable)
    return {.isUniform = false};
  SmallVector<ConstantIntRanges> operands;
  LaunchValue value;
  for (Value operand : result.getOwner()->getOperands()) {
    unsigned bits = ConstantIntRanges::getStorageBitwidth(operand.getType());
    const LaunchValue &known = get(operand);
    value.isUniform &= known.isUniform;
    operands.push_back(known.range ? *known.range
                                   : ConstantIntRanges::maxRange(bits));
  }
  inferrable.inferResultRanges(
      operands, [&](Value inferred, const ConstantIntRanges &range) {
        if (inferred == result &&
            range != ConstantIntRanges::maxRange(range.smin().getBitWidth()))
          value.range = range;
      });
  return value;
}
