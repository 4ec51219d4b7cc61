// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, selections, and arithmetic on integers modulo 2^width. The flags
// nsw, nuw and exact promise more than is checked: results wrap.

#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

namespace {

/// A function of two integers of `width` bits, zero-extended; only the low
/// `width` bits of its result count.
using IntegerFunction = uint64_t (*)(uint64_t lhs, uint64_t rhs,
                                     unsigned width);

// A product of two numbers of up to 64 bits.
using Product = unsigned __int128;
using SignedProduct = __int128;

} // namespace

//===----------------------------------------------------------------------===//
// Two integers
//===----------------------------------------------------------------------===//

static uint64_t highHalf(Product product, unsigned width) {
  return static_cast<uint64_t>(product >> width);
}

static uint64_t multiplyHighSigned(uint64_t lhs, uint64_t rhs, unsigned width) {
  SignedProduct product =
      SignedProduct(signExtend(lhs, width)) * signExtend(rhs, width);
  return highHalf(static_cast<Product>(product), width);
}

static uint64_t multiplyHighUnsigned(uint64_t lhs, uint64_t rhs,
                                     unsigned width) {
  return highHalf(Product(lhs) * rhs, width);
}

static uint64_t floorDivide(uint64_t lhs, uint64_t rhs, unsigned width) {
  int64_t a = signExtend(lhs, width), b = signExtend(rhs, width);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static uint64_t ceilDivide(uint64_t lhs, uint64_t rhs, unsigned width) {
  int64_t a = signExtend(lhs, width), b = signExtend(rhs, width);
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

static uint64_t power(uint64_t lhs, uint64_t rhs, unsigned width) {
  // A negative exponent gives 1 / base^n, cut to an integer.
  int64_t exponent = signExtend(rhs, width), base = signExtend(lhs, width);
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1;
  for (uint64_t square = lhs, left = exponent; left; left /= 2) {
    result *= left % 2 ? square : 1;
    square *= square;
  }
  return result;
}

/// Where a quotient or a remainder is sought, neither is defined for all
/// operands; see checkDivision.
static IntegerFunction getDivision(Operation *op) {
  return llvm::TypeSwitch<Operation *, IntegerFunction>(op)
      .Case([](arith::DivSIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned width) -> uint64_t {
          return signExtend(lhs, width) / signExtend(rhs, width);
        };
      })
      .Case([](arith::RemSIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned width) -> uint64_t {
          return signExtend(lhs, width) % signExtend(rhs, width);
        };
      })
      .Case([](arith::FloorDivSIOp) { return floorDivide; })
      .Case([](arith::CeilDivSIOp) { return ceilDivide; })
      .Case([](arith::DivUIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs / rhs; };
      })
      .Case([](arith::RemUIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs % rhs; };
      })
      .Case([](arith::CeilDivUIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) {
          return lhs / rhs + (lhs % rhs != 0);
        };
      })
      .Default([](Operation *) { return nullptr; });
}

static IntegerFunction getShift(Operation *op) {
  return llvm::TypeSwitch<Operation *, IntegerFunction>(op)
      .Case([](arith::ShLIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs << rhs; };
      })
      .Case([](arith::ShRUIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs >> rhs; };
      })
      .Case([](arith::ShRSIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned width) -> uint64_t {
          return signExtend(lhs, width) >> rhs;
        };
      })
      .Default([](Operation *) { return nullptr; });
}

static IntegerFunction getExtremum(Operation *op) {
  return llvm::TypeSwitch<Operation *, IntegerFunction>(op)
      .Case([](arith::MinSIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned width) {
          return signExtend(lhs, width) < signExtend(rhs, width) ? lhs : rhs;
        };
      })
      .Case([](arith::MaxSIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned width) {
          return signExtend(lhs, width) < signExtend(rhs, width) ? rhs : lhs;
        };
      })
      .Case([](arith::MinUIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) {
          return std::min(lhs, rhs);
        };
      })
      .Case([](arith::MaxUIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) {
          return std::max(lhs, rhs);
        };
      })
      .Default([](Operation *) { return nullptr; });
}

/// Functions that are defined for all operands.
static IntegerFunction getTotalFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, IntegerFunction>(op)
      .Case([](arith::AddIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs + rhs; };
      })
      .Case([](arith::SubIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs - rhs; };
      })
      .Case([](arith::MulIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs * rhs; };
      })
      .Case([](arith::AndIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs & rhs; };
      })
      .Case([](arith::OrIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs | rhs; };
      })
      .Case([](arith::XOrIOp) -> IntegerFunction {
        return [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs ^ rhs; };
      })
      .Case([](tt::MulhiUIOp) { return multiplyHighUnsigned; })
      .Case([](math::IPowIOp) { return power; })
      .Default(getExtremum);
}

