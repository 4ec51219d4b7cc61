// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The float64 reading of the library's kernels beside loops that are written
// here, and its bounds beside roundings that are carried out here.

#include "lib/Kernels/Counting.h"
#include "lib/Kernels/Operator.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace tilewright::kernels;
using tilewright::run::ElementType;

namespace {

/// The operator's only kernel for `words`, in its plain configuration.
Kernel plainKernel(const char *name, const Options::Words &words) {
  auto found = findOperator(name);
  EXPECT_TRUE(found);
  auto problem = (*found)->prepare(words);
  EXPECT_TRUE(problem) << problem.error().message;
  return (*problem)->kernels((*problem)->configurations().front()).front();
}

/// Arrays of the kernel's tensors, filled with numbers between -1 and 1.
std::vector<Array> makeArrays(const Signature &signature) {
  std::vector<Array> arrays;
  int64_t seed = 1;
  for (const TensorParameter &tensor : signature.tensors) {
    Array array;
    for (int64_t i = 0; i < tensor.elements; ++i) {
      seed = seed * 1103515245 + 12345 & 0x7fffffff;
      array.values.push_back(seed / 1073741824.0 - 1);
      array.bounds.push_back(0);
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::vector<Array> evaluated(const Kernel &kernel, std::vector<Array> arrays) {
  auto done = evaluate(kernel.signature, kernel.grid, kernel.text, arrays);
  EXPECT_TRUE(done) << done.error().message;
  return arrays;
}

} // namespace

TEST(Evaluation, MatmulIsThreeLoops) {
  Kernel kernel = plainKernel("matmul", {{"m", "19"},
                                         {"n", "37"},
                                         {"k", "41"},
                                         {"batch", "2"},
                                         {"type", "f32"},
                                         {"bias", "f32"},
                                         {"activation", "relu"},
                                         {"residual", "yes"},
                                         {"a.strides", "1000,1,20"}});
  std::vector<Array> arrays = makeArrays(kernel.signature);
  std::vector<Array> results = evaluated(kernel, arrays);
  auto at = [&](unsigned t, int64_t offset) {
    return arrays[t].values[offset];
  };
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t x = 0; x < 19; ++x)
      for (int64_t y = 0; y < 37; ++y) {
        double sum = 0;
        for (int64_t z = 0; z < 41; ++z)
          sum += at(0, i * 1000 + x + z * 20) * at(1, (i * 41 + z) * 37 + y);
        int64_t place = (i * 19 + x) * 37 + y;
        EXPECT_NEAR(results[2].values[place],
                    std::fmax(sum + at(3, y), 0) + at(4, place), 1e-12);
      }
}

TEST(Evaluation, SoftmaxOfChunksIsThatOfRows) {
  // Longer than the plain configuration's chunks.
  Kernel kernel = plainKernel(
      "softmax", {{"rows", "3"}, {"columns", "301"}, {"scale", "2"}});
  std::vector<Array> arrays = makeArrays(kernel.signature);
  std::vector<Array> results = evaluated(kernel, arrays);
  for (int64_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (int64_t column = 0; column < 301; ++column)
      sum += std::exp(2 * arrays[0].values[row * 301 + column]);
    for (int64_t column = 0; column < 301; ++column)
      EXPECT_NEAR(results[1].values[row * 301 + column],
                  std::exp(2 * arrays[0].values[row * 301 + column]) / sum,
                  1e-12);
  }
}

TEST(Evaluation, LayerNormOfChunksIsThatOfRows) {
  Kernel kernel =
      plainKernel("layer_norm", {{"rows", "2"}, {"columns", "133"}});
  std::vector<Array> arrays = makeArrays(kernel.signature);
  std::vector<Array> results = evaluated(kernel, arrays);
  for (int64_t row = 0; row < 2; ++row) {
    const double *x = &arrays[0].values[row * 133];
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < 133; ++i)
      mean += x[i] / 133;
    for (int64_t i = 0; i < 133; ++i)
      variance += (x[i] - mean) * (x[i] - mean) / 133;
    for (int64_t i = 0; i < 133; ++i)
      EXPECT_NEAR(results[1].values[row * 133 + i],
                  (x[i] - mean) / std::sqrt(variance + 1e-5f) *
                          arrays[2].values[i] +
                      arrays[3].values[i],
                  1e-9);
  }
}

namespace {

/// Attention by its definition: one row of the result, and the logarithm.
struct PlainAttention {
  double scale, softCap = 0, slope = 0;
  int64_t window = 0;
  bool isCausal = false;
  std::vector<double> row;
  double logarithm = 0;

