// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and functions of floats, in float64 and without rounding to the
// element type, libdevice's among them.

#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/Numbers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// The function of doubles among the overloads of a name.
template <double (*function)(double)>
static UnaryFunction ofDoubles() {
  return function;
}

static UnaryFunction getRounding(Operation *op) {
  return llvm::TypeSwitch<Operation *, UnaryFunction>(op)
      .Case([](math::CeilOp) { return ofDoubles<std::ceil>(); })
      .Case([](math::FloorOp) { return ofDoubles<std::floor>(); })
      .Case([](math::RoundOp) { return ofDoubles<std::round>(); })
      .Case([](math::RoundEvenOp) { return ofDoubles<std::nearbyint>(); })
      .Case([](math::TruncOp) { return ofDoubles<std::trunc>(); })
      .Default([](Operation *) { return nullptr; });
}

static UnaryFunction getTrigonometric(Operation *op) {
  return llvm::TypeSwitch<Operation *, UnaryFunction>(op)
      .Case([](math::SinOp) { return ofDoubles<std::sin>(); })
      .Case([](math::CosOp) { return ofDoubles<std::cos>(); })
      .Case([](math::TanOp) { return ofDoubles<std::tan>(); })
      .Case([](math::AsinOp) { return ofDoubles<std::asin>(); })
      .Case([](math::AcosOp) { return ofDoubles<std::acos>(); })
      .Case([](math::AtanOp) { return ofDoubles<std::atan>(); })
      .Case([](math::SinhOp) { return ofDoubles<std::sinh>(); })
      .Case([](math::CoshOp) { return ofDoubles<std::cosh>(); })
      .Case([](math::TanhOp) { return ofDoubles<std::tanh>(); })
      .Case([](math::AsinhOp) { return ofDoubles<std::asinh>(); })
      .Case([](math::AcoshOp) { return ofDoubles<std::acosh>(); })
      .Case([](math::AtanhOp) { return ofDoubles<std::atanh>(); })
      .Default(getRounding);
}

static UnaryFunction getUnaryFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, UnaryFunction>(op)
      .Case([](arith::NegFOp) -> UnaryFunction {
        return [](double value) { return -value; };
      })
      .Case([](math::AbsFOp) { return ofDoubles<std::fabs>(); })
      .Case([](math::ExpOp) { return ofDoubles<std::exp>(); })
      .Case([](math::Exp2Op) { return ofDoubles<std::exp2>(); })
      .Case([](math::ExpM1Op) { return ofDoubles<std::expm1>(); })
      .Case([](math::LogOp) { return ofDoubles<std::log>(); })
      .Case([](math::Log2Op) { return ofDoubles<std::log2>(); })
      .Case([](math::Log10Op) { return ofDoubles<std::log10>(); })
      .Case([](math::Log1pOp) { return ofDoubles<std::log1p>(); })
      .Case([](math::SqrtOp) { return ofDoubles<std::sqrt>(); })
      .Case([](tt::PreciseSqrtOp) { return ofDoubles<std::sqrt>(); })
      .Case([](math::RsqrtOp) { return ofDoubles<rsqrt>(); })
      .Case([](math::CbrtOp) { return ofDoubles<std::cbrt>(); })
      .Case([](math::ErfOp) { return ofDoubles<std::erf>(); })
      .Case([](math::ErfcOp) { return ofDoubles<std::erfc>(); })
      .Default(getTrigonometric);
}

/// The same for two operands.
template <double (*function)(double, double)>
static BinaryFunction ofDoubles() {
  return function;
}

static double add(double lhs, double rhs) { return lhs + rhs; }
static double subtract(double lhs, double rhs) { return lhs - rhs; }
static double multiply(double lhs, double rhs) { return lhs * rhs; }
static double divide(double lhs, double rhs) { return lhs / rhs; }

static BinaryFunction getBinaryFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, BinaryFunction>(op)
      .Case([](arith::AddFOp) { return add; })
      .Case([](arith::SubFOp) { return subtract; })
      .Case([](arith::MulFOp) { return multiply; })
      .Case([](arith::DivFOp) { return divide; })
      .Case([](tt::PreciseDivFOp) { return divide; })
      .Case([](arith::RemFOp) { return ofDoubles<std::fmod>(); })
      .Case([](arith::MaximumFOp) { return maximum; })
      .Case([](arith::MinimumFOp) { return minimum; })
      .Case([](arith::MaxNumFOp) { return maximumNumber; })
      .Case([](arith::MinNumFOp) { return minimumNumber; })
      .Case([](math::PowFOp) { return ofDoubles<std::pow>(); })
      .Case([](math::Atan2Op) { return ofDoubles<std::atan2>(); })
      .Case([](math::CopySignOp) { return ofDoubles<std::copysign>(); })
      .Default([](Operation *) { return nullptr; });
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

