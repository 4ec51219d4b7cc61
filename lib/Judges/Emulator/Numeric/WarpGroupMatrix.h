// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wgmma.mma_async` as a function (PTX ISA, "Asynchronous Warpgroup Level
// Matrix Multiply-Accumulate Instructions"): the quarter of a product that one
// warp of the group computes, 16 of its 64 rows. It checks nothing and touches
// no memory. No LLVM.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_WARPGROUPMATRIX_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_WARPGROUPMATRIX_H

#include "lib/Judges/Emulator/Numeric/WarpMatrix.h"

namespace tilewright::emulator {

/// `wgmma.mma_async.sync.aligned.m64nNkK.D.A.B`. K is what 32 bytes of A hold.
struct GroupProduct {
  uint32_t m, n, k;
  MatrixType d, a, b;
  /// Integer accumulators stop at the ends of their range (`.satfinite`).
  bool saturates = false;
  /// Of each element of A, of B: `imm-scale-a` and `imm-scale-b` of -1.
  bool negatesA = false, negatesB = false;
};

/// Bytes of a row of A, and of a column of B, in every type.
constexpr unsigned groupRowBytes = 32;
/// Rows that a warp of the group has of A and D.
constexpr unsigned groupRowsPerWarp = 16;
constexpr unsigned groupRegistersOfA = 4;
constexpr unsigned maximumGroupColumns = 256;

/// 32-bit registers that a lane holds of D; none where PTX has no such
/// instruction.
std::optional<uint32_t> groupRegistersOfD(const GroupProduct &shape);

/// Bytes of an element of A or B.
unsigned groupElementBytes(MatrixType type);

/// Whether A and B may be kept with M or N contiguous (`imm-trans`): of 16-bit
/// types alone.
inline bool groupMayTranspose(MatrixType type) {
  return type == MatrixType::F16 || type == MatrixType::BF16;
}

/// A's fragments in registers as rows (PTX ISA, "Register Fragments").
void groupRowsOfA(const WarpRegister *registers,
                  uint8_t rows[groupRowsPerWarp][groupRowBytes]);

/// D = A * B, or D + A * B where `adds`. `a`: the warp's 16 rows, `b`: the n
/// columns, each in ascending k. `d`: the registers of D, which hold the
/// addends. Rounds as multiplyMatrices does.
void multiplyGroup(const GroupProduct &shape, bool adds,
                   const uint8_t (*a)[groupRowBytes],
                   const uint8_t (*b)[groupRowBytes], WarpRegister *d);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_WARPGROUPMATRIX_H
