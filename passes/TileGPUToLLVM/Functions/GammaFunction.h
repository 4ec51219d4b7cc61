// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gamma function and its logarithm, in f64. Bounds: docs/Numbers.md.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_GAMMAFUNCTION_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_GAMMAFUNCTION_H

#include "passes/TileGPUToLLVM/Functions/Logarithm.h"
#include "passes/TileGPUToLLVM/Functions/SpecialCoefficients.h"
#include "passes/TileGPUToLLVM/Functions/Trigonometric.h"

namespace tilewright::functions {

/// From here on Stirling's formula serves.
inline constexpr double stirlingFrom = 8.5;

/// The rest of Stirling's formula for log gamma.
template <typename Real>
Real stirlingRest(Real x) {
  Real inverse = 1.0 / x;
  return inverse * evaluate(inverse * inverse, special::stirlingTail);
}

/// (x - 1) (x - 2) ... down to 2.5, for an x whose nearest integer is n, of at
/// most 8.
template <typename Real>
Real multiplyDown(Real x, Real n) {
  Real product = real(x, 1.0);
  for (unsigned i = 1; i <= 6; ++i)
    product = product * select(n > i + 1.5, x - double(i), real(x, 1.0));
  return product;
}

/// gamma x from -2.5 to 8.5, by that of a number near 2.
template <typename Real>
Real gammaNear(Real x) {
  Real n = roundToInteger(x).number;
  Real denominator = select(n < 1.5, x, real(x, 1.0));
  for (unsigned i = 1; i <= 3; ++i)
    denominator =
        denominator * select(n < 1.5 - double(i), x + double(i), real(x, 1.0));
  Real value = evaluate(x - n, special::gammaTail);
  return value * multiplyDown(x, n) / denominator;
}

/// The square root of gamma x, for x from 8 to 190.
template <typename Real>
Real rootOfGamma(Real x) {
  using C = CoefficientsOf<Real>;
  // log2 gamma = (x - 1/2) log2 x - x log2 e + log2(2 pi) / 2 + rest log2 e
  constexpr double halfLog2OfTwoPi[] = {0x1.536439a4c6efcp+0,
                                        -0x1.49e49a361efebp-54};
  Pair<Real> logarithm = preciseLogarithm2(x);
  Real factor = x - 0.5;
  Pair<Real> first = multiplyExactly(factor, logarithm.high);
  first.low = fma(factor, logarithm.low, first.low);
  Pair<Real> second = multiplyExactly(x, real(x, -C::log2E[0]));
  second.low = fma(x, real(x, -C::log2E[1]), second.low);
  Pair<Real> sum = add(first.high, second.high);
  Pair<Real> all = add(sum.high, real(x, halfLog2OfTwoPi[0]));
  Real low =
      sum.low + all.low + first.low + second.low +
      fma(stirlingRest(x), real(x, C::log2E[0]), real(x, halfLog2OfTwoPi[1]));
  return exponential2(0.5 * all.high, 0.5 * low);
}

template <typename Real>
Real gammaFunction(Real x) {
  Real a = absolute(x);
  auto isReflected = x < -2.5;
  Real u = select(isReflected, a, x);
  auto isNear = u < stirlingFrom;
  Real near = gammaNear(select(isNear, u, real(x, 2.0)));
  Real bounded = select(isNear, real(x, stirlingFrom), u);
  Real root = rootOfGamma(select(bounded > 190.0, real(x, 190.0), bounded));
  // gamma x = -pi / (x sin(pi x) gamma -x)
  Real sine = sineOfTurns(x);
  Real reflected = CoefficientsOf<Real>::pi[0] / (-x * sine);
  reflected = select(isNear, reflected / near, reflected / root / root);
  Real value =
      select(isReflected, reflected, select(isNear, near, root * root));
  auto isPole = (x < 0.0) && (sine == 0.0);
  value = select(isPole || (x == -infinity), real(x, notANumber), value);
  return select(x == x, value, x);
}

/// log gamma a, for a above 0.
template <typename Real>
Real logGammaOfMagnitude(Real a) {
  auto isNear = a < stirlingFrom;
  Real x = select(isNear, a, real(a, 2.0));
  Real n = roundToInteger(x).number;
  Real t = x - n;
  Real near =
      fma(t, evaluate(t, special::logGammaTail), logarithm(multiplyDown(x, n)));
  Real below = logarithmPlus1(t) + select(n < 0.5, logarithm(x), real(a, 0.0));
  near = select(n < 1.5, near - below, near);
  constexpr double halfLogOfTwoPiLessHalf = 0x1.acfe390c97d69p-2;
  Real far = fma(a - 0.5, logarithm(a) - 1.0,
                 halfLogOfTwoPiLessHalf + stirlingRest(a));
  return select(isNear, near, far);
}

/// log |gamma x|.
template <typename Real>
Real logGammaFunction(Real x) {
  Real a = absolute(x);
  Real ofMagnitude = logGammaOfMagnitude(a);
  Real sine = absolute(sineOfTurns(x));
  Real reflected =
      logarithm(CoefficientsOf<Real>::pi[0] / (a * sine)) - ofMagnitude;
  Real value = select(x < 0.0, reflected, ofMagnitude);
  value = select(a < 0x1p-60, -logarithm(a), value);
  value = select(((x < 0.0) && (sine == 0.0)) || (a == infinity),
                 real(x, infinity), value);
  return select(x == x, value, x);
}

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_GAMMAFUNCTION_H