/// Diagnoses a division by zero, and a signed quotient that overflows.
static LogicalResult checkDivision(Interpreter &interpreter, Operation *op) {
  const RuntimeValue &lhs = interpreter.get(op->getOperand(0));
  const RuntimeValue &rhs = interpreter.get(op->getOperand(1));
  unsigned width = getWidth(op->getResult(0).getType());
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
                      arith::CeilDivSIOp>(op);
  uint64_t allOnes = llvm::maskTrailingOnes<uint64_t>(width);
  uint64_t smallest = uint64_t(1) << (width - 1);
  for (auto [index, element] : llvm::enumerate(rhs.elements)) {
    if (element.bits == 0)
      return interpreter.emitError(op)
             << "expects a divisor other than 0, but element " << index
             << " is 0";
    if (isSigned && element.bits == allOnes && lhs.at(index).bits == smallest)
      return interpreter.emitError(op)
             << "expects a quotient of " << width << " bits, but element "
             << index << " is the smallest number divided by -1";
  }
  return success();
}

static Outcome apply(Interpreter &interpreter, Operation *op,
                     IntegerFunction function, bool isShift) {
  const RuntimeValue &lhs = interpreter.get(op->getOperand(0));
  const RuntimeValue &rhs = interpreter.get(op->getOperand(1));
  unsigned width = getWidth(op->getResult(0).getType());
  Element undefined = interpreter.getUndefined(op->getResult(0).getType());
  return setElements(interpreter, op, [&](size_t index) {
    uint64_t a = lhs.at(index).bits, b = rhs.at(index).bits;
    if (isShift && b >= width)
      return undefined;
    return Element{wrapInteger(function(a, b, width), width)};
  });
}

static Outcome evaluateTwoIntegers(Interpreter &interpreter, Operation *op) {
  if (IntegerFunction function = getTotalFunction(op))
    return apply(interpreter, op, function, /*isShift=*/false);
  if (IntegerFunction function = getShift(op))
    return apply(interpreter, op, function, /*isShift=*/true);
  IntegerFunction function = getDivision(op);
  if (!function)
    return Outcome::Unknown;
  if (failed(checkDivision(interpreter, op)))
    return Outcome::Failed;
  return apply(interpreter, op, function, /*isShift=*/false);
}

//===----------------------------------------------------------------------===//
// One integer
//===----------------------------------------------------------------------===//

static IntegerFunction getUnaryFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, IntegerFunction>(op)
      .Case([](math::AbsIOp) -> IntegerFunction {
        return [](uint64_t value, uint64_t, unsigned width) {
          return signExtend(value, width) < 0 ? -value : value;
        };
      })
      .Case([](math::CountLeadingZerosOp) -> IntegerFunction {
        return [](uint64_t value, uint64_t, unsigned width) -> uint64_t {
          return llvm::countl_zero(value) - (64 - width);
        };
      })
      .Case([](math::CountTrailingZerosOp) -> IntegerFunction {
        return [](uint64_t value, uint64_t, unsigned width) -> uint64_t {
          return std::min<unsigned>(llvm::countr_zero(value), width);
        };
      })
      .Case([](math::CtPopOp) -> IntegerFunction {
        return [](uint64_t value, uint64_t, unsigned) -> uint64_t {
          return llvm::popcount(value);
        };
      })
      .Default([](Operation *) { return nullptr; });
}

static Outcome evaluateOneInteger(Interpreter &interpreter, Operation *op) {
  IntegerFunction function = getUnaryFunction(op);
  if (!function)
    return Outcome::Unknown;
  const RuntimeValue &value = interpreter.get(op->getOperand(0));
  unsigned width = getWidth(op->getResult(0).getType());
  return setElements(interpreter, op, [&](size_t index) {
    return Element{
        wrapInteger(function(value.at(index).bits, 0, width), width)};
  });
}

//===----------------------------------------------------------------------===//
// Two results
//===----------------------------------------------------------------------===//

static uint64_t getCarry(uint64_t lhs, uint64_t rhs, unsigned width) {
  return wrapInteger(lhs + rhs, width) < lhs;
}

/// The function of the second result: a carry, or the high half.
static IntegerFunction getSecondFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, IntegerFunction>(op)
      .Case([](arith::AddUIExtendedOp) { return getCarry; })
      .Case([](arith::MulUIExtendedOp) { return multiplyHighUnsigned; })
      .Case([](arith::MulSIExtendedOp) { return multiplyHighSigned; })
      .Default([](Operation *) { return nullptr; });
}

