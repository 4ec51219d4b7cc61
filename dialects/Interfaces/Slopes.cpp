// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Interfaces/Slopes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

static std::optional<double> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) || constant.isZero())
    return std::nullopt;
  return double(constant.getSExtValue());
}

/// That of the smaller or the larger of two values.
static Slope choose(double left, double right) {
  if (left * right < 0)
    return std::nullopt;
  return std::abs(left) > std::abs(right) ? left : right;
}

static Slope inferOfTwo(Operation *op, double left, double right) {
  // Not 0.
  std::optional<double> factor = getConstant(op->getOperand(1));
  return llvm::TypeSwitch<Operation *, Slope>(op)
      .Case([&](arith::AddIOp) { return left + right; })
      .Case([&](arith::SubIOp) { return left - right; })
      .Case([&](arith::MulIOp) {
        return factor ? Slope(left * *factor) : std::nullopt;
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
          [&](Operation *) {
            return factor ? Slope(left / *factor) : std::nullopt;
          })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](Operation *) {
        return factor ? std::nullopt : choose(left, right);
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](Operation *) { return choose(left, right); })
      .Default(Slope());
}

Slope tilewright::inferSlope(Operation *op, ArrayRef<Slope> operands) {
  if (!llvm::all_of(operands, [](const Slope &slope) { return slope; }))
    return std::nullopt;
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return operands.front();
  return operands.size() == 2 ? inferOfTwo(op, *operands[0], *operands[1])
                              : std::nullopt;
}
