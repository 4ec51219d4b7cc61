// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logarithms, powers, and inverse hyperbolic functions. Bounds:
// docs/Numbers.md.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_LOGARITHM_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_LOGARITHM_H

#include "passes/TileGPUToLLVM/Functions/Exponential.h"

namespace tilewright::functions {

/// The s for which x / 2^s is from `least` to twice as much; `x` is positive,
/// finite, and not subnormal.
template <typename Real>
typename Real::Word countHalvings(Real x, double least) {
  return shiftArithmetic(bitsOf(x) - bitsOf(real(x, least)),
                         TraitsOf<Real>::mantissaBits);
}

/// x / 2^halvings, where both are normal numbers.
template <typename Real>
Real halve(Real x, typename Real::Word halvings) {
  return fromBits(x, bitsOf(x) - (halvings << TraitsOf<Real>::mantissaBits));
}

/// A small integer in a word, less how much `origin` is above roundingShift.
template <typename Real>
Real countFrom(Real origin, typename Real::Word word) {
  Real shift = real(origin, TraitsOf<Real>::roundingShift);
  return fromBits(shift, bitsOf(shift) + word) - origin;
}

/// A small integer in a word as a number.
template <typename Real>
Real toNumber(Real like, typename Real::Word word) {
  return countFrom(real(like, TraitsOf<Real>::roundingShift), word);
}

/// x = mantissa * 2^exponent, with the mantissa from sqrt(1/2) to sqrt(2).
template <typename Real>
struct ReducedLog {
  Real mantissa, exponent;
  /// x or a multiple of it that is not subnormal.
  Real normal;
};

/// `x` is positive and finite.
template <typename Real>
ReducedLog<Real> reduceLog(Real x) {
  using Traits = TraitsOf<Real>;
  constexpr double steps = Traits::isDouble ? 54.0 : 25.0;
  constexpr double factor = Traits::isDouble ? 0x1p54 : 0x1p25;
  auto isTiny = x < Traits::smallestNormal;
  Real normal = select(isTiny, x * factor, x);
  Real origin = select(isTiny, real(x, Traits::roundingShift + steps),
                       real(x, Traits::roundingShift));
  auto halvings = countHalvings(normal, CoefficientsOf<Real>::inverseSqrt2[0]);
  return {halve(normal, halvings), countFrom(origin, halvings), normal};
}

/// log(1 + f) for 1 + f from sqrt(1/2) to sqrt(2).
template <typename Real>
Pair<Real> logarithmNear1(Real f) {
  using C = CoefficientsOf<Real>;
  Real halfF = 0.5 * f;
  Real square = halfF * f;
  Real squareRest = fma(halfF, f, -square);
  Pair<Real> sum = addOrdered(f, -square);
  Real tail = square;
  if constexpr (TraitsOf<Real>::isDouble) {
    Real s = f / (f + 2.0);
    Real z = s * s;
    tail = s * fma(z, evaluate(z, C::logTail), square);
  } else {
    // Of few bits a polynomial is less work than the division.
    tail = f * square * evaluate(f, C::logCubeTail);
  }
  return {sum.high, sum.low + (tail - squareRest)};
}

/// exponent * log 2 + near, where `unit` is log 2 cut short.
template <typename Real, size_t count>
Real addExponent(Real exponent, Pair<Real> near, const double (&unit)[count]) {
  Pair<Real> sum = addOrdered(exponent * unit[0], near.high);
  return sum.high +
         (sum.low + fma(exponent, real(exponent, unit[1]), near.low));
}

/// `value`, the logarithm of x, where x is positive and finite, or what it is
/// elsewhere. `normal` is x or a multiple of it that is not subnormal.
template <typename Real>
Real completeLogarithm(Real x, Real normal, Real value) {
  if constexpr (!TraitsOf<Real>::isDouble) {
    Real other = approximateLog2(normal);
    return select(absolute(other) < infinity, value, other);
  } else {
    Real other = select(x == 0.0, real(x, -infinity),
                        select(x > 0.0, x, real(x, notANumber)));
    return select((x > 0.0) && (x < infinity), value, other);
  }
}

/// exponent * log 2 + log(1 + f) of f32, where `tail` is (log(1 + f) - f) / f^2
/// and the sum is not much smaller than its parts.
template <typename Real>
Real shortLogarithm(Real exponent, Real f, Real tail) {
  return fma(exponent, real(f, CoefficientsOf<Real>::ln2[0]),
             fma(f * f, tail, f));
}

template <typename Real>
Real logarithm(Real x) {
  using C = CoefficientsOf<Real>;
  auto reduced = reduceLog(x);
  Real f = reduced.mantissa - 1.0;
  Real value = real(x, 0.0);
  if constexpr (TraitsOf<Real>::isDouble)
    value = addExponent(reduced.exponent, logarithmNear1(f), C::ln2Short);
  else
    value = shortLogarithm(reduced.exponent, f, evaluate(f, C::logSquareTail));
  return completeLogarithm(x, reduced.normal, value);
}

template <typename Real>
Real logarithm10(Real x) {
  using C = CoefficientsOf<Real>;
  auto reduced = reduceLog(x);
  Pair<Real> near =
      multiply(logarithmNear1(reduced.mantissa - 1.0), pair(x, C::log10E));
  return completeLogarithm(
      x, reduced.normal, addExponent(reduced.exponent, near, C::log10Of2Short));
}

template <typename Real>
Real logarithm2(Real x) {
  using C = CoefficientsOf<Real>;
  auto reduced = reduceLog(x);
  Real f = reduced.mantissa - 1.0;
  Real value = real(x, 0.0);
  if constexpr (TraitsOf<Real>::isDouble) {
    Pair<Real> near = multiply(logarithmNear1(f), pair(x, C::log2E));
    Pair<Real> sum = addOrdered(reduced.exponent, near.high);
    value = sum.high + (sum.low + near.low);
  } else {
    // The products with log2 e are rounded once, with the exponent's sum.
    Real rest =
        f * fma(f, evaluate(f, C::log2SquareTail), real(x, C::log2E[1]));
    value = reduced.exponent + fma(f, real(x, C::log2E[0]), rest);
  }
  return completeLogarithm(x, reduced.normal, value);
}

/// a / b, of which the first bits are enough.
template <typename Real>
Real divideRoughly(Real a, Real b) {
  if constexpr (TraitsOf<Real>::isDouble)
    return a / b;
  else
    return a * approximateInverse(b);
}

/// log(1 + x + low) for x > -1; `low` is small beside x.
template <typename Real>
Real logarithmPlus1(Real x, Real low) {
  using C = CoefficientsOf<Real>;
  Real u = 1.0 + x;
  Real lost = select(x > 1.0, 1.0 - (u - x), x - (u - 1.0)) + low;
  auto halvings = countHalvings(u, C::inverseSqrt2[0]);
  auto isNear = halvings == word(x, 0);
  Real f = select(isNear, x, halve(u, halvings) - 1.0);
  Pair<Real> near = logarithmNear1(f);
  near.low = near.low + divideRoughly(select(isNear, low, lost), u);
  return addExponent(toNumber(x, halvings), near, C::ln2Short);
}

/// log(1 + x) of f32 for x > -1, finite.
template <typename Real>
Real shortLogarithmPlus1(Real x) {
  // From 3/4 on f is exact but for large x.
  auto halvings = countHalvings(1.0 + x, 0.75);
  // 4 / 2^halvings: a quarter of the smallest is subnormal.
  Real scale = halve(real(x, 4.0), halvings);
  // (1 + x) / 2^halvings - 1, without the rounding of the sum.
  Real f = fma(0.25 * x, scale, fma(scale, real(x, 0.25), real(x, -1.0)));
  return shortLogarithm(toNumber(x, halvings), f,
                        evaluate(f, CoefficientsOf<Real>::logPlus1SquareTail));
}

/// log(1 + x).
template <typename Real>
Real logarithmPlus1(Real x) {
  if constexpr (!TraitsOf<Real>::isDouble) {
    Real value = completeLogarithm(x, 1.0 + x, shortLogarithmPlus1(x));
    return select(absolute(x) < 0x1p-30, x, value);
  } else {
    Real value = logarithmPlus1(x, real(x, 0.0));
    Real other = select(x == -1.0, real(x, -infinity),
                        select(x > 0.0, x, real(x, notANumber)));
    return keepZero(x, select((x > -1.0) && (x < infinity), value, other));
  }
}

//===----------------------------------------------------------------------===//
// Inverse hyperbolic functions
//===----------------------------------------------------------------------===//

template <typename Real>
Real inverseHyperbolicSine(Real x) {
  Real a = absolute(x);
  // From here on 1 is lost beside x^2.
  constexpr double many = TraitsOf<Real>::isDouble ? 0x1p28 : 0x1p13;
  Real bounded = select(a < many, a, real(x, many));
  Real square = bounded * bounded;
  Real sum = bounded +
             square / (1.0 + squareRoot(fma(bounded, bounded, real(x, 1.0))));
  Real near = logarithmPlus1(sum, real(x, 0.0));
  Real far = logarithm(a) + CoefficientsOf<Real>::ln2[0];
  Real value = withSign(select(a < many, near, far), x);
  return select(x == x, keepZero(x, value), x);
}

template <typename Real>
Real inverseHyperbolicCosine(Real x) {
  constexpr double many = TraitsOf<Real>::isDouble ? 0x1p28 : 0x1p13;
  Real t = select(x < many, x, real(x, many)) - 1.0;
  Real near = logarithmPlus1(t + squareRoot(fma(t, t, t + t)), real(x, 0.0));
  Real far = logarithm(x) + CoefficientsOf<Real>::ln2[0];
  Real value = select(x < many, near, far);
  return select(x < 1.0, real(x, notANumber), value);
}

template <typename Real>
Real inverseHyperbolicTangent(Real x) {
  Real a = absolute(x);
  Real numerator = a + a, denominator = 1.0 - a;
  Real quotient = numerator / denominator;
  // What the quotient's rounding, and the difference's, lost.
  Real lostDifference = (1.0 - denominator) - a;
  Real rest = fma(-quotient, denominator, numerator);
  rest = fma(-quotient, lostDifference, rest) / denominator;
  Real inside = 0.5 * logarithmPlus1(quotient, rest);
  Real outside = select(a == 1.0, real(x, infinity), real(x, notANumber));
  return keepZero(x, withSign(select(a < 1.0, inside, outside), x));
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// log2 of a positive finite number with some 12 bits more than the format has.
template <typename Real>
Pair<Real> preciseLogarithm2(Real x) {
  using C = CoefficientsOf<Real>;
  auto reduced = reduceLog(x);
  // s = (m - 1) / (m + 1)
  Real m = reduced.mantissa, f = m - 1.0;
  Pair<Real> g = {m + 1.0, real(x, 0.0)};
  g.low = m - (g.high - 1.0);
  Pair<Real> s = {f / g.high, real(x, 0.0)};
  s.low = fma(-s.high, g.low, fma(-s.high, g.high, f)) / g.high;
  // log m = s * (2 + z * (2/3 + z * ...)), z = s^2
  Pair<Real> z = multiplyExactly(s.high, s.high);
  z.low = fma(s.high + s.high, s.low, z.low);
  Real tail = z.high * evaluate(z.high, C::powTail);
  Pair<Real> third = pair(x, C::twoThirds);
  Pair<Real> inner = addOrdered(third.high, tail);
  inner.low = inner.low + third.low;
  Pair<Real> product = multiply(z, inner);
  Pair<Real> factor = addOrdered(real(x, 2.0), product.high);
  factor.low = factor.low + product.low;
  Pair<Real> near = multiply(multiply(s, factor), pair(x, C::log2E));
  Pair<Real> sum = addOrdered(reduced.exponent, near.high);
  return addOrdered(sum.high, sum.low + near.low);
}

/// 2^exponent, where that may be beyond all numbers.
template <typename Real>
Real powerOf2(Pair<Real> exponent) {
  Real x = exponent.high;
  constexpr double most = TraitsOf<Real>::isDouble ? 1200.0 : 200.0;
  auto isMore = exponent.high > most, isLess = exponent.high < -most;
  Real high = select(isMore, real(x, most),
                     select(isLess, real(x, -most), exponent.high));
  Real low = select(isMore || isLess, real(x, 0.0), exponent.low);
  return exponential2(high, low);
}

/// |x|^y, where x is neither 0 nor infinite and y is finite.
template <typename Real>
Real powerOfMagnitude(Real a, Real y) {
  Pair<Real> logarithm = preciseLogarithm2(a);
  Pair<Real> exponent = multiplyExactly(y, logarithm.high);
  exponent.low = fma(y, logarithm.low, exponent.low);
  return powerOf2(exponent);
}

/// The same for a y of more bits than the format has.
template <typename Real>
Real powerOfMagnitude(Real a, Pair<Real> y) {
  return powerOf2(multiply(y, preciseLogarithm2(a)));
}

/// x^y, as IEEE 754-2019 defines pow for infinities, zeros and NaN.
template <typename Real>
Real power(Real x, Real y) {
  Real a = absolute(x), b = absolute(y);
  // From here on every number is an even integer.
  constexpr double large = TraitsOf<Real>::isDouble ? 0x1p53 : 0x1p24;
  Real bounded = select(b < large, b, real(x, 0.0));
  auto isWhole = [&](Real number) {
    // Numbers of more bits than the shift leaves are even.
    Real shift = real(x, TraitsOf<Real>::isDouble ? 0x1p52 : 0x1p23);
    Real nearest = select(number < shift, (number + shift) - shift, number);
    return nearest == number;
  };
  auto isInteger = isWhole(bounded);
  auto isOdd = isInteger && !isWhole(0.5 * bounded);
  Real value = powerOfMagnitude(a, y);
  Real zero = real(x, 0.0), infinite = real(x, infinity);
  value = select((a == 0.0) || (a == infinity),
                 select((a == 0.0) == (y < 0.0), infinite, zero), value);
  Real ofInfinity = select(a == 1.0, real(x, 1.0),
                           select((a > 1.0) == (y > 0.0), infinite, zero));
  value = select(b == infinity, ofInfinity, value);
  value = select(isOdd, withSign(value, x), value);
  auto isInvalid = (x < 0.0) && (a < infinity) && !isInteger;
  value = select(isInvalid, real(x, notANumber), value);
  value = select((x != x) || (y != y), x + y, value);
  return select((y == 0.0) || (x == 1.0), real(x, 1.0), value);
}

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_LOGARITHM_H
