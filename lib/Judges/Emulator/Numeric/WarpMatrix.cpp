// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync on dense matrices: which instructions there are, and their products
// (PTX ISA, "Matrix multiply-accumulate operation using mma instruction" and
// its fragments for each shape). An instruction's operands become floats
// (doubles for f64), are multiplied as dense matrices and are encoded again.
//
// Integers are multiplied as floats too: a sum of at most 64 products of 8 bits
// is below 2^24, so every partial sum is exact.

#include "lib/Judges/Emulator/Numeric/WarpMatrixFragments.h"

// A product of f16 or 8-bit floats is exact in f32, so that a fused
// multiply-add would give the same bits. One of bf16 or tf32 has few enough
// digits too but may leave f32's range of exponents, where the two differ. No
// sum is contracted, so that results do not depend on the host's instructions;
// other compilers than clang need -ffp-contract=off.
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

namespace tilewright::emulator {

//===----------------------------------------------------------------------===//
// The instructions
//===----------------------------------------------------------------------===//

static bool isByteFloat(MatrixType type) {
  return type == MatrixType::E4M3 || type == MatrixType::E5M2;
}
static bool isByteInteger(MatrixType type) {
  return type == MatrixType::S8 || type == MatrixType::U8;
}
static bool isNibble(MatrixType type) {
  return type == MatrixType::S4 || type == MatrixType::U4;
}

/// m8n8k4 on f16: four products at once, one for each quad pair.
TILEWRIGHT_INLINE bool isQuadPair(const MmaShape &shape) {
  return shape.k == 4 && shape.a == MatrixType::F16;
}

/// The accumulators' types. An f32 addend is never narrowed to f16; only
/// m8n8k4 may widen an f16 one.
static bool hasAccumulators(const MmaShape &shape) {
  auto are = [&](MatrixType d, MatrixType c) {
    return shape.d == d && shape.c == c;
  };
  switch (shape.a) {
  case MatrixType::F16:
  case MatrixType::E4M3:
  case MatrixType::E5M2:
    return are(MatrixType::F32, MatrixType::F32) ||
           are(MatrixType::F16, MatrixType::F16) ||
           (isQuadPair(shape) && are(MatrixType::F32, MatrixType::F16));
  case MatrixType::BF16:
  case MatrixType::TF32:
    return are(MatrixType::F32, MatrixType::F32);
  case MatrixType::F64:
    return are(MatrixType::F64, MatrixType::F64);
  default:
    return are(MatrixType::S32, MatrixType::S32);
  }
}

/// The sizes for the type of A, where B's type suits it.
static bool hasSize(const MmaShape &shape) {
  auto is = [&](uint32_t m, uint32_t k) {
    return shape.m == m && shape.n == 8 && shape.k == k;
  };
  MatrixType a = shape.a, b = shape.b;
  if (a == MatrixType::F16 && b == a)
    return is(8, 4) || is(16, 8) || is(16, 16);
  if (a == MatrixType::BF16 && b == a)
    return is(16, 8) || is(16, 16);
  if (a == MatrixType::TF32 && b == a)
    return is(16, 4) || is(16, 8);
  if (a == MatrixType::F64 && b == a)
    return is(8, 4) || is(16, 4) || is(16, 8) || is(16, 16);
  if (isByteFloat(a) && isByteFloat(b))
    return is(16, 16) || is(16, 32);
  if (isByteInteger(a) && isByteInteger(b))
    return is(8, 16) || is(16, 16) || is(16, 32);
  if (isNibble(a) && isNibble(b))
    return is(8, 32) || is(16, 32) || is(16, 64);
  return false;
}

/// 32-bit registers of a lane for `elements` of a matrix.
static uint32_t countRegisters(MatrixType type, uint32_t elements) {
  uint32_t wordsOfElement = type == MatrixType::F64 ? 2 : 1;
  return elements * wordsOfElement / lanesPerWarp / elementsPerRegister(type);
}

std::optional<MmaRegisters> mmaRegisters(const MmaShape &shape) {
  bool isInteger = isByteInteger(shape.a) || isNibble(shape.a);
  if (!hasSize(shape) || !hasAccumulators(shape) ||
      (shape.saturates && !isInteger))
    return std::nullopt;
  if (!isQuadPair(shape) && (shape.isAColumnMajor || shape.isBRowMajor))
    return std::nullopt;
  uint32_t products = isQuadPair(shape) ? 4 : 1;
  MmaRegisters registers;
  registers.a = countRegisters(shape.a, products * shape.m * shape.k);
  registers.b = countRegisters(shape.b, products * shape.n * shape.k);
  registers.c = countRegisters(shape.c, products * shape.m * shape.n);
  registers.d = countRegisters(shape.d, products * shape.m * shape.n);
  return registers;
}

//===----------------------------------------------------------------------===//
// Fragments of one product: lane 4 * group + thread
//===----------------------------------------------------------------------===//
//
// A register packs p elements. With blocks of 4 * p in k, numbered s:
//   A  register halves * s + h, position e: row group + 8 * h,
//                                           k = 4 * p * s + p * thread + e
//   B  register s, position e:              column group, k as A's
//   C  number 2 * h + e:                    row group + 8 * h,
//                                           column 2 * thread + e
// where `halves` is m / 8. For f64 a register is a pair of them and p is 1.
// Rows of C and of B are kept with their even columns first, which is how the
// registers of C have them.

constexpr unsigned maximumA = 16 * 64, maximumB = 64 * 8, maximumC = 16 * 8;

using FourWords = uint32_t __attribute__((vector_size(16)));

/// to[i + 8 * j] = from[step * i + j] for i, j < 4.
TILEWRIGHT_INLINE void transposeFour(const uint32_t *from, unsigned step,
                                     uint32_t *to) {
  FourWords a, b, c, d;
  load(a, from);
  load(b, from + step);
  load(c, from + 2 * step);
  load(d, from + 3 * step);
  FourWords lowAC = __builtin_shufflevector(a, c, 0, 4, 1, 5);
  FourWords highAC = __builtin_shufflevector(a, c, 2, 6, 3, 7);
  FourWords lowBD = __builtin_shufflevector(b, d, 0, 4, 1, 5);
  FourWords highBD = __builtin_shufflevector(b, d, 2, 6, 3, 7);
  store(to, __builtin_shufflevector(lowAC, lowBD, 0, 4, 1, 5));
  store(to + 8, __builtin_shufflevector(lowAC, lowBD, 2, 6, 3, 7));
  store(to + 16, __builtin_shufflevector(highAC, highBD, 0, 4, 1, 5));
  store(to + 24, __builtin_shufflevector(highAC, highBD, 2, 6, 3, 7));
}

/// B's registers with its columns beside each other: for each thread the words
/// of the groups 0, 2, 4, 6, 1, 3, 5, 7.
TILEWRIGHT_INLINE void gatherColumns(const WarpRegister *registers,
                                     unsigned count, WarpRegister *result) {
  for (unsigned i = 0; i < count; ++i) {
    transposeFour(registers[i], 8, result[i]);
    transposeFour(registers[i] + 4, 8, result[i] + 4);
  }
}

/// Numbers of C's fragments <-> rows, even columns first.
template <typename Number>
TILEWRIGHT_INLINE void fragmentsToRows(const Number *values, unsigned halves,
                                       Number (*rows)[8]) {
  for (unsigned i = 0; i < 2 * halves; ++i)
    for (unsigned group = 0; group < 8; ++group)
      std::memcpy(rows[group + 8 * (i / 2)] + 4 * (i % 2),
                  values + i * lanesPerWarp + 4 * group, 4 * sizeof(Number));
}
template <typename Number>
TILEWRIGHT_INLINE void rowsToFragments(const Number (*rows)[8], unsigned halves,
                                       Number *values) {
  for (unsigned i = 0; i < 2 * halves; ++i)
    for (unsigned group = 0; group < 8; ++group)
      std::memcpy(values + i * lanesPerWarp + 4 * group,
                  rows[group + 8 * (i / 2)] + 4 * (i % 2), 4 * sizeof(Number));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

TILEWRIGHT_INLINE void accumulate(float a, const Floats &b, Floats &sum) {
  Floats product = b * a;
  sum += product;
}
/// The PTX ISA's f64 products are fused multiply-adds.
TILEWRIGHT_INLINE void accumulate(double a, const Doubles &b, Doubles &sum) {
#if __has_builtin(__builtin_elementwise_fma)
  Doubles factor = {a, a, a, a, a, a, a, a};
  sum = __builtin_elementwise_fma(factor, b, sum);
#else
  for (unsigned i = 0; i < 8; ++i)
    sum[i] = __builtin_fma(a, b[i], sum[i]);
#endif
}

/// rows += A * B for `Rows` rows, so many that their sums stay in registers.
/// `a`: the numbers of the first row, `b`: of B, in blocks of `packed` elements
/// of a register.
template <unsigned Rows, typename Vector, typename Number>
TILEWRIGHT_INLINE void multiplyRows(const Number *a, const Number *b,
                                    unsigned blocks, unsigned packed,
                                    unsigned halves, Number (*rows)[8]) {
  Vector sums[Rows];
  for (unsigned i = 0; i < Rows; ++i)
    load(sums[i], rows[i]);
  for (unsigned block = 0; block < blocks; ++block) {
    const Number *aBlock = a + block * halves * packed * lanesPerWarp;
    const Number *bBlock = b + block * packed * lanesPerWarp;
    for (unsigned thread = 0; thread < 4; ++thread)
      for (unsigned position = 0; position < packed; ++position) {
        const Number *column = aBlock + position * lanesPerWarp + thread;
        Vector row;
        load(row, bBlock + position * lanesPerWarp + 8 * thread);
        for (unsigned i = 0; i < Rows; ++i)
          accumulate(column[4 * i], row, sums[i]);
      }
  }
  for (unsigned i = 0; i < Rows; ++i)
    store(rows[i], sums[i]);
}

template <unsigned Rows, typename Vector, typename Number>
TILEWRIGHT_INLINE void multiplyDense(const Number *a, const Number *b,
                                     unsigned k, unsigned packed,
                                     unsigned halves, Number (*rows)[8]) {
  for (unsigned half = 0; half < halves; ++half)
    for (unsigned first = 0; first < 8; first += Rows)
      multiplyRows<Rows, Vector>(a + half * packed * lanesPerWarp + 4 * first,
                                 b, k / (4 * packed), packed, halves,
                                 rows + 8 * half + first);
}

/// Sums as registers of D. `sums`: as decodeRegisters gives them.
TILEWRIGHT_INLINE void encodeSums(const MmaShape &shape, const float *sums,
                                  unsigned numbers, const WarpRegister *c,
                                  WarpRegister *d) {
  if (shape.d == MatrixType::S32)
    addIntegers(sums, numbers, shape.saturates, c, d);
  else if (shape.d == MatrixType::F16)
    encodeHalves(sums, numbers / 2, d);
  else
    encodeFloats(sums, numbers, d);
}

template <unsigned Rows>
TILEWRIGHT_INLINE void
multiplyFloats(const MmaShape &shape, const WarpRegister *a,
               const WarpRegister *b, const WarpRegister *c, WarpRegister *d) {
  unsigned halves = shape.m / 8, packed = elementsPerRegister(shape.a);
  unsigned blocks = shape.k / (4 * packed), numbers = 2 * halves;
  alignas(64) float aValues[maximumA], bValues[maximumB], values[maximumC];
  alignas(64) float rows[16][8];
  alignas(64) WarpRegister columns[4];
  decodeFactors(shape.a, a, blocks * halves, aValues);
  gatherColumns(b, blocks, columns);
  decodeFactors(shape.b, columns, blocks, bValues);
  if (shape.c == MatrixType::S32) {
    std::memset(rows, 0, sizeof(rows));
  } else {
    decodeAddends(shape.c, c, numbers, values);
    fragmentsToRows(values, halves, rows);
  }
  multiplyDense<Rows, Floats>(aValues, bValues, shape.k, packed, halves, rows);
  rowsToFragments(rows, halves, values);
  encodeSums(shape, values, numbers, c, d);
}

TILEWRIGHT_INLINE void multiplyDoubles(const MmaShape &shape,
                                       const WarpRegister *a,
                                       const WarpRegister *b,
                                       const WarpRegister *c, WarpRegister *d) {
  unsigned halves = shape.m / 8, blocks = shape.k / 4, numbers = 2 * halves;
  alignas(64) double aValues[16 * 16], bValues[16 * 8], values[maximumC];
  alignas(64) double rows[16][8];
  alignas(64) WarpRegister columns[8];
  decodeDoubles(a, 2 * blocks * halves, aValues);
  gatherColumns(b, 2 * blocks, columns);
  decodeDoubles(columns, 2 * blocks, bValues);
  decodeDoubles(c, 2 * numbers, values);
  fragmentsToRows(values, halves, rows);
  multiplyDense<4, Doubles>(aValues, bValues, shape.k, 1, halves, rows);
  rowsToFragments(rows, halves, values);
  encodeDoubles(values, 2 * numbers, d);
}

//===----------------------------------------------------------------------===//
// Four products, one for each quad pair (m8n8k4 on f16)
//===----------------------------------------------------------------------===//
//
// Quad pair p is the lanes 4p ... 4p + 3 and 16 more. Its thread q, element e:
//   A by rows, B by columns:  row or column q, k = e
//   A by columns, B by rows:  row or column e + 4 * (q / 4), k = q % 4
//   C of f16:                 row q, column e
//   C of f32:                 row (q & 1) + (e & 2) + (q & 4),
//                             column (e & 1) + (q & 2) + (e & 4)

/// Where the registers' numbers (decodeRegisters) have a thread's element.
TILEWRIGHT_INLINE unsigned quadPairIndex(unsigned pair, unsigned thread,
                                         unsigned element) {
  return element * lanesPerWarp + 4 * pair + thread % 4 + 4 * (thread & 4);
}
/// Of A's rows or B's columns: `index` and k; `interleaved`: one k each thread.
TILEWRIGHT_INLINE unsigned quadPairFactor(unsigned pair, unsigned index,
                                          unsigned k, bool interleaved) {
  return interleaved ? quadPairIndex(pair, k + (index & 4), index & 3)
                     : quadPairIndex(pair, index, k);
}
TILEWRIGHT_INLINE unsigned quadPairSum(unsigned pair, unsigned row,
                                       unsigned column, bool isHalf) {
  if (isHalf)
    return quadPairIndex(pair, row, column);
  return quadPairIndex(pair, (row & 5) + (column & 2),
                       (column & 5) + (row & 2));
}

TILEWRIGHT_INLINE void multiplyQuadPair(const MmaShape &shape, unsigned pair,
                                        const float *a, const float *b,
                                        const float *c, float *d) {
  alignas(32) float bRows[4][8], sums[8];
  for (unsigned k = 0; k < 4; ++k)
    for (unsigned column = 0; column < 8; ++column)
      bRows[k][column] = b[quadPairFactor(pair, column, k, shape.isBRowMajor)];
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned column = 0; column < 8; ++column)
      sums[column] =
          c[quadPairSum(pair, row, column, shape.c == MatrixType::F16)];
    Floats sum, factors;
    load(sum, sums);
    for (unsigned k = 0; k < 4; ++k) {
      load(factors, bRows[k]);
      accumulate(a[quadPairFactor(pair, row, k, shape.isAColumnMajor)], factors,
                 sum);
    }
    store(sums, sum);
    for (unsigned column = 0; column < 8; ++column)
      d[quadPairSum(pair, row, column, shape.d == MatrixType::F16)] =
          sums[column];
  }
}

