// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of matrix instructions compare with: numbers by their formats'
// definitions, the instructions, and each fragment written down anew, an
// instruction at a time, as its section of the PTX ISA gives it. Nothing here
// comes from the library but its interface.

#ifndef TILEWRIGHT_TEST_UNIT_EMULATOR_NUMERIC_WARPMATRIXREFERENCE_H
#define TILEWRIGHT_TEST_UNIT_EMULATOR_NUMERIC_WARPMATRIXREFERENCE_H

#include "lib/Judges/Emulator/Numeric/WarpMatrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace tilewright::emulator {

using Type = MatrixType;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

inline unsigned bitsOf(Type type) {
  switch (type) {
  case Type::F16:
  case Type::BF16:
    return 16;
  case Type::E4M3:
  case Type::E5M2:
  case Type::S8:
  case Type::U8:
    return 8;
  case Type::S4:
  case Type::U4:
    return 4;
  case Type::F64:
    return 64;
  default:
    return 32;
  }
}

inline bool isInteger(Type type) {
  return type == Type::S8 || type == Type::U8 || type == Type::S4 ||
         type == Type::U4 || type == Type::S32;
}

/// A float of `exponentBits` and `fractionBits` by its definition.
inline double decodeSmallFloat(uint32_t bits, int exponentBits,
                               int fractionBits, bool hasInfinity) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = bits >> fractionBits & ((1 << exponentBits) - 1);
  int fraction = bits & ((1 << fractionBits) - 1);
  double sign = bits >> (exponentBits + fractionBits) & 1 ? -1 : 1;
  bool isLast = exponent == (1 << exponentBits) - 1;
  if (isLast && hasInfinity)
    return fraction ? NAN : sign * INFINITY;
  if (isLast && fraction == (1 << fractionBits) - 1)
    return NAN;
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - bias - fractionBits);
  return sign * std::ldexp(fraction + (1 << fractionBits),
                           exponent - bias - fractionBits);
}

inline double decode(Type type, uint64_t bits) {
  switch (type) {
  case Type::F16:
    return decodeSmallFloat(bits, 5, 10, true);
  case Type::BF16:
    return decodeSmallFloat(bits, 8, 7, true);
  case Type::E5M2:
    return decodeSmallFloat(bits, 5, 2, true);
  case Type::E4M3:
    return decodeSmallFloat(bits, 4, 3, false);
  case Type::TF32:
    return decodeSmallFloat(bits >> 13, 8, 10, true);
  case Type::F32: {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  case Type::F64: {
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
  }
  case Type::S8:
    return static_cast<int8_t>(bits);
  case Type::S4:
    return bits < 8 ? bits : static_cast<double>(bits) - 16;
  case Type::S32:
    return static_cast<int32_t>(bits);
  default:
    return bits;
  }
}

inline uint64_t encodeBySearch(Type type, double value) {
  static std::map<std::pair<Type, double>, uint64_t> known;
  if (!known.count({type, value})) {
    uint64_t count = uint64_t(1) << std::min(bitsOf(type), 19u), found = count;
    unsigned shift = type == Type::TF32 ? 13 : 0;
    for (uint64_t bits = 0; bits < count && found == count; ++bits)
      if (decode(type, bits << shift) == value)
        found = bits;
    EXPECT_NE(found, count) << "not representable: " << value;
    known[{type, value}] = found << shift;
  }
  return known[{type, value}];
}

inline uint64_t encode(Type type, double value) {
  if (type == Type::F64) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  if (type == Type::F32) {
    float narrow = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, 4);
    return bits;
  }
  if (type == Type::S32)
    return static_cast<uint32_t>(static_cast<int32_t>(value));
  return encodeBySearch(type, value);
}

//===----------------------------------------------------------------------===//
// Fragments, as the PTX ISA words them
//===----------------------------------------------------------------------===//

struct Position {
  int row, column;
};
/// Element i of the fragment of lane `laneid`.
using Fragment = Position (*)(int laneid, int i);

