// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions of a warp as functions of registers (PTX ISA, "Warp Level
// Matrix Multiply-Accumulate Instructions", "Matrix Fragments"). A register of
// a warp is 32 words of 32 bits, one for each lane. They check nothing and
// touch no memory. No LLVM.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_WARPMATRIX_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_WARPMATRIX_H

#include <cstdint>
#include <optional>

namespace tilewright::emulator {

/// The element types of matrix operands and accumulators.
enum class MatrixType : uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  S8,
  U8,
  S4,
  U4,
  B1,
  S32
};

/// A register of a warp: lane i's 32 bits.
using WarpRegister = uint32_t[32];

/// `mma.sync.aligned.mMnNkK.{row|col}.{row|col}.D.A.B.C`.
struct MmaShape {
  uint32_t m, n, k;
  MatrixType d, a, b, c;
  /// Only m8n8k4 has another choice than row-major A and column-major B.
  bool isAColumnMajor = false, isBRowMajor = false;
  /// Integer accumulators stop at the ends of their range (`.satfinite`).
  bool saturates = false;
};

/// How many 32-bit registers a lane holds of each operand.
struct MmaRegisters {
  uint32_t a, b, c, d;
};

/// None where PTX has no such instruction.
std::optional<MmaRegisters> mmaRegisters(const MmaShape &shape);

/// D = A * B + C. `d` may be `c`. For shapes that mmaRegisters knows. Products
/// are exact (of bf16 and tf32 as far as f32's exponents go; f64 is fused),
/// sums are taken in f32 (f64 for f64; modulo 2^32 or saturating for integers)
/// in ascending k, beginning with C, and then rounded to D's type: hardware
/// promises no order. A NaN is 0x7fff, 0x7fffffff or 0x7ff8000000000000. m8n8k4
/// on f16 is four products, one for each quad pair.
void multiplyMatrices(const MmaShape &shape, const WarpRegister *a,
                      const WarpRegister *b, const WarpRegister *c,
                      WarpRegister *d);

/// Which row of which matrix a lane's address stands for, and which bytes of it
/// go to which lane: `ldmatrix` and `stmatrix` of 8x8 matrices of 16 bits.
/// rows[matrix][row]: the 16 bytes at the address that lane 8 * matrix + row
/// gave, as 4 words. registers[matrix]: the register of each lane.
void distributeMatrix(const uint32_t rows[8][4], bool transposed,
                      WarpRegister result);
/// The inverse: the 8 rows of 16 bytes.
void collectMatrix(const WarpRegister source, bool transposed,
                   uint32_t rows[8][4]);
/// `movmatrix.sync.aligned.m8n8.trans.b16`.
void transposeMatrix(const WarpRegister source, WarpRegister result);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_WARPMATRIX_H