  void run(const double *q, const double *k, const double *v, int64_t keys,
           int64_t dim, int64_t valueDim, int64_t place) {
    std::vector<double> weights;
    double sum = 0;
    for (int64_t key = 0; key < keys; ++key) {
      double x = 0;
      for (int64_t d = 0; d < dim; ++d)
        x += q[d] * k[key * dim + d];
      x *= scale;
      if (softCap)
        x = softCap * std::tanh(x / softCap);
      x += slope * (key - place);
      bool sees =
          (!isCausal || key <= place) && (!window || key > place - window);
      weights.push_back(sees ? std::exp(x) : 0);
      sum += weights.back();
    }
    logarithm = std::log(sum);
    row.assign(valueDim, 0);
    for (int64_t key = 0; key < keys; ++key)
      for (int64_t d = 0; d < valueDim; ++d)
        row[d] += sum ? weights[key] / sum * v[key * valueDim + d] : 0;
  }
};

} // namespace

TEST(Evaluation, AttentionIsItsDefinition) {
  Kernel kernel = plainKernel("attention", {{"batch", "2"},
                                            {"heads", "4"},
                                            {"kv_heads", "2"},
                                            {"queries", "19"},
                                            {"keys", "37"},
                                            {"dim", "24"},
                                            {"value_dim", "20"},
                                            {"type", "f32"},
                                            {"causal", "bottom-right"},
                                            {"window", "21"},
                                            {"soft_cap", "2"},
                                            {"alibi", "yes"},
                                            {"lse", "yes"}});
  std::vector<Array> arrays = makeArrays(kernel.signature);
  std::vector<Array> results = evaluated(kernel, arrays);
  // Tensors: q, k, v, out, lse, slopes.
  PlainAttention plain{1 / std::sqrt(24.0), 2};
  plain.window = 21;
  plain.isCausal = true;
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t head = 0; head < 4; ++head)
      for (int64_t query = 0; query < 19; ++query) {
        int64_t row = (b * 4 + head) * 19 + query;
        int64_t keys = (b * 2 + head / 2) * 37;
        plain.slope = arrays[5].values[head];
        plain.run(&arrays[0].values[row * 24], &arrays[1].values[keys * 24],
                  &arrays[2].values[keys * 20], 37, 24, 20, query + 37 - 19);
        EXPECT_NEAR(results[4].values[row], plain.logarithm, 1e-6);
        for (int64_t d = 0; d < 20; ++d)
          EXPECT_NEAR(results[3].values[row * 20 + d], plain.row[d], 1e-6);
      }
}

// Packed sequences of 0, 5 and 11 queries over 3, 8 and 0 keys.
TEST(Evaluation, AttentionOfPackedSequences) {
  Kernel kernel = plainKernel("attention", {{"heads", "1"},
                                            {"kv_heads", "1"},
                                            {"queries", "16"},
                                            {"keys", "11"},
                                            {"dim", "16"},
                                            {"value_dim", "16"},
                                            {"bounds", "4"}});
  std::vector<Array> arrays = makeArrays(kernel.signature);
  arrays[4].values = {0, 0, 5, 16};
  arrays[5].values = {0, 3, 11, 11};
  std::vector<Array> results = evaluated(kernel, arrays);
  PlainAttention plain{0.25};
  for (int64_t query = 0; query < 16; ++query) {
    bool isSecond = query < 5;
    plain.run(&arrays[0].values[query * 16], &arrays[1].values[3 * 16],
              &arrays[2].values[3 * 16], isSecond ? 8 : 0, 16, 16, 0);
    for (int64_t d = 0; d < 16; ++d)
      EXPECT_NEAR(results[3].values[query * 16 + d], plain.row[d], 1e-9);
  }
}

