// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of a warp <-> numbers, eight lanes at a time: the elements that the
// lanes' words pack become floats, accumulators become rows of a matrix, and
// back. Everything here is inlined into its caller, so that the caller's target
// attribute chooses the vector instructions. Vectors are written out instead of
// left to the vectorizer, so that a build with -O1 is fast too. Nothing here
// knows which instructions exist. Only the files of matrix instructions include
// this.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_WARPMATRIXFRAGMENTS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_WARPMATRIXFRAGMENTS_H

#include "lib/Judges/Emulator/Numeric/WarpMatrix.h"

#include <cstring>

#define TILEWRIGHT_INLINE [[gnu::always_inline]] inline

namespace tilewright::emulator {

constexpr unsigned lanesPerWarp = 32;
constexpr unsigned lanesPerVector = 8;

using Words = uint32_t __attribute__((vector_size(32)));
using Integers = int32_t __attribute__((vector_size(32)));
using Floats = float __attribute__((vector_size(32)));
using Doubles = double __attribute__((vector_size(64)));
using WideWords = uint64_t __attribute__((vector_size(64)));

// Vectors go by reference: passed by value they would have an ABI that depends
// on the target attribute.
template <typename Vector, typename Element>
TILEWRIGHT_INLINE void load(Vector &vector, const Element *from) {
  std::memcpy(&vector, from, sizeof(Vector));
}
template <typename Vector, typename Element>
TILEWRIGHT_INLINE void store(Element *to, const Vector &vector) {
  std::memcpy(to, &vector, sizeof(Vector));
}

/// How many elements of `type` a 32-bit register packs, lowest bits first. Half
/// of an f64 counts as one.
constexpr unsigned elementsPerRegister(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
  case MatrixType::BF16:
    return 2;
  case MatrixType::E4M3:
  case MatrixType::E5M2:
  case MatrixType::S8:
  case MatrixType::U8:
    return 4;
  case MatrixType::S4:
  case MatrixType::U4:
    return 8;
  case MatrixType::B1:
    return 32;
  case MatrixType::TF32:
  case MatrixType::F32:
  case MatrixType::F64:
  case MatrixType::S32:
    return 1;
  }
  return 1;
}

/// A small float whose sign already stands in bit 31 and whose exponent's low
/// bit in bit 23: the multiplication by a power of two corrects the exponent's
/// bias and normalizes subnormals, exactly. Exponents that mean infinity or NaN
/// match `special` and get the exponent `specialExponent`.
TILEWRIGHT_INLINE void rebias(const Integers &aligned, float scale,
                              int32_t special, int32_t specialExponent,
                              Floats &result) {
  Floats scaled = (Floats)aligned * scale;
  Integers isSpecial = (aligned & special) == special;
  result = (Floats)((Integers)scaled | (isSpecial & specialExponent));
}

/// Element `Position` of each word as a float, exactly (f32: as it is). TF32
/// has 19 significant bits; the lower 13 of the register are ignored.
template <MatrixType Type, unsigned Position>
TILEWRIGHT_INLINE void decodeElement(const Words &words, Floats &result) {
  constexpr unsigned count = elementsPerRegister(Type), bits = 32 / count;
  [[maybe_unused]] constexpr unsigned toTop = 32 - bits * (Position + 1);
  [[maybe_unused]] constexpr unsigned toBottom = bits * Position;
  // An arithmetic shift right by the difference of the exponents' widths moves
  // the fields where f32 has them and leaves the sign in bit 31.
  if constexpr (Type == MatrixType::F16 || Type == MatrixType::E5M2) {
    constexpr int32_t fields = Type == MatrixType::F16
                                   ? static_cast<int32_t>(0x8fffe000)
                                   : static_cast<int32_t>(0x8fe00000);
    Integers aligned = ((Integers)(words << toTop) >> 3) & fields;
    rebias(aligned, 0x1p112f, 0x0f800000, 0x7f800000, result);
  } else if constexpr (Type == MatrixType::E4M3) {
    Integers aligned =
        ((Integers)(words << toTop) >> 4) & static_cast<int32_t>(0x87f00000);
    rebias(aligned, 0x1p120f, 0x07f00000, 0x7fc00000, result);
  } else if constexpr (Type == MatrixType::BF16) {
    result = (Floats)((words << toTop) & 0xffff0000u);
  } else if constexpr (Type == MatrixType::TF32) {
    result = (Floats)(words & 0xffffe000u);
  } else if constexpr (Type == MatrixType::S8 || Type == MatrixType::S4) {
    Integers values = (Integers)(words << toTop) >> (32 - bits);
    result = __builtin_convertvector(values, Floats);
  } else if constexpr (Type == MatrixType::U8 || Type == MatrixType::U4) {
    Words values = (words >> toBottom) & ((1u << bits) - 1);
    result = __builtin_convertvector((Integers)values, Floats);
  } else {
    static_assert(Type == MatrixType::F32);
    result = (Floats)words;
  }
}

