// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponentials and hyperbolic functions. Bounds: docs/Numbers.md.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_EXPONENTIAL_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_EXPONENTIAL_H

#include "passes/TileGPUToLLVM/Functions/Arithmetic.h"

namespace tilewright::functions {

/// e^x = (1 + tail) * 2^exponent.
template <typename Real>
struct ReducedExp {
  Pair<Real> tail;
  typename Real::Word exponent;
};

/// Beyond these limits results of e^x are infinite or 0, and the exponent still
/// fits.
template <typename Real>
Real clampExponent(Real x) {
  constexpr double most = TraitsOf<Real>::isDouble ? 720.0 : 100.0;
  constexpr double least = TraitsOf<Real>::isDouble ? -760.0 : -110.0;
  x = select(x > most, real(x, most), x);
  return select(x < least, real(x, least), x);
}

/// `x` is what clampExponent gives.
template <typename Real>
ReducedExp<Real> reduceExp(Real x) {
  using C = CoefficientsOf<Real>;
  auto n = roundToInteger(x * C::log2E[0]);
  // Exact, and then within a factor of 2 of the other part or far above it.
  Real first = fma(n.number, real(x, -C::ln2[0]), x);
  Real r = fma(n.number, real(x, -C::ln2[1]), first);
  Real low = fma(n.number, real(x, -C::ln2[1]), first - r);
  return {{r, fma(r * r, evaluate(r, C::expTail), low)}, n.word};
}

/// 1 + tail + more.
template <typename Real>
Real addToOne(Pair<Real> tail, Real more) {
  Pair<Real> sum = addOrdered(real(more, 1.0), tail.high);
  return sum.high + (sum.low + (tail.low + more));
}

/// e^(x + low) / 2^halvings; `low` is small beside x.
template <typename Real>
Real scaledExponential(Real x, Real low, unsigned halvings) {
  auto reduced = reduceExp(clampExponent(x));
  Real more = fma(low, reduced.tail.high + reduced.tail.low, low);
  return scale(addToOne(reduced.tail, more),
               reduced.exponent - word(x, halvings));
}

/// e^x = (1 + tail) * 2^exponent, where the tail, at most 0.42, is rounded: by
/// little beside what the sum is.
template <typename Real>
struct ShortReducedExp {
  Real tail;
  typename Real::Word exponent;
};

/// `x` is what clampExponent gives.
template <typename Real>
ShortReducedExp<Real> reduceExpShort(Real x) {
  using C = CoefficientsOf<Real>;
  auto n = roundToInteger(x * C::log2E[0]);
  Real r = fma(n.number, real(x, -C::ln2[0]), x);
  r = fma(n.number, real(x, -C::ln2[1]), r);
  return {fma(r * r, evaluate(r, C::expTail), r), n.word};
}

/// e^x of f32 by the hardware's powers of two, as in libdevice, in a third of
/// the instructions that a polynomial takes: 8 for 25. Relative error 2^-22.3.
template <typename Real>
Real hardwareExponential(Real x) {
  using C = CoefficientsOf<Real>;
  using Traits = TraitsOf<Real>;
  // Rounds, and adds the exponents' bias.
  Real shift = real(x, Traits::roundingShift + Traits::bias);
  // Powers that are normal numbers. The hardware's makes of what is left beyond
  // them infinity and 0, and the product what is subnormal.
  Real normal = minimum(maximum(x, real(x, -87.0)), real(x, 88.0));
  Real shifted = fma(normal, real(x, C::log2E[0]), shift);
  Real r = fma(x, real(x, C::log2E[0]), shift - shifted);
  r = fma(x, real(x, C::log2E[1]), r);
  Real power = fromBits(x, bitsOf(shifted) << Traits::mantissaBits);
  return approximateExp2(r) * power;
}

template <typename Real>
Real exponential(Real x) {
  if constexpr (!TraitsOf<Real>::isDouble) {
    return hardwareExponential(x);
  } else {
    auto reduced = reduceExpShort(clampExponent(x));
    return scale(1.0 + reduced.tail, reduced.exponent);
  }
}

/// 2^(x + low) for |x| below the largest exponents' double.
template <typename Real>
Real exponential2(Real x, Real low) {
  auto n = roundToInteger(x);
  Real r = (x - n.number) + low;
  Real y = fma(r, evaluate(r, CoefficientsOf<Real>::exp2Tail), real(x, 1.0));
  return scale(y, n.word);
}

/// 2^x of f32 by the hardware, whose result is 0 where it is subnormal.
/// Relative error 2^-22.5.
template <typename Real>
Real hardwareExponential2(Real x) {
  auto isTiny = x < -126.0;
  Real power = approximateExp2(select(isTiny, x + 64.0, x));
  return select(isTiny, power * 0x1p-64, power);
}

template <typename Real>
Real exponential2(Real x) {
  if constexpr (!TraitsOf<Real>::isDouble) {
    return hardwareExponential2(x);
  } else {
    constexpr double most = 1100.0;
    x = select(x > most, real(x, most), x);
    x = select(x < -most, real(x, -most), x);
    return exponential2(x, real(x, 0.0));
  }
}

template <typename Real>
Real exponential10(Real x) {
  using C = CoefficientsOf<Real>;
  constexpr double most = TraitsOf<Real>::isDouble ? 330.0 : 46.0;
  x = select(x > most, real(x, most), x);
  x = select(x < -most, real(x, -most), x);
  auto n = roundToInteger(x * C::log2Of10[0]);
  Real r = fma(n.number, real(x, -C::log10Of2[0]), x);
  r = fma(n.number, real(x, -C::log10Of2[1]), r);
  Pair<Real> power = multiplyExactly(r, real(x, C::ln10[0]));
  Real low = fma(r, real(x, C::ln10[1]), power.low);
  Real high = power.high;
  Real tail = fma(high * high, evaluate(high, C::expTail), low) + high;
  return scale(1.0 + tail, n.word);
}

/// e^x - 1 for `x` as clampExponent gives it, but for infinities.
template <typename Real>
Pair<Real> exponentialMinus1Pair(Real x) {
  // From here on down the result is -1.
  constexpr double least = TraitsOf<Real>::isDouble ? -40.0 : -20.0;
  auto reduced = reduceExp(select(x < least, real(x, least), x));
  // Half of the power of two, which may be too large itself.
  auto exponent = reduced.exponent - word(x, 1);
  constexpr int largest = TraitsOf<Real>::bias;
  exponent =
      select(exponent > word(x, largest) && exponent < word(x, 8 * largest),
             word(x, largest), exponent);
  Real power = powerOfTwo(x, exponent);
  Pair<Real> half = addOrdered(power - 0.5, power * reduced.tail.high);
  half.low = fma(power, reduced.tail.low, half.low);
  auto isNear = reduced.exponent == word(x, 0);
  return addOrdered(select(isNear, reduced.tail.high, half.high + half.high),
                    select(isNear, reduced.tail.low, half.low + half.low));
}

/// e^x - 1.
template <typename Real>
Real exponentialMinus1(Real x) {
  Pair<Real> pair = exponentialMinus1Pair(clampExponent(x));
  // Near the limit the first part is infinite, and the other means nothing.
  constexpr double most = TraitsOf<Real>::isDouble ? 709.9 : 88.75;
  Real value = select((x > most) || (pair.high == infinity), real(x, infinity),
                      pair.high + pair.low);
  return keepZero(x, value);
}

/// t / (t + n), for an n of which t is no more than a few bits above.
template <typename Real>
Pair<Real> divideBySum(Pair<Real> t, double n) {
  Pair<Real> sum = add(real(t.high, n), t.high);
  sum.low = sum.low + t.low;
  Real inverse = 1.0 / sum.high;
  Real quotient = t.high * inverse;
  Real rest = fma(-quotient, sum.high, t.high);
  rest = fma(-quotient, sum.low, rest + t.low);
  return {quotient, rest * inverse};
}

/// e^x + 1, for x from 0 on that are small enough for the exponent.
template <typename Real>
Real exponentialPlus1(Real x) {
  auto reduced = reduceExpShort(x);
  Real power = powerOfTwo(x, reduced.exponent);
  return fma(power, reduced.tail, power + 1.0);
}

/// tanh, for x from 1 on: the quotient is at most 0.24.
template <typename Real>
Real hyperbolicTangentFar(Real x) {
  // Beyond the largest exponents the inverse is 0.
  Real power = approximateExp2(x * (2 * CoefficientsOf<Real>::log2E[0]));
  Real inverse = approximateInverse(power + 1.0);
  return fma(real(x, -2.0), inverse, real(x, 1.0));
}

template <typename Real>
Real hyperbolicTangent(Real x) {
  Real a = absolute(x), z = a * a;
  Real near = fma(a * z, evaluate(z, CoefficientsOf<Real>::tanhTail), a);
  if constexpr (!TraitsOf<Real>::isDouble)
    return withSign(select(a < 1.0, near, hyperbolicTangentFar(a)), x);
  // From here on the result is 1.
  Real limited = select(a > 22.0, real(x, 22.0), a);
  // Far enough from 0 for the difference to keep its bits: the quotient is at
  // most 0.23.
  Real inverse = 1.0 / exponentialPlus1(limited + limited);
  Real far = fma(real(x, -2.0), inverse, real(x, 1.0));
  return withSign(select(a < 0.625, near, far), x);
}

template <typename Real>
Real hyperbolicSine(Real x) {
  Real a = absolute(x);
  // Where e^-x no longer counts.
  constexpr double many = TraitsOf<Real>::isDouble ? 22.0 : 10.0;
  Pair<Real> t = exponentialMinus1Pair(select(a > many, real(x, many), a));
  Pair<Real> other = divideBySum(t, 1.0);
  Pair<Real> sum = addOrdered(t.high, other.high);
  Real near = 0.5 * (sum.high + (sum.low + (t.low + other.low)));
  Real far = scaledExponential(a, real(x, 0.0), 1);
  return keepZero(x, withSign(select(a > many, far, near), x));
}

template <typename Real>
Real hyperbolicCosine(Real x) {
  Real a = absolute(x);
  Real half = scaledExponential(a, real(x, 0.0), 1);
  return half + 0.25 / half;
}

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_EXPONENTIAL_H