static Outcome evaluateLibraryFunction(Interpreter &interpreter,
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
  if (!isLibdevice || (count == 1 ? !unary : count != 2 || !binary)) {
    interpreter.emitError(op) << "expects a function that the reference "
                                 "knows, but got '"
                              << op.getSymbol() << "'";
    return Outcome::Failed;
  }
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

static Outcome evaluateComparison(Interpreter &interpreter, arith::CmpFOp op) {
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
static Outcome evaluateClass(Interpreter &interpreter, Operation *op) {
  if (!isa<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(op))
    return Outcome::Unknown;
  const RuntimeValue &value = interpreter.get(op->getOperand(0));
  return setElements(interpreter, op, [&](size_t index) {
    double number = value.at(index).toReal();
    return Element{isa<math::IsNaNOp>(op)   ? std::isnan(number)
                   : isa<math::IsInfOp>(op) ? std::isinf(number)
                                            : std::isfinite(number)};
  });
}

static double clamp(tt::ClampFOp op, double value, double low, double high) {
  if (std::isnan(value) && op.getPropagateNan() == tt::PropagateNan::ALL)
    return value;
  return minimumNumber(maximumNumber(value, low), high);
}

static Outcome evaluateThreeFloats(Interpreter &interpreter, Operation *op) {
  if (!isa<math::FmaOp, tt::ClampFOp>(op))
    return Outcome::Unknown;
  const RuntimeValue &first = interpreter.get(op->getOperand(0));
  const RuntimeValue &second = interpreter.get(op->getOperand(1));
  const RuntimeValue &third = interpreter.get(op->getOperand(2));
  auto clampOp = dyn_cast<tt::ClampFOp>(op);
  return setElements(interpreter, op, [&](size_t index) {
    double a = first.at(index).toReal(), b = second.at(index).toReal();
    double c = third.at(index).toReal();
    return Element::fromReal(clampOp ? clamp(clampOp, a, b, c)
                                     : std::fma(a, b, c));
  });
}

static Outcome evaluateIntegerPower(Interpreter &interpreter,
                                    math::FPowIOp op) {
  const RuntimeValue &base = interpreter.get(op.getLhs());
  const RuntimeValue &exponent = interpreter.get(op.getRhs());
  unsigned width = getWidth(op.getRhs().getType());
  return setElements(interpreter, op, [&](size_t index) {
    double power = signExtend(exponent.at(index).bits, width);
    return Element::fromReal(std::pow(base.at(index).toReal(), power));
  });
}

static Outcome evaluateSineAndCosine(Interpreter &interpreter,
                                     math::SincosOp op) {
  RuntimeValue sines = interpreter.get(op.getOperand()), cosines = sines;
  for (Element &element : sines.elements)
    element = Element::fromReal(std::sin(element.toReal()));
  for (Element &element : cosines.elements)
    element = Element::fromReal(std::cos(element.toReal()));
  interpreter.set(op.getSin(), std::move(sines));
  interpreter.set(op.getCos(), std::move(cosines));
  return Outcome::Evaluated;
}

Outcome reference::evaluateFloatOp(Interpreter &interpreter, Operation *op) {
  if (BinaryFunction function = getBinaryFunction(op)) {
    const RuntimeValue &lhs = interpreter.get(op->getOperand(0));
    const RuntimeValue &rhs = interpreter.get(op->getOperand(1));
    return setElements(interpreter, op, [&](size_t index) {
      return Element::fromReal(
          function(lhs.at(index).toReal(), rhs.at(index).toReal()));
    });
  }
  if (UnaryFunction function = getUnaryFunction(op)) {
    const RuntimeValue &value = interpreter.get(op->getOperand(0));
    return setElements(interpreter, op, [&](size_t index) {
      return Element::fromReal(function(value.at(index).toReal()));
    });
  }
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return evaluateComparison(interpreter, comparison);
  if (auto library = dyn_cast<tt::ExternElementwiseOp>(op))
    return evaluateLibraryFunction(interpreter, library);
  if (auto power = dyn_cast<math::FPowIOp>(op))
    return evaluateIntegerPower(interpreter, power);
  if (auto both = dyn_cast<math::SincosOp>(op))
    return evaluateSineAndCosine(interpreter, both);
  Outcome outcome = evaluateThreeFloats(interpreter, op);
  return outcome == Outcome::Unknown ? evaluateClass(interpreter, op) : outcome;
}
