// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments of 8x8 matrices of 16 bits: ldmatrix, stmatrix and movmatrix (PTX
// ISA, "Warp-level matrix load instruction" and the two that follow it). The
// addresses and the memory are the caller's.

#include "lib/Judges/Emulator/Numeric/WarpMatrix.h"

namespace tilewright::emulator {

// Lane 4 * g + t holds row g's elements 2t and 2t + 1, which are word t of the
// row's 16 bytes; transposed it holds column g's elements 2t and 2t + 1.
void distributeMatrix(const uint32_t rows[8][4], bool transposed,
                      WarpRegister result) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned group = lane / 4, pair = lane % 4;
    if (!transposed) {
      result[lane] = rows[group][pair];
      continue;
    }
    unsigned word = group / 2, shift = 16 * (group % 2);
    uint32_t low = rows[2 * pair][word] >> shift & 0xffff;
    uint32_t high = rows[2 * pair + 1][word] >> shift & 0xffff;
    result[lane] = low | high << 16;
  }
}

void collectMatrix(const WarpRegister source, bool transposed,
                   uint32_t rows[8][4]) {
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned word = 0; word < 4; ++word) {
      if (!transposed) {
        rows[row][word] = source[4 * row + word];
        continue;
      }
      // Column 2 * word + i belongs to the lanes of that group, of which lane
      // row / 2 holds this row.
      unsigned lane = 8 * word + row / 2, shift = 16 * (row % 2);
      uint32_t low = source[lane] >> shift & 0xffff;
      uint32_t high = source[lane + 4] >> shift & 0xffff;
      rows[row][word] = low | high << 16;
    }
}

void transposeMatrix(const WarpRegister source, WarpRegister result) {
  uint32_t rows[8][4];
  collectMatrix(source, /*transposed=*/false, rows);
  distributeMatrix(rows, /*transposed=*/true, result);
}

} // namespace tilewright::emulator
