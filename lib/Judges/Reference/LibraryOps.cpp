// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of libdevice, by name: on floats with the C library's in float64 as
// the oracle, or what is made of them. Nothing is rounded to the element type,
// so that functions that differ in their rounding alone are the same here.

#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/LibraryIntegers.h"
#include "lib/Judges/Reference/Numbers.h"
#include "lib/Judges/Reference/SpecialFunctions.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

namespace {
using Numbers = ArrayRef<double>;
using Function = double (*)(Numbers);
} // namespace

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static double norm(Numbers x) {
  double largest = 0;
  for (double each : x)
    largest = std::fmax(largest, std::fabs(each));
  if (largest == 0 || std::isinf(largest))
    return largest;
  double sum = 0;
  for (double each : x)
    sum += (each / largest) * (each / largest);
  return largest * std::sqrt(sum);
}

/// C's function of one number.
template <double (*function)(double)>
static double ofOne(Numbers x) {
  return function(x[0]);
}
template <double (*function)(double, double)>
static double ofTwo(Numbers x) {
  return function(x[0], x[1]);
}

/// Elementary functions.
static Function findElementary(StringRef name) {
  return llvm::StringSwitch<Function>(name)
      .Case("acos", ofOne<std::acos>)
      .Case("acosh", ofOne<std::acosh>)
      .Case("asin", ofOne<std::asin>)
      .Case("asinh", ofOne<std::asinh>)
      .Case("atan", ofOne<std::atan>)
      .Case("atan2", ofTwo<std::atan2>)
      .Case("atanh", ofOne<std::atanh>)
      .Case("cbrt", ofOne<std::cbrt>)
      .Case("cos", ofOne<std::cos>)
      .Case("cosh", ofOne<std::cosh>)
      .Case("cospi", ofOne<cosineOfTurns>)
      .Case("exp", ofOne<std::exp>)
      .Case("exp10", [](Numbers x) { return std::pow(10.0, x[0]); })
      .Case("exp2", ofOne<std::exp2>)
      .Case("expm1", ofOne<std::expm1>)
      .Case("log", ofOne<std::log>)
      .Case("log10", ofOne<std::log10>)
      .Case("log1p", ofOne<std::log1p>)
      .Case("log2", ofOne<std::log2>)
      .Case("pow", ofTwo<std::pow>)
      .Case("rcbrt", [](Numbers x) { return 1 / std::cbrt(x[0]); })
      .Case("rsqrt", [](Numbers x) { return 1 / std::sqrt(x[0]); })
      .Case("sin", ofOne<std::sin>)
      .Case("sinh", ofOne<std::sinh>)
      .Case("sinpi", ofOne<sineOfTurns>)
      .Case("sqrt", ofOne<std::sqrt>)
      .Case("tan", ofOne<std::tan>)
      .Case("tanh", ofOne<std::tanh>)
      .Default(nullptr);
}

static Function findSpecial(StringRef name) {
  return llvm::StringSwitch<Function>(name)
      .Case("cyl_bessel_i0", ofOne<besselI0>)
      .Case("cyl_bessel_i1", ofOne<besselI1>)
      .Case("erf", ofOne<std::erf>)
      .Case("erfc", ofOne<std::erfc>)
      .Case("erfcinv", ofOne<inverseErfc>)
      .Case("erfcx", ofOne<scaledErfc>)
      .Case("erfinv", ofOne<inverseErf>)
      .Case("j0", ofOne<::j0>)
      .Case("j1", ofOne<::j1>)
      .Case("lgamma", ofOne<std::lgamma>)
      .Case("normcdf", ofOne<normalProbability>)
      .Case("normcdfinv", ofOne<normalQuantile>)
      .Case("tgamma", ofOne<std::tgamma>)
      .Case("y0", ofOne<::y0>)
      .Case("y1", ofOne<::y1>)
      .Default(nullptr);
}

