// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strength reduction: powers with small constant exponents by multiplications.

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "passes/Tile/Passes.h"
#include "passes/Tile/TileBuilder.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_REDUCEPOWERS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Whether `op` raises its first operand to the power of its second.
static bool isPower(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<math::PowFOp, math::FPowIOp>([](auto) { return true; })
      .Case([](tt::ExternElementwiseOp call) {
        return call->getNumOperands() == 2 &&
               llvm::StringSwitch<bool>(call.getSymbol())
                   .Cases({"__nv_pow", "__nv_powf"}, true)
                   .Cases({"__nv_powi", "__nv_powif"}, true)
                   .Default(false);
      })
      .Default(false);
}

/// The integer that `exponent` is, everywhere; none where it is not known.
static std::optional<int64_t> getInteger(Value exponent) {
  APInt integer;
  APFloat number(0.0);
  if (matchPattern(exponent, m_ConstantInt(&integer)))
    return integer.getSExtValue();
  if (!matchPattern(exponent, m_ConstantFloat(&number)) ||
      !number.isInteger() || number.isNegZero())
    return std::nullopt;
  APSInt value(/*BitWidth=*/32, /*isUnsigned=*/false);
  bool isExact = false;
  if (number.convertToInteger(value, APFloat::rmTowardZero, &isExact) !=
      APFloat::opOK)
    return std::nullopt;
  return value.getSExtValue();
}

/// `number` to the power of `exponent`, as accurate as the function; null where
/// that takes more than two operations.
static Value reducePower(OpBuilder &builder, Location location, Value number,
                         int64_t exponent) {
  auto square = [&]() -> Value {
    return arith::MulFOp::create(builder, location, number, number);
  };
  switch (exponent) {
  case 1:
    return number;
  case 2:
    return square();
  case 3:
    return arith::MulFOp::create(builder, location, square(), number);
  default:
    return {};
  }
}

namespace {
struct ReducePowers : tile::impl::ReducePowersBase<ReducePowers> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isPower(op) ||
          op->getOperand(0).getType() != op->getResultTypes()[0])
        return;
      std::optional<int64_t> exponent = getInteger(op->getOperand(1));
      if (!exponent)
        return;
      OpBuilder builder(op);
      if (Value power = reducePower(builder, op->getLoc(), op->getOperand(0),
                                    *exponent)) {
        op->replaceAllUsesWith(ValueRange{power});
        op->erase();
      }
    });
  }
};
} // namespace
