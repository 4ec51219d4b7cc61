// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AxisInfoOpInterface for `arith`: the rules of integer arithmetic. In the
// comments x is a value whose runs are consecutive, x = k r + i with 0 <= i < r
// in an aligned run of r elements, and m r a value that is constant over the
// run and a multiple of its length; D divides the first value of each run.

#include "dialects/Interfaces/AxisRules.h"
#include "dialects/Interfaces/ExternalModels.h"
#include "dialects/Interfaces/TileOpInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::axis;
using llvm::APInt;

namespace {

/// The facts of one dimension.
struct Axis {
  int64_t contiguity = 1;
  int64_t divisibility = 1;
  int64_t constancy = 1;
  int64_t spacing = 1;
  int64_t prefixes = 1;
};

using AxisRule = llvm::function_ref<Axis(unsigned dim)>;

/// A result of `type` whose dimensions follow `rule`.
AxisInfo build(Type type, bool nonNegative, AxisRule rule) {
  AxisInfo info = getUnknown(type);
  for (unsigned dim = 0; dim < info.contiguity.size(); ++dim) {
    Axis axis = rule(dim);
    info.contiguity[dim] = axis.contiguity;
    info.divisibility[dim] = std::min(axis.divisibility, maxDivisibility);
    info.constancy[dim] = axis.constancy;
    info.prefixes[dim] = axis.prefixes;
    info.spacing[dim] = std::min(axis.spacing, maxDivisibility);
  }
  info.nonNegative = nonNegative;
  normalize(info, type);
  return info;
}

int64_t getCommonDivisor(const Operand &lhs, const Operand &rhs, unsigned dim,
                         int64_t run) {
  return std::min(lhs.getDivisor(dim, run), rhs.getDivisor(dim, run));
}

int64_t getCommonSpacing(const Operand &lhs, const Operand &rhs, unsigned dim) {
  return std::min(lhs.getSpacing(dim), rhs.getSpacing(dim));
}

int64_t getCommonPrefixes(const Operand &lhs, const Operand &rhs,
                          unsigned dim) {
  return std::min(lhs.getPrefixes(dim), rhs.getPrefixes(dim));
}

int64_t getCommonConstancy(const Operand &lhs, const Operand &rhs,
                           unsigned dim) {
  return std::min(lhs.getConstancy(dim), rhs.getConstancy(dim));
}

/// The longest run over which `x` is x = k r + i and `multiple` is m r.
int64_t getAlignedRun(const Operand &x, const Operand &multiple, unsigned dim) {
  return std::min(x.getAlignedContiguity(dim),
                  multiple.getAlignedConstancy(dim));
}

/// s if `value` is constantly 2^s and positive.
std::optional<unsigned> getExactLog2(const Operand &value) {
  const std::optional<int64_t> &constant = value.info.constant;
  if (!constant || *constant <= 0 || !llvm::isPowerOf2_64(*constant))
    return std::nullopt;
  return llvm::Log2_64(*constant);
}

bool isNonNegative(const Operand &lhs, const Operand &rhs) {
  return lhs.info.nonNegative && rhs.info.nonNegative;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool compare(arith::CmpIPredicate predicate, const APInt &lhs,
             const APInt &rhs) {
  return arith::applyCmpPredicate(predicate, lhs, rhs);
}

/// The value of a binary op on two numbers, or nothing if it is undefined or
/// not computed here.
std::optional<APInt> evaluate(Operation *op, const APInt &lhs,
                              const APInt &rhs) {
  using Result = std::optional<APInt>;
  bool divides = !rhs.isZero();
  bool dividesSigned = divides && !(lhs.isMinSignedValue() && rhs.isAllOnes());
  bool shifts = rhs.ult(lhs.getBitWidth());
  auto when = [](bool isDefined, function_ref<APInt()> value) {
    return isDefined ? Result(value()) : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return lhs + rhs; })
      .Case([&](arith::SubIOp) { return lhs - rhs; })
      .Case([&](arith::MulIOp) { return lhs * rhs; })
      .Case([&](arith::AndIOp) { return lhs & rhs; })
      .Case([&](arith::OrIOp) { return lhs | rhs; })
      .Case([&](arith::XOrIOp) { return lhs ^ rhs; })
      .Case([&](arith::MinSIOp) { return lhs.slt(rhs) ? lhs : rhs; })
      .Case([&](arith::MaxSIOp) { return lhs.sgt(rhs) ? lhs : rhs; })
      .Case([&](arith::MinUIOp) { return lhs.ult(rhs) ? lhs : rhs; })
      .Case([&](arith::MaxUIOp) { return lhs.ugt(rhs) ? lhs : rhs; })
      .Case([&](arith::DivSIOp) {
        return when(dividesSigned, [&] { return lhs.sdiv(rhs); });
      })
      .Case([&](arith::RemSIOp) {
        return when(dividesSigned, [&] { return lhs.srem(rhs); });
      })
      .Case([&](arith::DivUIOp) {
        return when(divides, [&] { return lhs.udiv(rhs); });
      })
      .Case([&](arith::RemUIOp) {
        return when(divides, [&] { return lhs.urem(rhs); });
      })
      .Case([&](arith::ShLIOp) {
        return when(shifts, [&] { return lhs.shl(rhs); });
      })
      .Case([&](arith::ShRSIOp) {
        return when(shifts, [&] { return lhs.ashr(rhs); });
      })
      .Case([&](arith::ShRUIOp) {
        return when(shifts, [&] { return lhs.lshr(rhs); });
      })
      .Case([&](arith::CmpIOp cmp) {
        return APInt(1, compare(cmp.getPredicate(), lhs, rhs));
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<int64_t> foldConstants(Operation *op,
                                     ArrayRef<Operand> operands) {
  if (operands.size() != 2 || !operands[0].info.constant ||
      !operands[1].info.constant)
    return std::nullopt;
  // A reduction may have operands of several types.
  unsigned width = operands[0].width;
  if (operands[1].width != width)
    return std::nullopt;
  APInt lhs(width, *operands[0].info.constant, /*isSigned=*/true);
  APInt rhs(width, *operands[1].info.constant, /*isSigned=*/true);
  std::optional<APInt> value = evaluate(op, lhs, rhs);
  return value ? std::optional(value->getSExtValue()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// x + constant is consecutive.
AxisInfo getAdd(Type type, const Operand &lhs, const Operand &rhs) {
  bool nonNegative = isNonNegative(lhs, rhs) && isOverflowExcluded(type);
  return build(type, nonNegative, [&](unsigned dim) -> Axis {
    int64_t run =
        std::max(std::min(lhs.getContiguity(dim), rhs.getConstancy(dim)),
                 std::min(lhs.getConstancy(dim), rhs.getContiguity(dim)));
    return {run, getCommonDivisor(lhs, rhs, dim, run),
            getCommonConstancy(lhs, rhs, dim), getCommonSpacing(lhs, rhs, dim)};
  });
}

/// x - constant is consecutive; x - y is constant if both are consecutive, and
/// is then the difference of the first values.
AxisInfo getSub(Type type, const Operand &lhs, const Operand &rhs) {
  return build(type, /*nonNegative=*/false, [&](unsigned dim) -> Axis {
    int64_t run = std::min(lhs.getContiguity(dim), rhs.getConstancy(dim));
    int64_t parallel = std::min(lhs.getContiguity(dim), rhs.getContiguity(dim));
    int64_t divisor = getCommonDivisor(lhs, rhs, dim, run);
    if (run == 1)
      divisor = std::max(divisor, getCommonDivisor(lhs, rhs, dim, parallel));
    return {run, divisor, std::max(getCommonConstancy(lhs, rhs, dim), parallel),
            getCommonSpacing(lhs, rhs, dim)};
  });
}

AxisInfo getMul(Type type, const Operand &lhs, const Operand &rhs) {
  if (rhs.isConstant(1))
    return lhs.info;
  if (lhs.isConstant(1))
    return rhs.info;
  if (lhs.isConstant(0) || rhs.isConstant(0))
    return getConstant(type, 0);
  bool nonNegative = isNonNegative(lhs, rhs) && isOverflowExcluded(type);
  return build(type, nonNegative, [&](unsigned dim) -> Axis {
    // Where x grows by dx and y by dy, x y grows by x dy + y dx + dx dy.
    return {1, lhs.getDivisor() * rhs.getDivisor(),
            getCommonConstancy(lhs, rhs, dim),
            std::min(lhs.getDivisor() * rhs.getSpacing(dim),
                     rhs.getDivisor() * lhs.getSpacing(dim))};
  });
}

/// A shift by s is a product with 2^s; by an unknown number it keeps divisors.
AxisInfo getShiftLeft(Type type, const Operand &lhs, const Operand &rhs) {
  if (rhs.isConstant(0))
    return lhs.info;
  int64_t factor = 1;
  bool isProduct = rhs.info.constant.has_value();
  if (isProduct)
    factor = int64_t(1) << std::clamp<int64_t>(*rhs.info.constant, 0, 30);
  bool nonNegative = lhs.info.nonNegative && isOverflowExcluded(type);
  return build(type, nonNegative, [&](unsigned dim) -> Axis {
    return {1, lhs.getDivisor() * factor, getCommonConstancy(lhs, rhs, dim),
            isProduct ? lhs.getSpacing(dim) * factor : 1};
  });
}

//===----------------------------------------------------------------------===//
// Quotients and remainders
//===----------------------------------------------------------------------===//

/// The quotient of lhs by rhs. Rounded down, (k r + i) / (m r) is one value for
/// all i. `hasRuns` says whether the op rounds all of lhs down; `log2` is s
/// where rhs is 2^s, so that the quotient of a multiple D of it is a multiple
/// of D / 2^s.
AxisInfo getQuotient(Type type, const Operand &lhs, const Operand &rhs,
                     std::optional<unsigned> log2, bool hasRuns,
                     bool nonNegative) {
  return build(type, nonNegative, [&](unsigned dim) -> Axis {
    int64_t run = hasRuns ? getAlignedRun(lhs, rhs, dim) : 1;
    int64_t divisor = 1;
    if (log2)
      divisor = std::max<int64_t>(
          1,
          std::max(lhs.getDivisor(dim, run), lhs.getDivisor(dim, 1)) >> *log2);
    return {1, divisor, std::max(getCommonConstancy(lhs, rhs, dim), run)};
  });
}

AxisInfo getDivision(Type type, const Operand &lhs, const Operand &rhs,
                     bool isSigned) {
  if (rhs.isConstant(1))
    return lhs.info;
  bool isNegativeDivisor = rhs.info.constant && *rhs.info.constant < 0;
  // Signed division rounds towards zero: down only if lhs is not negative.
  bool hasRuns = !isSigned || lhs.info.nonNegative;
  // Assumption 2 of the analysis: a divisor of unknown sign is not negative.
  bool nonNegative = lhs.info.nonNegative && (!isSigned || !isNegativeDivisor);
  return getQuotient(type, lhs, rhs, getExactLog2(rhs), hasRuns, nonNegative);
}

/// An arithmetic shift rounds down whatever the sign, a logical one as
/// unsigned.
AxisInfo getShiftRight(Type type, const Operand &lhs, const Operand &rhs,
                       bool isSigned) {
  if (rhs.isConstant(0))
    return lhs.info;
  const std::optional<int64_t> &amount = rhs.info.constant;
  bool nonNegative = lhs.info.nonNegative;
  if (!amount || *amount < 0 || *amount >= static_cast<int64_t>(lhs.width))
    return build(type, nonNegative, [&](unsigned dim) -> Axis {
      return {1, 1, getCommonConstancy(lhs, rhs, dim)};
    });
  AxisInfo powerInfo =
      getUniform(type, powerOfTwoDivisor(uint64_t(1) << *amount));
  Operand power(powerInfo, type);
  return getQuotient(type, lhs, power, *amount, /*hasRuns=*/true,
                     nonNegative || !isSigned);
}

/// (k r + i) mod (m r) = (k r) mod (m r) + i, again where rounding is down.
AxisInfo getRemainder(Type type, const Operand &lhs, const Operand &rhs,
                      bool isSigned) {
  if (rhs.isConstant(1))
    return getConstant(type, 0);
  bool hasRuns = !isSigned || lhs.info.nonNegative;
  return build(type, lhs.info.nonNegative, [&](unsigned dim) -> Axis {
    int64_t run = hasRuns ? getAlignedRun(lhs, rhs, dim) : 1;
    return {run, getCommonDivisor(lhs, rhs, dim, run),
            getCommonConstancy(lhs, rhs, dim)};
  });
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// x & mask: a mask whose low bits are ones keeps runs; a multiple of r makes
/// one value of each run of r. Whatever divides either side divides the result.
AxisInfo getAnd(Type type, const Operand &lhs, const Operand &rhs) {
  if (lhs.isConstant(0) || rhs.isConstant(0))
    return getConstant(type, 0);
  if (rhs.isConstant(-1))
    return lhs.info;
  if (lhs.isConstant(-1))
    return rhs.info;
  auto getKeptRun = [](const Operand &x, const Operand &mask, unsigned dim) {
    if (!mask.info.constant)
      return int64_t(1);
    int ones = std::min(llvm::countr_one(uint64_t(*mask.info.constant)), 30);
    return std::min(x.getAlignedContiguity(dim), int64_t(1) << ones);
  };
  bool nonNegative = lhs.info.nonNegative || rhs.info.nonNegative;
  return build(type, nonNegative, [&](unsigned dim) -> Axis {
    int64_t kept =
        std::max(getKeptRun(lhs, rhs, dim), getKeptRun(rhs, lhs, dim));
    int64_t cleared =
        std::max(getAlignedRun(lhs, rhs, dim), getAlignedRun(rhs, lhs, dim));
    int64_t run = std::max(kept, cleared);
    return {kept, std::max(lhs.getDivisor(dim, run), rhs.getDivisor(dim, run)),
            std::max(getCommonConstancy(lhs, rhs, dim), cleared),
            /*spacing=*/1, getCommonPrefixes(lhs, rhs, dim)};
  });
}

/// (k r + i) | (m r) = (k | m) r + i, and so for exclusive or, of which two
/// prefixes leave what is between.
AxisInfo getOr(Type type, const Operand &lhs, const Operand &rhs,
               bool isExclusive) {
  if (rhs.isConstant(0))
    return lhs.info;
  if (lhs.isConstant(0))
    return rhs.info;
  return build(type, isNonNegative(lhs, rhs), [&](unsigned dim) -> Axis {
    int64_t run =
        std::max(getAlignedRun(lhs, rhs, dim), getAlignedRun(rhs, lhs, dim));
    return {run, getCommonDivisor(lhs, rhs, dim, run),
            getCommonConstancy(lhs, rhs, dim), /*spacing=*/1,
            isExclusive ? 1 : getCommonPrefixes(lhs, rhs, dim)};
  });
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The longest run over which both sides are consecutive and do not wrap.
int64_t getParallelRun(const Operand &lhs, const Operand &rhs, unsigned dim,
                       bool isSigned) {
  return isSigned ? std::min(lhs.getContiguity(dim), rhs.getContiguity(dim))
                  : std::min(lhs.getUnsignedContiguity(dim),
                             rhs.getUnsignedContiguity(dim));
}

/// Of two parallel runs one is the smaller throughout.
AxisInfo getMinMax(Type type, const Operand &lhs, const Operand &rhs,
                   bool isSigned, bool nonNegative) {
  return build(type, nonNegative, [&](unsigned dim) -> Axis {
    int64_t run = getParallelRun(lhs, rhs, dim, isSigned);
    return {run, getCommonDivisor(lhs, rhs, dim, run),
            getCommonConstancy(lhs, rhs, dim)};
  });
}

/// The longest run over which x < bound (or x >= bound) has one answer:
/// k r + i < m r exactly if k < m.
int64_t getRunBelow(const Operand &x, const Operand &bound, unsigned dim) {
  return getAlignedRun(x, bound, dim);
}

/// The same for x <= bound (or x > bound), which is x < bound + 1; that needs
/// the bound's value. At the type's largest value every x is below.
int64_t getRunUpTo(const Operand &x, const Operand &bound, unsigned dim) {
  if (!bound.info.constant)
    return 1;
  uint64_t next = static_cast<uint64_t>(*bound.info.constant) + 1;
  return std::min({x.getAlignedContiguity(dim), bound.getConstancy(dim),
                   powerOfTwoDivisor(next)});
}

AxisInfo getCompare(Type type, arith::CmpIPredicate predicate,
                    const Operand &lhs, const Operand &rhs) {
  using Predicate = arith::CmpIPredicate;
  bool isSigned = predicate == Predicate::slt || predicate == Predicate::sle ||
                  predicate == Predicate::sgt || predicate == Predicate::sge;
  // A single run against a constant bound.
  auto getRunAgainstBound = [&](unsigned dim) -> int64_t {
    switch (predicate) {
    case Predicate::slt:
    case Predicate::ult:
    case Predicate::sge:
    case Predicate::uge:
      // x < bound, or bound > x read from the right: y <= x.
      return std::max(getRunBelow(lhs, rhs, dim), getRunUpTo(rhs, lhs, dim));
    case Predicate::sle:
    case Predicate::ule:
    case Predicate::sgt:
    case Predicate::ugt:
      return std::max(getRunUpTo(lhs, rhs, dim), getRunBelow(rhs, lhs, dim));
    case Predicate::eq:
    case Predicate::ne:
      return 1;
    }
    return 1;
  };
  // x < bound holds for the first ones of a run of consecutive x.
  auto getPrefixes = [&](unsigned dim) -> int64_t {
    bool isBelow = predicate == Predicate::slt || predicate == Predicate::sle ||
                   predicate == Predicate::ult || predicate == Predicate::ule;
    const Operand &x = isBelow ? lhs : rhs, &bound = isBelow ? rhs : lhs;
    int64_t run =
        isSigned ? x.getContiguity(dim) : x.getUnsignedContiguity(dim);
    return std::min(run, bound.getConstancy(dim));
  };
  return build(type, /*nonNegative=*/false, [&](unsigned dim) -> Axis {
    // Equality does not mind a wrap, and the order as signed numbers not either
    // by the analysis' first assumption.
    bool isEquality = predicate == Predicate::eq || predicate == Predicate::ne;
    int64_t parallel = getParallelRun(lhs, rhs, dim, isSigned || isEquality);
    return {1, 1,
            std::max({getCommonConstancy(lhs, rhs, dim), parallel,
                      getRunAgainstBound(dim)}),
            /*spacing=*/1, isEquality ? 1 : getPrefixes(dim)};
  });
}

//===----------------------------------------------------------------------===//
// Widths
//===----------------------------------------------------------------------===//

enum class Widening { Signed, Unsigned };

/// The conversion of `source` to an integer type of another width.
AxisInfo getConverted(Type type, const Operand &source, Widening widening) {
  unsigned width = getWidth(type);
  if (source.info.constant) {
    APInt value(source.width, *source.info.constant, /*isSigned=*/true);
    return getConstant(type,
                       (widening == Widening::Signed ? value.sextOrTrunc(width)
                                                     : value.zextOrTrunc(width))
                           .getSExtValue());
  }
  AxisInfo info = source.info;
  bool isWider = width > source.width;
  if (isWider && widening == Widening::Unsigned)
    for (unsigned dim = 0; dim < info.contiguity.size(); ++dim)
      shortenRun(info, dim, source.getUnsignedContiguity(dim), source.step);
  if (width < source.width)
    info.nonNegative = false;
  else if (isWider && widening == Widening::Unsigned)
    info.nonNegative = true;
  normalize(info, type);
  return info;
}

//===----------------------------------------------------------------------===//
// Constants and selections
//===----------------------------------------------------------------------===//

AxisInfo getArithConstant(arith::ConstantOp op) {
  Type type = op.getType();
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    return getConstant(type, integer.getValue().getSExtValue());
  auto dense = dyn_cast<DenseIntElementsAttr>(op.getValue());
  if (!dense || dense.empty())
    return getUnknown(type);
  if (dense.isSplat())
    return getConstant(type, dense.getSplatValue<APInt>().getSExtValue());

  AxisInfo info = getUnknown(type);
  uint64_t bits = 0;
  info.nonNegative = true;
  for (const APInt &value : dense.getValues<APInt>()) {
    bits |= value.getSExtValue();
    info.nonNegative &= value.isNonNegative();
  }
  info.divisibility[0] = powerOfTwoDivisor(bits);
  normalize(info, type);
  return info;
}

AxisInfo getSelect(arith::SelectOp op, const Operand &condition,
                   const Operand &lhs, const Operand &rhs) {
  if (condition.info.constant)
    return *condition.info.constant ? lhs.info : rhs.info;
  AxisInfo info = join(lhs.info, rhs.info, lhs.step);
  if (info.constant || !isa<ShapedType>(op.getCondition().getType()))
    return info;
  for (unsigned dim = 0; dim < info.contiguity.size(); ++dim) {
    shortenRun(info, dim, condition.getConstancy(dim), lhs.step);
    info.constancy[dim] = info.prefixes[dim] =
        std::min(info.constancy[dim], condition.getConstancy(dim));
    // Neighbours may be of different sides.
    info.spacing[dim] = 1;
  }
  normalize(info, op.getType());
  return info;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// Ops of other kinds than those here are elementwise, and pure.
AxisInfo getOfOperation(Operation *op, Type type, ArrayRef<Operand> operands) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return getArithConstant(constant);
  if (std::optional<int64_t> constant = foldConstants(op, operands))
    return getConstant(type, *constant);

  auto binary = [&](auto rule, auto... arguments) {
    return rule(type, operands[0], operands[1], arguments...);
  };
  bool bothNonNegative =
      operands.size() == 2 && isNonNegative(operands[0], operands[1]);
  bool oneNonNegative = operands.size() == 2 && (operands[0].info.nonNegative ||
                                                 operands[1].info.nonNegative);
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::AddIOp) { return binary(getAdd); })
      .Case([&](arith::SubIOp) { return binary(getSub); })
      .Case([&](arith::MulIOp) { return binary(getMul); })
      .Case([&](arith::ShLIOp) { return binary(getShiftLeft); })
      .Case([&](arith::DivSIOp) { return binary(getDivision, true); })
      .Case([&](arith::DivUIOp) { return binary(getDivision, false); })
      .Case([&](arith::RemSIOp) { return binary(getRemainder, true); })
      .Case([&](arith::RemUIOp) { return binary(getRemainder, false); })
      .Case([&](arith::ShRSIOp) { return binary(getShiftRight, true); })
      .Case([&](arith::ShRUIOp) { return binary(getShiftRight, false); })
      .Case([&](arith::AndIOp) { return binary(getAnd); })
      .Case<arith::OrIOp, arith::XOrIOp>([&](auto) {
        return binary(getOr, /*isExclusive=*/isa<arith::XOrIOp>(op));
      })
      .Case([&](arith::MinSIOp) {
        return binary(getMinMax, true, bothNonNegative);
      })
      .Case([&](arith::MaxSIOp) {
        return binary(getMinMax, true, oneNonNegative);
      })
      .Case([&](arith::MinUIOp) {
        return binary(getMinMax, false, oneNonNegative);
      })
      .Case([&](arith::MaxUIOp) {
        return binary(getMinMax, false, bothNonNegative);
      })
      .Case([&](arith::CmpIOp cmp) {
        return getCompare(type, cmp.getPredicate(), operands[0], operands[1]);
      })
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>([&](auto) {
        return getConverted(type, operands[0], Widening::Signed);
      })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) {
        return getConverted(type, operands[0], Widening::Unsigned);
      })
      .Case([&](arith::SelectOp select) {
        return getSelect(select, operands[0], operands[1], operands[2]);
      })
      .Case([&](arith::BitcastOp) { return getRetyped(type, operands[0]); })
      .Default([&](Operation *) { return getOfEqualOperands(type, operands); });
}

struct ArithAxisModel
    : AxisInfoOpInterface::ExternalModel<ArithAxisModel, Operation *> {
  AxisInfo inferAxisInfo(Operation *op, unsigned result,
                         ArrayRef<const AxisInfo *> operands) const {
    return getOfOperation(op, op->getResult(result).getType(),
                          makeOperands(op, operands));
  }
};

} // namespace

void tilewright::attachArithAxisRules(MLIRContext &context) {
  for (RegisteredOperationName name : getRegisteredOps(context, "arith"))
    name.attachInterface<ArithAxisModel>();
}
