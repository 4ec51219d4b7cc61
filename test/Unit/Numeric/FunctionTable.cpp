// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Unit/Numeric/FunctionTable.h"

#include "test/Unit/Numeric/HostReal.h"

#include "passes/TileGPUToLLVM/Functions/ErrorFunction.h"
#include "passes/TileGPUToLLVM/Functions/Logarithm.h"
#include "passes/TileGPUToLLVM/Functions/Trigonometric.h"

#include <numbers>

using namespace tilewright;
using namespace tilewright::functions;
using namespace tilewright::numeric;

template <typename Generic>
static UnaryFunction define(const char *name, Generic,
                            long double (*exact)(long double),
                            double floatBound, double doubleBound) {
  return {name,
          [](float x) { return Generic()(HostReal<float>(x)).value; },
          [](double x) { return Generic()(HostReal<double>(x)).value; },
          exact,
          floatBound,
          doubleBound};
}

template <typename Generic>
static BinaryFunction define(const char *name, Generic,
                             long double (*exact)(long double, long double),
                             double floatBound, double doubleBound) {
  return {name,
          [](float x, float y) {
            return Generic()(HostReal<float>(x), HostReal<float>(y)).value;
          },
          [](double x, double y) {
            return Generic()(HostReal<double>(x), HostReal<double>(y)).value;
          },
          exact,
          floatBound,
          doubleBound};
}

/// sin(pi x), by the distance from the nearest integer.
static long double sineOfTurnsExactly(long double x) {
  long double rest = std::remainder(x, 1.0L);
  if (rest == 0)
    return std::copysign(0.0L, x);
  bool isOdd = std::fabs(std::remainder(x - rest, 2.0L)) == 1;
  long double value = std::sin(std::numbers::pi_v<long double> * rest);
  return isOdd ? -value : value;
}

/// cos(pi x), by the distance from the nearest zero.
static long double cosineOfTurnsExactly(long double x) {
  long double rest = std::fabs(std::remainder(x, 2.0L));
  return std::sin(std::numbers::pi_v<long double> * (0.5L - rest));
}

#define FUNCTION(call) [](auto x) { return call(x); }

const std::vector<UnaryFunction> &numeric::getUnaryFunctions() {
  static const std::vector<UnaryFunction> table = {
      define("acos", FUNCTION(arccosine), std::acos, 1, 1),
      define("acosh", FUNCTION(inverseHyperbolicCosine), std::acosh, 2, 2),
      define("asin", FUNCTION(arcsine), std::asin, 1, 1),
      define("asinh", FUNCTION(inverseHyperbolicSine), std::asinh, 2, 2),
      define("atan", FUNCTION(arctangent), std::atan, 1, 1),
      define("atanh", FUNCTION(inverseHyperbolicTangent), std::atanh, 1, 1),
      define("cbrt", FUNCTION(cubeRoot), std::cbrt, 1.5, 1.5),
      define("cos", FUNCTION(cosine), std::cos, 1, 1),
      define("cosh", FUNCTION(hyperbolicCosine), std::cosh, 1.5, 1.5),
      define("cospi", FUNCTION(cosineOfTurns), cosineOfTurnsExactly, 1, 1),
      define("erf", FUNCTION(errorFunction), std::erf, 1.5, 1.5),
      define("exp", FUNCTION(exponential), std::exp, 1, 1),
      define(
          "exp10", FUNCTION(exponential10),
          [](long double x) { return std::pow(10.0L, x); }, 1.5, 1.5),
      define("exp2", FUNCTION(exponential2), std::exp2, 1, 1),
      define("expm1", FUNCTION(exponentialMinus1), std::expm1, 1.5, 1.5),
      define("log", FUNCTION(logarithm), std::log, 1, 1),
      define("log10", FUNCTION(logarithm10), std::log10, 1, 1),
      define("log1p", FUNCTION(logarithmPlus1), std::log1p, 1, 1),
      define("log2", FUNCTION(logarithm2), std::log2, 1, 1),
      define("sin", FUNCTION(sine), std::sin, 1, 1),
      define("sinh", FUNCTION(hyperbolicSine), std::sinh, 1.5, 1.5),
      define("sinpi", FUNCTION(sineOfTurns), sineOfTurnsExactly, 1, 1),
      define("tan", FUNCTION(tangent), std::tan, 2.5, 2.5),
      define("tanh", FUNCTION(hyperbolicTangent), std::tanh, 1.5, 1.5),
      // The C library's own is off by more in its tail, so the bound for
      // doubles is only tried where that is good.
      define("erfc", FUNCTION(complementaryErrorFunction), std::erfc, 4, 40),
  };
  return table;
}

#undef FUNCTION
#define FUNCTION(call) [](auto x, auto y) { return call; }

const std::vector<BinaryFunction> &numeric::getBinaryFunctions() {
  static const std::vector<BinaryFunction> table = {
      define("atan2", FUNCTION(arctangent2(x, y)), std::atan2, 1.5, 1.5),
      define("hypot", FUNCTION(norm(std::array{x, y}, false)), std::hypot, 1.5,
             1.5),
      define("pow", FUNCTION(power(x, y)), std::pow, 1, 1),
      define(
          "rhypot", FUNCTION(norm(std::array{x, y}, true)),
          [](long double x, long double y) { return 1 / std::hypot(x, y); },
          2.5, 2.5),
  };
  return table;
}
