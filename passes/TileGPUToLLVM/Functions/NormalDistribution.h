// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is made of the error function and its inverse, in f64. Bounds:
// docs/Numbers.md.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_NORMALDISTRIBUTION_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_NORMALDISTRIBUTION_H

#include "passes/TileGPUToLLVM/Functions/ErrorFunction.h"
#include "passes/TileGPUToLLVM/Functions/Logarithm.h"
#include "passes/TileGPUToLLVM/Functions/SpecialCoefficients.h"

namespace tilewright::functions {

/// e^(x^2) erfc x.
template <typename Real>
Real scaledComplementaryErrorFunction(Real x) {
  Real bounded = select(x < -30.0, real(x, -30.0), x);
  bounded = select(bounded > 1.0, real(x, 1.0), bounded);
  Pair<Real> square = multiplyExactly(bounded, bounded);
  Real near = scaledExponential(square.high, square.low, 0) *
              complementaryErrorFunction(bounded);
  Real far = scaledErrorFunction(select(x < 0.5, real(x, 0.5), x));
  // From here on it is 1 / (x sqrt(pi)), also where twice x is too large.
  far = select(x > 0x1p60, 0x1.20dd750429b6dp-1 / x, far);
  return select(x == x, select(x < 0.5, near, far), x);
}

/// The probability of at most x in the standard normal distribution.
template <typename Real>
Real normalProbability(Real x) {
  constexpr double inverseRoot2 = 0x1.6a09e667f3bcdp-1;
  Real z = -x * inverseRoot2;
  Real near = 0.5 * complementaryErrorFunction(z);
  Real bounded = select(x < -40.0, real(x, -40.0), x);
  bounded = select(bounded > -0.5, real(x, -0.5), bounded);
  Pair<Real> square = multiplyExactly(bounded, bounded);
  Real far = scaledExponential(-0.5 * square.high, -0.5 * square.low, 0) *
             scaledErrorFunction(absolute(bounded) * inverseRoot2);
  Real value = select(x < -0.75, 0.5 * far, near);
  return select(x == x, value, x);
}

/// erfinv x / x of w = -log(1 - x^2), from 0 to 760.
template <typename Real>
Real inverseErrorRatio(Real w) {
  Real root = squareRoot(w);
  Real near = evaluate(select(w < 6.25, w, real(w, 6.25)) - 3.125,
                       special::inverseErrorNear);
  Real middle = evaluate(root - 3.25, special::inverseErrorMiddle);
  Real far = evaluate((root - 6.5) / (root + 6.5), special::inverseErrorFar);
  Real farthest =
      evaluate((root - 17.0) / (root + 17.0), special::inverseErrorFarthest);
  Real value = select(w < 110.25, far, farthest);
  value = select(w < 16.0, middle, value);
  return select(w < 6.25, near, value);
}

/// The inverse of erf at x, where y = 1 - |x|, and both are exact.
template <typename Real>
Real inverseErrorOf(Real x, Real y) {
  Real a = absolute(x);
  Real near = -logarithmPlus1(-x * x);
  Real far = -logarithm(y * (2.0 - y));
  return x * inverseErrorRatio(select(a < 0.5, near, far));
}

template <typename Real>
Real inverseErrorFunction(Real x) {
  Real a = absolute(x);
  Real inside = inverseErrorOf(x, 1.0 - a);
  Real outside =
      select(a == 1.0, withSign(real(x, infinity), x), real(x, notANumber));
  return select(a < 1.0, keepZero(x, inside), outside);
}

template <typename Real>
Real inverseComplementaryErrorFunction(Real y) {
  Real rest = select(y > 1.0, 2.0 - y, y);
  Real inside = inverseErrorOf(1.0 - y, rest);
  Real outside =
      select(y == 0.0, real(y, infinity),
             select(y == 2.0, real(y, -infinity), real(y, notANumber)));
  return select((y > 0.0) && (y < 2.0), inside, outside);
}

/// The number that is not exceeded with probability p.
template <typename Real>
Real normalQuantile(Real p) {
  constexpr double root2 = 0x1.6a09e667f3bcdp+0;
  return -root2 * inverseComplementaryErrorFunction(p + p);
}

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_NORMALDISTRIBUTION_H