#define FRAGMENT(NAME, ROW, COLUMN)                                            \
  inline Position NAME([[maybe_unused]] int laneid, [[maybe_unused]] int i) {  \
    [[maybe_unused]] int groupID = laneid >> 2;                                \
    [[maybe_unused]] int threadID_in_group = laneid % 4;                       \
    return {ROW, COLUMN};                                                      \
  }

// m8n8k4, f16.
FRAGMENT(voltaARow, laneid < 16 ? laneid % 4 : laneid % 4 + 4, i)
FRAGMENT(voltaAColumn, laneid < 16 ? i % 4 : i % 4 + 4, laneid % 4)
FRAGMENT(voltaBRow, laneid % 4, laneid < 16 ? i : i + 4)
FRAGMENT(voltaBColumn, i, laneid < 16 ? laneid % 4 : laneid % 4 + 4)
FRAGMENT(voltaHalf, laneid < 16 ? laneid % 4 : laneid % 4 + 4, i)
FRAGMENT(voltaSingle,
         laneid < 16 ? (laneid & 0b1) + (i & 0b10)
                     : (laneid & 0b1) + (i & 0b10) + 4,
         (i & 0b100) + (laneid & 0b10) + (i & 0b1))
// m8n8k4, f64.
FRAGMENT(a8x4Double, groupID, threadID_in_group)
FRAGMENT(b4x8, threadID_in_group, groupID)
FRAGMENT(c8x8, groupID, (threadID_in_group * 2) + (i & 0x1))
// m16n8k4, tf32 and f64.
FRAGMENT(a16x4, i == 0 ? groupID : groupID + 8, threadID_in_group)
FRAGMENT(c16x8, i < 2 ? groupID : groupID + 8,
         (threadID_in_group * 2) + (i & 0x1))
// m16n8k8, f16 and bf16.
FRAGMENT(a16x8Half, i < 2 ? groupID : groupID + 8,
         threadID_in_group * 2 + (i & 0x1))
FRAGMENT(b8x8Half, (threadID_in_group * 2) + i, groupID)
// m16n8k8, tf32 and f64.
FRAGMENT(a16x8Word, i == 0 || i == 2 ? groupID : groupID + 8,
         i < 2 ? threadID_in_group : threadID_in_group + 4)
FRAGMENT(b8x8Word, i == 0 ? threadID_in_group : threadID_in_group + 4, groupID)
// m16n8k16, f16 and bf16.
FRAGMENT(a16x16Half,
         (0 <= i && i < 2) || (4 <= i && i < 6) ? groupID : groupID + 8,
         i < 4 ? (threadID_in_group * 2) + (i & 0x1)
               : (threadID_in_group * 2) + (i & 0x1) + 8)
FRAGMENT(b16x8Half,
         i < 2 ? (threadID_in_group * 2) + (i & 0x1)
               : (threadID_in_group * 2) + (i & 0x1) + 8,
         groupID)
// m16n8k16, f64.
FRAGMENT(a16x16Double, i % 2 == 0 ? groupID : groupID + 8,
         i % 2 == 0 ? (i * 2) + threadID_in_group
                    : (i * 2) - 2 + threadID_in_group)
FRAGMENT(b16x8Double, threadID_in_group + (i * 4), groupID)
// m8n8k16, s8 and u8.
FRAGMENT(a8x16, groupID, (threadID_in_group * 4) + i)
FRAGMENT(b16x8Byte, (threadID_in_group * 4) + i, groupID)
// m16n8k16, s8, u8, e4m3 and e5m2.
FRAGMENT(a16x16Byte, i < 4 ? groupID : groupID + 8,
         (threadID_in_group * 4) + (i & 0x3))
// m16n8k32, s8, u8, e4m3 and e5m2.
FRAGMENT(a16x32Byte,
         (0 <= i && i < 4) || (8 <= i && i < 12) ? groupID : groupID + 8,
         i < 8 ? (threadID_in_group * 4) + (i & 0x3)
               : (threadID_in_group * 4) + (i & 0x3) + 16)
FRAGMENT(b32x8Byte,
         i < 4 ? (threadID_in_group * 4) + (i & 0x3)
               : (threadID_in_group * 4) + (i & 0x3) + 16,
         groupID)
