// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Hopper/Numbers.h"

#include <bit>

using namespace tilewright;
using namespace tilewright::hopper;

uint32_t hopper::encode(const ElementType &type, int value) {
  unsigned bits = 8 * type.bytes;
  if (type.isInteger())
    return bits == 32 ? uint32_t(value) : value & ((1u << bits) - 1);
  if (value == 0)
    return 0;
  uint32_t magnitude = value < 0 ? -value : value;
  unsigned exponent = std::bit_width(magnitude) - 1;
  uint32_t bias = (1u << (type.exponentBits - 1)) - 1;
  // The leading bit is implied; those behind it stand at the fraction's top.
  uint64_t fraction = magnitude ^ (1u << exponent);
  fraction = fraction << type.fractionBits >> exponent;
  uint32_t sign = value < 0;
  return sign << (bits - 1) | (bias + exponent) << type.fractionBits |
         uint32_t(fraction);
}