static Outcome evaluateTwoResults(Interpreter &interpreter, Operation *op) {
  IntegerFunction function = getSecondFunction(op);
  if (!function)
    return Outcome::Unknown;
  RuntimeValue lhs = interpreter.get(op->getOperand(0));
  const RuntimeValue &rhs = interpreter.get(op->getOperand(1));
  unsigned width = getWidth(op->getOperand(0).getType());
  RuntimeValue low = lhs, high = lhs;
  bool isSum = isa<arith::AddUIExtendedOp>(op);
  for (size_t index = 0; index < lhs.elements.size(); ++index) {
    uint64_t a = lhs.at(index).bits, b = rhs.at(index).bits;
    low.elements[index] = {wrapInteger(isSum ? a + b : a * b, width)};
    high.elements[index] = {wrapInteger(function(a, b, width), width)};
  }
  interpreter.set(op->getResult(0), std::move(low));
  interpreter.set(op->getResult(1), std::move(high));
  return Outcome::Evaluated;
}

//===----------------------------------------------------------------------===//
// Comparisons, selections, constants
//===----------------------------------------------------------------------===//

static Outcome evaluateComparison(Interpreter &interpreter, arith::CmpIOp op) {
  const RuntimeValue &lhs = interpreter.get(op.getLhs());
  const RuntimeValue &rhs = interpreter.get(op.getRhs());
  unsigned width = getWidth(op.getLhs().getType());
  return setElements(interpreter, op, [&](size_t index) {
    return Element{arith::applyCmpPredicate(
        op.getPredicate(), llvm::APInt(width, lhs.at(index).bits),
        llvm::APInt(width, rhs.at(index).bits))};
  });
}

static Outcome evaluateSelection(Interpreter &interpreter, arith::SelectOp op) {
  const RuntimeValue &condition = interpreter.get(op.getCondition());
  if (condition.shape.empty()) {
    // Copied first: setting a value may move the others.
    RuntimeValue chosen = interpreter.get(
        condition.getBits() ? op.getTrueValue() : op.getFalseValue());
    interpreter.set(op.getResult(), std::move(chosen));
    return Outcome::Evaluated;
  }
  const RuntimeValue &ifTrue = interpreter.get(op.getTrueValue());
  const RuntimeValue &ifFalse = interpreter.get(op.getFalseValue());
  return setElements(interpreter, op, [&](size_t index) {
    return condition.at(index).bits ? ifTrue.at(index) : ifFalse.at(index);
  });
}

static Element fromAttribute(const APInt &value) {
  return {value.getZExtValue()};
}
static Element fromAttribute(const APFloat &value) {
  return Element::fromReal(toDouble(value));
}

template <typename Number>
static RuntimeValue makeTile(DenseElementsAttr attribute) {
  RuntimeValue result =
      RuntimeValue::uninitialized(getShape(attribute.getType()));
  if (attribute.isSplat()) {
    llvm::fill(result.elements,
               fromAttribute(attribute.getSplatValue<Number>()));
    return result;
  }
  for (auto [element, value] :
       llvm::zip_equal(result.elements, attribute.getValues<Number>()))
    element = fromAttribute(value);
  return result;
}

static Outcome evaluateConstant(Interpreter &interpreter,
                                arith::ConstantOp op) {
  RuntimeValue result = RuntimeValue::uninitialized({});
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue())) {
    result.elements[0] = fromAttribute(integer.getValue());
  } else if (auto real = dyn_cast<FloatAttr>(op.getValue())) {
    result.elements[0] = fromAttribute(real.getValue());
  } else if (auto tile = dyn_cast<DenseElementsAttr>(op.getValue())) {
    result = isReal(tile.getType()) ? makeTile<APFloat>(tile)
                                    : makeTile<APInt>(tile);
  } else {
    interpreter.emitError(op)
        << "expects a number or dense numbers, but got " << op.getValue();
    return Outcome::Failed;
  }
  interpreter.set(op.getResult(), std::move(result));
  return Outcome::Evaluated;
}

Outcome reference::evaluateIntegerOp(Interpreter &interpreter, Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return evaluateConstant(interpreter, constant);
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return evaluateComparison(interpreter, comparison);
  if (auto selection = dyn_cast<arith::SelectOp>(op))
    return evaluateSelection(interpreter, selection);
  if (auto poison = dyn_cast<ub::PoisonOp>(op)) {
    interpreter.set(poison.getResult(),
                    interpreter.makeUndefined(poison.getType()));
    return Outcome::Evaluated;
  }
  Outcome outcome = evaluateTwoIntegers(interpreter, op);
  if (outcome == Outcome::Unknown)
    outcome = evaluateOneInteger(interpreter, op);
  if (outcome == Outcome::Unknown)
    outcome = evaluateTwoResults(interpreter, op);
  return outcome;
}
