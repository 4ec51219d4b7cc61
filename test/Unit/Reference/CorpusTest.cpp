// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the corpus against loops written directly, in float64. Buffers end
// where their tensors do, so that an access too far is an error. Sums are in
// the same order on both sides: results are the same bits.

#include "test/Unit/Reference/ReferenceTest.h"

#include <cmath>
#include <map>
#include <random>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

namespace {

class CorpusTest : public ReferenceTest {
protected:
  std::mt19937 generator{7};
  std::map<std::string, Argument> arguments;

  /// Numbers that the element type has.
  Reals makeReals(StringRef type, size_t count) {
    std::normal_distribution<double> distribution;
    Reals values(count);
    for (double &value : values)
      value = distribution(generator);
    ReferenceMemory rounded;
    return rounded.getReals(rounded.addReals("", getType(type), values));
  }
  Integers makeIntegers(int64_t low, int64_t high, size_t count) {
    std::uniform_int_distribution<int64_t> distribution(low, high);
    Integers values(count);
    for (int64_t &value : values)
      value = distribution(generator);
    return values;
  }

  unsigned bindReals(const std::string &name, StringRef type,
                     const Reals &values) {
    unsigned number = memory.addReals(name, getType(type), values);
    arguments.insert({name, Argument::pointer(memory.getAddress(number))});
    return number;
  }
  unsigned bindIntegers(const std::string &name, StringRef type,
                        const Integers &values) {
    unsigned number = memory.addIntegers(name, getType(type), values);
    arguments.insert({name, Argument::pointer(memory.getAddress(number))});
    return number;
  }
  void bind(const std::string &name, int64_t value) {
    arguments.insert({name, Argument::integer(value)});
  }

  /// Runs a kernel of the corpus with the arguments of its parameters' names.
  bool launch(const std::string &name, int64_t x, int64_t y = 1) {
    tt::FuncOp function =
        parseFile(std::string(TILEWRIGHT_CORPUS_FOLDER "/") + name + ".ttir");
    if (!function)
      return false;
    std::vector<Argument> values;
    for (BlockArgument parameter : function.getArguments()) {
      auto location = dyn_cast<NameLoc>(parameter.getLoc());
      auto found =
          location ? arguments.find(location.getName().str()) : arguments.end();
      if (found == arguments.end())
        return false;
      values.push_back(found->second);
    }
    return succeeded(
        interpret(function, values, {uint32_t(x), uint32_t(y), 1}, memory));
  }

  /// Whether a buffer holds these numbers, rounded to its type.
  void expectReals(unsigned number, const Reals &values) {
    ReferenceMemory rounded;
    Type type = memory.getBuffer(number).elementType;
    Reals expected = rounded.getReals(rounded.addReals("", type, values));
    EXPECT_EQ(memory.getReals(number), expected);
  }

  void checkVectorAdd(const std::string &name, const std::string &type,
                      int64_t block, int64_t count);
  void checkSoftmax(const std::string &name, const std::string &type,
                    int64_t rows, int64_t columns, int64_t stride);
  void checkMatmul(const std::string &name, int64_t blockM, int64_t blockN,
                   int64_t m, int64_t n, int64_t k, int64_t gap,
                   bool isTransposed = false);
  void checkDequantizedMatmul(const std::string &name, int64_t blockM,
                              int64_t blockN, int64_t m, int64_t n, int64_t k,
                              bool hasPackedZeros);
  void checkCumsum(const std::string &name, const std::string &integer,
                   int64_t chunk, bool isReverse, int64_t blockHeads);
};

int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

} // namespace

//===----------------------------------------------------------------------===//
// Sums and softmax
//===----------------------------------------------------------------------===//

void CorpusTest::checkVectorAdd(const std::string &name,
                                const std::string &type, int64_t block,
                                int64_t count) {
  Reals x = makeReals(type, count), y = makeReals(type, count), expected(count);
  for (int64_t index = 0; index < count; ++index)
    expected[index] = x[index] + y[index];
  bindReals("x_ptr", type, x);
  bindReals("y_ptr", type, y);
  unsigned out = bindReals("out_ptr", type, Reals(count, -1.0));
  bind("count", count);
  ASSERT_TRUE(launch(name, ceilDivide(count, block))) << diagnostics;
  expectReals(out, expected);
}

TEST_F(CorpusTest, VectorAdd64) {
  checkVectorAdd("vector_add_64", "f32", 64, 131);
}
TEST_F(CorpusTest, VectorAdd1024) {
  checkVectorAdd("vector_add_1024", "f32", 1024, 1025);
}
TEST_F(CorpusTest, VectorAddF16) {
  checkVectorAdd("vector_add_f16_1024", "f16", 1024, 1040);
}

