// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.mma_async: which instructions there are, and the products of one warp.
//
// Integers are multiplied as floats: a sum of 32 products of 8 bits is below
// 2^21, so every partial sum is exact.

#include "lib/Judges/Emulator/Numeric/WarpGroupMatrix.h"

#include "lib/Judges/Emulator/Numeric/WarpMatrixFragments.h"

// As in WarpMatrix.cpp.
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

namespace tilewright::emulator {

//===----------------------------------------------------------------------===//
// The instructions
//===----------------------------------------------------------------------===//

unsigned groupElementBytes(MatrixType type) {
  return 4 / elementsPerRegister(type);
}

static bool isByteFloat(MatrixType type) {
  return type == MatrixType::E4M3 || type == MatrixType::E5M2;
}
static bool isByteInteger(MatrixType type) {
  return type == MatrixType::S8 || type == MatrixType::U8;
}

static bool hasTypes(const GroupProduct &shape) {
  MatrixType a = shape.a, b = shape.b, d = shape.d;
  bool isFloat = d == MatrixType::F32;
  if (a == MatrixType::F16 && b == a)
    return isFloat || d == MatrixType::F16;
  if ((a == MatrixType::BF16 || a == MatrixType::TF32) && b == a)
    return isFloat;
  if (isByteFloat(a) && isByteFloat(b))
    return isFloat || d == MatrixType::F16;
  return isByteInteger(a) && isByteInteger(b) && d == MatrixType::S32;
}

std::optional<uint32_t> groupRegistersOfD(const GroupProduct &shape) {
  if (!hasTypes(shape) || shape.m != 64 ||
      shape.k * groupElementBytes(shape.a) != groupRowBytes)
    return std::nullopt;
  bool isInteger = shape.d == MatrixType::S32;
  // Above 32, integers go in steps of 16; 24 is there.
  unsigned step = isInteger && shape.n > 32 ? 16 : 8;
  if (shape.n == 0 || shape.n > maximumGroupColumns || shape.n % step != 0)
    return std::nullopt;
  if (isInteger ? shape.negatesA || shape.negatesB : shape.saturates)
    return std::nullopt;
  return shape.n / 2 / elementsPerRegister(shape.d);
}

//===----------------------------------------------------------------------===//
// Fragments: lane 4 * group + thread
//===----------------------------------------------------------------------===//

void groupRowsOfA(const WarpRegister *registers,
                  uint8_t rows[groupRowsPerWarp][groupRowBytes]) {
  // Register 2 * half + h: row group + 8 * h; its elements are `half`'s 16
  // bytes of the row, 4 of each thread.
  for (unsigned i = 0; i < groupRegistersOfA; ++i)
    for (unsigned lane = 0; lane < lanesPerWarp; ++lane)
      std::memcpy(rows[lane / 4 + 8 * (i % 2)] + 16 * (i / 2) + 4 * (lane % 4),
                  &registers[i][lane], 4);
}

/// Element `number` of D in a lane: row group + 8 * (number / 2 % 2), column
/// 2 * thread + number % 2 + 8 * (number / 4).
template <typename Function>
TILEWRIGHT_INLINE void forSums(unsigned columns, Function function) {
  for (unsigned number = 0; number < columns / 2; ++number)
    for (unsigned lane = 0; lane < lanesPerWarp; ++lane)
      function(number * lanesPerWarp + lane, lane / 4 + 8 * (number / 2 % 2),
               2 * (lane % 4) + number % 2 + 8 * (number / 4));
}

/// Rows of 32 bytes as numbers: result[k * stride + row].
TILEWRIGHT_INLINE void decodeRows(MatrixType type,
                                  const uint8_t (*rows)[groupRowBytes],
                                  unsigned count, unsigned stride,
                                  bool isNegated, float *result) {
  constexpr unsigned words = groupRowBytes / 4, together = lanesPerWarp / words;
  unsigned packed = elementsPerRegister(type);
  for (unsigned first = 0; first < count; first += together) {
    WarpRegister lanes;
    float values[4 * lanesPerWarp];
    std::memcpy(lanes, rows[first], sizeof(lanes));
    decodeFactors(type, &lanes, 1, values);
    for (unsigned lane = 0; lane < lanesPerWarp; ++lane)
      for (unsigned position = 0; position < packed; ++position) {
        float value = values[position * lanesPerWarp + lane];
        unsigned k = lane % words * packed + position;
        result[k * stride + first + lane / words] = isNegated ? -value : value;
      }
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

constexpr unsigned maximumK = groupRowBytes;
constexpr unsigned maximumNumbers = maximumGroupColumns / 2;

/// sums[row][column] += A * B, in ascending k.
TILEWRIGHT_INLINE void multiplyRows(const float (*a)[groupRowsPerWarp],
                                    const float *b, unsigned k,
                                    unsigned columns,
                                    float (*sums)[maximumGroupColumns]) {
  for (unsigned row = 0; row < groupRowsPerWarp; ++row)
    for (unsigned column = 0; column < columns; column += lanesPerVector) {
      Floats sum;
      load(sum, sums[row] + column);
      for (unsigned i = 0; i < k; ++i) {
        Floats factors;
        load(factors, b + i * columns + column);
        Floats product = factors * a[i][row];
        sum += product;
      }
      store(sums[row] + column, sum);
    }
}

TILEWRIGHT_INLINE void encode(const GroupProduct &shape, const float *sums,
                              const WarpRegister *addends, WarpRegister *d) {
  unsigned numbers = shape.n / 2;
  if (shape.d == MatrixType::S32)
    addIntegers(sums, numbers, shape.saturates, addends, d);
  else if (shape.d == MatrixType::F16)
    encodeHalves(sums, numbers / 2, d);
  else
    encodeFloats(sums, numbers, d);
}

TILEWRIGHT_INLINE void multiplyAny(const GroupProduct &shape, bool adds,
                                   const uint8_t (*a)[groupRowBytes],
                                   const uint8_t (*b)[groupRowBytes],
                                   WarpRegister *d) {
  alignas(64) float aValues[maximumK][groupRowsPerWarp];
  alignas(64) float bValues[maximumK * maximumGroupColumns];
  alignas(64) float sums[groupRowsPerWarp][maximumGroupColumns] = {};
  alignas(64) float values[maximumNumbers * lanesPerWarp];
  alignas(64) WarpRegister addends[maximumNumbers] = {};
  decodeRows(shape.a, a, groupRowsPerWarp, groupRowsPerWarp, shape.negatesA,
             aValues[0]);
  decodeRows(shape.b, b, shape.n, shape.n, shape.negatesB, bValues);
  bool isInteger = shape.d == MatrixType::S32;
  if (adds && isInteger)
    std::memcpy(addends, d, shape.n / 2 * sizeof(WarpRegister));
  if (adds && !isInteger) {
    decodeAddends(shape.d, d, shape.n / 2, values);
    forSums(shape.n, [&](unsigned index, unsigned row, unsigned column) {
      sums[row][column] = values[index];
    });
  }
  multiplyRows(aValues, bValues, shape.k, shape.n, sums);
  forSums(shape.n, [&](unsigned index, unsigned row, unsigned column) {
    values[index] = sums[row][column];
  });
  encode(shape, values, addends, d);
}

static void multiplyPortably(const GroupProduct &shape, bool adds,
                             const uint8_t (*a)[groupRowBytes],
                             const uint8_t (*b)[groupRowBytes],
                             WarpRegister *d) {
  multiplyAny(shape, adds, a, b, d);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void
multiplyWithAvx2(const GroupProduct &shape, bool adds,
                 const uint8_t (*a)[groupRowBytes],
                 const uint8_t (*b)[groupRowBytes], WarpRegister *d) {
  multiplyAny(shape, adds, a, b, d);
}
#endif

void multiplyGroup(const GroupProduct &shape, bool adds,
                   const uint8_t (*a)[groupRowBytes],
                   const uint8_t (*b)[groupRowBytes], WarpRegister *d) {
#ifdef __x86_64__
  static const bool hasAvx2 = __builtin_cpu_supports("avx2");
  if (hasAvx2)
    return multiplyWithAvx2(shape, adds, a, b, d);
#endif
  multiplyPortably(shape, adds, a, b, d);
}

} // namespace tilewright::emulator
