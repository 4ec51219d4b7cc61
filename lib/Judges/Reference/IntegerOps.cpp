// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, selections, and arithmetic on integers modulo 2^width. The flags
// nsw, nuw and exact promise more than is checked: results wrap.

#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

namespace {

/// A function of two integers of `width` bits, zero-extended; only the low
/// `width` bits of its result count.
using IntegerFunction = uint64_t (*)(uint64_t lhs, uint64_t rhs,
                                     unsigned width);
/// The same of one integer.
using UnaryFunction = uint64_t (*)(uint64_t value, unsigned width);

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

/// Diagnoses a division by zero, and a signed quotient that overflows.
static LogicalResult checkDivision(Interpreter &interpreter, Operation *op,
                                   bool isSigned) {
  const RuntimeValue &lhs = interpreter.get(op->getOperand(0));
  const RuntimeValue &rhs = interpreter.get(op->getOperand(1));
  unsigned width = getWidth(op->getResult(0).getType());
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

static LogicalResult apply(Interpreter &interpreter, Operation *op,
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

/// Functions that are defined for all operands.
static OpTable::Handler ofAll(IntegerFunction function) {
  return [function](Interpreter &interpreter, Operation *op) {
    return apply(interpreter, op, function, /*isShift=*/false);
  };
}

/// Functions whose result is undefined where the second operand is not below
/// the width.
static OpTable::Handler ofShift(IntegerFunction function) {
  return [function](Interpreter &interpreter, Operation *op) {
    return apply(interpreter, op, function, /*isShift=*/true);
  };
}

/// Quotients and remainders, which are not defined for all operands.
static OpTable::Handler ofDivision(bool isSigned, IntegerFunction function) {
  return [=](Interpreter &interpreter, Operation *op) -> LogicalResult {
    if (failed(checkDivision(interpreter, op, isSigned)))
      return failure();
    return apply(interpreter, op, function, /*isShift=*/false);
  };
}

static void addSums(OpTable &table) {
  table.add<arith::AddIOp>(
      ofAll([](uint64_t lhs, uint64_t rhs, unsigned) { return lhs + rhs; }));
  table.add<arith::SubIOp>(
      ofAll([](uint64_t lhs, uint64_t rhs, unsigned) { return lhs - rhs; }));
  table.add<arith::MulIOp>(
      ofAll([](uint64_t lhs, uint64_t rhs, unsigned) { return lhs * rhs; }));
  table.add<tt::MulhiUIOp>(ofAll(multiplyHighUnsigned));
  table.add<math::IPowIOp>(ofAll(power));
}

static void addDivisions(OpTable &table) {
  auto isSigned = [](IntegerFunction function) {
    return ofDivision(/*isSigned=*/true, function);
  };
  auto isUnsigned = [](IntegerFunction function) {
    return ofDivision(/*isSigned=*/false, function);
  };
  table.add<arith::DivSIOp>(
      isSigned([](uint64_t lhs, uint64_t rhs, unsigned width) -> uint64_t {
        return signExtend(lhs, width) / signExtend(rhs, width);
      }));
  table.add<arith::RemSIOp>(
      isSigned([](uint64_t lhs, uint64_t rhs, unsigned width) -> uint64_t {
        return signExtend(lhs, width) % signExtend(rhs, width);
      }));
  table.add<arith::FloorDivSIOp>(isSigned(floorDivide));
  table.add<arith::CeilDivSIOp>(isSigned(ceilDivide));
  table.add<arith::DivUIOp>(isUnsigned(
      [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs / rhs; }));
  table.add<arith::RemUIOp>(isUnsigned(
      [](uint64_t lhs, uint64_t rhs, unsigned) { return lhs % rhs; }));
  table.add<arith::CeilDivUIOp>(
      isUnsigned([](uint64_t lhs, uint64_t rhs, unsigned) {
        return lhs / rhs + (lhs % rhs != 0);
      }));
}

static void addExtrema(OpTable &table) {
  table.add<arith::MinSIOp>(
      ofAll([](uint64_t lhs, uint64_t rhs, unsigned width) {
        return signExtend(lhs, width) < signExtend(rhs, width) ? lhs : rhs;
      }));
  table.add<arith::MaxSIOp>(
      ofAll([](uint64_t lhs, uint64_t rhs, unsigned width) {
        return signExtend(lhs, width) < signExtend(rhs, width) ? rhs : lhs;
      }));
  table.add<arith::MinUIOp>(ofAll(
      [](uint64_t lhs, uint64_t rhs, unsigned) { return std::min(lhs, rhs); }));
  table.add<arith::MaxUIOp>(ofAll(
      [](uint64_t lhs, uint64_t rhs, unsigned) { return std::max(lhs, rhs); }));
}

static void addBitOperations(OpTable &table) {
  table.add<arith::AndIOp>(
      ofAll([](uint64_t lhs, uint64_t rhs, unsigned) { return lhs & rhs; }));
  table.add<arith::OrIOp>(
      ofAll([](uint64_t lhs, uint64_t rhs, unsigned) { return lhs | rhs; }));
  table.add<arith::XOrIOp>(
      ofAll([](uint64_t lhs, uint64_t rhs, unsigned) { return lhs ^ rhs; }));
  table.add<arith::ShLIOp>(
      ofShift([](uint64_t lhs, uint64_t rhs, unsigned) { return lhs << rhs; }));
  table.add<arith::ShRUIOp>(
      ofShift([](uint64_t lhs, uint64_t rhs, unsigned) { return lhs >> rhs; }));
  table.add<arith::ShRSIOp>(
      ofShift([](uint64_t lhs, uint64_t rhs, unsigned width) -> uint64_t {
        return signExtend(lhs, width) >> rhs;
      }));
}

//===----------------------------------------------------------------------===//
// One integer
//===----------------------------------------------------------------------===//

static OpTable::Handler ofOne(UnaryFunction function) {
  return [function](Interpreter &interpreter, Operation *op) {
    const RuntimeValue &value = interpreter.get(op->getOperand(0));
    unsigned width = getWidth(op->getResult(0).getType());
    return setElements(interpreter, op, [&](size_t index) {
      return Element{wrapInteger(function(value.at(index).bits, width), width)};
    });
  };
}

static void addUnary(OpTable &table) {
  table.add<math::AbsIOp>(ofOne([](uint64_t value, unsigned width) {
    return signExtend(value, width) < 0 ? -value : value;
  }));
  table.add<math::CountLeadingZerosOp>(
      ofOne([](uint64_t value, unsigned width) -> uint64_t {
        return llvm::countl_zero(value) - (64 - width);
      }));
  table.add<math::CountTrailingZerosOp>(
      ofOne([](uint64_t value, unsigned width) -> uint64_t {
        return std::min<unsigned>(llvm::countr_zero(value), width);
      }));
  table.add<math::CtPopOp>(ofOne([](uint64_t value, unsigned) -> uint64_t {
    return llvm::popcount(value);
  }));
}

//===----------------------------------------------------------------------===//
// Two results
//===----------------------------------------------------------------------===//

static uint64_t getCarry(uint64_t lhs, uint64_t rhs, unsigned width) {
  return wrapInteger(lhs + rhs, width) < lhs;
}

static uint64_t getSum(uint64_t lhs, uint64_t rhs, unsigned) {
  return lhs + rhs;
}

static uint64_t getProduct(uint64_t lhs, uint64_t rhs, unsigned) {
  return lhs * rhs;
}

/// Two results: a sum and its carry, or the halves of a product.
static OpTable::Handler ofTwoResults(IntegerFunction first,
                                     IntegerFunction second) {
  return [=](Interpreter &interpreter, Operation *op) {
    RuntimeValue lhs = interpreter.get(op->getOperand(0));
    const RuntimeValue &rhs = interpreter.get(op->getOperand(1));
    unsigned width = getWidth(op->getOperand(0).getType());
    RuntimeValue low = lhs, high = lhs;
    for (size_t index = 0; index < lhs.elements.size(); ++index) {
      uint64_t a = lhs.at(index).bits, b = rhs.at(index).bits;
      low.elements[index] = {wrapInteger(first(a, b, width), width)};
      high.elements[index] = {wrapInteger(second(a, b, width), width)};
    }
    interpreter.set(op->getResult(0), std::move(low));
    interpreter.set(op->getResult(1), std::move(high));
    return success();
  };
}

static void addTwoResults(OpTable &table) {
  table.add<arith::AddUIExtendedOp>(ofTwoResults(getSum, getCarry));
  table.add<arith::MulUIExtendedOp>(
      ofTwoResults(getProduct, multiplyHighUnsigned));
  table.add<arith::MulSIExtendedOp>(
      ofTwoResults(getProduct, multiplyHighSigned));
}

//===----------------------------------------------------------------------===//
// Comparisons, selections, constants
//===----------------------------------------------------------------------===//

static LogicalResult evaluateComparison(Interpreter &interpreter,
                                        arith::CmpIOp op) {
  const RuntimeValue &lhs = interpreter.get(op.getLhs());
  const RuntimeValue &rhs = interpreter.get(op.getRhs());
  unsigned width = getWidth(op.getLhs().getType());
  return setElements(interpreter, op, [&](size_t index) {
    return Element{arith::applyCmpPredicate(
        op.getPredicate(), llvm::APInt(width, lhs.at(index).bits),
        llvm::APInt(width, rhs.at(index).bits))};
  });
}

static LogicalResult evaluateSelection(Interpreter &interpreter,
                                       arith::SelectOp op) {
  const RuntimeValue &condition = interpreter.get(op.getCondition());
  if (condition.shape.empty()) {
    // Copied first: setting a value may move the others.
    RuntimeValue chosen = interpreter.get(
        condition.getBits() ? op.getTrueValue() : op.getFalseValue());
    interpreter.set(op.getResult(), std::move(chosen));
    return success();
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

static LogicalResult evaluateConstant(Interpreter &interpreter,
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
    return interpreter.emitError(op)
           << "expects a number or dense numbers, but got " << op.getValue();
  }
  interpreter.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult evaluatePoison(Interpreter &interpreter, ub::PoisonOp op) {
  interpreter.set(op.getResult(), interpreter.makeUndefined(op.getType()));
  return success();
}

void reference::addIntegerOps(OpTable &table) {
  table.add<arith::ConstantOp>(evaluateConstant);
  table.add<arith::CmpIOp>(evaluateComparison);
  table.add<arith::SelectOp>(evaluateSelection);
  table.add<ub::PoisonOp>(evaluatePoison);
  addSums(table);
  addDivisions(table);
  addExtrema(table);
  addBitOperations(table);
  addUnary(table);
  addTwoResults(table);
}
