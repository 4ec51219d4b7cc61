// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of Functions/Arithmetic.h as the host's own: the same operations,
// rounded the same, on arguments by the million.

#ifndef TILEWRIGHT_TEST_UNIT_NUMERIC_HOSTREAL_H
#define TILEWRIGHT_TEST_UNIT_NUMERIC_HOSTREAL_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>

// What is done to words: templates find it only where it stands before them.
namespace tilewright::functions {

inline uint32_t select(bool condition, uint32_t a, uint32_t b) {
  return condition ? a : b;
}
inline uint64_t select(bool condition, uint64_t a, uint64_t b) {
  return condition ? a : b;
}
inline uint32_t shiftArithmetic(uint32_t a, unsigned count) {
  return uint32_t(int32_t(a) >> count);
}
inline uint64_t shiftArithmetic(uint64_t a, unsigned count) {
  return uint64_t(int64_t(a) >> count);
}
inline uint32_t multiplyHigh(uint32_t a, uint32_t b) {
  return uint32_t(uint64_t(a) * b >> 32);
}
inline uint64_t multiplyHigh(uint64_t a, uint64_t b) {
  return uint64_t((unsigned __int128)a * b >> 64);
}
template <typename Word>
Word countLeadingZeros(Word a) {
  return Word(std::countl_zero(a));
}
template <typename Word>
Word lookUp(Word index, std::span<const uint64_t> table) {
  return Word(table[index]);
}
template <typename Real, typename Body>
auto callRarely(const char *, Real operand, Body body) {
  return body(operand);
}
template <typename First, typename Second>
auto branch(bool condition, First first, Second second) {
  return condition ? first() : second();
}

} // namespace tilewright::functions

#include "passes/TileGPUToLLVM/Functions/Arithmetic.h"

namespace tilewright::functions {

/// What the hardware's approximations are off by, for one of what they may be
/// off by: from -1 to 1.
inline double approximationError = 0;

inline float approximate(double exact, double bound) {
  auto rounded = float(exact * (1 + approximationError * bound));
  return std::fabs(rounded) < 0x1p-126f ? std::copysign(0.0f, rounded)
                                        : rounded;
}

template <typename Number>
struct HostReal {
  static constexpr Format format =
      sizeof(Number) == 8 ? Format::F64 : Format::F32;
  using Word = std::conditional_t<sizeof(Number) == 8, uint64_t, uint32_t>;
  using SignedWord = std::make_signed_t<Word>;
  using Condition = bool;

  HostReal(Number number) : value(number) {}

  friend HostReal operator+(HostReal a, HostReal b) {
    return a.value + b.value;
  }
  friend HostReal operator-(HostReal a, HostReal b) {
    return a.value - b.value;
  }
  friend HostReal operator*(HostReal a, HostReal b) {
    return a.value * b.value;
  }
  friend HostReal operator/(HostReal a, HostReal b) {
    return a.value / b.value;
  }
  friend HostReal operator-(HostReal a) { return -a.value; }
  friend bool operator==(HostReal a, HostReal b) { return a.value == b.value; }
  friend bool operator!=(HostReal a, HostReal b) { return a.value != b.value; }
  friend bool operator<(HostReal a, HostReal b) { return a.value < b.value; }
  friend bool operator>(HostReal a, HostReal b) { return a.value > b.value; }
  friend bool operator>=(HostReal a, HostReal b) { return a.value >= b.value; }

  friend HostReal real(HostReal, double number) { return Number(number); }
  friend Word word(HostReal, uint64_t number) { return Word(number); }
  friend HostReal fma(HostReal a, HostReal b, HostReal c) {
    return std::fma(a.value, b.value, c.value);
  }
  friend HostReal approximateExp2(HostReal a) {
    static_assert(format == Format::F32);
    // Half a unit is what rounding has of it.
    return approximate(std::exp2(double(a.value)), 0x1p-22 / 1.42 - 0x1p-24);
  }
  friend HostReal approximateInverse(HostReal a) {
    static_assert(format == Format::F32);
    return approximate(1 / double(a.value), 0x1p-24);
  }
  friend HostReal approximateInverseRoot(HostReal a) {
    static_assert(format == Format::F32);
    if (std::fabs(a.value) < 0x1p-126f)
      return std::copysign(std::numeric_limits<float>::infinity(), a.value);
    return approximate(1 / std::sqrt(double(a.value)), 0x1.125p-23 - 0x1p-24);
  }
  friend HostReal approximateLog2(HostReal a) {
    static_assert(format == Format::F32);
    return std::fabs(a.value) < 0x1p-126f
               ? -std::numeric_limits<float>::infinity()
               : approximate(std::log2(double(a.value)), 0x1p-20);
  }
  friend HostReal squareRoot(HostReal a) { return std::sqrt(a.value); }
  friend HostReal absolute(HostReal a) { return std::fabs(a.value); }
  friend HostReal minimum(HostReal a, HostReal b) {
    return std::fmin(a.value, b.value);
  }
  friend HostReal maximum(HostReal a, HostReal b) {
    return std::fmax(a.value, b.value);
  }
  friend HostReal select(bool condition, HostReal a, HostReal b) {
    return condition ? a : b;
  }
  friend Word bitsOf(HostReal a) { return std::bit_cast<Word>(a.value); }
  friend HostReal fromBits(HostReal, Word bits) {
    return std::bit_cast<Number>(bits);
  }
  friend HostReal toReal(Word number, HostReal) { return Number(number); }

  Number value;
};

template <typename Number, size_t count, typename Condition, typename Step>
std::array<HostReal<Number>, count>
iterate(std::array<HostReal<Number>, count> numbers, Condition condition,
        Step step) {
  while (condition(numbers))
    numbers = step(numbers);
  return numbers;
}

} // namespace tilewright::functions

#endif // TILEWRIGHT_TEST_UNIT_NUMERIC_HOSTREAL_H
