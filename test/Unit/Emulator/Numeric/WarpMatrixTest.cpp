// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions of a warp: where every element of every fragment stands,
// products against a triple loop, which instructions there are, and the
// fragments of ldmatrix, stmatrix and movmatrix.

#include "test/Unit/Emulator/Numeric/WarpMatrixReference.h"

#include <random>

using namespace tilewright::emulator;

namespace {

/// Bit `position` of k + 1, so that eight positions tell every k from another
/// and from no k at all.
int signature(int k, int position) { return (k + 1) >> position & 1; }

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

TEST(WarpMatrix, everyFragmentIsABijection) {
  for (const Instruction &instruction : instructions()) {
    Operands all(instruction);
    for (Operand *operand : {&all.a, &all.b, &all.c, &all.d}) {
      std::map<std::vector<int>, int> seen;
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < operand->elementsOfLane(); ++i) {
          Position at = operand->position(lane, i);
          ++seen[{operand->product(lane), at.row, at.column}];
        }
      EXPECT_EQ(seen.size(), 32u * operand->elementsOfLane())
          << instruction.name();
    }
  }
}

TEST(WarpMatrix, everyElementOfA) {
  for (const Instruction &instruction : instructions()) {
    Operands all(instruction);
    all.b.fill([](int, int k, int n) { return signature(k, n); });
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < all.a.elementsOfLane(); ++i) {
        all.a.set(lane, i, encode(all.a.type, 1));
        all.multiply();
        Position at = all.a.position(lane, i);
        ASSERT_EQ(all.d.differences([&](int product, int m, int n) {
          bool isHere = product == all.a.product(lane) && m == at.row;
          return isHere ? signature(at.column, n) : 0;
        }),
                  0)
            << instruction.name() << " lane " << lane << " element " << i;
        all.a.set(lane, i, 0);
      }
  }
}

TEST(WarpMatrix, everyElementOfB) {
  for (const Instruction &instruction : instructions()) {
    Operands all(instruction);
    all.a.fill([](int, int m, int k) { return signature(k, m % 8); });
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < all.b.elementsOfLane(); ++i) {
        all.b.set(lane, i, encode(all.b.type, 1));
        all.multiply();
        Position at = all.b.position(lane, i);
        ASSERT_EQ(all.d.differences([&](int product, int m, int n) {
          bool isHere = product == all.b.product(lane) && n == at.column;
          return isHere ? signature(at.row, m % 8) : 0;
        }),
                  0)
            << instruction.name() << " lane " << lane << " element " << i;
        all.b.set(lane, i, 0);
      }
  }
}

TEST(WarpMatrix, everyElementOfC) {
  for (const Instruction &instruction : instructions()) {
    Operands all(instruction);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < all.c.elementsOfLane(); ++i) {
        all.c.set(lane, i, encode(all.c.type, 1));
        all.multiply();
        Position at = all.c.position(lane, i);
        ASSERT_EQ(all.d.differences([&](int product, int m, int n) {
          return product == all.c.product(lane) && m == at.row &&
                 n == at.column;
        }),
                  0)
            << instruction.name() << " lane " << lane << " element " << i;
        all.c.set(lane, i, 0);
      }
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Matrices of integers that the operand's type represents: so small that sums
/// of floats are exact, all that there are of integers.
struct Matrices {
  Matrices(Type type, std::mt19937 &random) : values(4 * 64 * 64) {
    for (double &value : values) {
      uint32_t bits = random();
      if (type == Type::S32)
        value = static_cast<int32_t>(bits);
      else if (isInteger(type))
        value = decode(type, bits & ((1u << bitsOf(type)) - 1));
      else
        value = static_cast<int>(bits % 9) - 4;
    }
  }
  double operator()(int product, int row, int column) const {
    return values[(product * 64 + row) * 64 + column];
  }
  std::vector<double> values;
};

/// The sum of products in 64 bits, as D's type takes it.
double expectedElement(const MmaShape &shape, const Matrices &a,
                       const Matrices &b, const Matrices &c, int product, int m,
                       int n) {
  double sum = c(product, m, n);
  for (int k = 0; k < static_cast<int>(shape.k); ++k)
    sum += a(product, m, k) * b(product, k, n);
  if (shape.d != Type::S32)
    return sum;
  if (shape.saturates)
    return std::clamp(sum, -0x1p31, 0x1p31 - 1);
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(sum)));
}

