// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 64 bits by which `wgmma` knows a matrix in shared memory (PTX ISA,
// "Asynchronous Warpgroup Level Matrix Shared Memory Layout"), and the swizzles
// that it shares with tensor maps. Nothing here knows of warps.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MATRIXDESCRIPTOR_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MATRIXDESCRIPTOR_H

#include <cstdint>
#include <string>

namespace tilewright::emulator {

/// Swizzles exchange the 16-byte units of `bytes` (32, 64, 128) by the number
/// of the 128-byte line that they stand in; 16: none.
struct Swizzle {
  uint32_t bytes = 16;

  /// The lines after which the pattern begins again, less one.
  uint32_t lineMask() const { return bytes / 16 - 1; }
  /// Bytes of the pattern: 256, 512, 1024. Without a swizzle 16.
  uint32_t patternBytes() const { return bytes == 16 ? 16 : 8 * bytes; }
  /// Where the byte of `address` stands, if the pattern begins at line
  /// `firstLine`: bits 4 to 6 are exclusive-or'd with the low bits of the line.
  uint64_t place(uint64_t address, uint32_t firstLine = 0) const {
    return address ^ ((((address >> 7) - firstLine) & lineMask()) << 4);
  }
};

/// A matrix of rows (M or N) by K, of which one product reads 32 bytes in K.
struct MatrixDescriptor {
  /// Bytes in shared memory.
  uint32_t start = 0, leadingOffset = 0, strideOffset = 0;
  /// The line where the swizzle's pattern begins, modulo 8 ("base offset").
  uint32_t baseOffset = 0;
  Swizzle swizzle;

  /// Reads the bits. What is wrong with them, or "".
  static std::string decode(uint64_t bits, MatrixDescriptor &descriptor);

  /// The address of 16 bytes. With K contiguous: those of `row` from byte 16 *
  /// `unit` on in K. Else: the unit's 16 bytes of M or N (elements 16 * unit /
  /// size on) at `k`.
  uint64_t unitAlongK(uint32_t row, uint32_t unit) const;
  uint64_t unitAcrossK(uint32_t unit, uint32_t k) const;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MATRIXDESCRIPTOR_H
