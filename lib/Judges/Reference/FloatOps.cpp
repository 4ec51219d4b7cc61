// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and functions of floats, in float64 and without rounding to the
// element type, libdevice's among them.

#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/Numbers.h"
#include "llvm/ADT/StringSwitch.h"

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

/// maximumNumber: a NaN gives the other operand.
static double maximumNumber(double lhs, double rhs) {
  if (std::isnan(lhs) || std::isnan(rhs))
    return std::isnan(lhs) ? rhs : lhs;
  return maximum(lhs, rhs);
}

static double minimumNumber(double lhs, double rhs) {
  return -maximumNumber(-lhs, -rhs);
}

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
  table.add<arith::DivFOp>(ofTwo(divide), Accuracy::Quotient);
  table.add<tt::PreciseDivFOp>(ofTwo(divide), Accuracy::Rounded);
  table.add<arith::RemFOp>(ofTwo(std::fmod), Accuracy::Rounded);
  table.add<arith::MaximumFOp>(ofTwo(maximum));
  table.add<arith::MinimumFOp>(ofTwo(minimum));
  table.add<arith::MaxNumFOp>(ofTwo(maximumNumber));
  table.add<arith::MinNumFOp>(ofTwo(minimumNumber));
  table.add<math::PowFOp>(ofTwo(std::pow), Accuracy::Exponential);
  table.add<math::Atan2Op>(ofTwo(std::atan2), Accuracy::Function);
  table.add<math::CopySignOp>(ofTwo(std::copysign));
}

//===----------------------------------------------------------------------===//
// libdevice
//===----------------------------------------------------------------------===//

static double exponential10(double value) { return std::pow(10.0, value); }
static double inverseCubeRoot(double value) { return 1.0 / std::cbrt(value); }

/// sin(pi x), by the distance from the nearest integer.
static double sineOfTurns(double value) {
  double rest = std::remainder(value, 1.0);
  if (rest == 0.0)
    return std::copysign(0.0, value);
  double sine = std::sin(M_PI * rest);
  return std::remainder(value - rest, 2.0) == 0.0 ? sine : -sine;
}

/// cos(pi x), by the distance from the nearest zero.
static double cosineOfTurns(double value) {
  return std::sin(M_PI * (0.5 - std::fabs(std::remainder(value, 2.0))));
}

static double inverseHypotenuse(double a, double b) {
  return 1.0 / std::hypot(a, b);
}

/// libdevice's function `name`, without its prefix and without the `f` of its
/// float32 form.
static UnaryFunction getLibraryUnary(StringRef name) {
  return llvm::StringSwitch<UnaryFunction>(name)
      .Case("acos", std::acos)
      .Case("acosh", std::acosh)
      .Case("asin", std::asin)
      .Case("asinh", std::asinh)
      .Case("atan", std::atan)
      .Case("atanh", std::atanh)
      .Case("cbrt", std::cbrt)
      .Case("ceil", std::ceil)
      .Case("cos", std::cos)
      .Case("cosh", std::cosh)
      .Case("cospi", cosineOfTurns)
      .Case("erf", std::erf)
      .Case("erfc", std::erfc)
      .Case("exp", std::exp)
      .Case("exp10", exponential10)
      .Case("exp2", std::exp2)
      .Case("expm1", std::expm1)
      .Case("fabs", std::fabs)
      .Case("floor", std::floor)
      .Case("log", std::log)
      .Case("log10", std::log10)
      .Case("log1p", std::log1p)
      .Case("log2", std::log2)
      .Case("nearbyint", std::nearbyint)
      .Case("rcbrt", inverseCubeRoot)
      .Case("rint", std::nearbyint)
      .Case("round", std::round)
      .Case("rsqrt", rsqrt)
      .Case("sin", std::sin)
      .Case("sinh", std::sinh)
      .Case("sinpi", sineOfTurns)
      .Case("sqrt", std::sqrt)
      .Case("tan", std::tan)
      .Case("tanh", std::tanh)
      .Case("trunc", std::trunc)
      .Default(nullptr);
}

static BinaryFunction getLibraryBinary(StringRef name) {
  return llvm::StringSwitch<BinaryFunction>(name)
      .Case("atan2", std::atan2)
      .Case("copysign", std::copysign)
      .Case("fdim", std::fdim)
      .Case("fmax", maximumNumber)
      .Case("fmin", minimumNumber)
      .Case("fmod", std::fmod)
      .Case("hypot", std::hypot)
      .Case("pow", std::pow)
      .Case("rhypot", inverseHypotenuse)
      .Default(nullptr);
}

static LogicalResult evaluateLibraryFunction(Interpreter &interpreter,
                                             tt::ExternElementwiseOp op) {
  StringRef name = op.getSymbol();
  bool isLibdevice = name.consume_front("__nv_") && isReal(op.getType());
  auto find = [&](auto lookUp) {
    auto function = lookUp(name);
    return function || !name.ends_with("f") ? function
                                            : lookUp(name.drop_back());
  };
  UnaryFunction unary = find(getLibraryUnary);
  BinaryFunction binary = find(getLibraryBinary);
  size_t count = op.getSrcs().size();
  if (!isLibdevice || (count == 1 ? !unary : count != 2 || !binary))
    return interpreter.emitError(op) << "expects a function that the reference "
                                        "knows, but got '"
                                     << op.getSymbol() << "'";
  const RuntimeValue &first = interpreter.get(op.getSrcs().front());
  const RuntimeValue &last = interpreter.get(op.getSrcs().back());
  return setElements(interpreter, op, [&](size_t index) {
    double lhs = first.at(index).toReal(), rhs = last.at(index).toReal();
    return Element::fromReal(count == 1 ? unary(lhs) : binary(lhs, rhs));
  });
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
  table.add<tt::ExternElementwiseOp>(evaluateLibraryFunction,
                                     Accuracy::Function);
  table.add<math::FPowIOp>(evaluateIntegerPower, Accuracy::Function);
  table.add<math::SincosOp>(evaluateSineAndCosine, Accuracy::Function);
  table.add<math::FmaOp>(evaluateFma, Accuracy::Rounded);
  table.add<tt::ClampFOp>(evaluateClamp);
}