template <MatrixType Type, unsigned Position = 0>
TILEWRIGHT_INLINE void decodeWords(const Words &words, float *lanes) {
  Floats values;
  decodeElement<Type, Position>(words, values);
  store(lanes + Position * lanesPerWarp, values);
  if constexpr (Position + 1 < elementsPerRegister(Type))
    decodeWords<Type, Position + 1>(words, lanes);
}

/// `values`: for each register, for each position in it, the 32 lanes.
template <MatrixType Type>
TILEWRIGHT_INLINE void decodeRegisters(const WarpRegister *registers,
                                       unsigned count, float *values) {
  for (unsigned i = 0; i < count; ++i)
    for (unsigned lane = 0; lane < lanesPerWarp; lane += lanesPerVector) {
      Words words;
      load(words, registers[i] + lane);
      decodeWords<Type>(
          words, values + lane + i * lanesPerWarp * elementsPerRegister(Type));
    }
}

/// Of A or B.
TILEWRIGHT_INLINE void decodeFactors(MatrixType type,
                                     const WarpRegister *registers,
                                     unsigned count, float *values) {
  switch (type) {
  case MatrixType::F16:
    return decodeRegisters<MatrixType::F16>(registers, count, values);
  case MatrixType::BF16:
    return decodeRegisters<MatrixType::BF16>(registers, count, values);
  case MatrixType::E4M3:
    return decodeRegisters<MatrixType::E4M3>(registers, count, values);
  case MatrixType::E5M2:
    return decodeRegisters<MatrixType::E5M2>(registers, count, values);
  case MatrixType::S8:
    return decodeRegisters<MatrixType::S8>(registers, count, values);
  case MatrixType::U8:
    return decodeRegisters<MatrixType::U8>(registers, count, values);
  case MatrixType::S4:
    return decodeRegisters<MatrixType::S4>(registers, count, values);
  case MatrixType::U4:
    return decodeRegisters<MatrixType::U4>(registers, count, values);
  default:
    return decodeRegisters<MatrixType::TF32>(registers, count, values);
  }
}

/// Of C: `numbers` of f16 or f32 a lane.
TILEWRIGHT_INLINE void decodeAddends(MatrixType type,
                                     const WarpRegister *registers,
                                     unsigned numbers, float *values) {
  if (type == MatrixType::F16)
    return decodeRegisters<MatrixType::F16>(registers, numbers / 2, values);
  decodeRegisters<MatrixType::F32>(registers, numbers, values);
}

/// Pairs of registers, the low word first, as f64. `values`: for each pair the
/// 32 lanes.
TILEWRIGHT_INLINE void decodeDoubles(const WarpRegister *registers,
                                     unsigned count, double *values) {
  for (unsigned i = 0; i + 1 < count; i += 2)
    for (unsigned lane = 0; lane < lanesPerWarp; lane += lanesPerVector) {
      Words low, high;
      load(low, registers[i] + lane);
      load(high, registers[i + 1] + lane);
      WideWords bits = __builtin_convertvector(low, WideWords) |
                       __builtin_convertvector(high, WideWords) << 32;
      store(values + lane + i / 2 * lanesPerWarp, bits);
    }
}