// A product whose sum is rounded to f16, and whose operands are rounded to
// tf32, stays within its bound, and the bound is not idle.
TEST(Evaluation, BoundsHoldRoundings) {
  Kernel kernel = plainKernel(
      "matmul", {{"m", "5"}, {"n", "6"}, {"k", "40"}, {"type", "f16"}});
  std::vector<Array> arrays = makeArrays(kernel.signature);
  std::vector<Array> results = evaluated(kernel, arrays);
  double worst = 0;
  for (int64_t i = 0; i < 30; ++i) {
    float value = static_cast<float>(results[2].values[i]);
    double rounded = static_cast<double>(static_cast<_Float16>(value));
    double error = std::abs(rounded - results[2].values[i]);
    EXPECT_LE(error, results[2].bounds[i]);
    worst = std::fmax(worst, error / results[2].bounds[i]);
    EXPECT_LT(results[2].bounds[i], 0x1p-10 * 40);
  }
  EXPECT_GT(worst, 0.25);
}

TEST(Evaluation, LeavingATensorIsAnError) {
  Signature signature;
  unsigned n = signature.add({"n", ElementType::I32, 32});
  signature.addTensor("x", ElementType::F32, Role::Input, {n});
  // 32 is a multiple of 16, so that nothing is masked; 24 is no multiple.
  auto text = [](Reading &k) { k.load(k.tensor(0), {{k.integer(24), 16}}); };
  std::vector<Array> arrays = makeArrays(signature);
  auto done = evaluate(signature, {1}, text, arrays);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "expects index 39 of dimension 0 of 'x' to be below 32");
}

TEST(Counting, CountsWhatAProductMoves) {
  Kernel kernel =
      plainKernel("matmul", {{"m", "32"}, {"n", "48"}, {"k", "70"}});
  Counts counts =
      count(kernel.signature, kernel.grid, kernel.warps, kernel.text);
  // 2 x 3 programs of 16 x 16, in 3 steps of 32, which f16 loads in full but
  // for the last.
  EXPECT_EQ(counts.programs, 6);
  EXPECT_EQ(counts.iterations, 3);
  EXPECT_EQ(counts.multiplyAdds, 6 * 3 * 16 * 16 * 32);
  EXPECT_EQ(counts.storedBytes, 32 * 48 * 2);
  EXPECT_EQ(compulsoryBytes(kernel.signature),
            2 * (32 * 70 + 70 * 48 + 32 * 48));
}

//===----------------------------------------------------------------------===//
// What linear attention is made of
//===----------------------------------------------------------------------===//

namespace {

/// What `text` makes of an n x n matrix of f32, and its bounds.
Array ofMatrix(int64_t n, const std::vector<double> &matrix, double bound,
               const std::function<Value(Reading &, const Value &)> &text) {
  Signature signature;
  unsigned size = signature.add({"n", ElementType::I32, double(n), true});
  unsigned from =
      signature.addTensor("from", ElementType::F32, Role::Input, {size, size});
  unsigned to =
      signature.addTensor("to", ElementType::F32, Role::Output, {size, size});
  std::vector<Array> arrays = {
      {matrix, std::vector<double>(n * n, bound)},
      {std::vector<double>(n * n), std::vector<double>(n * n)}};
  auto done = evaluate(
      signature, Grid{},
      [&](Reading &k) {
        Box all = {{k.integer(0), n}, {k.integer(0), n}};
        k.store(k.tensor(to), all, text(k, k.load(k.tensor(from), all)));
      },
      arrays);
  EXPECT_TRUE(done) << done.error().message;
  return arrays[1];
}

std::vector<double> randomMatrix(int64_t n) {
  std::vector<double> matrix;
  int64_t seed = 3;
  for (int64_t i = 0; i < n * n; ++i) {
    seed = seed * 1103515245 + 12345 & 0x7fffffff;
    matrix.push_back(seed / 1073741824.0 - 1);
  }
  return matrix;
}

} // namespace