// m8n8k32, s4 and u4.
FRAGMENT(a8x32, groupID, (threadID_in_group * 8) + i)
FRAGMENT(b32x8Nibble, (threadID_in_group * 8) + i, groupID)
// m16n8k32, s4 and u4.
FRAGMENT(a16x32Nibble, i < 8 ? groupID : groupID + 8,
         (threadID_in_group * 8) + (i & 0x7))
// m16n8k64, s4 and u4.
FRAGMENT(a16x64,
         (0 <= i && i < 8) || (16 <= i && i < 24) ? groupID : groupID + 8,
         i < 16 ? (threadID_in_group * 8) + (i & 0x7)
                : (threadID_in_group * 8) + (i & 0x7) + 32)
FRAGMENT(b64x8,
         i < 8 ? (threadID_in_group * 8) + (i & 0x7)
               : (threadID_in_group * 8) + (i & 0x7) + 32,
         groupID)

struct Instruction {
  MmaShape shape;
  Fragment a, b, c, d;
  std::string name() const {
    std::string text =
        "m" + std::to_string(shape.m) + "n8k" + std::to_string(shape.k);
    for (Type type : {shape.d, shape.a, shape.b, shape.c})
      text += "." + std::to_string(static_cast<int>(type));
    return text + (shape.isAColumnMajor ? ".col" : ".row") +
           (shape.isBRowMajor ? ".row" : ".col");
  }
  bool isQuadPair() const { return shape.k == 4 && shape.a == Type::F16; }
};

inline void addVolta(std::vector<Instruction> &list) {
  for (bool aColumn : {false, true})
    for (bool bRow : {false, true})
      for (auto [d, c] : {std::pair{Type::F16, Type::F16},
                          {Type::F32, Type::F16},
                          {Type::F32, Type::F32}})
        list.push_back({{8, 8, 4, d, Type::F16, Type::F16, c, aColumn, bRow},
                        aColumn ? voltaAColumn : voltaARow,
                        bRow ? voltaBRow : voltaBColumn,
                        c == Type::F16 ? voltaHalf : voltaSingle,
                        d == Type::F16 ? voltaHalf : voltaSingle});
}

/// Every type of `as` with every one of `bs`, for each accumulator.
inline void addMixed(std::vector<Instruction> &list, uint32_t m, uint32_t k,
                     std::vector<Type> types, std::vector<Type> sums,
                     Fragment a, Fragment b) {
  Fragment c = m == 8 ? c8x8 : c16x8;
  for (Type left : types)
    for (Type right : types)
      for (Type sum : sums)
        list.push_back({{m, 8, k, sum, left, right, sum}, a, b, c, c});
}

