// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/MatrixDescriptor.h"

using namespace tilewright::emulator;

/// Fields of 14 bits hold a number of bytes without its lowest four bits.
static uint32_t readBytes(uint64_t bits, unsigned shift) {
  return (bits >> shift & 0x3fff) << 4;
}

std::string MatrixDescriptor::decode(uint64_t bits,
                                     MatrixDescriptor &descriptor) {
  constexpr uint64_t reserved =
      ~(uint64_t(0x3fff) | uint64_t(0x3fff) << 16 | uint64_t(0x3fff) << 32 |
        uint64_t(7) << 49 | uint64_t(3) << 62);
  if (bits & reserved)
    return "expects a matrix descriptor whose bits 14, 15, 30, 31, 46 to 48 "
           "and 52 to 61 are 0";
  constexpr uint32_t swizzles[] = {16, 128, 64, 32};
  descriptor.start = readBytes(bits, 0);
  descriptor.leadingOffset = readBytes(bits, 16);
  descriptor.strideOffset = readBytes(bits, 32);
  descriptor.baseOffset = bits >> 49 & 7;
  descriptor.swizzle.bytes = swizzles[bits >> 62];
  uint32_t lines = descriptor.swizzle.lineMask();
  uint32_t line = descriptor.start >> 7;
  if (((line - descriptor.baseOffset) & lines) == 0)
    return "";
  return "expects a matrix that begins where the swizzle's pattern does, a "
         "multiple of " +
         std::to_string(descriptor.swizzle.patternBytes()) +
         " bytes, or a base offset that says where that is, but got one at " +
         std::to_string(descriptor.start) + " with base offset " +
         std::to_string(descriptor.baseOffset);
}

// The layouts' formulas are those of the PTX ISA, "Strides": 8 rows of 16 bytes
// are a core matrix. With K contiguous the rows of a swizzled atom are as long
// as the swizzle, and the leading offset is not used.

uint64_t MatrixDescriptor::unitAlongK(uint32_t row, uint32_t unit) const {
  uint64_t unitStep = swizzle.bytes == 16 ? leadingOffset : 16;
  return swizzle.place(start + row % 8 * swizzle.bytes +
                           row / 8 * uint64_t(strideOffset) + unit * unitStep,
                       baseOffset);
}

// Without a swizzle the two offsets exchange their parts.

uint64_t MatrixDescriptor::unitAcrossK(uint32_t unit, uint32_t k) const {
  uint32_t units = swizzle.bytes / 16;
  bool isPlain = swizzle.bytes == 16;
  uint64_t alongRows = isPlain ? strideOffset : leadingOffset;
  uint64_t alongK = isPlain ? leadingOffset : strideOffset;
  return swizzle.place(start + unit % units * 16 + unit / units * alongRows +
                           k % 8 * swizzle.bytes + k / 8 * alongK,
                       baseOffset);
}