void CorpusTest::checkSoftmax(const std::string &name, const std::string &type,
                              int64_t rows, int64_t columns, int64_t stride) {
  Reals x = makeReals(type, rows * stride), expected(rows * columns);
  for (int64_t row = 0; row < rows; ++row) {
    double largest = -INFINITY, sum = 0.0;
    for (int64_t column = 0; column < columns; ++column)
      largest = std::max(largest, x[row * stride + column]);
    for (int64_t column = 0; column < columns; ++column)
      sum += std::exp(x[row * stride + column] - largest);
    for (int64_t column = 0; column < columns; ++column)
      expected[row * columns + column] =
          std::exp(x[row * stride + column] - largest) / sum;
  }
  bindReals("in_ptr", type, x);
  unsigned out = bindReals("out_ptr", type, Reals(rows * columns, -1.0));
  bind("columns", columns);
  bind("in_row_stride", stride);
  bind("out_row_stride", columns);
  ASSERT_TRUE(launch(name, rows)) << diagnostics;
  expectReals(out, expected);
}

TEST_F(CorpusTest, Softmax128) {
  checkSoftmax("fused_softmax_128", "f32", 3, 100, 107);
}
TEST_F(CorpusTest, Softmax1024) {
  checkSoftmax("fused_softmax_1024", "f32", 2, 1024, 1024);
}
TEST_F(CorpusTest, SoftmaxF16) {
  checkSoftmax("fused_softmax_f16_1024", "f16", 2, 777, 800);
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

void CorpusTest::checkMatmul(const std::string &name, int64_t blockM,
                             int64_t blockN, int64_t m, int64_t n, int64_t k,
                             int64_t gap, bool isTransposed) {
  // A is stored by columns where it is transposed.
  int64_t aRow = isTransposed ? 1 : k + gap, aColumn = isTransposed ? m : 1;
  Reals a = makeReals("f16", isTransposed ? m * k : m * (k + gap));
  Reals b = makeReals("f16", k * n), expected(m * n);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      double sum = 0.0;
      for (int64_t inner = 0; inner < k; ++inner)
        sum += a[row * aRow + inner * aColumn] * b[inner * n + column];
      expected[row * n + column] = sum;
    }
  bindReals("a_ptr", "f16", a);
  bindReals("b_ptr", "f16", b);
  unsigned c = bindReals("c_ptr", "f16", Reals(m * n, -1.0));
  bind("M", m);
  bind("N", n);
  bind("K", k);
  bind("stride_am", aRow);
  bind("stride_ak", aColumn);
  bind("stride_bk", n);
  bind("stride_bn", 1);
  bind("stride_cm", n);
  bind("stride_cn", 1);
  ASSERT_TRUE(launch(name, ceilDivide(m, blockM) * ceilDivide(n, blockN)))
      << diagnostics;
  expectReals(c, expected);
}

TEST_F(CorpusTest, Matmul16) {
  checkMatmul("matmul_f16_16x16x16", 16, 16, 37, 19, 35, 3);
}
TEST_F(CorpusTest, Matmul32) {
  checkMatmul("matmul_f16_32x32x32", 32, 32, 33, 31, 65, 0);
}
TEST_F(CorpusTest, Matmul64) {
  checkMatmul("matmul_f16_64x64x32", 64, 64, 65, 67, 40, 1);
}
TEST_F(CorpusTest, Matmul128) {
  checkMatmul("matmul_f16_128x128x64", 128, 128, 129, 100, 70, 0);
}
TEST_F(CorpusTest, MatmulAligned) {
  checkMatmul("matmul_f16_128x128x64_aligned", 128, 128, 144, 112, 80, 16);
}
TEST_F(CorpusTest, MatmulTransposed) {
  checkMatmul("matmul_f16_64x64x32_strided", 64, 64, 67, 33, 70, 0, true);
}

