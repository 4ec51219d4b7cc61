// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commonest float operations of Numeric.h once more, without flags and with
// hardly a branch, so that a loop over the lanes of a warp is vectorised. They
// agree bit for bit with the exact routines. To be compiled with
// -ffp-contract=off and without -ffast-math; nearest-even is assumed of the
// host. No other rounding, .ftz or .sat.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_FASTFLOAT_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_FASTFLOAT_H

#include <bit>
#include <cstdint>

namespace tilewright::emulator {

/// `value`, or the canonical NaN of f32 (PTX ISA, "Floating Point
/// Instructions") if it is one.
inline float canonicalizeNan(float value) {
  return value == value ? value : std::bit_cast<float>(0x7fffffffu);
}

/// Zero of its sign for a subnormal number (.ftz), otherwise `value`.
inline float flushToZero(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t kept = (bits & 0x7f800000) != 0 ? bits : bits & 0x80000000;
  return std::bit_cast<float>(kept);
}

/// cvt.f32.f16.
inline float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t magnitude = half & 0x7fff;
  uint32_t normal = (magnitude << 13) + (uint32_t(127 - 15) << 23);
  // Subnormal numbers are multiples of 2^-24.
  uint32_t small =
      std::bit_cast<uint32_t>(float(int32_t(magnitude)) * 0x1p-24f);
  uint32_t bits = magnitude < 0x400 ? small : normal;
  bits = magnitude >= 0x7c00 ? 0x7f800000 : bits;
  bits |= sign;
  return std::bit_cast<float>(magnitude > 0x7c00 ? 0x7fffffffu : bits);
}

/// cvt.rn.f16.f32.
inline uint16_t floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  // Half a unit in the last place, less one on even numbers; a carry is right.
  uint32_t normal = (magnitude - (uint32_t(127 - 15) << 23) + 0xfff +
                     ((magnitude >> 13) & 1)) >>
                    13;
  // The last place of 0.5f is that of subnormal numbers: the sum rounds there.
  float sum = std::bit_cast<float>(magnitude) + 0.5f;
  uint32_t small = std::bit_cast<uint32_t>(sum) - 0x3f000000;
  uint32_t half = magnitude < 0x38800000 ? small : normal;
  half = magnitude >= 0x47800000 ? 0x7c00 : half;
  half |= sign;
  return uint16_t(magnitude > 0x7f800000 ? 0x7fff : half);
}

/// cvt.f32.bf16, which keeps a NaN's payload.
inline float bfloatToFloat(uint16_t bfloat) {
  return std::bit_cast<float>(uint32_t(bfloat) << 16);
}

/// cvt.rn.bf16.f32.
inline uint16_t floatToBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return uint16_t((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded);
}

/// The sum in f64 of an exact product and an addend, rounded to odd: where it
/// is inexact its last bit is set. Rounded again, to at most 51 bits, it gives
/// what the exact sum gives (Boldo and Melquiond, "Emulation of FMA and
/// correctly rounded sums").
inline double addRoundedToOdd(double product, double addend) {
  double sum = product + addend;
  // Knuth's exact error of the sum; NaN if the sum is infinite or NaN.
  double part = sum - product;
  double error = (product - (sum - part)) + (addend - part);
  int64_t bits = std::bit_cast<int64_t>(sum);
  bool isInexact = error < 0 || error > 0;
  // One step of the bits goes away from zero if error and sum agree in sign.
  int64_t step = ((std::bit_cast<int64_t>(error) ^ bits) < 0) ? -1 : 1;
  bool moves = isInexact && (bits & 1) == 0;
  return std::bit_cast<double>(moves ? bits + step : bits);
}

/// add.f32, mul.f32 and fma.rn.f32. The product of two f32 is exact in f64.
inline float addSingle(float a, float b) { return canonicalizeNan(a + b); }
inline float multiplySingle(float a, float b) { return canonicalizeNan(a * b); }
inline float fuseSingle(float a, float b, float c) {
  return canonicalizeNan(
      float(addRoundedToOdd(double(a) * double(b), double(c))));
}

/// add, mul and fma.rn of f16. A sum or product rounded to f32 first is not
/// rounded twice: 24 >= 2 * 11 + 2 bits, and below the normal range of f16 both
/// are exact in f32. For fma the sum rounded to odd takes the same way: first
/// to odd in f32 too, by its bits.
inline uint16_t addHalf(uint16_t a, uint16_t b) {
  return floatToHalf(halfToFloat(a) + halfToFloat(b));
}
inline uint16_t multiplyHalf(uint16_t a, uint16_t b) {
  return floatToHalf(halfToFloat(a) * halfToFloat(b));
}

/// `value` to f32, rounded to odd; exponents below f32's normal range give
/// subnormal numbers, rounded to odd as well.
inline float narrowToOdd(double value) {
  float nearest = float(value);
  int32_t bits = std::bit_cast<int32_t>(nearest);
  double back = double(nearest);
  double error = value - back;
  bool isInexact = error < 0 || error > 0;
  bool isAway =
      (std::bit_cast<int64_t>(error) ^ std::bit_cast<int64_t>(value)) >= 0;
  int32_t moved = bits + (isAway ? 1 : -1);
  return std::bit_cast<float>(isInexact && (bits & 1) == 0 ? moved : bits);
}

inline uint16_t fuseHalf(uint16_t a, uint16_t b, uint16_t c) {
  double product = double(halfToFloat(a)) * double(halfToFloat(b));
  return floatToHalf(
      narrowToOdd(addRoundedToOdd(product, double(halfToFloat(c)))));
}

/// add, mul and fma.rn of bf16; 24 >= 2 * 8 + 2 bits. Products may fall below
/// f32's last place, so they take the way of fma.
inline uint16_t addBfloat(uint16_t a, uint16_t b) {
  return floatToBfloat(bfloatToFloat(a) + bfloatToFloat(b));
}
inline uint16_t multiplyBfloat(uint16_t a, uint16_t b) {
  return floatToBfloat(
      narrowToOdd(double(bfloatToFloat(a)) * double(bfloatToFloat(b))));
}
inline uint16_t fuseBfloat(uint16_t a, uint16_t b, uint16_t c) {
  double product = double(bfloatToFloat(a)) * double(bfloatToFloat(b));
  return floatToBfloat(
      narrowToOdd(addRoundedToOdd(product, double(bfloatToFloat(c)))));
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_FASTFLOAT_H
