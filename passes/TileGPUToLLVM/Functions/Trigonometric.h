// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trigonometric functions and their inverses. Bounds: docs/Numbers.md.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_TRIGONOMETRIC_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_TRIGONOMETRIC_H

#include "passes/TileGPUToLLVM/Functions/Arithmetic.h"

namespace tilewright::functions {

/// x = quadrant * pi/2 + high + low, of which the two lowest bits of the
/// quadrant count.
template <typename Real>
struct ReducedAngle {
  Real quadrant, high, low;
};

/// A number of quarter turns modulo 4, from the product of x with 2 / pi, of
/// which only the words that matter are made (M. Payne and R. Hanek, "Radian
/// reduction for trigonometric functions", 1983).
template <typename Real>
struct Turns {
  /// The fraction of a quarter, times 2^-2, in two words; the upper is signed.
  typename Real::Word quadrant, high, low;
};

template <typename Real>
auto getTwoOverPiWords() -> const
    uint64_t (&)[TraitsOf<Real>::isDouble ? 22 : 9] {
  if constexpr (TraitsOf<Real>::isDouble)
    return twoOverPiWords64;
  else
    return twoOverPiWords32;
}

template <typename Real>
Turns<Real> multiplyByTwoOverPi(Real a) {
  using Traits = TraitsOf<Real>;
  using Word = typename Real::Word;
  constexpr unsigned width = Traits::bits;
  constexpr uint64_t leadingOne = uint64_t(1) << Traits::mantissaBits;
  auto constant = [&](uint64_t number) { return word(a, number); };
  Word bits = bitsOf(a);
  Word mantissa = (bits & constant(leadingOne - 1)) | constant(leadingOne);
  // a = mantissa * 2^exponent; words whose product is a multiple of 4 are left
  // out, and the others moved so that 4 is just above the first.
  Word position = (bits >> Traits::mantissaBits) +
                  constant(uint64_t(int64_t(width) - 2 - Traits::bias -
                                    int64_t(Traits::mantissaBits)));
  constexpr unsigned logWidth = Traits::isDouble ? 6 : 5;
  Word first = position >> logWidth;
  Word shift = position & constant(width - 1);
  auto entry = [&](unsigned index) {
    return lookUp(first + constant(index), getTwoOverPiWords<Real>());
  };
  Word words[] = {entry(0), entry(1), entry(2), entry(3)};
  for (unsigned index = 0; index < 3; ++index)
    words[index] = (words[index] << shift) |
                   ((words[index + 1] >> 1) >> (constant(width - 1) - shift));
  Word low = mantissa * words[1] + multiplyHigh(mantissa, words[2]);
  Word carry = select(low < mantissa * words[1], constant(1), constant(0));
  Word high = mantissa * words[0] + multiplyHigh(mantissa, words[1]) + carry;
  Word quadrant = (high + constant(uint64_t(1) << (width - 3))) >> (width - 2);
  return {quadrant, high - (quadrant << (width - 2)), low};
}

/// reduceAngle for large |x|.
template <typename Real>
ReducedAngle<Real> reduceLargeAngle(Real x) {
  using Traits = TraitsOf<Real>;
  using Word = typename Real::Word;
  constexpr unsigned width = Traits::bits, p = Traits::precision;
  auto constant = [&](uint64_t number) { return word(x, number); };
  Turns<Real> turns = multiplyByTwoOverPi(absolute(x));
  Word zero = constant(0);
  auto isNegative = (turns.high >> (width - 1)) != zero;
  Word flippedHigh =
      (zero - turns.high) - select(turns.low == zero, zero, constant(1));
  Word high = select(isNegative, flippedHigh, turns.high);
  Word low = select(isNegative, zero - turns.low, turns.low);
  // The leading one to the top.
  auto isShort = high == zero;
  Word skipped = select(isShort, constant(width), zero);
  Word top = select(isShort, low, high);
  Word next = select(isShort, zero, low);
  Word zeros = countLeadingZeros(top | constant(1));
  Word upper = (top << zeros) | ((next >> 1) >> (constant(width - 1) - zeros));
  Word lower = next << zeros;
  Real first = toReal(upper >> (width - p), x);
  Word rest = (upper << p) | (lower >> (width - p));
  Real second = toReal(rest >> (width - p), x);
  constexpr double unit = Traits::isDouble ? 0x1p-53 : 0x1p-24;
  Pair<Real> fraction = {first * unit, second * (unit * unit)};
  Pair<Real> angle = multiply(fraction, pair(x, CoefficientsOf<Real>::twoPi));
  Real power = powerOfTwo(x, zero - (zeros + skipped));
  auto isFlipped = isNegative != (x < 0.0);
  power = select(isFlipped, -power, power);
  Real shifted = real(x, Traits::roundingShift);
  Real quadrant = fromBits(x, bitsOf(shifted) + turns.quadrant) - shifted;
  quadrant = select(x < 0.0, -quadrant, quadrant);
  return {quadrant, angle.high * power, angle.low * power};
}

/// The angle within 0.8 of 0. `x` is finite, or the result means nothing.
template <typename Real>
ReducedAngle<Real> reduceAngle(Real x) {
  using C = CoefficientsOf<Real>;
  constexpr double limit = TraitsOf<Real>::isDouble ? 0x1p30 : 0x1p17;
  auto large = [&]() -> std::array<Real, 3> {
    return callRarely("reduce_large_angle", x,
                      [](Real y) -> std::array<Real, 3> {
                        ReducedAngle<Real> angle = reduceLargeAngle(y);
                        return {angle.quadrant, angle.high, angle.low};
                      });
  };
  auto moderate = [&]() -> std::array<Real, 3> {
    // Subtracting the first part is exact; what the second rounds off is low.
    Real n = roundToInteger(x * C::twoOverPi[0]).number;
    Real first = fma(n, real(x, -C::halfPi[0]), x);
    Pair<Real> second = multiplyExactly(n, real(x, -C::halfPi[1]));
    Pair<Real> sum = add(first, second.high);
    Real low = fma(n, real(x, -C::halfPi[2]), second.low);
    return {n, sum.high, sum.low + low};
  };
  std::array<Real, 3> parts = branch(absolute(x) < limit, moderate, large);
  return {parts[0], parts[1], parts[2]};
}

template <typename Real>
Real sineNear0(Real high, Real low) {
  Real z = high * high;
  Real tail = evaluate(z, CoefficientsOf<Real>::sineTail);
  return high + fma(z * high, tail, fma(-0.5 * z, low, low));
}

template <typename Real>
Real cosineNear0(Real high, Real low) {
  Real z = high * high, half = 0.5 * z;
  Real sum = 1.0 - half;
  Real tail = z * z * evaluate(z, CoefficientsOf<Real>::cosineTail);
  return sum + (((1.0 - sum) - half) + fma(-high, low, tail));
}

/// The quadrant's number, of which two bits count.
template <typename Real>
typename Real::Word quadrantOf(Real number) {
  return bitsOf(number + TraitsOf<Real>::roundingShift);
}

/// The sine of a reduced angle `turns` quarters further.
template <typename Real>
Real sineOf(const ReducedAngle<Real> &angle, unsigned turns) {
  auto constant = [&](uint64_t number) { return word(angle.high, number); };
  auto quadrant = quadrantOf(angle.quadrant) + constant(turns);
  Real sine = sineNear0(angle.high, angle.low);
  Real cosine = cosineNear0(angle.high, angle.low);
  auto isOdd = (quadrant & constant(1)) != constant(0);
  Real value = select(isOdd, cosine, sine);
  auto isNegative = (quadrant & constant(2)) != constant(0);
  return select(isNegative, -value, value);
}

template <typename Real>
Real onlyFinite(Real x, Real value) {
  return select(absolute(x) < infinity, value, real(x, notANumber));
}

template <typename Real>
Real sine(Real x) {
  return keepZero(x, onlyFinite(x, sineOf(reduceAngle(x), 0)));
}

template <typename Real>
Real cosine(Real x) {
  return onlyFinite(x, sineOf(reduceAngle(x), 1));
}

/// Both of one reduction.
template <typename Real>
Pair<Real> sineAndCosine(Real x) {
  ReducedAngle<Real> angle = reduceAngle(x);
  return {keepZero(x, onlyFinite(x, sineOf(angle, 0))),
          onlyFinite(x, sineOf(angle, 1))};
}

template <typename Real>
Real tangent(Real x) {
  ReducedAngle<Real> angle = reduceAngle(x);
  Real sine = sineNear0(angle.high, angle.low);
  Real cosine = cosineNear0(angle.high, angle.low);
  auto isOdd = (quadrantOf(angle.quadrant) & word(x, 1)) != word(x, 0);
  Real value = select(isOdd, -cosine, sine) / select(isOdd, sine, cosine);
  return keepZero(x, onlyFinite(x, value));
}

/// The angle of |x| times pi.
template <typename Real>
ReducedAngle<Real> reduceTurns(Real x) {
  using C = CoefficientsOf<Real>;
  Real a = absolute(x), half = 0.5 * a;
  // Halves beyond this have no fraction.
  Real shift = real(x, TraitsOf<Real>::isDouble ? 0x1p52 : 0x1p23);
  Real whole = select(half < shift, (half + shift) - shift, half);
  Real rest = fma(whole, real(x, -2.0), a);
  Real n = roundToInteger(rest + rest).number;
  rest = fma(n, real(x, -0.5), rest);
  Pair<Real> angle = multiplyExactly(rest, real(x, C::pi[0]));
  return {n, angle.high, fma(rest, real(x, C::pi[1]), angle.low)};
}

/// sin(pi x).
template <typename Real>
Real sineOfTurns(Real x) {
  Real value = sineOf(reduceTurns(x), 0);
  value = select(x < 0.0, -value, value);
  // Of an integer it is a zero of the integer's sign (IEEE 754-2019, sinPi).
  value = select(value == 0.0, withSign(real(x, 0.0), x), value);
  return onlyFinite(x, value);
}

/// cos(pi x).
template <typename Real>
Real cosineOfTurns(Real x) {
  // Its zeros are positive.
  return onlyFinite(x, sineOf(reduceTurns(x), 1) + 0.0);
}

//===----------------------------------------------------------------------===//
// Inverse functions
//===----------------------------------------------------------------------===//

/// The arc tangent of a number that is not negative, or of 1 / a: nearest to
/// one of 0, 1/2, 1 and 3/2, it is that of a smaller number further.
template <typename Real>
Pair<Real> arctangentOfMagnitude(Real a) {
  using C = CoefficientsOf<Real>;
  auto choose = [&](double zero, double half, double one, double more,
                    double inverse) {
    Real value = select(a < 0.4375, real(a, zero), real(a, half));
    value = select(a < 0.6875, value, real(a, one));
    value = select(a < 1.1875, value, real(a, more));
    return select(a < 2.4375, value, real(a, inverse));
  };
  auto isLarge = a >= 2.4375;
  Real center = choose(0.0, 0.5, 1.0, 1.5, 0.0);
  Real numerator = select(isLarge, real(a, -1.0), a - center);
  Real denominator = select(isLarge, a, fma(a, center, real(a, 1.0)));
  Real t = numerator / denominator;
  Real z = t * t;
  Real tail = t * z * evaluate(z, C::arctangentTail);
  Real high = choose(0.0, C::atanHalf[0], C::atanOne[0], C::atanThreeHalves[0],
                     C::halfPi[0]);
  Real low = choose(0.0, C::atanHalf[1], C::atanOne[1], C::atanThreeHalves[1],
                    C::halfPi[1]);
  Pair<Real> sum = addOrdered(high, t);
  return {sum.high, sum.low + (tail + low)};
}

template <typename Real>
Real arctangent(Real x) {
  Pair<Real> angle = arctangentOfMagnitude(absolute(x));
  return keepZero(x, withSign(angle.high + angle.low, x));
}

/// The angle of the point (x, y), from -pi to pi, signs of zeros included.
template <typename Real>
Real arctangent2(Real y, Real x) {
  using C = CoefficientsOf<Real>;
  Real a = absolute(y), b = absolute(x);
  Real quotient = a / b;
  // Equal infinities, and zeros, stand for themselves.
  quotient = select(a == b, real(x, 1.0), quotient);
  quotient = select(a == 0.0, real(x, 0.0), quotient);
  Pair<Real> angle = arctangentOfMagnitude(quotient);
  Real near = angle.high + angle.low;
  Pair<Real> turned = addOrdered(real(x, C::pi[0]), -angle.high);
  Real far = turned.high + (turned.low + (real(x, C::pi[1]) - angle.low));
  auto isLeft = (bitsOf(x) >> (TraitsOf<Real>::bits - 1)) != word(x, 0);
  Real value = withSign(select(isLeft, far, near), y);
  return select((x != x) || (y != y), x + y, value);
}

/// The arc sine, and half the arc cosine, of a small number; and the rest of
/// the root that stands for a large one.
template <typename Real>
struct ReducedArcsine {
  Real root, rest, tail;
};

/// The square root of `z`, which is 0 or normal, and what it is short of: of
/// f32 by the hardware's inverse root, whose error the rest makes up for.
template <typename Real>
Pair<Real> splitSquareRoot(Real z) {
  if constexpr (TraitsOf<Real>::isDouble) {
    Real root = squareRoot(z);
    Real rest = fma(-root, root, z) / (root + root);
    return {root, select(root == 0.0, root, rest)};
  } else {
    Real inverse = approximateInverseRoot(z);
    Real root = select(z == 0.0, z, z * inverse);
    Real rest = fma(-root, root, z) * (0.5 * inverse);
    return {root, select(z == 0.0, z, rest)};
  }
}

/// For a from 1/2 to 1: asin a = pi/2 - 2 asin(root), root^2 = (1 - a) / 2.
template <typename Real>
ReducedArcsine<Real> reduceArcsine(Real a) {
  Real z = 0.5 - 0.5 * a;
  Pair<Real> root = splitSquareRoot(z);
  Real tail = root.high * z * evaluate(z, CoefficientsOf<Real>::arcsineTail);
  return {root.high, root.low, tail};
}

template <typename Real>
Real arcsine(Real x) {
  using C = CoefficientsOf<Real>;
  Real a = absolute(x);
  Real z = x * x;
  Real near = fma(x * z, evaluate(z, C::arcsineTail), x);
  ReducedArcsine<Real> parts = reduceArcsine(a);
  Real twice = parts.root + parts.root;
  Pair<Real> difference = addOrdered(real(x, C::halfPi[0]), -twice);
  Real rest = parts.rest + parts.tail;
  Real far = difference.high +
             (difference.low + (real(x, C::halfPi[1]) - (rest + rest)));
  return select(a < 0.5, near, withSign(far, x));
}

template <typename Real>
Real arccosine(Real x) {
  using C = CoefficientsOf<Real>;
  Real a = absolute(x);
  Real z = x * x;
  Real nearTail = x * z * evaluate(z, C::arcsineTail);
  Pair<Real> nearSum = addOrdered(real(x, C::halfPi[0]), -x);
  Real near = nearSum.high + (nearSum.low + (real(x, C::halfPi[1]) - nearTail));
  ReducedArcsine<Real> parts = reduceArcsine(a);
  Real rest = parts.rest + parts.tail;
  Real right = parts.root + rest;
  Pair<Real> leftSum =
      addOrdered(real(x, C::pi[0]), -(parts.root + parts.root));
  Real left =
      leftSum.high + (leftSum.low + (real(x, C::pi[1]) - (rest + rest)));
  return select(a < 0.5, near, select(x < 0.0, left, right + right));
}

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_TRIGONOMETRIC_H
