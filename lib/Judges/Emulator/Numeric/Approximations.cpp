// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The approximations of f32 (PTX ISA, ex2, lg2, sin, cos, tanh, rcp, rsqrt,
// sqrt and div with .approx or .full): the function in f64, rounded to f32.
// Its error is about half a unit in the last place, below what the ISA allows;
// the hardware's own last bits are not imitated.

#include "lib/Judges/Emulator/Numeric/FloatFormats.h"

#include <bit>
#include <cmath>

namespace tilewright::emulator {

static constexpr uint32_t canonicalNan = 0x7fffffff;

static uint32_t flushed(uint32_t bits, bool flushSubnormals) {
  return flushSubnormals ? uint32_t(flushSubnormal(bits, FloatFormat::F32))
                         : bits;
}

static uint32_t packResult(double value, bool flushSubnormals) {
  if (std::isnan(value))
    return canonicalNan;
  return flushed(std::bit_cast<uint32_t>(float(value)), flushSubnormals);
}

uint32_t approximate(Approximation function, uint32_t bits,
                     bool flushSubnormals) {
  double x = std::bit_cast<float>(flushed(bits, flushSubnormals));
  double result = 0;
  // C's special values of these functions are those of the ISA's tables.
  switch (function) {
  case Approximation::Ex2:
    result = std::exp2(x);
    break;
  case Approximation::Lg2:
    result = std::log2(x);
    break;
  case Approximation::Sin:
    result = std::sin(x);
    break;
  case Approximation::Cos:
    result = std::cos(x);
    break;
  case Approximation::Tanh:
    result = std::tanh(x);
    break;
  case Approximation::Rcp:
    result = 1 / x;
    break;
  case Approximation::Rsqrt:
    result = 1 / std::sqrt(x);
    break;
  case Approximation::Sqrt:
    result = std::sqrt(x);
    break;
  }
  return packResult(result, flushSubnormals);
}

uint64_t approximateDouble(Approximation function, uint64_t bits,
                           bool isGross) {
  constexpr uint64_t upperHalf = ~uint64_t(0) << 32;
  if (isGross)
    bits = flushSubnormal(bits & upperHalf, FloatFormat::F64);
  double x = std::bit_cast<double>(bits);
  double result = function == Approximation::Rcp
                      ? 1 / x
                      : double(1 / std::sqrt((long double)(x)));
  if (std::isnan(result))
    return formatTraits(FloatFormat::F64).canonicalNan;
  if (std::isinf(x) || x == 0 || !isGross)
    return std::bit_cast<uint64_t>(result);
  // Rounded to the 20 bits of mantissa that there are.
  uint64_t half = uint64_t(1) << 31;
  return flushSubnormal((std::bit_cast<uint64_t>(result) + half) & upperHalf,
                        FloatFormat::F64);
}

uint32_t divideApproximately(uint32_t a, uint32_t b, bool flushSubnormals,
                             bool isFullRange) {
  a = flushed(a, flushSubnormals);
  b = flushed(b, flushSubnormals);
  double x = std::bit_cast<float>(a);
  double y = std::bit_cast<float>(b);
  // For 2^126 < |b| < 2^128 .approx gives zero, and NaN of an infinite a.
  double magnitude = std::fabs(y);
  if (!isFullRange && magnitude > 0x1p126 && magnitude < 0x1p128)
    y = std::copysign(std::bit_cast<double>(uint64_t(0x7ff) << 52), y);
  return packResult(x / y, flushSubnormals);
}

} // namespace tilewright::emulator
