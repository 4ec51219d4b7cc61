// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit fields, bytes and wide products against the PTX ISA's own descriptions,
// bit by bit.

#include "lib/Judges/Emulator/Numeric/Numeric.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace tilewright::emulator;

namespace {

/// Any bits, few bits or small numbers of either sign.
uint64_t nextBits(std::mt19937_64 &engine) {
  uint64_t random = engine();
  switch (random % 4) {
  case 0:
    return engine();
  case 1:
    return engine() >> ((random >> 8) % 64);
  case 2:
    return 0 - ((random >> 8) % 300);
  default:
    return (uint64_t(1) << ((random >> 8) % 64)) - ((random >> 16) % 3);
  }
}

uint64_t masked(uint64_t value, unsigned width) {
  return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}

TEST(Bits, ExtractAndInsert) {
  std::mt19937_64 engine(1);
  for (unsigned i = 0; i < 300000; ++i) {
    unsigned width = i % 2 ? 32 : 64;
    bool isSigned = i % 4 < 2;
    uint64_t a = masked(nextBits(engine), width);
    uint64_t b = masked(nextBits(engine), width);
    uint32_t position = uint32_t(nextBits(engine)) % (i % 8 ? 72 : 1u << 31);
    uint32_t length = uint32_t(nextBits(engine)) % (i % 16 ? 72 : 1u << 31);
    unsigned start = position & 0xff, count = length & 0xff, last = width - 1;
    uint64_t sign = 0;
    if (isSigned && count != 0)
      sign = (a >> std::min(start + count - 1, last)) & 1;
    uint64_t extracted = 0, inserted = b;
    for (unsigned bit = 0; bit <= last; ++bit) {
      bool isHeld = bit < count && start + bit <= last;
      extracted |= (isHeld ? (a >> (start + bit)) & 1 : sign) << bit;
      if (isHeld) {
        uint64_t place = uint64_t(1) << (start + bit);
        inserted = (a >> bit) & 1 ? inserted | place : inserted & ~place;
      }
    }
    ASSERT_EQ(extractBits(a, position, length, width, isSigned), extracted)
        << std::hex << a << " " << position << " " << length;
    ASSERT_EQ(insertBits(a, b, position, length, width), inserted)
        << std::hex << a << " " << position << " " << length;
  }
}

TEST(Bits, FindAndReverse) {
  std::mt19937_64 engine(2);
  for (unsigned i = 0; i < 200000; ++i) {
    unsigned width = i % 2 ? 32 : 64;
    bool isSigned = i % 4 < 2;
    uint64_t a = masked(nextBits(engine), width);
    uint64_t skipped = isSigned && (a >> (width - 1)) & 1;
    uint32_t found = 0xffffffff;
    uint64_t reversed = 0;
    for (unsigned bit = 0; bit < width; ++bit) {
      if (((a >> bit) & 1) != skipped)
        found = bit;
      if ((a >> bit) & 1)
        reversed |= uint64_t(1) << (width - 1 - bit);
    }
    ASSERT_EQ(findLeadingBit(a, width, isSigned, false), found);
    ASSERT_EQ(findLeadingBit(a, width, isSigned, true),
              found == 0xffffffff ? found : width - 1 - found);
    ASSERT_EQ(reverseBits(a, width), reversed);
  }
}

/// The pseudo-code of `fns`.
uint32_t expectedNth(uint32_t mask, int64_t base, int64_t offset) {
  if (offset == 0)
    return base >= 0 && base < 32 && (mask >> base) & 1 ? uint32_t(base)
                                                        : 0xffffffff;
  int64_t count = std::abs(offset) - 1;
  for (int64_t position = base; position >= 0 && position < 32;
       position += offset > 0 ? 1 : -1)
    if ((mask >> position) & 1 && count-- == 0)
      return uint32_t(position);
  return 0xffffffff;
}

TEST(Bits, NthSetBit) {
  std::mt19937_64 engine(3);
  for (unsigned i = 0; i < 5000; ++i) {
    uint32_t mask = uint32_t(nextBits(engine));
    for (int base = -1; base < 34; ++base)
      for (int offset = -34; offset <= 34; ++offset)
        ASSERT_EQ(findNthSetBit(mask, uint32_t(base), offset),
                  expectedNth(mask, base, offset))
            << std::hex << mask << std::dec << " " << base << " " << offset;
  }
  EXPECT_EQ(findNthSetBit(0xffffffff, 31, INT32_MIN), 0xffffffffu);
}

TEST(Bits, PermutesBytes) {
  uint32_t a = 0x83021100, b = 0xf7e61554;
  const uint8_t bytes[] = {0x00, 0x11, 0x02, 0x83, 0x54, 0x15, 0xe6, 0xf7};
  for (uint32_t selector = 0; selector < 0x10000; ++selector) {
    uint32_t expected = 0;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned nibble = (selector >> (4 * i)) % 16;
      uint8_t byte = bytes[nibble % 8];
      if (nibble >= 8)
        byte = byte >= 0x80 ? 0xff : 0x00;
      expected |= uint32_t(byte) << (8 * i);
    }
    ASSERT_EQ(permuteBytes(a, b, selector), expected) << std::hex << selector;
    ASSERT_EQ(permuteBytes(a, b, selector | 0xabcd0000), expected);
  }
}

