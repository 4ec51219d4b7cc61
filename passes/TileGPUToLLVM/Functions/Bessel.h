// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bessel functions, in f64: polynomials below 8, Hankel's amplitudes beyond,
// and recurrences over the order. Bounds: docs/Numbers.md.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_BESSEL_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_BESSEL_H

#include "passes/TileGPUToLLVM/Functions/IntegerExponent.h"
#include "passes/TileGPUToLLVM/Functions/SpecialCoefficients.h"
#include "passes/TileGPUToLLVM/Functions/Trigonometric.h"

namespace tilewright::functions {

inline constexpr double twoOverPiValue = 0x1.45f306dc9c883p-1;

//===----------------------------------------------------------------------===//
// Orders 0 and 1
//===----------------------------------------------------------------------===//

/// J and Y of one order.
template <typename Real>
struct BesselPair {
  Real j, y;
};

/// From 8 on: J = A (P cos chi - Q sin chi), Y = A (P sin chi + Q cos chi),
/// where chi = x - pi/4 for order 0, and pi/2 less for order 1.
template <typename Real>
BesselPair<Real> besselFar(Real x, unsigned order) {
  Real inverse = 8.0 / x;
  Real square = inverse * inverse;
  Real p = order ? evaluate(square, special::besselP1)
                 : evaluate(square, special::besselP0);
  Real q = inverse * (order ? evaluate(square, special::besselQ1)
                            : evaluate(square, special::besselQ0));
  Real s = sine(x), c = cosine(x);
  // sqrt(2) times cos chi and sin chi.
  Real cosineOfChi = order ? s - c : c + s;
  Real sineOfChi = order ? -(c + s) : s - c;
  Real amplitude = squareRoot(0.5 * twoOverPiValue / x);
  return {amplitude * (p * cosineOfChi - q * sineOfChi),
          amplitude * (p * sineOfChi + q * cosineOfChi)};
}

/// Below 8, of x above 0.
template <typename Real>
BesselPair<Real> besselNear(Real x, unsigned order) {
  Real t = fma(x, x, real(x, -32.0)) * 0.03125;
  Real scaledLogarithm = twoOverPiValue * logarithm(x);
  if (order == 0) {
    Real j = evaluate(t, special::besselJ0Near);
    return {j, fma(scaledLogarithm, j, evaluate(t, special::besselY0Near))};
  }
  Real j = x * evaluate(t, special::besselJ1Near);
  Real smooth = fma(scaledLogarithm, j, x * evaluate(t, special::besselY1Near));
  return {j, smooth - twoOverPiValue / x};
}

/// For x of 0 and more; NaN gives NaN.
template <typename Real>
BesselPair<Real> besselOfMagnitude(Real x, unsigned order) {
  auto isNear = x < 8.0;
  BesselPair<Real> near = besselNear(select(isNear, x, real(x, 4.0)), order);
  BesselPair<Real> far = besselFar(select(isNear, real(x, 8.0), x), order);
  Real zero = real(x, 0.0);
  Real y = select(isNear, near.y, far.y);
  y = select(x == 0.0, real(x, -infinity), y);
  return {select(x == infinity, zero, select(isNear, near.j, far.j)),
          select(x == infinity, zero, y)};
}

template <typename Real>
Real besselJ(Real x, unsigned order) {
  Real value = besselOfMagnitude(absolute(x), order).j;
  return order ? select(x < 0.0, -value, select(x == 0.0, x, value)) : value;
}

template <typename Real>
Real besselY(Real x, unsigned order) {
  Real value = besselOfMagnitude(absolute(x), order).y;
  return select(x < 0.0, real(x, notANumber), value);
}

//===----------------------------------------------------------------------===//
// Any order
//===----------------------------------------------------------------------===//

/// An order of Bessel functions as a magnitude, and the sign that a negative
/// one brings.
template <typename Real>
struct BesselOrder {
  Real magnitude;
  typename Real::Condition isOdd, isNegative;

