// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strength reduction: powers with small constant exponents by multiplications.

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "passes/Tile/Passes.h"
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
                   .Cases({"__nv_pow", "__nv_powf", "__nv_powi", "__nv_powif"},
                          true)
                   .Default(false);
      })
      .Default(false);
}

/// The exponent that `value` is everywhere, if it is one of those that are
/// reduced; else 0.
static int64_t getSmallExponent(Value value) {
  APInt integer;
  APFloat number(0.0);
  bool isInteger = matchPattern(value, m_ConstantInt(&integer));
  if (!isInteger && !matchPattern(value, m_ConstantFloat(&number)))
    return 0;
  for (int64_t exponent : {1, 2, 3})
    if (isInteger ? integer.trySExtValue() == exponent
                  : number.isExactlyValue(double(exponent)))
      return exponent;
  return 0;
}

/// `number` to the power of `exponent`, from 1 to 3, as accurate as the
/// function.
static Value reducePower(OpBuilder &builder, Location location, Value number,
                         int64_t exponent) {
  Value power = number;
  for (; exponent > 1; --exponent)
    power = arith::MulFOp::create(builder, location, power, number);
  return power;
}

namespace {
struct ReducePowers : tile::impl::ReducePowersBase<ReducePowers> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isPower(op) ||
          op->getOperand(0).getType() != op->getResultTypes()[0])
        return;
      int64_t exponent = getSmallExponent(op->getOperand(1));
      if (exponent == 0)
        return;
      OpBuilder builder(op);
      op->replaceAllUsesWith(ValueRange{
          reducePower(builder, op->getLoc(), op->getOperand(0), exponent)});
      op->erase();
    });
  }
};
} // namespace
