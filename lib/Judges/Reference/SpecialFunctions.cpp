// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Reference/SpecialFunctions.h"

#include <cmath>
#include <numbers>

using namespace tilewright;

//===----------------------------------------------------------------------===//
// Extrema
//===----------------------------------------------------------------------===//

double reference::maximumNumber(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? y : x;
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

double reference::minimumNumber(double x, double y) {
  return -maximumNumber(-x, -y);
}

//===----------------------------------------------------------------------===//
// Trigonometric functions of turns
//===----------------------------------------------------------------------===//

/// By the distance from the nearest integer.
double reference::sineOfTurns(double x) {
  double rest = std::remainder(x, 1.0);
  if (rest == 0.0)
    return std::copysign(0.0, x);
  double sine = std::sin(std::numbers::pi * rest);
  return std::remainder(x - rest, 2.0) == 0.0 ? sine : -sine;
}

/// By the distance from the nearest zero.
double reference::cosineOfTurns(double x) {
  return std::sin(std::numbers::pi * (0.5 - std::fabs(std::remainder(x, 2.0))));
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

/// By its definition where erfc is no small number, by its continued fraction
/// beyond.
double reference::scaledErfc(double x) {
  if (!(x > 5))
    return std::exp((long double)x * x) * std::erfc((long double)x);
  if (std::isinf(x))
    return 0;
  long double fraction = x;
  for (int k = 200; k > 0; --k)
    fraction = x + k / 2.0L / fraction;
  return 1 / (fraction * std::sqrt(std::numbers::pi_v<long double>));
}

/// Newton's iteration for the z whose erfc is y, of at most 1, in logarithms.
static double findInverseErfc(long double y) {
  long double z = y > 0.3L ? 1 - y : std::sqrt(-std::log(y));
  for (int step = 0; step < 60; ++step) {
    long double tail = std::erfc(z);
    z += (std::log(tail) - std::log(y)) * tail *
         std::sqrt(std::numbers::pi_v<long double>) / 2 * std::exp(z * z);
  }
  return z;
}

double reference::inverseErf(double x) {
  double a = std::fabs(x);
  if (!(a < 1))
    return a == 1 ? std::copysign(INFINITY, x) : NAN;
  if (a > 0.5)
    return std::copysign(findInverseErfc(1 - (long double)a), x);
  long double root = std::sqrt(std::numbers::pi_v<long double>) / 2;
  long double z = x * root;
  for (int step = 0; step < 60; ++step)
    z -= (std::erf(z) - x) * root * std::exp(z * z);
  return z;
}

double reference::inverseErfc(double x) {
  if (!(x > 0 && x < 2))
    return x == 0 ? INFINITY : x == 2 ? -INFINITY : NAN;
  if (x >= 0.5 && x <= 1.5)
    return inverseErf(1 - x);
  return x < 1 ? findInverseErfc(x) : -findInverseErfc(2 - (long double)x);
}

double reference::normalProbability(double x) {
  return std::erfc(-x / std::numbers::sqrt2_v<long double>) / 2;
}

double reference::normalQuantile(double p) {
  return -std::numbers::sqrt2 * inverseErfc(2 * p);
}

//===----------------------------------------------------------------------===//
// Modified Bessel functions
//===----------------------------------------------------------------------===//

/// I(x) = sum of (x/2)^(2k + order) / (k! (k + order)!), all terms of one sign;
/// a long double holds them all.
static double besselI(int order, double x) {
  if (std::isnan(x))
    return x;
  long double half = std::fabs((long double)x) / 2;
  if (half > 400)
    return INFINITY;
  long double term = order ? half : 1, sum = term;
  for (int k = 1; k < 4000 && term > sum * 1e-21L; ++k) {
    term *= half * half / ((long double)k * (k + order));
    sum += term;
  }
  return order && std::signbit(x) ? -sum : sum;
}

double reference::besselI0(double x) { return besselI(0, x); }
double reference::besselI1(double x) { return besselI(1, x); }