TEST(Bits, PermuteModes) {
  // The tables of `prmt`: byte numbers, the highest first.
  const struct {
    PermuteMode mode;
    uint32_t choices[4];
  } tables[] = {{PermuteMode::Forward4, {0x3210, 0x4321, 0x5432, 0x6543}},
                {PermuteMode::Backward4, {0x5670, 0x6701, 0x7012, 0x0123}},
                {PermuteMode::Replicate8, {0x0000, 0x1111, 0x2222, 0x3333}},
                {PermuteMode::EdgeLeft, {0x3210, 0x3211, 0x3222, 0x3333}},
                {PermuteMode::EdgeRight, {0x0000, 0x1110, 0x2210, 0x3210}},
                {PermuteMode::Replicate16, {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const auto &table : tables)
    for (uint32_t selector = 0; selector < 16; ++selector)
      EXPECT_EQ(
          permuteBytes(0x83021100, 0xf7e61554, selector, table.mode),
          permuteBytes(0x83021100, 0xf7e61554, table.choices[selector % 4]))
          << int(table.mode) << " " << selector;
}

TEST(Bits, DotProducts) {
  std::mt19937_64 engine(4);
  auto part = [](uint32_t value, unsigned index, unsigned bits,
                 bool isSigned) -> int64_t {
    int64_t size = int64_t(1) << bits;
    int64_t number = (value >> (index * bits)) % size;
    return isSigned && number >= size / 2 ? number - size : number;
  };
  for (unsigned i = 0; i < 200000; ++i) {
    uint32_t a = uint32_t(engine()), b = uint32_t(engine()),
             c = uint32_t(nextBits(engine));
    bool isSignedA = i % 2, isSignedB = i % 4 < 2;
    int64_t four = 0, low = 0, high = 0;
    for (unsigned k = 0; k < 4; ++k)
      four += part(a, k, 8, isSignedA) * part(b, k, 8, isSignedB);
    for (unsigned k = 0; k < 2; ++k) {
      low += part(a, k, 16, isSignedA) * part(b, k, 8, isSignedB);
      high += part(a, k, 16, isSignedA) * part(b, k + 2, 8, isSignedB);
    }
    ASSERT_EQ(dotProduct4(a, isSignedA, b, isSignedB, c), uint32_t(c + four));
    ASSERT_EQ(dotProduct2(a, isSignedA, b, isSignedB, false, c),
              uint32_t(c + low));
    ASSERT_EQ(dotProduct2(a, isSignedA, b, isSignedB, true, c),
              uint32_t(c + high));
  }
}

/// The high half of a 64-bit product from four of 32 bits.
uint64_t schoolbookHigh(uint64_t a, uint64_t b) {
  uint64_t low = uint32_t(a) * uint64_t(uint32_t(b));
  uint64_t first = (a >> 32) * uint32_t(b) + (low >> 32);
  uint64_t second = uint32_t(a) * (b >> 32) + uint32_t(first);
  return (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32);
}

TEST(Bits, HighProducts) {
  std::mt19937_64 engine(5);
  for (unsigned i = 0; i < 300000; ++i) {
    uint64_t a = nextBits(engine), b = nextBits(engine);
    ASSERT_EQ(multiplyHigh(a, b, 16, false),
              uint16_t(uint32_t(uint16_t(a)) * uint16_t(b) >> 16));
    ASSERT_EQ(multiplyHigh(a, b, 16, true),
              uint16_t(int32_t(int16_t(a)) * int16_t(b) >> 16));
    ASSERT_EQ(multiplyHigh(a, b, 32, false),
              uint32_t(uint64_t(uint32_t(a)) * uint32_t(b) >> 32));
    ASSERT_EQ(multiplyHigh(a, b, 32, true),
              uint32_t(int64_t(int32_t(a)) * int32_t(b) >> 32));
    uint64_t high = schoolbookHigh(a, b);
    ASSERT_EQ(multiplyHigh(a, b, 64, false), high);
    // Each negative factor took 2^64 times the other too much.
    uint64_t excess = (a >> 63 ? b : 0) + (b >> 63 ? a : 0);
    ASSERT_EQ(multiplyHigh(a, b, 64, true), high - excess);
  }
}

} // namespace