inline std::vector<Instruction> instructions() {
  std::vector<Instruction> list;
  addVolta(list);
  std::vector<Type> halfOrSingle = {Type::F16, Type::F32};
  addMixed(list, 16, 8, {Type::F16}, halfOrSingle, a16x8Half, b8x8Half);
  addMixed(list, 16, 16, {Type::F16}, halfOrSingle, a16x16Half, b16x8Half);
  addMixed(list, 16, 8, {Type::BF16}, {Type::F32}, a16x8Half, b8x8Half);
  addMixed(list, 16, 16, {Type::BF16}, {Type::F32}, a16x16Half, b16x8Half);
  addMixed(list, 16, 4, {Type::TF32}, {Type::F32}, a16x4, b4x8);
  addMixed(list, 16, 8, {Type::TF32}, {Type::F32}, a16x8Word, b8x8Word);
  addMixed(list, 8, 4, {Type::F64}, {Type::F64}, a8x4Double, b4x8);
  addMixed(list, 16, 4, {Type::F64}, {Type::F64}, a16x4, b4x8);
  addMixed(list, 16, 8, {Type::F64}, {Type::F64}, a16x8Word, b8x8Word);
  addMixed(list, 16, 16, {Type::F64}, {Type::F64}, a16x16Double, b16x8Double);
  std::vector<Type> byteFloats = {Type::E4M3, Type::E5M2};
  addMixed(list, 16, 16, byteFloats, halfOrSingle, a16x16Byte, b16x8Byte);
  addMixed(list, 16, 32, byteFloats, halfOrSingle, a16x32Byte, b32x8Byte);
  std::vector<Type> bytes = {Type::S8, Type::U8},
                    nibbles = {Type::S4, Type::U4};
  addMixed(list, 8, 16, bytes, {Type::S32}, a8x16, b16x8Byte);
  addMixed(list, 16, 16, bytes, {Type::S32}, a16x16Byte, b16x8Byte);
  addMixed(list, 16, 32, bytes, {Type::S32}, a16x32Byte, b32x8Byte);
  addMixed(list, 8, 32, nibbles, {Type::S32}, a8x32, b32x8Nibble);
  addMixed(list, 16, 32, nibbles, {Type::S32}, a16x32Nibble, b32x8Nibble);
  addMixed(list, 16, 64, nibbles, {Type::S32}, a16x64, b64x8);
  return list;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// An operand of an instruction: its registers, and its matrices (four of them
/// for m8n8k4 on f16, one for each quad pair, else one) through its fragment.
class Operand {
public:
  Operand(Type type, Fragment fragment, uint32_t registers, bool isQuadPair)
      : type(type), fragment(fragment), isQuadPair(isQuadPair),
        count(registers * 32 / bitsOf(type)) {}

  WarpRegister registers[16] = {};

  int elementsOfLane() const { return count; }
  int product(int lane) const { return isQuadPair ? lane % 16 / 4 : 0; }
  Position position(int lane, int i) const { return fragment(lane, i); }

  void set(int lane, int i, uint64_t bits) {
    if (type == Type::F64) {
      registers[2 * i][lane] = static_cast<uint32_t>(bits);
      registers[2 * i + 1][lane] = bits >> 32;
      return;
    }
    unsigned packed = 32 / bitsOf(type), shift = i % packed * bitsOf(type);
    uint32_t mask = static_cast<uint32_t>((1ull << bitsOf(type)) - 1);
    uint32_t &word = registers[i / packed][lane];
    word = (word & ~(mask << shift)) | static_cast<uint32_t>(bits) << shift;
  }
  uint64_t get(int lane, int i) const {
    if (type == Type::F64)
      return registers[2 * i][lane] | uint64_t(registers[2 * i + 1][lane])
                                          << 32;
    unsigned packed = 32 / bitsOf(type), shift = i % packed * bitsOf(type);
    return registers[i / packed][lane] >> shift & ((1ull << bitsOf(type)) - 1);
  }
  /// value(product, row, column) everywhere.
  template <typename Value>
  void fill(Value value) {
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < count; ++i) {
        Position at = fragment(lane, i);
        set(lane, i, encode(type, value(product(lane), at.row, at.column)));
      }
  }
  /// Elements that are not value(product, row, column).
  template <typename Value>
  int differences(Value value) const {
    int different = 0;
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < count; ++i) {
        Position at = fragment(lane, i);
        different += decode(type, get(lane, i)) !=
                     value(product(lane), at.row, at.column);
      }
    return different;
  }

  const Type type;

private:
  Fragment fragment;
  bool isQuadPair;
  int count;
};

struct Operands {
  explicit Operands(const Instruction &instruction)
      : shape(instruction.shape), count(*mmaRegisters(shape)),
        a(shape.a, instruction.a, count.a, instruction.isQuadPair()),
        b(shape.b, instruction.b, count.b, instruction.isQuadPair()),
        c(shape.c, instruction.c, count.c, instruction.isQuadPair()),
        d(shape.d, instruction.d, count.d, instruction.isQuadPair()) {}
  void multiply() {
    multiplyMatrices(shape, a.registers, b.registers, c.registers, d.registers);
  }
  MmaShape shape;
  MmaRegisters count;
  Operand a, b, c, d;
};

#undef FRAGMENT

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_UNIT_EMULATOR_NUMERIC_WARPMATRIXREFERENCE_H
