// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and functions of floats, in float64 and without rounding to the
// element type. Those of libdevice are in LibraryOps.cpp.

#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/Numbers.h"
#include "lib/Judges/Reference/SpecialFunctions.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

namespace {
using UnaryFunction = double (*)(double);
using BinaryFunction = double (*)(double, double);
} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static double rsqrt(double value) { return 1.0 / std::sqrt(value); }

/// IEEE 754-2019's maximum: a NaN gives NaN, and -0 is less than +0.
static double maximum(double lhs, double rhs) {
  if (std::isnan(lhs) || std::isnan(rhs))
    return NAN;
  if (lhs == rhs)
    return std::signbit(lhs) ? rhs : lhs;
  return lhs > rhs ? lhs : rhs;
}

static double minimum(double lhs, double rhs) { return -maximum(-lhs, -rhs); }

static OpTable::Handler ofOne(UnaryFunction function) {
  return [function](Interpreter &interpreter, Operation *op) {
    const RuntimeValue &value = interpreter.get(op->getOperand(0));
    return setElements(interpreter, op, [&](size_t index) {
      return Element::fromReal(function(value.at(index).toReal()));
    });
  };
}

static OpTable::Handler ofTwo(BinaryFunction function) {
  return [function](Interpreter &interpreter, Operation *op) {
    const RuntimeValue &lhs = interpreter.get(op->getOperand(0));
    const RuntimeValue &rhs = interpreter.get(op->getOperand(1));
    return setElements(interpreter, op, [&](size_t index) {
      return Element::fromReal(
          function(lhs.at(index).toReal(), rhs.at(index).toReal()));
    });
  };
}

static void addRoundings(OpTable &table) {
  table.add<math::CeilOp>(ofOne(std::ceil));
  table.add<math::FloorOp>(ofOne(std::floor));
  table.add<math::RoundOp>(ofOne(std::round));
  table.add<math::RoundEvenOp>(ofOne(std::nearbyint));
  table.add<math::TruncOp>(ofOne(std::trunc));
}

static void addTrigonometric(OpTable &table) {
  table.add<math::SinOp>(ofOne(std::sin), Accuracy::Function);
  table.add<math::CosOp>(ofOne(std::cos), Accuracy::Function);
  table.add<math::TanOp>(ofOne(std::tan), Accuracy::Function);
  table.add<math::AsinOp>(ofOne(std::asin), Accuracy::Function);
  table.add<math::AcosOp>(ofOne(std::acos), Accuracy::Function);
  table.add<math::AtanOp>(ofOne(std::atan), Accuracy::Function);
  table.add<math::SinhOp>(ofOne(std::sinh), Accuracy::Function);
  table.add<math::CoshOp>(ofOne(std::cosh), Accuracy::Function);
  table.add<math::TanhOp>(ofOne(std::tanh), Accuracy::Function);
  table.add<math::AsinhOp>(ofOne(std::asinh), Accuracy::Function);
  table.add<math::AcoshOp>(ofOne(std::acosh), Accuracy::Function);
  table.add<math::AtanhOp>(ofOne(std::atanh), Accuracy::Function);
}

static void addUnary(OpTable &table) {
  table.add<arith::NegFOp>(ofOne([](double value) { return -value; }));
  table.add<math::AbsFOp>(ofOne(std::fabs));
  table.add<math::ExpOp>(ofOne(std::exp), Accuracy::Exponential);
  table.add<math::Exp2Op>(ofOne(std::exp2), Accuracy::Exponential);
  table.add<math::ExpM1Op>(ofOne(std::expm1), Accuracy::Function);
  table.add<math::LogOp>(ofOne(std::log), Accuracy::Function);
  table.add<math::Log2Op>(ofOne(std::log2), Accuracy::Function);
  table.add<math::Log10Op>(ofOne(std::log10), Accuracy::Function);
  table.add<math::Log1pOp>(ofOne(std::log1p), Accuracy::Function);
  table.add<math::SqrtOp>(ofOne(std::sqrt), Accuracy::Function);
  table.add<tt::PreciseSqrtOp>(ofOne(std::sqrt), Accuracy::Rounded);
  table.add<math::RsqrtOp>(ofOne(rsqrt), Accuracy::Function);
  table.add<math::CbrtOp>(ofOne(std::cbrt), Accuracy::Function);
  table.add<math::ErfOp>(ofOne(std::erf), Accuracy::Function);
  table.add<math::ErfcOp>(ofOne(std::erfc), Accuracy::Function);
}

static double add(double lhs, double rhs) { return lhs + rhs; }
static double subtract(double lhs, double rhs) { return lhs - rhs; }
static double multiply(double lhs, double rhs) { return lhs * rhs; }
static double divide(double lhs, double rhs) { return lhs / rhs; }