/// Arithmetic and what is exact.
static Function findArithmetic(StringRef name) {
  return llvm::StringSwitch<Function>(name)
      .Case("add", [](Numbers x) { return x[0] + x[1]; })
      .Case("ceil", ofOne<std::ceil>)
      .Case("copysign", ofTwo<std::copysign>)
      .Cases({"div", "fdividef"}, [](Numbers x) { return x[0] / x[1]; })
      .Case("fabs", ofOne<std::fabs>)
      .Case("fdim", ofTwo<std::fdim>)
      .Case("floor", ofOne<std::floor>)
      .Case("fma", [](Numbers x) { return std::fma(x[0], x[1], x[2]); })
      .Case("fmax", ofTwo<maximumNumber>)
      .Case("fmin", ofTwo<minimumNumber>)
      .Case("fmod", ofTwo<std::fmod>)
      .Case("logb", ofOne<std::logb>)
      .Case("mul", [](Numbers x) { return x[0] * x[1]; })
      .Cases({"nearbyint", "rint"}, ofOne<std::nearbyint>)
      .Case("nextafter", ofTwo<std::nextafter>)
      .Case("nextafterf",
            [](Numbers x) -> double {
              return std::nextafter(float(x[0]), float(x[1]));
            })
      .Cases({"hypot", "norm3d", "norm4d"}, norm)
      .Case("rcp", [](Numbers x) { return 1 / x[0]; })
      .Case("remainder", ofTwo<std::remainder>)
      .Cases({"rhypot", "rnorm3d", "rnorm4d"},
             [](Numbers x) { return 1 / norm(x); })
      .Case("round", ofOne<std::round>)
      .Case("saturate",
            [](Numbers x) { return std::fmin(std::fmax(x[0], 0.0), 1.0); })
      .Case("sub", [](Numbers x) { return x[0] - x[1]; })
      .Case("trunc", ofOne<std::trunc>)
      .Default(nullptr);
}

/// The function of a name, without an `f` at its end.
static Function find(StringRef name) {
  for (auto *lookUp : {findElementary, findSpecial, findArithmetic})
    if (Function function = lookUp(name))
      return function;
  return nullptr;
}

/// The function behind a symbol: with `f` for f32, as an approximation, or with
/// a rounding and the letter of its type.
static Function findFunction(StringRef name) {
  name.consume_front("fast_");
  if (Function function = find(name))
    return function;
  if (name.size() > 3 && name.take_back(3).starts_with("_r")) {
    name = name.drop_back(3);
    if (Function function = name == "fmaf" ? find("fma") : find(name))
      return function;
    return find(name.drop_front());
  }
  return name.ends_with("f") ? find(name.drop_back()) : nullptr;
}

//===----------------------------------------------------------------------===//
// Floats and integers
//===----------------------------------------------------------------------===//

/// With an order or an exponent, which is an integer, first or last.
static double (*findWithInteger(StringRef name))(int, double) {
  using OfInteger = double (*)(int, double);
  name.consume_back("f");
  return llvm::StringSwitch<OfInteger>(name)
      .Case("jn", ::jn)
      .Case("yn", ::yn)
      .Cases({"ldexp", "scalbn"},
             [](int n, double x) { return std::ldexp(x, n); })
      .Case("powi", [](int n, double x) { return std::pow(x, double(n)); })
      .Default(nullptr);
}

/// As CUDA has them, and the C libraries that this is built on.
static int64_t getExponent(double x) {
  if (x == 0 || std::isnan(x))
    return std::numeric_limits<int32_t>::min();
  return std::isinf(x) ? std::numeric_limits<int32_t>::max() : std::ilogb(x);
}