TEST(Evaluation, SumsAlongAnAxis) {
  constexpr int64_t n = 8;
  std::vector<double> matrix = randomMatrix(n);
  for (unsigned axis : {0u, 1u}) {
    Array sums = ofMatrix(n, matrix, 0, [&](Reading &k, const Value &a) {
      return k.sumsAlong(a, axis);
    });
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l <= (axis ? j : i); ++l)
          sum += axis ? matrix[i * n + l] : matrix[l * n + j];
        EXPECT_NEAR(sums.values[i * n + j], sum, 1e-14);
        EXPECT_GE(sums.bounds[i * n + j], 0x1p-24 * std::abs(sum));
      }
  }
}

TEST(Evaluation, RowsAreGathered) {
  constexpr int64_t n = 4;
  std::vector<double> matrix = randomMatrix(n);
  Array gathered = ofMatrix(n, matrix, 0.5, [](Reading &k, const Value &a) {
    return k.gatherRows(a, k.range(n).expand(1) / 2.0 * 2.0);
  });
  for (int64_t i = 0; i < n * n; ++i) {
    EXPECT_EQ(gathered.values[i], matrix[i / n / 2 * 2 * n + i % n]);
    EXPECT_EQ(gathered.bounds[i], 0.5);
  }
}

// The bound of an inverse holds for the inverse of any matrix within the bounds
// of the given one; both matrices' inverses are held against their products.
TEST(Evaluation, TheInverseOfALowerMatrixHasABound) {
  constexpr int64_t n = 32;
  constexpr double bound = 1e-3;
  std::vector<double> matrix = randomMatrix(n), moved = matrix;
  for (int64_t i = 0; i < n * n; ++i)
    moved[i] += i % 3 ? bound : -bound;
  auto invert = [](Reading &k, const Value &a) {
    return k.invertUnitLower(a, Precision::Full);
  };
  Array inverse = ofMatrix(n, matrix, bound, invert);
  Array other = ofMatrix(n, moved, 0, invert);
  bool isBetween = false;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double product = inverse.values[i * n + j];
      for (int64_t l = 0; l < i; ++l)
        product += matrix[i * n + l] * inverse.values[l * n + j];
      double scale = 1 + std::abs(inverse.values[i * n + j]);
      EXPECT_NEAR(product, i == j, 1e-9 * scale);
      double error =
          std::abs(other.values[i * n + j] - inverse.values[i * n + j]);
      EXPECT_LE(error, inverse.bounds[i * n + j]);
      isBetween |= error > inverse.bounds[i * n + j] / 100;
    }
  EXPECT_TRUE(isBetween);
}

TEST(Evaluation, OneOfTwoWaysIsGone) {
  std::vector<double> matrix = randomMatrix(2);
  Array chosen = ofMatrix(2, matrix, 0, [](Reading &k, const Value &a) {
    auto ways = [&](int64_t left, int64_t right) {
      return k.choose(
          k.integer(left) < k.integer(right),
          [&] { return std::vector<Value>{a + 1.0}; },
          [&] { return std::vector<Value>{a * 2.0}; })[0];
    };
    return ways(1, 2) - ways(2, 1);
  });
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(chosen.values[i], matrix[i] + 1 - 2 * matrix[i]);
}
