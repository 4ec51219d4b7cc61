// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coded weights as numbers in memory, for what multiplies by these.

#include "lib/Kernels/Formula.h"
#include "lib/Kernels/Pieces.h"

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

class DequantizeProblem : public Problem {
public:
  DequantizeProblem(Signature signature, CodedWeights weights, unsigned result)
      : signature(std::move(signature)), weights(weights), result(result) {}

  std::vector<Configuration> configurations() const override;
  std::vector<Kernel> kernels(const Configuration &c) const override;
  bool recompute(NamedArrays &tensors) const override;

private:
  int64_t value(unsigned number) const {
    return signature.numbers[number].integer();
  }

  Signature signature;
  CodedWeights weights;
  unsigned result;
};

} // namespace

/// Whether the numbers of a column, not those of a row, lie one after the
/// other.
static bool isAlongDepth(const Signature &signature, unsigned result) {
  return signature.stridesOf(signature.tensors[result])[0] == 1;
}

Kernel kernels::makeDequantization(Signature signature,
                                   const CodedWeights &weights, unsigned result,
                                   const Configuration &c) {
  auto value = [&](unsigned number) {
    return signature.numbers[number].integer();
  };
  Grid grid = {ceilDivide(value(weights.k), c.tile[0]) *
               ceilDivide(value(weights.n), c.tile[1])};
  // Programs that begin one after the other go along what lies together, so
  // that the memory has pages of it open: weights of 4 bits that lie along k
  // otherwise take 1.09 of the time on an H200.
  bool isAlongK = isAlongDepth(signature, result);
  Kernel kernel{
      "dequantize", std::move(signature), grid, c.warps, c.stages, {}};
  kernel.text = [w = weights, to = result, c, isAlongK](Reading &k) {
    Value rows = k.number(w.k), columns = k.number(w.n);
    auto [row, column] =
        isAlongK
            ? programTile(k.program(0), columns, rows, c.tile[1], c.tile[0], 1)
            : programTile(k.program(0), rows, columns, c.tile[0], c.tile[1], 1);
    if (isAlongK)
      std::swap(row, column);
    // What divides the row is seen by its quotients.
    Tensor tensor = k.tensor(to);
    WeightLoader loader(k, w, c.tile[0], c.tile[1], column,
                        /*isTransposed=*/false);
    k.store(tensor, {{row, c.tile[0]}, {column, c.tile[1]}},
            loader.load(row, tensor.type));
  };
  return kernel;
}

std::vector<Kernel> DequantizeProblem::kernels(const Configuration &c) const {
  return withPrograms({makeDequantization(signature, weights, result, c)});
}

std::vector<Configuration> DequantizeProblem::configurations() const {
  std::vector<Configuration> configurations = {
      {{weights.leastRows(32), weights.leastColumns(), 1}, 1, 1, 1}};
  bool isAlongK = isAlongDepth(signature, result);
  for (int64_t across : {16, 32, 64, 128})
    for (int64_t along : {16, 32, 64, 128, 256})
      for (unsigned warps : {1, 2, 4, 8}) {
        int64_t rows = isAlongK ? along : across;
        int64_t columns = isAlongK ? across : along;
        int64_t each = rows * columns / (32 * warps);
        if (weights.fits(rows, columns) && each >= 8 && each <= 64 &&
            rows < 2 * std::max<int64_t>(value(weights.k), 16) &&
            columns < 2 * std::max<int64_t>(value(weights.n), 16))
          configurations.push_back({{rows, columns, 1}, 1, warps, 1});
      }
  return configurations;
}

bool DequantizeProblem::recompute(NamedArrays &tensors) const {
  WeightFormula formula(signature, weights, tensors);
  Elements made(signature, result, tensors);
  for (int64_t z = 0; z < value(weights.k); ++z)
    for (int64_t y = 0; y < value(weights.n); ++y)
      made.at({z, y}) =
          overflown(formula.at(0, z, y), signature.tensors[result].type);
  return true;
}

static Result<std::unique_ptr<Problem>> makeProblem(const Options &options) {
  Signature s;
  unsigned n = s.add(options.sizeNumber("n"));
  unsigned k = s.add(options.sizeNumber("k"));
  Result<CodedWeights> weights = CodedWeights::read(options, s, k, n);
  if (!weights)
    return weights.takeError();
  Result<void> problem = runtime::success();
  unsigned result = addTensor(options, s, "w", options.type("type"),
                              Role::Output, {k, n}, problem);
  if (!problem)
    return problem.takeError();
  return std::unique_ptr<Problem>(
      new DequantizeProblem(std::move(s), *weights, result));
}

Operator kernels::makeDequantize() {
  using Kind = OperatorOption::Kind;
  Operator made = {
      "dequantize",
      "Weights of 2, 4 or 8 bits as numbers",
      "w[z, y] = (value of the code at (z, y) - zeros[z / group, y]) * "
      "scales[z / group, y],\n            in f32, rounded to w's type\n"
      "words: codes packed along k or n, in the dimensions' order k, n; scales "
      "and zeros:\ngroups x n; book: what codes stand for; w: k x n. Strides "
      "in any order; 0 repeats\na dimension of an input.",
      {{"k", Kind::Size, "", "rows of w"},
       {"n", Kind::Size, "", "columns of w"},
       {"type", Kind::Choice, "f16", "of w", {"f16", "bf16", "f32"}}},
      codedWeightTensors(),
      makeProblem};
  for (OperatorOption &option : codedWeightOptions(/*mayBePrepacked=*/true))
    made.options.push_back(std::move(option));
  made.tensors.push_back({"w", {"k", "n"}});
  return made;
}
