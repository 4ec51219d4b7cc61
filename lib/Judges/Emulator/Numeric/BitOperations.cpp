// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit fields, bytes and wide products of integers (PTX ISA, "Integer
// Arithmetic Instructions" and "prmt").

#include "lib/Judges/Emulator/Numeric/FloatFormats.h"

#include <bit>

namespace tilewright::emulator {

static uint64_t lowMask(unsigned count) {
  return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

static int64_t signExtend(uint64_t value, unsigned width) {
  unsigned unused = 64 - width;
  return int64_t(value << unused) >> unused;
}

/// Byte `index` of the eight of b:a.
static uint32_t selectByte(uint32_t a, uint32_t b, unsigned index) {
  uint64_t both = uint64_t(b) << 32 | a;
  return uint32_t(both >> (8 * index)) & 0xff;
}

uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned choice = (selector >> (4 * i)) & 0xf;
    uint32_t byte = selectByte(a, b, choice & 7);
    // The choice's highest bit asks for the byte's sign in all eight bits.
    if (choice & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector,
                      PermuteMode mode) {
  unsigned start = selector & 3;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned index = 0;
    switch (mode) {
    case PermuteMode::Forward4:
      index = start + i;
      break;
    case PermuteMode::Backward4:
      index = (start - i) & 7;
      break;
    case PermuteMode::Replicate8:
      index = start;
      break;
    case PermuteMode::EdgeLeft:
      index = i < start ? start : i;
      break;
    case PermuteMode::EdgeRight:
      index = i > start ? start : i;
      break;
    case PermuteMode::Replicate16:
      index = 2 * (start & 1) + (i & 1);
      break;
    }
    result |= selectByte(a, b, index) << (8 * i);
  }
  return result;
}

uint64_t extractBits(uint64_t a, uint32_t position, uint32_t length,
                     unsigned width, bool isSigned) {
  position &= 0xff;
  length &= 0xff;
  a &= lowMask(width);
  unsigned last = position + length - 1;
  if (last > width - 1)
    last = width - 1;
  bool sign = isSigned && length != 0 && ((a >> last) & 1);
  unsigned held = position >= width ? 0 : width - position;
  if (held > length)
    held = length;
  uint64_t field = held == 0 ? 0 : (a >> position) & lowMask(held);
  if (sign)
    field |= ~lowMask(held);
  return field & lowMask(width);
}

uint64_t insertBits(uint64_t source, uint64_t base, uint32_t position,
                    uint32_t length, unsigned width) {
  position &= 0xff;
  length &= 0xff;
  if (position >= width)
    return base & lowMask(width);
  uint64_t mask = lowMask(length) << position;
  return ((base & ~mask) | ((source << position) & mask)) & lowMask(width);
}

uint32_t findLeadingBit(uint64_t a, unsigned width, bool isSigned,
                        bool asShift) {
  a &= lowMask(width);
  // Of a negative number the first bit that is not its sign is a zero.
  if (isSigned && (a >> (width - 1)) & 1)
    a = ~a & lowMask(width);
  if (a == 0)
    return 0xffffffff;
  unsigned position = unsigned(std::bit_width(a)) - 1;
  return asShift ? width - 1 - position : position;
}

uint64_t reverseBits(uint64_t a, unsigned width) {
  uint64_t result = 0;
  for (unsigned i = 0; i < width; ++i)
    result |= ((a >> i) & 1) << (width - 1 - i);
  return result;
}

uint32_t findNthSetBit(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31)
    return 0xffffffff;
  if (offset == 0)
    return (mask >> base) & 1 ? base : 0xffffffff;
  int step = offset > 0 ? 1 : -1;
  int64_t count = offset > 0 ? int64_t(offset) : -int64_t(offset);
  for (int position = int(base); position >= 0 && position < 32;
       position += step)
    if ((mask >> position) & 1 && --count == 0)
      return uint32_t(position);
  return 0xffffffff;
}

/// `count` bits of `value` from bit `position` on, as a number.
static int64_t element(uint32_t value, unsigned position, unsigned count,
                       bool isSigned) {
  uint64_t bits = (value >> position) & lowMask(count);
  return isSigned ? signExtend(bits, count) : int64_t(bits);
}

uint32_t dotProduct4(uint32_t a, bool aIsSigned, uint32_t b, bool bIsSigned,
                     uint32_t c) {
  int64_t sum = 0;
  for (unsigned i = 0; i < 4; ++i)
    sum += element(a, 8 * i, 8, aIsSigned) * element(b, 8 * i, 8, bIsSigned);
  return c + uint32_t(sum);
}

uint32_t dotProduct2(uint32_t a, bool aIsSigned, uint32_t b, bool bIsSigned,
                     bool high, uint32_t c) {
  unsigned first = high ? 16 : 0;
  int64_t sum = 0;
  for (unsigned i = 0; i < 2; ++i)
    sum += element(a, 16 * i, 16, aIsSigned) *
           element(b, first + 8 * i, 8, bIsSigned);
  return c + uint32_t(sum);
}

uint64_t multiplyHigh(uint64_t a, uint64_t b, unsigned width, bool isSigned) {
  // The low 128 bits of a product are those of the sign-extended factors.
  WideInteger x = a & lowMask(width);
  WideInteger y = b & lowMask(width);
  if (isSigned) {
    x = WideInteger(signExtend(a, width));
    y = WideInteger(signExtend(b, width));
  }
  WideInteger product = x * y;
  return uint64_t(product >> width) & lowMask(width);
}

} // namespace tilewright::emulator
