// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// add, mul, fma, div, sqrt of floats, each rounded once from the exact result
// (PTX ISA, "Floating Point Instructions" and "Half Precision Floating Point
// Instructions"). What the host computes the same way is left to it.

#include "lib/Judges/Emulator/Numeric/FloatFormats.h"

#include <bit>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace tilewright::emulator {

namespace {

/// The operations that the host rounds as PTX does, unless a NaN comes out.
bool isHostArithmetic(FloatFormat format, const FloatFlags &flags) {
  return (format == FloatFormat::F32 || format == FloatFormat::F64) &&
         flags.rounding == Rounding::NearestEven && !flags.flushSubnormals &&
         !flags.saturatesFinite;
}

/// `function` of the host's numbers that the bits stand for.
template <typename Function, typename... Bits>
uint64_t computeOnHost(FloatFormat format, Function function, Bits... bits) {
  if (format == FloatFormat::F32)
    return std::bit_cast<uint32_t>(
        function(std::bit_cast<float>(uint32_t(bits))...));
  return std::bit_cast<uint64_t>(function(std::bit_cast<double>(bits)...));
}

bool isNan(uint64_t bits, FloatFormat format) {
  const FormatTraits &traits = formatTraits(format);
  return (bits & (traits.signBit() - 1)) > traits.infinity();
}

Number unpackOperand(uint64_t bits, FloatFormat format,
                     const FloatFlags &flags) {
  return unpackFloat(
      flags.flushSubnormals ? flushSubnormal(bits, format) : bits, format);
}

uint64_t finish(const Number &number, FloatFormat format,
                const FloatFlags &flags) {
  return clampResult(packFloat(number, format, flags), format, flags);
}

/// The NaN of an operation: f64 hands on the first of the operands', made
/// quiet; the others know one NaN only. Which one is first the ISA leaves open;
/// the callers name the operands in the order seen of sm_90.
uint64_t nanResult(std::initializer_list<uint64_t> operands, FloatFormat format,
                   const FloatFlags &flags) {
  uint64_t bits = formatTraits(format).canonicalNan;
  if (format == FloatFormat::F64)
    for (uint64_t operand : operands)
      if (isNan(operand, format)) {
        bits = operand | (uint64_t(1) << 51);
        break;
      }
  return clampResult(bits, format, flags);
}

Number infinity(bool negative) {
  return {Number::Kind::Infinity, negative, 0, 0};
}

/// With its highest set bit at `position`; not for zero.
void normalize(Number &number, unsigned position) {
  int shift = int(position) + 1 - int(bitLength(number.significand));
  number.significand <<= unsigned(shift);
  number.exponent -= shift;
}

/// The sum of finite numbers of at most 106 bits. Its lowest bit is sticky.
Number addFinite(Number a, Number b, Rounding rounding) {
  bool negativeZero = a.negative && b.negative;
  if (a.negative != b.negative)
    negativeZero = rounding == Rounding::Down;
  if (a.isZero() && b.isZero())
    return {Number::Kind::Finite, negativeZero, 0, 0};
  if (a.isZero())
    return b;
  if (b.isZero())
    return a;
  // One bit is free for the carry. The 20 lowest bits are zero before the
  // smaller number is aligned, so bits are lost only where the sum keeps all
  // its leading bits but one.
  normalize(a, 126);
  normalize(b, 126);
  if (a.exponent < b.exponent)
    std::swap(a, b);
  b.significand = stickyShift(b.significand, unsigned(a.exponent - b.exponent));
  if (a.negative == b.negative) {
    a.significand += b.significand;
    return a;
  }
  if (a.significand == b.significand)
    return {Number::Kind::Finite, negativeZero, 0, 0};
  if (a.significand < b.significand) {
    std::swap(a.significand, b.significand);
    a.negative = b.negative;
  }
  a.significand -= b.significand;
  return a;
}

Number multiplyFinite(const Number &a, const Number &b) {
  return {Number::Kind::Finite, a.negative != b.negative,
          a.exponent + b.exponent, a.significand * b.significand};
}

/// a / b of finite numbers, neither of them zero.
Number divideFinite(Number a, const Number &b) {
  normalize(a, 127);
  WideInteger quotient = a.significand / b.significand;
  bool isInexact = quotient * b.significand != a.significand;
  return {Number::Kind::Finite, a.negative != b.negative,
          a.exponent - b.exponent, quotient | isInexact};
}

/// The square root of a positive finite number.
Number squareRootFinite(Number a) {
  normalize(a, 126);
  if (a.exponent % 2 != 0) {
    a.significand >>= 1;
    a.exponent += 1;
  }
  WideInteger root = 0;
  WideInteger rest = a.significand;
  for (WideInteger bit = WideInteger(1) << 126; bit != 0; bit >>= 2) {
    bool isSet = rest >= root + bit;
    if (isSet)
      rest -= root + bit;
    root = (root >> 1) + (isSet ? bit : 0);
  }
  // Two more bits, so that the sticky one is below every last place.
  return {Number::Kind::Finite, false, a.exponent / 2 - 2,
          (root << 2) | (rest != 0)};
}

} // namespace