void checkProduct(const Instruction &instruction, std::mt19937 &random) {
  Operands all(instruction);
  Matrices a(all.a.type, random), b(all.b.type, random), c(all.c.type, random);
  all.a.fill(a);
  all.b.fill(b);
  all.c.fill(c);
  auto expected = [&](int product, int m, int n) {
    return expectedElement(all.shape, a, b, c, product, m, n);
  };
  all.multiply();
  EXPECT_EQ(all.d.differences(expected), 0) << instruction.name();
  if (all.shape.c != all.shape.d)
    return;
  // In place.
  multiplyMatrices(all.shape, all.a.registers, all.b.registers, all.c.registers,
                   all.c.registers);
  EXPECT_EQ(all.c.differences(expected), 0) << instruction.name();
}

TEST(WarpMatrix, productsOfRandomIntegers) {
  std::mt19937 random(1);
  for (Instruction instruction : instructions())
    for (int round = 0; round < 8; ++round) {
      instruction.shape.saturates =
          instruction.shape.d == Type::S32 && round % 2 == 1;
      checkProduct(instruction, random);
    }
}

TEST(WarpMatrix, writesNoOtherRegister) {
  for (const Instruction &instruction : instructions()) {
    Operands all(instruction);
    for (WarpRegister &word : all.d.registers)
      std::fill_n(word, 32, 0xdeadbeef);
    all.multiply();
    for (unsigned i = 0; i < 16; ++i)
      for (uint32_t word : all.d.registers[i])
        ASSERT_EQ(word, i < all.count.d ? 0 : 0xdeadbeef) << instruction.name();
  }
}

TEST(WarpMatrix, integersWrapOrSaturate) {
  for (bool saturates : {false, true})
    for (int sign : {1, -1}) {
      Instruction instruction{
          {8, 8, 16, Type::S32, Type::S8, Type::S8, Type::S32},
          a8x16,
          b16x8Byte,
          c8x8,
          c8x8};
      instruction.shape.saturates = saturates;
      Operands all(instruction);
      // The sum of products is sign * 16 * (row + 1).
      all.a.fill([](int, int m, int) { return m + 1; });
      all.b.fill([&](int, int, int) { return sign; });
      double limit = sign > 0 ? 0x1p31 - 1 : -0x1p31;
      all.c.fill([&](int, int, int) { return limit - sign * 64; });
      all.multiply();
      EXPECT_EQ(all.d.differences([&](int, int m, int) {
        double sum = limit - sign * 64 + sign * 16 * (m + 1);
        bool fits = sign > 0 ? sum <= limit : sum >= limit;
        return fits ? sum : saturates ? limit : sum - sign * 0x1p32;
      }),
                0);
    }
}

//===----------------------------------------------------------------------===//
// The instructions
//===----------------------------------------------------------------------===//

TEST(WarpMatrix, registersOfALane) {
  auto expect = [](MmaShape shape, std::vector<uint32_t> counts) {
    std::optional<MmaRegisters> found = mmaRegisters(shape);
    ASSERT_TRUE(found);
    EXPECT_EQ((std::vector{found->a, found->b, found->c, found->d}), counts);
  };
  using enum MatrixType;
  expect({8, 8, 4, F32, F16, F16, F16}, {2, 2, 4, 8});
  expect({8, 8, 4, F64, F64, F64, F64}, {2, 2, 4, 4});
  expect({16, 8, 16, F64, F64, F64, F64}, {16, 8, 8, 8});
  expect({16, 8, 8, F16, F16, F16, F16}, {2, 1, 2, 2});
  expect({16, 8, 16, F32, F16, F16, F32}, {4, 2, 4, 4});
  expect({16, 8, 4, F32, TF32, TF32, F32}, {2, 1, 4, 4});
  expect({16, 8, 8, F32, TF32, TF32, F32}, {4, 2, 4, 4});
  expect({16, 8, 32, F16, E4M3, E5M2, F16}, {4, 2, 2, 2});
  expect({8, 8, 16, S32, U8, S8, S32}, {1, 1, 2, 2});
  expect({8, 8, 32, S32, U4, S4, S32}, {1, 1, 2, 2});
  expect({16, 8, 64, S32, U4, S4, S32}, {4, 2, 4, 4});
}