/// The inverse. Every NaN becomes the same one, since which one the host's
/// arithmetic gives depends on the order that its compiler chose.
TILEWRIGHT_INLINE void encodeDoubles(const double *values, unsigned count,
                                     WarpRegister *registers) {
  for (unsigned i = 0; i + 1 < count; i += 2)
    for (unsigned lane = 0; lane < lanesPerWarp; lane += lanesPerVector) {
      Doubles numbers;
      load(numbers, values + lane + i / 2 * lanesPerWarp);
      WideWords isNan = (WideWords)(numbers != numbers);
      WideWords bits =
          (isNan & 0x7ff8000000000000u) | (~isNan & (WideWords)numbers);
      store(registers[i] + lane, __builtin_convertvector(bits, Words));
      store(registers[i + 1] + lane,
            __builtin_convertvector(bits >> 32, Words));
    }
}

/// f32 registers with one NaN, 0x7fffffff, PTX's canonical one for f32.
TILEWRIGHT_INLINE void encodeFloats(const float *values, unsigned count,
                                    WarpRegister *registers) {
  for (unsigned i = 0; i < count; ++i)
    for (unsigned lane = 0; lane < lanesPerWarp; lane += lanesPerVector) {
      Floats numbers;
      load(numbers, values + lane + i * lanesPerWarp);
      Integers isNan = numbers != numbers;
      Integers bits = (isNan & 0x7fffffff) | (~isNan & (Integers)numbers);
      store(registers[i] + lane, bits);
    }
}

/// The nearest f16, ties to even; every NaN becomes 0x7fff, PTX's canonical
/// one.
TILEWRIGHT_INLINE void roundToHalf(const Floats &numbers, Words &result) {
  Integers bits = (Integers)numbers, magnitude = bits & 0x7fffffff;
  Integers sign = (Integers)((Words)bits >> 16) & 0x8000;
  // Below 2^-14 f16 has a fixed step of 2^-24, which is f32's at 0.5: the
  // addition rounds.
  Integers subnormal = (Integers)((Floats)magnitude + 0.5f) - 0x3f000000;
  // Else the exponent's bias becomes 15 and the lowest 13 bits are rounded off.
  Integers odd = (magnitude >> 13) & 1;
  Integers normal = (magnitude - 0x38000000 + 0xfff + odd) >> 13;
  Integers isSubnormal = magnitude < 0x38800000;
  Integers isOverflow = magnitude >= 0x47800000, isNan = numbers != numbers;
  Integers finite = (isSubnormal & subnormal) | (~isSubnormal & normal);
  Integers half = sign | (isOverflow & 0x7c00) | (~isOverflow & finite);
  result = (Words)((isNan & 0x7fff) | (~isNan & half));
}

/// Registers of two f16 from two times 32 lanes.
TILEWRIGHT_INLINE void encodeHalves(const float *values, unsigned count,
                                    WarpRegister *registers) {
  for (unsigned i = 0; i < count; ++i)
    for (unsigned lane = 0; lane < lanesPerWarp; lane += lanesPerVector) {
      Floats low, high;
      Words lowBits, highBits;
      load(low, values + lane + 2 * i * lanesPerWarp);
      load(high, values + lane + (2 * i + 1) * lanesPerWarp);
      roundToHalf(low, lowBits);
      roundToHalf(high, highBits);
      store(registers[i] + lane, lowBits | highBits << 16);
    }
}

/// d = c + the integers that `sums` holds: modulo 2^32, or `saturates`.
TILEWRIGHT_INLINE void addIntegers(const float *sums, unsigned count,
                                   bool saturates, const WarpRegister *c,
                                   WarpRegister *d) {
  for (unsigned i = 0; i < count; ++i)
    for (unsigned lane = 0; lane < lanesPerWarp; lane += lanesPerVector) {
      Floats sum;
      Words addend;
      load(sum, sums + lane + i * lanesPerWarp);
      load(addend, c[i] + lane);
      Words increment = (Words) __builtin_convertvector(sum, Integers);
      Words total = addend + increment;
      if (saturates) {
        // Two addends of one sign and a sum of the other: an overflow, whose
        // sign is the addends'.
        Words overflow = (~(addend ^ increment) & (addend ^ total));
        Words isOverflow = (Words)((Integers)overflow >> 31);
        Words limit = (Words)((Integers)addend >> 31) ^ 0x7fffffffu;
        total = (isOverflow & limit) | (~isOverflow & total);
      }
      store(d[i] + lane, total);
    }
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_NUMERIC_WARPMATRIXFRAGMENTS_H
