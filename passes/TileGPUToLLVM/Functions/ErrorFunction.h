// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error function and what is made of it; roots. Bounds: docs/Numbers.md.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_ERRORFUNCTION_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_ERRORFUNCTION_H

#include "passes/TileGPUToLLVM/Functions/Exponential.h"

namespace tilewright::functions {

/// e^(x^2) erfc x, for x of 1/2 and more: a smooth function of (x - 4) / (x +
/// 4) over 1 + 2 x (M. Shepherd and J. Laframboise, "Chebyshev approximation of
/// (1 + 2x) exp(x^2) erfc x", 1981).
template <typename Real>
Real scaledErrorFunction(Real x) {
  Real bounded = select(x < 0x1p90, x, real(x, 0x1p90));
  Real t = (bounded - 4.0) / (bounded + 4.0);
  Real smooth = evaluate(t, CoefficientsOf<Real>::scaledErrorTail);
  return smooth / fma(real(x, 2.0), x, real(x, 1.0));
}

/// erfc x, for x of 1/2 and more.
template <typename Real>
Real complementaryFar(Real x) {
  // Beyond this it is 0.
  constexpr double most = TraitsOf<Real>::isDouble ? 28.0 : 11.0;
  Real bounded = select(x < most, x, real(x, most));
  Pair<Real> square = multiplyExactly(bounded, bounded);
  Real power = scaledExponential(-square.high, -square.low, 0);
  Real value = power * scaledErrorFunction(bounded);
  return select(x < most, value, real(x, 0.0));
}

/// erf x, for |x| of at most 1.
template <typename Real>
Real errorFunctionNear0(Real x) {
  return fma(x, evaluate(x * x, CoefficientsOf<Real>::errorTail), x);
}

/// erf x of f32, for x of 1 and more. Beyond 4 it is 1.
template <typename Real>
Real errorFunctionFar(Real x) {
  Real bounded = select(x > 4.0, real(x, 4.0), x);
  Real halvings = evaluate(bounded, CoefficientsOf<Real>::errorHalvings);
  return 1.0 - approximateExp2(-halvings);
}

template <typename Real>
Real errorFunction(Real x) {
  Real a = absolute(x);
  if constexpr (!TraitsOf<Real>::isDouble)
    return select(a < 1.0, errorFunctionNear0(x),
                  withSign(errorFunctionFar(a), x));
  Real far = withSign(1.0 - complementaryFar(a), x);
  Real value = select(a < 1.0, errorFunctionNear0(x), far);
  return select(x == x, value, x);
}

template <typename Real>
Real complementaryErrorFunction(Real x) {
  Real a = absolute(x);
  Real far = complementaryFar(a);
  Real value = select(x > 0.0, far, 2.0 - far);
  value = select(a < 0.5, 1.0 - errorFunctionNear0(x), value);
  return select(x == x, value, x);
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// The cube root: a third of the exponent, then Halley's iteration, each step
/// of which triples the digits.
template <typename Real>
Real cubeRoot(Real x) {
  using Traits = TraitsOf<Real>;
  Real a = absolute(x);
  // Where the iteration's differences would be subnormal.
  auto isTiny = a < (Traits::isDouble ? 0x1p-800 : 0x1p-60);
  constexpr double step = Traits::isDouble ? 0x1p300 : 0x1p66;
  constexpr double rootOfStep = Traits::isDouble ? 0x1p-100 : 0x1p-22;
  Real y = select(isTiny, a * step, a);
  // Two thirds of the exponent of 1, less the mean error of this beginning.
  constexpr uint64_t offset =
      Traits::isDouble ? uint64_t(0x2a9f7893) << 32 : 0x2a5119f2;
  Real root = fromBits(x, bitsOf(y) / 3 + word(x, offset));
  for (unsigned step = 0; step < (Traits::isDouble ? 3 : 2); ++step) {
    // In quarters, since sums could overflow.
    Real square = root * root;
    Real difference = 0.25 * fma(square, root, -y);
    Real sum = fma(0.5 * square, root, 0.25 * y);
    root = root - root * (difference / sum);
  }
  root = select(isTiny, root * rootOfStep, root);
  root = withSign(root, x);
  return select((a > 0.0) && (a < infinity), root, x);
}

/// A power of two that brings `largest` near 1, or below where it is
/// subnormal, so that squares neither overflow nor vanish.
template <typename Real>
Real normalizer(Real largest) {
  using Traits = TraitsOf<Real>;
  auto exponent = bitsOf(largest) >> Traits::mantissaBits;
  auto most = word(largest, 2 * Traits::bias - 1);
  exponent = select(exponent > most, most, exponent);
  auto inverse = word(largest, 2 * Traits::bias) - exponent;
  return fromBits(largest, inverse << Traits::mantissaBits);
}

/// sqrt(a^2 + b^2 + ...), without undue overflow.
template <typename Real, size_t count>
Real norm(const std::array<Real, count> &numbers, bool isInverse) {
  Real largest = absolute(numbers[0]);
  auto isInfinite = largest == infinity;
  auto isNaN = numbers[0] != numbers[0];
  for (size_t index = 1; index < count; ++index) {
    Real a = absolute(numbers[index]);
    largest = select(a > largest, a, largest);
    isInfinite = isInfinite || (a == infinity);
    isNaN = isNaN || (a != a);
  }
  Real factor = normalizer(largest);
  Real sum = real(largest, 0.0);
  for (Real number : numbers) {
    Real scaled = number * factor;
    sum = fma(scaled, scaled, sum);
  }
  Real root = squareRoot(sum);
  Real value = isInverse ? factor / root : root / factor;
  value = select(largest == 0.0, real(sum, isInverse ? infinity : 0.0), value);
  value = select(isNaN, real(sum, notANumber), value);
  return select(isInfinite, real(sum, isInverse ? 0.0 : infinity), value);
}

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_ERRORFUNCTION_H
