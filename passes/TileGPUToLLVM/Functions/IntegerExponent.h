// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is exact: remainders, neighbours, exponents; and powers of integers.
// Bounds: docs/Numbers.md.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_INTEGEREXPONENT_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_INTEGEREXPONENT_H

#include "passes/TileGPUToLLVM/Functions/Logarithm.h"

namespace tilewright::functions {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

template <typename Real>
auto isNegativeWord(Real like, typename Real::Word number) {
  return (number >> (TraitsOf<Real>::bits - 1)) != word(like, 0);
}

/// Whether a < b as signed numbers.
template <typename Real>
auto isLess(Real like, typename Real::Word a, typename Real::Word b) {
  auto offset = word(like, uint64_t(1) << (TraitsOf<Real>::bits - 1));
  return a + offset < b + offset;
}

template <typename Real>
auto hasSign(Real x) {
  return isNegativeWord(x, bitsOf(x));
}

/// The e of 2^e <= a < 2^(e + 1), for a finite a above 0.
template <typename Real>
typename Real::Word exponentOf(Real a) {
  using Traits = TraitsOf<Real>;
  constexpr uint64_t steps = Traits::precision + 1;
  constexpr double step = Traits::isDouble ? 0x1p54 : 0x1p25;
  auto isTiny = a < Traits::smallestNormal;
  auto field = bitsOf(select(isTiny, a * step, a)) >> Traits::mantissaBits;
  return field - word(a, Traits::bias) -
         select(isTiny, word(a, steps), word(a, 0));
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// The remainder of a by b, both above 0 and a finite: multiples of b, as large
/// as leave exact differences, are taken off until less than b is left.
template <typename Real>
Real reduceBy(Real a, Real b) {
  using Traits = TraitsOf<Real>;
  auto isLarge = [&](std::array<Real, 1> state) { return state[0] >= b; };
  auto step = [&](std::array<Real, 1> state) -> std::array<Real, 1> {
    Real rest = state[0];
    // The quotient must be one that is rounded to an integer.
    auto exponent =
        exponentOf(rest) - exponentOf(b) - word(b, Traits::precision - 3);
    exponent = select(isNegativeWord(b, exponent), word(b, 0), exponent);
    // From the smallest number to the largest it is more than one scaling's.
    auto half = exponent >> 1;
    Real multiple = scale(scale(b, half), exponent - half);
    Real quotient = roundToInteger(rest / multiple).number;
    Real left = fma(-quotient, multiple, rest);
    return {select(left < 0.0, left + multiple, left)};
  };
  return iterate(std::array<Real, 1>{a}, isLarge, step)[0];
}

/// C's fmod: x less a multiple of y, with the sign of x.
template <typename Real>
Real truncatedRemainder(Real x, Real y) {
  Real a = absolute(x), b = absolute(y);
  auto isValid = (a < infinity) && (b > 0.0);
  Real rest = reduceBy(select(isValid, a, real(x, 0.0)),
                       select(isValid, b, real(x, 1.0)));
  return select(isValid, withSign(rest, x), real(x, notANumber));
}

/// IEEE 754's remainder: x less the multiple of y that is nearest.
template <typename Real>
Real nearestRemainder(Real x, Real y) {
  Real b = absolute(y);
  Real rest = truncatedRemainder(absolute(x), b + b);
  rest = select((b + b == infinity) && (absolute(x) < infinity), absolute(x),
                rest);
  rest = select(b == 0.0, real(x, notANumber), rest);
  // Halves of the smallest numbers are none.
  auto isTiny = b < 2.0 * TraitsOf<Real>::smallestNormal;
  Real half = 0.5 * b;
  auto isAbove = (isTiny && (rest + rest > b)) || (!isTiny && (rest > half));
  Real once = select(isAbove, rest - b, rest);
  auto isStill = isAbove && ((isTiny && (once + once >= b)) ||
                             (!isTiny && (once >= half)));
  Real value = select(isStill, once - b, once);
  Real signedValue = select(hasSign(x), -value, value);
  return select(value == 0.0, withSign(value, x), signedValue);
}

//===----------------------------------------------------------------------===//
// Neighbours and exponents
//===----------------------------------------------------------------------===//

/// The number next to x in the direction of y.
template <typename Real>
Real nextAfter(Real x, Real y) {
  auto one = word(x, 1);
  auto isAway = (x < y) == (x > 0.0);
  Real next = fromBits(x, select(isAway, bitsOf(x) + one, bitsOf(x) - one));
  next = select(x == 0.0, withSign(fromBits(x, one), y), next);
  next = select(x == y, y, next);
  return select((x != x) || (y != y), x + y, next);
}

/// x * 2^n, rounded once.
template <typename Real>
Real scaleByInteger(Real x, typename Real::Word n) {
  using Traits = TraitsOf<Real>;
  constexpr uint64_t most = Traits::bias, least = Traits::bias - 1;
  // Steps down that leave the result all its bits until the last.
  constexpr uint64_t down = least - Traits::precision;
  auto negative = [&](uint64_t number) { return word(x, 0) - word(x, number); };
  for (unsigned step = 0; step < 2; ++step) {
    auto isHigh = isLess(x, word(x, most), n);
    auto isLow = isLess(x, n, negative(least));
    Real factor =
        select(isHigh, powerOfTwo(x, word(x, most)),
               select(isLow, powerOfTwo(x, negative(down)), real(x, 1.0)));
    x = x * factor;
    n = select(isHigh, n - word(x, most), select(isLow, n + word(x, down), n));
  }
  n = select(isLess(x, word(x, most), n), word(x, most), n);
  n = select(isLess(x, n, negative(least)), negative(least), n);
  return x * powerOfTwo(x, n);
}

/// The exponent of x as a number.
template <typename Real>
Real exponentAsReal(Real x) {
  Real a = absolute(x);
  Real value = toNumber(x, exponentOf(a));
  value = select(a < infinity, value, a);
  return select(a == 0.0, real(x, -infinity), select(x == x, value, x));
}

/// The exponent of x as an integer; those of 0, NaN and infinity are CUDA's.
template <typename Real>
typename Real::Word exponentAsInteger(Real x) {
  Real a = absolute(x);
  auto value = select(a == infinity, word(x, 0x7fffffff), exponentOf(a));
  return select((a == 0.0) || (x != x), word(x, 0x80000000), value);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// A number without sign, of 32 bits, as a sum of two of the format.
template <typename Real>
Pair<Real> splitInteger(Real like, typename Real::Word number) {
  if constexpr (TraitsOf<Real>::isDouble)
    return {toReal(number, like), real(like, 0.0)};
  Real high = toReal(number >> 12, like) * 4096.0;
  return addOrdered(high, toReal(number & word(like, 4095), like));
}

/// x^n.
template <typename Real>
Real integerPower(Real x, typename Real::Word n) {
  Real a = absolute(x);
  auto zero = word(x, 0);
  auto isNegative = isNegativeWord(x, n);
  auto magnitude = select(isNegative, zero - n, n);
  Pair<Real> exponent = splitInteger(x, magnitude);
  exponent = {select(isNegative, -exponent.high, exponent.high),
              select(isNegative, -exponent.low, exponent.low)};
  Real value = powerOfMagnitude(a, exponent);
  value = select(
      (a == 0.0) || (a == infinity),
      select((a == 0.0) == isNegative, real(x, infinity), real(x, 0.0)), value);
  auto isOdd = (magnitude & word(x, 1)) != zero;
  value = select(isOdd, withSign(value, x), value);
  value = select(x == x, value, x);
  return select(n == zero, real(x, 1.0), value);
}

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_INTEGEREXPONENT_H