static int64_t (*findToInteger(StringRef name))(double) {
  using ToInteger = int64_t (*)(double);
  name.consume_back("f");
  return llvm::StringSwitch<ToInteger>(name)
      .Case("ilogb", getExponent)
      .Default(nullptr);
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// The function of as many numbers as the op has operands, floats all.
static LogicalResult evaluateFloats(Interpreter &interpreter,
                                    tt::ExternElementwiseOp op,
                                    Function function) {
  return setElements(interpreter, op, [&](size_t index) {
    SmallVector<double, 4> numbers;
    for (Value source : op.getSrcs())
      numbers.push_back(interpreter.get(source).at(index).toReal());
    return Element::fromReal(function(numbers));
  });
}

static LogicalResult evaluateWithInteger(Interpreter &interpreter,
                                         tt::ExternElementwiseOp op,
                                         double (*function)(int, double)) {
  bool isFirst = !isReal(op.getSrcs()[0].getType());
  const RuntimeValue &number = interpreter.get(op.getSrcs()[isFirst]);
  const RuntimeValue &integer = interpreter.get(op.getSrcs()[!isFirst]);
  return setElements(interpreter, op, [&](size_t index) {
    return Element::fromReal(
        function(int(signExtend(integer.at(index).bits, 32)),
                 number.at(index).toReal()));
  });
}

/// A function of bits: floats are encoded before, and decoded behind.
static LogicalResult evaluateBits(Interpreter &interpreter,
                                  tt::ExternElementwiseOp op,
                                  LibraryIntegerFunction function) {
  auto real = dyn_cast<FloatType>(getElementTypeOrSelf(op.getType()));
  return setElements(interpreter, op, [&](size_t index) {
    SmallVector<uint64_t, 4> operands;
    for (Value source : op.getSrcs()) {
      Element element = interpreter.get(source).at(index);
      auto type = dyn_cast<FloatType>(getElementTypeOrSelf(source));
      operands.push_back(type ? encodeReal(type, element.toReal())
                              : element.bits);
    }
    uint64_t bits = wrapInteger(function(operands), getWidth(op.getType()));
    return real ? Element::fromReal(decodeReal(real, bits)) : Element{bits};
  });
}

/// A number as an integer of a width: the nearest of its range.
static uint64_t toInteger(double number, unsigned width, bool isSigned,
                          llvm::RoundingMode rounding) {
  llvm::APSInt integer(width, !isSigned);
  bool isExact;
  llvm::APFloat(number).convertToInteger(integer, rounding, &isExact);
  return integer.getZExtValue();
}

static LogicalResult evaluateConversion(Interpreter &interpreter,
                                        tt::ExternElementwiseOp op,
                                        const LibraryConversion &conversion) {
  using Kind = LibraryConversion::Kind;
  const RuntimeValue &value = interpreter.get(op.getSrcs().front());
  unsigned from = getWidth(op.getSrcs().front().getType());
  unsigned to = getWidth(op.getType());
  Element undefined = interpreter.getUndefined(op.getType());
  return setElements(interpreter, op, [&](size_t index) {
    Element element = value.at(index);
    // libdevice does not define the integer that NaN is.
    if (conversion.result != Kind::Real && std::isnan(element.toReal()))
      return undefined;
    if (conversion.result != Kind::Real)
      return Element{toInteger(element.toReal(), to,
                               conversion.result == Kind::Signed,
                               conversion.rounding)};
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if (conversion.source == Kind::Real)
      return Element::fromReal(
          roundReal(type, element.toReal(), conversion.rounding));
    llvm::APFloat number(type.getFloatSemantics());
    number.convertFromAPInt(llvm::APInt(from, element.bits),
                            conversion.source == Kind::Signed,
                            conversion.rounding);
    return Element::fromReal(toDouble(number));
  });
}

static LogicalResult evaluateLibraryFunction(Interpreter &interpreter,
                                             tt::ExternElementwiseOp op) {
  StringRef name = op.getSymbol();
  bool isLibdevice = name.consume_front("__nv_");
  size_t reals = llvm::count_if(op.getSrcs().getTypes(), isReal);
  size_t count = op.getSrcs().size();
  if (auto conversion = findLibraryConversion(name); isLibdevice && conversion)
    return evaluateConversion(interpreter, op, *conversion);
  if (auto *function = isLibdevice ? findLibraryIntegerFunction(name) : nullptr)
    return evaluateBits(interpreter, op, function);
  if (isLibdevice && isReal(op.getType())) {
    if (Function function = reals == count ? findFunction(name) : nullptr)
      return evaluateFloats(interpreter, op, function);
    if (auto *function =
            reals == 1 && count == 2 ? findWithInteger(name) : nullptr)
      return evaluateWithInteger(interpreter, op, function);
  } else if (isLibdevice && count == 1 && reals == 1) {
    if (auto *function = findToInteger(name)) {
      const RuntimeValue &value = interpreter.get(op.getSrcs().front());
      unsigned width = getWidth(op.getType());
      return setElements(interpreter, op, [&](size_t index) {
        return Element{
            wrapInteger(uint64_t(function(value.at(index).toReal())), width)};
      });
    }
  }
  return interpreter.emitError(op) << "expects a function that the reference "
                                      "knows, but got '"
                                   << op.getSymbol() << "'";
}

void reference::addLibraryOps(OpTable &table) {
  table.add<tt::ExternElementwiseOp>(evaluateLibraryFunction,
                                     Accuracy::Function);
}