TILEWRIGHT_INLINE void multiplyQuadPairs(const MmaShape &shape,
                                         const WarpRegister *a,
                                         const WarpRegister *b,
                                         const WarpRegister *c,
                                         WarpRegister *d) {
  constexpr unsigned numbers = 8;
  alignas(64) float aValues[4 * lanesPerWarp], bValues[4 * lanesPerWarp];
  alignas(64) float addends[numbers * lanesPerWarp],
      sums[numbers * lanesPerWarp];
  decodeRegisters<MatrixType::F16>(a, 2, aValues);
  decodeRegisters<MatrixType::F16>(b, 2, bValues);
  decodeAddends(shape.c, c, numbers, addends);
  for (unsigned pair = 0; pair < 4; ++pair)
    multiplyQuadPair(shape, pair, aValues, bValues, addends, sums);
  encodeSums(shape, sums, numbers, c, d);
}

//===----------------------------------------------------------------------===//
// The host's vectors
//===----------------------------------------------------------------------===//

/// `Rows`: how many sums of eight floats the host's vector registers hold
/// beside the factors.
template <unsigned Rows>
TILEWRIGHT_INLINE void multiplyAny(const MmaShape &shape, const WarpRegister *a,
                                   const WarpRegister *b, const WarpRegister *c,
                                   WarpRegister *d) {
  if (shape.a == MatrixType::F64)
    multiplyDoubles(shape, a, b, c, d);
  else if (isQuadPair(shape))
    multiplyQuadPairs(shape, a, b, c, d);
  else
    multiplyFloats<Rows>(shape, a, b, c, d);
}

static void multiplyPortably(const MmaShape &shape, const WarpRegister *a,
                             const WarpRegister *b, const WarpRegister *c,
                             WarpRegister *d) {
  multiplyAny<4>(shape, a, b, c, d);
}

#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static void
multiplyWithAvx2(const MmaShape &shape, const WarpRegister *a,
                 const WarpRegister *b, const WarpRegister *c,
                 WarpRegister *d) {
  multiplyAny<8>(shape, a, b, c, d);
}
#endif

void multiplyMatrices(const MmaShape &shape, const WarpRegister *a,
                      const WarpRegister *b, const WarpRegister *c,
                      WarpRegister *d) {
#ifdef __x86_64__
  static const bool hasAvx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (hasAvx2)
    return multiplyWithAvx2(shape, a, b, c, d);
#endif
  multiplyPortably(shape, a, b, c, d);
}

} // namespace tilewright::emulator