uint64_t addFloat(uint64_t a, uint64_t b, FloatFormat format,
                  const FloatFlags &flags) {
  if (isHostArithmetic(format, flags)) {
    uint64_t bits =
        computeOnHost(format, [](auto x, auto y) { return x + y; }, a, b);
    if (!isNan(bits, format))
      return clampResult(bits, format, flags);
  }
  Number x = unpackOperand(a, format, flags);
  Number y = unpackOperand(b, format, flags);
  bool isInvalid = x.isInfinite() && y.isInfinite() && x.negative != y.negative;
  if (x.isNan() || y.isNan() || isInvalid)
    return nanResult({b, a}, format, flags);
  if (x.isInfinite() || y.isInfinite())
    return finish(x.isInfinite() ? x : y, format, flags);
  return finish(addFinite(x, y, flags.rounding), format, flags);
}

uint64_t multiplyFloat(uint64_t a, uint64_t b, FloatFormat format,
                       const FloatFlags &flags) {
  if (isHostArithmetic(format, flags)) {
    uint64_t bits =
        computeOnHost(format, [](auto x, auto y) { return x * y; }, a, b);
    if (!isNan(bits, format))
      return clampResult(bits, format, flags);
  }
  Number x = unpackOperand(a, format, flags);
  Number y = unpackOperand(b, format, flags);
  bool isInvalid =
      (x.isInfinite() && y.isZero()) || (x.isZero() && y.isInfinite());
  if (x.isNan() || y.isNan() || isInvalid)
    return nanResult({b, a}, format, flags);
  if (x.isInfinite() || y.isInfinite())
    return finish(infinity(x.negative != y.negative), format, flags);
  return finish(multiplyFinite(x, y), format, flags);
}

uint64_t fusedMultiplyAdd(uint64_t a, uint64_t b, uint64_t c,
                          FloatFormat format, const FloatFlags &flags) {
  if (isHostArithmetic(format, flags)) {
    uint64_t bits = computeOnHost(
        format, [](auto x, auto y, auto z) { return std::fma(x, y, z); }, a, b,
        c);
    if (!isNan(bits, format))
      return clampResult(bits, format, flags);
  }
  Number x = unpackOperand(a, format, flags);
  Number y = unpackOperand(b, format, flags);
  Number z = unpackOperand(c, format, flags);
  bool isProductInfinite = x.isInfinite() || y.isInfinite();
  bool isNegative = x.negative != y.negative;
  bool isInvalid =
      isProductInfinite && (x.isZero() || y.isZero() ||
                            (z.isInfinite() && z.negative != isNegative));
  if (x.isNan() || y.isNan() || z.isNan() || isInvalid)
    return nanResult({b, c, a}, format, flags);
  if (isProductInfinite)
    return finish(infinity(isNegative), format, flags);
  if (z.isInfinite())
    return finish(z, format, flags);
  return finish(addFinite(multiplyFinite(x, y), z, flags.rounding), format,
                flags);
}

uint64_t divideFloat(uint64_t a, uint64_t b, FloatFormat format,
                     const FloatFlags &flags) {
  if (isHostArithmetic(format, flags)) {
    uint64_t bits =
        computeOnHost(format, [](auto x, auto y) { return x / y; }, a, b);
    if (!isNan(bits, format))
      return clampResult(bits, format, flags);
  }
  Number x = unpackOperand(a, format, flags);
  Number y = unpackOperand(b, format, flags);
  bool isInvalid =
      (x.isInfinite() && y.isInfinite()) || (x.isZero() && y.isZero());
  if (x.isNan() || y.isNan() || isInvalid)
    return nanResult({a, b}, format, flags);
  bool isNegative = x.negative != y.negative;
  if (x.isInfinite() || y.isZero())
    return finish(infinity(isNegative), format, flags);
  if (x.isZero() || y.isInfinite())
    return finish({Number::Kind::Finite, isNegative, 0, 0}, format, flags);
  return finish(divideFinite(x, y), format, flags);
}

uint64_t squareRoot(uint64_t a, FloatFormat format, const FloatFlags &flags) {
  if (isHostArithmetic(format, flags)) {
    uint64_t bits =
        computeOnHost(format, [](auto x) { return std::sqrt(x); }, a);
    if (!isNan(bits, format))
      return clampResult(bits, format, flags);
  }
  Number x = unpackOperand(a, format, flags);
  if (x.isNan() || (x.negative && !x.isZero()))
    return nanResult({a}, format, flags);
  if (x.isInfinite() || x.isZero())
    return finish(x, format, flags);
  return finish(squareRootFinite(x), format, flags);
}

} // namespace tilewright::emulator