void CorpusTest::checkDequantizedMatmul(const std::string &name, int64_t blockM,
                                        int64_t blockN, int64_t m, int64_t n,
                                        int64_t k, bool hasPackedZeros) {
  const int64_t group = 128, groups = ceilDivide(k, group);
  Reals a = makeReals("f16", m * k), scales = makeReals("f16", groups * n);
  Integers nibbles = makeIntegers(0, 15, k * n);
  Integers zeros = makeIntegers(0, 15, groups * n);
  Integers packed(k / 8 * n), packedZeros(groups * n / 8);
  for (int64_t row = 0; row < k; ++row)
    for (int64_t column = 0; column < n; ++column)
      packed[row / 8 * n + column] |= nibbles[row * n + column]
                                      << (4 * (row % 8));
  for (int64_t index = 0; index < groups * n; ++index)
    packedZeros[index / 8] |= zeros[index] << (4 * (index % 8));
  Reals expected(m * n);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column)
      for (int64_t inner = 0; inner < k; ++inner) {
        int64_t at = inner / group * n + column;
        expected[row * n + column] +=
            a[row * k + inner] *
            (double(nibbles[inner * n + column] - zeros[at]) * scales[at]);
      }
  bindReals("a_ptr", "f16", a);
  bindIntegers("packed_ptr", "i32", packed);
  bindReals("scales_ptr", "f16", scales);
  if (hasPackedZeros)
    bindIntegers("zeros_ptr", "i32", packedZeros);
  else
    bindReals("zeros_ptr", "f16", Reals(zeros.begin(), zeros.end()));
  unsigned c = bindReals("c_ptr", "f16", Reals(m * n, -1.0));
  bind("M", m);
  bind("N", n);
  bind("K", k);
  bind("stride_am", k);
  bind("stride_cm", n);
  ASSERT_TRUE(launch(name, ceilDivide(m, blockM), ceilDivide(n, blockN)))
      << diagnostics;
  expectReals(c, expected);
}

TEST_F(CorpusTest, DequantizedMatmul16) {
  checkDequantizedMatmul("matmul_w4a16_16x64x64", 16, 64, 5, 72, 168, true);
}
TEST_F(CorpusTest, DequantizedMatmulAligned) {
  checkDequantizedMatmul("matmul_w4a16_64x128x32_aligned", 64, 128, 65, 144,
                         144, true);
}
TEST_F(CorpusTest, DequantizedMatmulFloatZeros) {
  checkDequantizedMatmul("matmul_w4a16_32x64x128_f16zeros", 32, 64, 9, 72, 136,
                         false);
}

//===----------------------------------------------------------------------===//
// Running sums
//===----------------------------------------------------------------------===//

void CorpusTest::checkCumsum(const std::string &name,
                             const std::string &integer, int64_t chunk,
                             bool isReverse, int64_t blockHeads) {
  const int64_t heads = 3;
  const Integers lengths = {1, 2 * chunk + 5, 0, chunk};
  Integers starts = {0}, table;
  for (auto [sequence, length] : llvm::enumerate(lengths)) {
    starts.push_back(starts.back() + length);
    // One chunk more than there are: its program returns at once.
    for (int64_t number = 0; number <= ceilDivide(length, chunk); ++number)
      table.insert(table.end(), {int64_t(sequence), number});
  }
  const double scale = 0.75;
  Reals gate = makeReals("f32", starts.back() * heads);
  Reals expected(gate.size());
  for (auto [sequence, length] : llvm::enumerate(lengths))
    for (int64_t head = 0; head < heads; ++head) {
      double sum = 0.0;
      for (int64_t step = 0; step < length; ++step) {
        int64_t token = isReverse ? length - 1 - step : step;
        // The sum starts anew at either end of a chunk.
        int64_t place = token % chunk;
        if (isReverse ? place == chunk - 1 : place == 0)
          sum = 0.0;
        int64_t index = (starts[sequence] + token) * heads + head;
        sum += gate[index];
        expected[index] = sum * scale;
      }
    }
  bindReals("gate_ptr", "f32", gate);
  unsigned out = bindReals("out_ptr", "f32", Reals(gate.size(), -1.0));
  arguments.insert({"scale", Argument::real(scale)});
  bindIntegers("cu_seqlens_ptr", integer, starts);
  bindIntegers("chunk_indices_ptr", integer, table);
  bind("heads", heads);
  ASSERT_TRUE(launch(name, table.size() / 2, ceilDivide(heads, blockHeads)))
      << diagnostics;
  expectReals(out, expected);
}

TEST_F(CorpusTest, Cumsum64) {
  checkCumsum("cumsum_varlen_64", "i64", 64, false, 1);
}
TEST_F(CorpusTest, CumsumReverse16) {
  checkCumsum("cumsum_varlen_reverse_16", "i32", 16, true, 1);
}
TEST_F(CorpusTest, CumsumTile) {
  checkCumsum("cumsum_varlen_tile_64x32", "i64", 64, false, 32);
}