/// Every combination of sizes, types and modifiers: exactly the ones of
/// `instructions` exist, and .satfinite for integers.
TEST(WarpMatrix, noOtherInstruction) {
  auto key = [](const MmaShape &shape) {
    return std::vector<int>{
        int(shape.m), int(shape.n),         int(shape.k),
        int(shape.d), int(shape.a),         int(shape.b),
        int(shape.c), shape.isAColumnMajor, shape.isBRowMajor};
  };
  std::map<std::vector<int>, int> known;
  for (const Instruction &instruction : instructions())
    ++known[key(instruction.shape)];
  size_t found = 0;
  constexpr int types = static_cast<int>(Type::S32) + 1;
  for (uint32_t m : {8, 16, 32})
    for (uint32_t n : {4, 8, 16})
      for (uint32_t k : {2, 4, 8, 16, 32, 64, 128, 256})
        for (int code = 0; code < types * types * types * types * 8; ++code) {
          int rest = code / 8;
          auto next = [&] {
            int type = rest % types;
            rest /= types;
            return static_cast<Type>(type);
          };
          Type d = next(), a = next(), b = next(), c = next();
          MmaShape shape{m, n, k, d, a, b, c};
          shape.isAColumnMajor = code & 1;
          shape.isBRowMajor = code & 2;
          shape.saturates = code & 4;
          if (!mmaRegisters(shape))
            continue;
          ASSERT_TRUE(known.count(key(shape)));
          ASSERT_TRUE(!shape.saturates || d == Type::S32);
          found += !shape.saturates || d == Type::S32;
        }
  size_t integers = std::count_if(known.begin(), known.end(), [](auto &entry) {
    return entry.first[3] == int(Type::S32);
  });
  EXPECT_EQ(found, known.size() + integers);
}

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix, movmatrix
//===----------------------------------------------------------------------===//

/// Element (row, column) of 8 rows of 16 bytes.
uint16_t elementOf(const uint32_t rows[8][4], int row, int column) {
  uint16_t element;
  std::memcpy(&element, reinterpret_cast<const char *>(rows[row]) + 2 * column,
              2);
  return element;
}

void fillRows(uint32_t rows[8][4], std::mt19937 &random) {
  for (int row = 0; row < 8; ++row)
    for (int word = 0; word < 4; ++word)
      rows[row][word] = random();
}

TEST(WarpMatrix, distributedMatrix) {
  std::mt19937 random(2);
  uint32_t rows[8][4];
  fillRows(rows, random);
  for (bool transposed : {false, true}) {
    WarpRegister result;
    distributeMatrix(rows, transposed, result);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 2; ++i) {
        int row = lane / 4, column = 2 * (lane % 4) + i;
        EXPECT_EQ(result[lane] >> 16 * i & 0xffff,
                  transposed ? elementOf(rows, column, row)
                             : elementOf(rows, row, column));
      }
  }
}

TEST(WarpMatrix, collectedMatrix) {
  std::mt19937 random(3);
  WarpRegister source, again;
  for (uint32_t &word : source)
    word = random();
  for (bool transposed : {false, true}) {
    uint32_t rows[8][4];
    collectMatrix(source, transposed, rows);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 2; ++i) {
        int row = lane / 4, column = 2 * (lane % 4) + i;
        EXPECT_EQ(transposed ? elementOf(rows, column, row)
                             : elementOf(rows, row, column),
                  source[lane] >> 16 * i & 0xffff);
      }
    distributeMatrix(rows, transposed, again);
    EXPECT_TRUE(std::equal(source, source + 32, again));
  }
}

TEST(WarpMatrix, transposedMatrix) {
  std::mt19937 random(4);
  uint32_t rows[8][4], columns[8][4];
  fillRows(rows, random);
  WarpRegister source, result;
  distributeMatrix(rows, false, source);
  transposeMatrix(source, result);
  collectMatrix(result, false, columns);
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(elementOf(columns, column, row), elementOf(rows, row, column));
  transposeMatrix(result, result);
  EXPECT_TRUE(std::equal(source, source + 32, result));
}

} // namespace
