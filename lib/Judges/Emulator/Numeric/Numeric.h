// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX arithmetic on bits: each function is one operation of one lane, with the
// rounding, saturation and NaN rules of the PTX ISA. Floats come and go as
// their bits. No LLVM. The host's floating-point environment is assumed to be
// as a program finds it at its start (nearest-even, subnormal numbers kept).

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_NUMERIC_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_NUMERIC_H

#include <cstdint>

namespace tilewright::emulator {

/// .rn .rz .rm .rp, and .rna (ties away from zero).
enum class Rounding : uint8_t {
  NearestEven,
  TowardZero,
  Down,
  Up,
  NearestAway
};

/// The binary formats (IEEE 754 and the OCP 8-bit ones). TF32 stands in the
/// upper 19 bits of 32.
enum class FloatFormat : uint8_t { F16, BF16, TF32, F32, F64, E4M3, E5M2 };

/// How a conversion or operation treats what it cannot represent.
struct FloatFlags {
  Rounding rounding = Rounding::NearestEven;
  /// .ftz: subnormal operands and results are zero of their sign. Conversions
  /// heed it for f32 only; arithmetic does for the format it is asked about
  /// (PTX has it for f32 and f16).
  bool flushSubnormals = false;
  /// .sat: results are clamped to [0, 1], NaN becomes 0.
  bool saturates = false;
  /// .satfinite: beyond the range is the largest finite number; NaN becomes the
  /// format's NaN.
  bool saturatesFinite = false;
  /// .relu: negative results are 0; NaN becomes the canonical NaN.
  bool clampsNegative = false;
};

/// cvt between float formats, exactly rounded once. E4M3 and E5M2 results
/// always saturate to finite ones (PTX ISA, cvt).
uint64_t convertFloat(uint64_t bits, FloatFormat from, FloatFormat to,
                      const FloatFlags &flags);
/// A host's number in a format, rounded to the nearest, ties to even. Unlike
/// cvt's results it is infinite beyond the range, or NaN where the format has
/// no infinity.
uint64_t encodeFloat(double value, FloatFormat format);
/// The number that the bits stand for, exactly.
double decodeFloat(uint64_t bits, FloatFormat format);
/// cvt.rni, .rzi, .rmi and .rpi between equal formats: rounded to an integer
/// that stays a float.
uint64_t roundToIntegral(uint64_t bits, FloatFormat format,
                         const FloatFlags &flags);
/// cvt.*.s32.f32 and the like: clamped to the range, of NaN 0, or the
/// highest bit alone if the operand is f64 or the result has 64 bits. The
/// result stands in the low `width` bits, zeros above.
uint64_t convertToInteger(uint64_t bits, FloatFormat from, unsigned width,
                          bool isSigned, const FloatFlags &flags);
uint64_t convertFromInteger(uint64_t bits, unsigned width, bool isSigned,
                            FloatFormat to, const FloatFlags &flags);

/// Correctly rounded arithmetic for F16, BF16, F32 and F64; NaN results are
/// canonical (f16/bf16: 0x7fff; f32: 0x7fffffff), but for F64, which hands on
/// an operand's payload as sm_90 does.
uint64_t addFloat(uint64_t a, uint64_t b, FloatFormat, const FloatFlags &);
uint64_t multiplyFloat(uint64_t a, uint64_t b, FloatFormat, const FloatFlags &);
uint64_t fusedMultiplyAdd(uint64_t a, uint64_t b, uint64_t c, FloatFormat,
                          const FloatFlags &);
uint64_t divideFloat(uint64_t a, uint64_t b, FloatFormat, const FloatFlags &);
uint64_t squareRoot(uint64_t a, FloatFormat, const FloatFlags &);
/// min and max; `propagatesNan` is `.NaN`, `byMagnitude` is `.xorsign.abs`.
uint64_t minimumFloat(uint64_t a, uint64_t b, FloatFormat, bool propagatesNan,
                      bool byMagnitude, const FloatFlags &);
uint64_t maximumFloat(uint64_t a, uint64_t b, FloatFormat, bool propagatesNan,
                      bool byMagnitude, const FloatFlags &);

/// The approximations of f32: within the error that the PTX ISA documents of
/// the hardware's, and the exact special values that it lists.
enum class Approximation : uint8_t {
  Ex2,
  Lg2,
  Sin,
  Cos,
  Tanh,
  Rcp,
  Rsqrt,
  Sqrt
};
uint32_t approximate(Approximation function, uint32_t bits,
                     bool flushSubnormals);
/// div.full of f32, or div.approx, which is zero for 2^126 < |b| < 2^128 (NaN
/// for an infinite a).
uint32_t divideApproximately(uint32_t a, uint32_t b, bool flushSubnormals,
                             bool isFullRange = true);
/// rcp.approx.ftz.f64 (`isGross`), rsqrt.approx.ftz.f64 (`isGross`) and
/// rsqrt.approx.f64. A gross one is made of the upper halves of the numbers
/// alone, with subnormal numbers flushed; the other is correctly rounded.
uint64_t approximateDouble(Approximation function, uint64_t bits, bool isGross);

/// Bits and bytes (PTX ISA, integer, logic, video instructions).
uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector);
/// prmt's modes: f4e, b4e, rc8, ecl, ecr, rc16.
enum class PermuteMode : uint8_t {
  Forward4,
  Backward4,
  Replicate8,
  EdgeLeft,
  EdgeRight,
  Replicate16
};
uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector,
                      PermuteMode mode);
/// bfe and bfi: of position and length the low 8 bits count.
uint64_t extractBits(uint64_t a, uint32_t position, uint32_t length,
                     unsigned width, bool isSigned);
uint64_t insertBits(uint64_t source, uint64_t base, uint32_t position,
                    uint32_t length, unsigned width);
/// bfind: 0xffffffff where there is none.
uint32_t findLeadingBit(uint64_t a, unsigned width, bool isSigned,
                        bool asShift);
uint64_t reverseBits(uint64_t a, unsigned width);
/// The 0-based n-th set bit (fns).
uint32_t findNthSetBit(uint32_t mask, uint32_t base, int32_t offset);
uint32_t dotProduct4(uint32_t a, bool aIsSigned, uint32_t b, bool bIsSigned,
                     uint32_t c);
uint32_t dotProduct2(uint32_t a, bool aIsSigned, uint32_t b, bool bIsSigned,
                     bool high, uint32_t c);
uint64_t multiplyHigh(uint64_t a, uint64_t b, unsigned width, bool isSigned);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_NUMERIC_H
