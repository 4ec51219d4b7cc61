// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Unit/Numeric/FunctionTable.h"

#include "test/Unit/Numeric/HostReal.h"

#include "passes/TileGPUToLLVM/Functions/Bessel.h"
#include "passes/TileGPUToLLVM/Functions/GammaFunction.h"
#include "passes/TileGPUToLLVM/Functions/NormalDistribution.h"

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
          doubleBound,
          0};
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

/// A function that f32 has by way of f64.
template <typename Generic>
static UnaryFunction
defineWide(const char *name, Generic, long double (*exact)(long double),
           double floatBound, double doubleBound, double absoluteBound = 0) {
  return {name,
          [](float x) { return float(Generic()(HostReal<double>(x)).value); },
          [](double x) { return Generic()(HostReal<double>(x)).value; },
          exact,
          floatBound,
          doubleBound,
          absoluteBound};
}

/// Newton's iteration for the z whose erfc is y, where y is at most 1.
static long double findInverseErfc(long double y) {
  long double z = y > 0.3L ? (1 - y) : std::sqrt(-std::log(y));
  for (int step = 0; step < 100; ++step) {
    long double tail = std::erfc(z);
    long double next = z + (std::log(tail) - std::log(y)) * tail *
                               std::sqrt(std::numbers::pi_v<long double>) / 2 *
                               std::exp(z * z);
    if (std::fabs(next - z) <= 1e-19L * std::fabs(next))
      return next;
    z = next;
  }
  return z;
}

/// The z whose erf is x, where |x| is at most 0.5.
static long double findInverseErf(long double x) {
  long double z = x * std::sqrt(std::numbers::pi_v<long double>) / 2;
  for (int step = 0; step < 60; ++step)
    z -= (std::erf(z) - x) * std::sqrt(std::numbers::pi_v<long double>) / 2 *
         std::exp(z * z);
  return z;
}

static long double inverseErf(long double x) {
  long double a = std::fabs(x);
  if (!(a < 1))
    return a == 1 ? x * INFINITY : NAN;
  return a <= 0.5L ? (x == 0 ? x : findInverseErf(x))
                   : std::copysign(findInverseErfc(1 - a), x);
}

static long double inverseErfc(long double y) {
  if (!(y > 0 && y < 2))
    return y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN;
  if (y >= 0.5L && y <= 1.5L)
    return inverseErf(1 - y);
  return y < 1 ? findInverseErfc(y) : -findInverseErfc(2 - y);
}

static long double normalProbabilityExactly(long double x) {
  return std::erfc(-x / std::numbers::sqrt2_v<long double>) / 2;
}

static long double quantile(long double p) {
  return -std::numbers::sqrt2_v<long double> * inverseErfc(2 * p);
}

/// By e^(x^2) where that is exact enough, by the continued fraction beyond.
static long double scaledErfc(long double x) {
  if (!(x > 6))
    return std::exp(x * x) * std::erfc(x);
  if (std::isinf(x))
    return 0;
  long double fraction = x;
  for (int k = 200; k > 0; --k)
    fraction = x + k / 2.0L / fraction;
  return 1 / (fraction * std::sqrt(std::numbers::pi_v<long double>));
}

static long double modifiedBessel(int order, long double x) {
  if (std::isnan(x))
    return x;
  long double a = std::fabs(x);
  long double value = a > 720 ? INFINITY : std::cyl_bessel_i(order, a);
  return order && std::signbit(x) ? -value : value;
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
      define("exp", FUNCTION(exponential), std::exp, 3.25, 1),
      define(
          "exp10", FUNCTION(exponential10),
          [](long double x) { return std::pow(10.0L, x); }, 1.5, 1.5),
      define("exp2", FUNCTION(exponential2), std::exp2, 2.83, 1),
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
      define("logb", FUNCTION(exponentAsReal), std::logb, 0, 0),
      defineWide(
          "cyl_bessel_i0", [](auto x) { return besselI(x, 0); },
          [](long double x) { return modifiedBessel(0, x); }, 1, 5),
      defineWide(
          "cyl_bessel_i1", [](auto x) { return besselI(x, 1); },
          [](long double x) { return modifiedBessel(1, x); }, 1, 5),
      defineWide("erfcinv", FUNCTION(inverseComplementaryErrorFunction),
                 inverseErfc, 1, 8),
      defineWide("erfcx", FUNCTION(scaledComplementaryErrorFunction),
                 scaledErfc, 1, 8),
      defineWide("erfinv", FUNCTION(inverseErrorFunction), inverseErf, 1, 8),
      defineWide(
          "j0", [](auto x) { return besselJ(x, 0); }, ::j0l, 1, 2, 4e-15),
      defineWide(
          "j1", [](auto x) { return besselJ(x, 1); }, ::j1l, 1, 4, 4e-15),
      defineWide("lgamma", FUNCTION(logGammaFunction), std::lgamma, 1, 6,
                 1e-14),
      defineWide("normcdf", FUNCTION(normalProbability),
                 normalProbabilityExactly, 1, 8),
      defineWide("normcdfinv", FUNCTION(normalQuantile), quantile, 1, 8),
      defineWide("tgamma", FUNCTION(gammaFunction), std::tgamma, 1, 10),
      defineWide(
          "y0", [](auto x) { return besselY(x, 0); }, ::y0l, 1, 8, 4e-15),
      defineWide(
          "y1", [](auto x) { return besselY(x, 1); }, ::y1l, 1, 8, 4e-15),
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
      define("fmod", FUNCTION(truncatedRemainder(x, y)), std::fmod, 0, 0),
      define("pow", FUNCTION(power(x, y)), std::pow, 1, 1),
      define("remainder", FUNCTION(nearestRemainder(x, y)), std::remainder, 0,
             0),
      define(
          "rhypot", FUNCTION(norm(std::array{x, y}, true)),
          [](long double x, long double y) { return 1 / std::hypot(x, y); },
          2.5, 2.5),
  };
  return table;
}