static void addBinary(OpTable &table) {
  table.add<arith::AddFOp>(ofTwo(add), Accuracy::Rounded);
  table.add<arith::SubFOp>(ofTwo(subtract), Accuracy::Rounded);
  table.add<arith::MulFOp>(ofTwo(multiply), Accuracy::Rounded);
  table.add<arith::DivFOp, tt::ApproxDivFOp>(ofTwo(divide), Accuracy::Quotient);
  table.add<tt::PreciseDivFOp>(ofTwo(divide), Accuracy::Rounded);
  table.add<arith::RemFOp>(ofTwo(std::fmod));
  table.add<arith::MaximumFOp>(ofTwo(maximum));
  table.add<arith::MinimumFOp>(ofTwo(minimum));
  table.add<arith::MaxNumFOp>(ofTwo(maximumNumber));
  table.add<arith::MinNumFOp>(ofTwo(minimumNumber));
  table.add<math::PowFOp>(ofTwo(std::pow), Accuracy::Exponential);
  table.add<math::Atan2Op>(ofTwo(std::atan2), Accuracy::Function);
  table.add<math::CopySignOp>(ofTwo(std::copysign));
}

//===----------------------------------------------------------------------===//
// Other forms
//===----------------------------------------------------------------------===//

static LogicalResult evaluateComparison(Interpreter &interpreter,
                                        arith::CmpFOp op) {
  const RuntimeValue &lhs = interpreter.get(op.getLhs());
  const RuntimeValue &rhs = interpreter.get(op.getRhs());
  return setElements(interpreter, op, [&](size_t index) {
    return Element{arith::applyCmpPredicate(op.getPredicate(),
                                            APFloat(lhs.at(index).toReal()),
                                            APFloat(rhs.at(index).toReal()))};
  });
}

/// isnan, isinf and isfinite. Whether a number is normal is not told: numbers
/// are not held in their type's range.
static OpTable::Handler ofClass(bool (*isOfClass)(double)) {
  return [isOfClass](Interpreter &interpreter, Operation *op) {
    const RuntimeValue &value = interpreter.get(op->getOperand(0));
    return setElements(interpreter, op, [&](size_t index) {
      return Element{isOfClass(value.at(index).toReal())};
    });
  };
}

static double clamp(tt::ClampFOp op, double value, double low, double high) {
  if (std::isnan(value) && op.getPropagateNan() == tt::PropagateNan::ALL)
    return value;
  return minimumNumber(maximumNumber(value, low), high);
}

/// What `function` gives for three floats each.
static LogicalResult
setOfThree(Interpreter &interpreter, Operation *op,
           llvm::function_ref<double(double, double, double)> function) {
  const RuntimeValue &first = interpreter.get(op->getOperand(0));
  const RuntimeValue &second = interpreter.get(op->getOperand(1));
  const RuntimeValue &third = interpreter.get(op->getOperand(2));
  return setElements(interpreter, op, [&](size_t index) {
    return Element::fromReal(function(first.at(index).toReal(),
                                      second.at(index).toReal(),
                                      third.at(index).toReal()));
  });
}

static LogicalResult evaluateFma(Interpreter &interpreter, math::FmaOp op) {
  return setOfThree(interpreter, op, [](double a, double b, double c) {
    return std::fma(a, b, c);
  });
}

static LogicalResult evaluateClamp(Interpreter &interpreter, tt::ClampFOp op) {
  return setOfThree(interpreter, op,
                    [&](double value, double low, double high) {
                      return clamp(op, value, low, high);
                    });
}

static LogicalResult evaluateIntegerPower(Interpreter &interpreter,
                                          math::FPowIOp op) {
  const RuntimeValue &base = interpreter.get(op.getLhs());
  const RuntimeValue &exponent = interpreter.get(op.getRhs());
  unsigned width = getWidth(op.getRhs().getType());
  return setElements(interpreter, op, [&](size_t index) {
    double power = signExtend(exponent.at(index).bits, width);
    return Element::fromReal(std::pow(base.at(index).toReal(), power));
  });
}

static LogicalResult evaluateSineAndCosine(Interpreter &interpreter,
                                           math::SincosOp op) {
  RuntimeValue sines = interpreter.get(op.getOperand()), cosines = sines;
  for (Element &element : sines.elements)
    element = Element::fromReal(std::sin(element.toReal()));
  for (Element &element : cosines.elements)
    element = Element::fromReal(std::cos(element.toReal()));
  interpreter.set(op.getSin(), std::move(sines));
  interpreter.set(op.getCos(), std::move(cosines));
  return success();
}

static void addClasses(OpTable &table) {
  table.add<math::IsNaNOp>(ofClass(std::isnan));
  table.add<math::IsInfOp>(ofClass(std::isinf));
  table.add<math::IsFiniteOp>(ofClass(std::isfinite));
}

void reference::addFloatOps(OpTable &table) {
  addRoundings(table);
  addTrigonometric(table);
  addUnary(table);
  addBinary(table);
  addClasses(table);
  table.add<arith::CmpFOp>(evaluateComparison);
  table.add<math::FPowIOp>(evaluateIntegerPower, Accuracy::Function);
  table.add<math::SincosOp>(evaluateSineAndCosine, Accuracy::Function);
  table.add<math::FmaOp>(evaluateFma, Accuracy::Rounded);
  table.add<tt::ClampFOp>(evaluateClamp);
}
