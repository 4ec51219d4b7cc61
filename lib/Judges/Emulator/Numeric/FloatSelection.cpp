// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// min and max of floats (PTX ISA, `min`, `max`): a choice between the operands,
// nothing is rounded.

#include "lib/Judges/Emulator/Numeric/FloatFormats.h"

namespace tilewright::emulator {

/// Bits that are ordered as the numbers are, -0 below +0.
static uint64_t orderedBits(uint64_t bits, uint64_t signBit) {
  uint64_t all = signBit | (signBit - 1);
  return bits & signBit ? ~bits & all : bits | signBit;
}

/// f64 hands on the NaN of b if both are, made quiet, as sm_90 does; the others
/// know one NaN only.
static uint64_t chooseNan(uint64_t a, uint64_t b, FloatFormat format) {
  if (format != FloatFormat::F64)
    return formatTraits(format).canonicalNan;
  return (unpackFloat(b, format).isNan() ? b : a) | (uint64_t(1) << 51);
}

static uint64_t chooseFloat(uint64_t a, uint64_t b, FloatFormat format,
                            bool isMaximum, bool propagatesNan,
                            bool byMagnitude, const FloatFlags &flags) {
  if (flags.flushSubnormals) {
    a = flushSubnormal(a, format);
    b = flushSubnormal(b, format);
  }
  uint64_t signBit = formatTraits(format).signBit();
  uint64_t sign = (a ^ b) & signBit;
  bool isNanA = unpackFloat(a, format).isNan();
  bool isNanB = unpackFloat(b, format).isNan();
  // The sign of .xorsign goes to numbers only, though a NaN's sign counts.
  if ((isNanA && isNanB) || (propagatesNan && (isNanA || isNanB)))
    return chooseNan(a, b, format);
  if (byMagnitude) {
    a &= ~signBit;
    b &= ~signBit;
  }
  bool isLess = orderedBits(a, signBit) < orderedBits(b, signBit);
  uint64_t result = isLess != isMaximum ? a : b;
  if (isNanA || isNanB)
    result = isNanA ? b : a;
  return byMagnitude ? result | sign : result;
}

uint64_t minimumFloat(uint64_t a, uint64_t b, FloatFormat format,
                      bool propagatesNan, bool byMagnitude,
                      const FloatFlags &flags) {
  return chooseFloat(a, b, format, /*isMaximum=*/false, propagatesNan,
                     byMagnitude, flags);
}

uint64_t maximumFloat(uint64_t a, uint64_t b, FloatFormat format,
                      bool propagatesNan, bool byMagnitude,
                      const FloatFlags &flags) {
  return chooseFloat(a, b, format, /*isMaximum=*/true, propagatesNan,
                     byMagnitude, flags);
}

} // namespace tilewright::emulator
