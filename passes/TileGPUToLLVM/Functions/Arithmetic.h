// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of this folder are written in. They are templates of
// `Real`, a number of f32 or f64 that is either IR (IRReal.h) or the host's own
// (the unit tests, which try far more arguments than could be emulated).
//
// `Real` has: a static `format`; the types Word (an integer of its width,
// wrapping, >> without sign) and Condition; + - * /, each rounded to nearest
// even, comparisons (false with NaN, but for !=), unary -; all of them with
// doubles that the format holds exactly, too. Besides, as functions:
//   real(like, number), word(like, number)    constants
//   fma, squareRoot, absolute                  rounded once, or exact
//   minimum, maximum                           the other one where one is NaN
//   approximateExp2(x), approximateInverse(x)  of f32, by the hardware, with
//                                              relative errors of 2^-22.5 and
//                                              2^-23; subnormal numbers are 0
//                                              (PTX ISA, ex2.approx.ftz,
//                                              rcp.approx.ftz)
//   approximateInverseRoot(x)                  the same with 2^-22.9
//                                              (rsqrt.approx.ftz); infinity
//                                              for 0
//   approximateLog2(x)                         the same with an error of 2^-20
//                                              (lg2.approx.ftz): what it gives
//                                              for 0, infinity, NaN, and less
//                                              than 0 is a logarithm's
//   select(condition, a, b)
//   bitsOf(real), fromBits(word), shiftArithmetic(word, count)
//   multiplyHigh(word, word), countLeadingZeros(word), toReal(word)
//   lookUp(word, table)                        an entry of a table of words
//   branch(condition, f, g)                    the three numbers of f() or g()
//   callRarely(name, x, f)                     the three numbers of f(x), which
//                                              is long and seldom needed
//   iterate(numbers, condition, step)          step(...step(numbers)) while the
//                                              condition of them is true

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_ARITHMETIC_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_ARITHMETIC_H

#include "passes/TileGPUToLLVM/Functions/Coefficients.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tilewright::functions {

/// Numbers of a format.
template <Format format>
struct FormatTraits {
  static constexpr bool isDouble = format == Format::F64;
  static constexpr unsigned bits = isDouble ? 64 : 32;
  /// With the leading one.
  static constexpr unsigned precision = isDouble ? 53 : 24;
  static constexpr unsigned mantissaBits = precision - 1;
  static constexpr int bias = isDouble ? 1023 : 127;
  static constexpr double smallestNormal = isDouble ? 0x1p-1022 : 0x1p-126;
  /// Adding it leaves the nearest integer in the lowest bits.
  static constexpr double roundingShift = isDouble ? 0x1.8p52 : 0x1.8p23;
};

template <typename Real>
using TraitsOf = FormatTraits<Real::format>;
template <typename Real>
using CoefficientsOf = Coefficients<Real::format>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// high + low, which is closer to what is meant than one number could be.
template <typename Real>
struct Pair {
  Real high, low;
};

/// The polynomial with these coefficients, from the lowest power up.
template <typename Real, size_t count>
Real evaluate(Real x, const double (&coefficients)[count]) {
  Real sum = real(x, coefficients[count - 1]);
  for (size_t index = count - 1; index-- > 0;)
    sum = fma(sum, x, real(x, coefficients[index]));
  return sum;
}

/// a + b exactly, where |a| >= |b| or a is 0.
template <typename Real>
Pair<Real> addOrdered(Real a, Real b) {
  Real sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly.
template <typename Real>
Pair<Real> add(Real a, Real b) {
  Real sum = a + b;
  Real partOfB = sum - a;
  return {sum, (a - (sum - partOfB)) + (b - partOfB)};
}

/// a * b exactly, unless it is subnormal.
template <typename Real>
Pair<Real> multiplyExactly(Real a, Real b) {
  Real product = a * b;
  return {product, fma(a, b, -product)};
}

/// a * b, with an error of the second order.
template <typename Real>
Pair<Real> multiply(Pair<Real> a, Pair<Real> b) {
  Pair<Real> product = multiplyExactly(a.high, b.high);
  return {product.high, fma(a.high, b.low, fma(a.low, b.high, product.low))};
}

/// A constant of the tables as a pair.
template <typename Real, size_t count>
Pair<Real> pair(Real like, const double (&words)[count]) {
  static_assert(count >= 2);
  return {real(like, words[0]), real(like, words[1])};
}

/// The nearest integer, as a number and as a word; |x| < 2^(precision - 2).
template <typename Real>
struct Rounded {
  Real number;
  typename Real::Word word;
};
template <typename Real>
Rounded<Real> roundToInteger(Real x) {
  Real shift = real(x, TraitsOf<Real>::roundingShift);
  Real shifted = x + shift;
  return {shifted - shift, bitsOf(shifted) - bitsOf(shift)};
}

/// 2^exponent, for exponents of normal numbers.
template <typename Real>
Real powerOfTwo(Real like, typename Real::Word exponent) {
  using Traits = TraitsOf<Real>;
  return fromBits(like, (exponent + word(like, Traits::bias))
                            << Traits::mantissaBits);
}

/// x * 2^exponent, where half of the exponent is a normal number's; rounded
/// once.
template <typename Real>
Real scale(Real x, typename Real::Word exponent) {
  auto half = shiftArithmetic(exponent, 1);
  return x * powerOfTwo(x, half) * powerOfTwo(x, exponent - half);
}

/// `magnitude`, which is not negative, with the sign of `sign`.
template <typename Real>
Real withSign(Real magnitude, Real sign) {
  using Traits = TraitsOf<Real>;
  auto signBit = word(sign, uint64_t(1) << (Traits::bits - 1));
  return fromBits(sign, bitsOf(magnitude) | (bitsOf(sign) & signBit));
}

/// `value`, except that 0 and -0 stay as they are.
template <typename Real>
Real keepZero(Real x, Real value) {
  return select(x == 0.0, x, value);
}

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_ARITHMETIC_H