  BesselOrder(Real like, typename Real::Word n)
      : magnitude(like), isOdd((n & word(like, 1)) != word(like, 0)),
        isNegative(isNegativeWord(like, n)) {
    magnitude = toReal(select(isNegative, word(like, 0) - n, n), like);
  }
};

/// Goes up from orders `from` - 1 and `from` to `order`, where that is stable;
/// ends at infinity.
template <typename Real>
Real besselUpward(Real before, Real value, Real order, Real x) {
  Real factor = 2.0 / x;
  std::array<Real, 3> state = {real(x, 1.0), before, value};
  auto isBelow = [&](std::array<Real, 3> now) {
    return (now[0] < order) && (now[2] > -infinity);
  };
  auto step = [&](std::array<Real, 3> now) -> std::array<Real, 3> {
    return {now[0] + 1.0, now[2], fma(now[0] * factor, now[2], -now[1])};
  };
  return iterate(state, isBelow, step)[2];
}

/// J by Miller's algorithm (W. Gautschi, "Computational aspects of three-term
/// recurrence relations", 1967): down from an order so high that J is nothing
/// there, and scaled so that J0 + 2 J2 + 2 J4 + ... is 1.
template <typename Real>
Real besselDownward(Real order, Real x) {
  Real factor = 2.0 / x;
  Real start =
      2.0 *
      roundToInteger(0.5 * (order + squareRoot(200.0 * order)) + 10.0).number;
  Real zero = real(x, 0.0), one = real(x, 1.0);
  // Order, its value, the next one's, the sum, whether it is even, J of order.
  std::array<Real, 6> state = {start, one, zero, zero, zero, zero};
  auto isAbove = [&](std::array<Real, 6> now) { return now[0] > 0.0; };
  auto step = [&](std::array<Real, 6> now) -> std::array<Real, 6> {
    Real below = fma(now[0] * factor, now[1], -now[2]);
    Real wanted = select(now[0] == order, now[1], now[5]);
    auto isLarge = absolute(below) > 0x1p300;
    Real scaling = select(isLarge, real(x, 0x1p-600), one);
    Real sum = fma(now[4], below, now[3]);
    return {now[0] - 1.0,  below * scaling, now[1] * scaling,
            sum * scaling, 1.0 - now[4],    wanted * scaling};
  };
  std::array<Real, 6> end = iterate(state, isAbove, step);
  return end[5] / (2.0 * end[3] - end[1]);
}

template <typename Real>
Real besselJ(typename Real::Word n, Real x) {
  BesselOrder<Real> order(x, n);
  Real a = absolute(x), zero = real(x, 0.0), one = real(x, 1.0);
  Real j0 = besselOfMagnitude(a, 0).j, j1 = besselOfMagnitude(a, 1).j;
  auto isFirst = order.magnitude < 2.0;
  // Beyond this it is below all numbers.
  auto isNothing = (order.magnitude > fma(real(x, 3.0), a, real(x, 1000.0))) ||
                   (a < 0x1p-600) || (a == infinity);
  auto isUpward = order.magnitude < a;
  Real none = real(x, 0.0);
  Real upTo = select(isUpward && !isFirst && !isNothing, order.magnitude, none);
  Real downFrom = select(isUpward || isFirst || isNothing || (x != x),
                         real(x, 2.0), order.magnitude);
  Real up = besselUpward(j0, j1, upTo, a);
  Real down = besselDownward(downFrom, select(isUpward || isNothing, one, a));
  Real value = select(isUpward, up, select(isNothing, zero, down));
  value = select(isFirst, select(order.magnitude == 0.0, j0, j1), value);
  value = select((a == infinity), zero, value);
  auto isFlipped = order.isOdd && (order.isNegative != (x < 0.0));
  return select(x == x, select(isFlipped, -value, value), x);
}

template <typename Real>
Real besselY(typename Real::Word n, Real x) {
  BesselOrder<Real> order(x, n);
  Real y0 = besselY(x, 0), y1 = besselY(x, 1);
  auto isEnd = (x == infinity) || !(x > 0.0) || (order.magnitude < 2.0);
  Real up =
      besselUpward(y0, y1, select(isEnd, real(x, 0.0), order.magnitude), x);
  Real value = select(order.magnitude == 0.0, y0, up);
  value = select(order.isOdd && order.isNegative, -value, value);
  return select(x < 0.0, real(x, notANumber), value);
}

//===----------------------------------------------------------------------===//
// Modified functions
//===----------------------------------------------------------------------===//

template <typename Real>
Real besselI(Real x, unsigned order) {
  Real a = absolute(x);
  Real square = select(a < 8.0, a * a, real(x, 64.0));
  Real near = order ? x * evaluate(square, special::besselI1Near)
                    : evaluate(square, special::besselI0Near);
  Real large = select(a < 8.0, real(x, 8.0), a);
  large = select(large > 800.0, real(x, 800.0), large);
  Real inverse = 8.0 / large;
  Real smooth = order ? evaluate(inverse, special::besselI1Far)
                      : evaluate(inverse, special::besselI0Far);
  // In two halves: the whole may be too large.
  Real power = scaledExponential(0.5 * large, real(x, 0.0), 0);
  Real far = power * (smooth / squareRoot(large)) * power;
  far = order ? withSign(far, x) : far;
  return select(x == x, select(a < 8.0, near, far), x);
}

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_BESSEL_H
