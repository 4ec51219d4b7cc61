// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense products: batches of any sizes, strides and orders, with what is done
// to the result on its way to memory.

#include "lib/Kernels/Operator.h"
#include "lib/Kernels/ProductEpilogue.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

/// Where in the signature things are.
struct MatmulParameters {
  unsigned batch, m, n, k;
  unsigned a, b, c;
  std::optional<unsigned> partial; ///< sums of a split product
  Precision precision = Precision::Full;
  ProductEpilogue epilogue;
};

class MatmulProblem : public Problem {
public:
  MatmulProblem(Signature signature, MatmulParameters parameters)
      : signature(std::move(signature)), parameters(parameters) {}

  std::vector<Configuration> configurations() const override;
  std::vector<Kernel> kernels(const Configuration &c) const override;

private:
  int64_t value(unsigned number) const {
    return signature.numbers[number].integer();
  }
  bool hasOneBatch() const {
    const Number &batch = signature.numbers[parameters.batch];
    return batch.isConstant() && batch.integer() == 1;
  }
  Kernel finishing(const Configuration &c, Signature split,
                   const MatmulParameters &of) const;

  Signature signature;
  MatmulParameters parameters;
};

} // namespace

static ElementType sumType(ElementType operand) {
  return operand == ElementType::I8 ? ElementType::I32 : ElementType::F32;
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

/// The tile `sum` of the result at (row, column), finished and stored.
static void finish(Reading &k, const MatmulParameters &p,
                   const Configuration &c, const Value &batch, const Value &row,
                   const Value &column, const Value &sum) {
  p.epilogue.store(k, p.c, {batch, {row, c.tile[0]}, {column, c.tile[1]}}, sum);
}

/// Which of the batch's products a program is for, and its number in that one.
static std::pair<Value, Value> programOfBatch(Reading &k,
                                              const MatmulParameters &p,
                                              const Configuration &c,
                                              bool isSingle) {
  Value program = k.program(0);
  if (isSingle)
    return {k.integer(0), program};
  Value tiles =
      tilesOf(k.number(p.m), c.tile[0]) * tilesOf(k.number(p.n), c.tile[1]);
  return {program / tiles, program % tiles};
}

/// c = epilogue(a b), or a part of the sum.
static void matmul(Reading &k, const MatmulParameters &p,
                   const Configuration &c, bool isSingle) {
  auto [batch, program] = programOfBatch(k, p, c, isSingle);
  auto [row, column] = programTile(program, k.number(p.m), k.number(p.n),
                                   c.tile[0], c.tile[1], 8);
  Value part = k.program(1);
  Tensor a = k.tensor(p.a), b = k.tensor(p.b);
  Value first = k.integer(0), last = k.number(p.k);
  Shape shape = {c.tile[0], c.tile[1]};
  if (c.parts > 1) {
    a = a.parted(2, c.parts);
    b = b.parted(1, c.parts);
    last = last / double(c.parts);
    shape.insert(shape.begin(), c.parts);
  }
  if (c.split > 1) {
    Value steps = tilesOf(tilesOf(last, c.tile[2]), c.split);
    first = part * steps * double(c.tile[2]);
    last = minimum(last, first + steps * double(c.tile[2]));
  }
  Value zeros = k.constant(0, sumType(a.type), shape);
  Value sum = k.forEach(
      first, last, c.tile[2], {zeros},
      [&, batch = batch, row = row,
       column = column](Value step, const std::vector<Value> &carried) {
        Along depth(step, c.tile[2]);
        Box left = {batch, {row, c.tile[0]}, depth};
        Box right = {batch, depth, {column, c.tile[1]}};
        if (c.parts > 1)
          for (Box *box : {&left, &right})
            box->insert(box->begin(), Along(k.integer(0), c.parts));
        return std::vector<Value>{
            k.dot(k.load(a, left), k.load(b, right), carried[0], p.precision)};
      })[0];
  if (c.parts > 1)
    sum = k.reduce(sum, 0, Combination::Sum);
  if (!p.partial)
    return finish(k, p, c, batch, row, column, sum);
  k.store(k.tensor(*p.partial),
          {part, batch, {row, c.tile[0]}, {column, c.tile[1]}}, sum);
}

/// c = epilogue(sum of the parts), in their order.
static void addParts(Reading &k, const MatmulParameters &p,
                     const Configuration &c, int64_t parts, bool isSingle) {
  auto [batch, program] = programOfBatch(k, p, c, isSingle);
  auto [row, column] = programTile(program, k.number(p.m), k.number(p.n),
                                   c.tile[0], c.tile[1], 1);
  Value sum = sumOfParts(k, k.tensor(*p.partial),
                         {batch, {row, c.tile[0]}, {column, c.tile[1]}}, parts);
  finish(k, p, c, batch, row, column, sum);
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

std::vector<Kernel> MatmulProblem::kernels(const Configuration &c) const {
  MatmulParameters p = parameters;
  Signature all = signature;
  int64_t batches = value(p.batch), m = value(p.m), n = value(p.n);
  if (c.split > 1) {
    unsigned parts =
        all.add({"parts", ElementType::I32, double(c.split), true});
    p.partial = all.addTensor("partial", sumType(all.tensors[p.a].type),
                              Role::Workspace, {parts, p.batch, p.m, p.n});
  }
  Kernel product{"matmul", all, {}, c.warps, c.stages, {}};
  product.grid = {ceilDivide(m, c.tile[0]) * ceilDivide(n, c.tile[1]) * batches,
                  c.split};
  product.text = [p, c, isSingle = hasOneBatch()](Reading &k) {
    matmul(k, p, c, isSingle);
  };
  std::vector<Kernel> result = {std::move(product)};
  if (c.split > 1)
    result.push_back(finishing(c, std::move(all), p));
  return withPrograms(std::move(result));
}

Kernel MatmulProblem::finishing(const Configuration &c, Signature split,
                                const MatmulParameters &of) const {
  Configuration smaller = c;
  smaller.tile = {16, 64, 1};
  int64_t batches = value(of.batch);
  Kernel kernel{"matmul_add_parts", std::move(split), {}, 4, 1, {}};
  kernel.grid = {ceilDivide(value(of.m), 16) * ceilDivide(value(of.n), 64) *
                 batches};
  kernel.text = [of, smaller, parts = c.split, isSingle = hasOneBatch()](
                    Reading &k) { addParts(k, of, smaller, parts, isSingle); };
  return kernel;
}

/// Tiles from the smallest up to what the result fills, warps by their size,
/// and splits where the tiles are too few for a large GPU.
std::vector<Configuration> MatmulProblem::configurations() const {
  int64_t m = value(parameters.m), n = value(parameters.n);
  int64_t k = value(parameters.k), batches = value(parameters.batch);
  int64_t bytes = run::byteSize(signature.tensors[parameters.a].type);
  bool isFull = parameters.precision == Precision::Full && bytes == 4;
  std::vector<Configuration> result = {{{16, 16, 32}, 1, 1, 1}};
  auto fits = [](int64_t tile, int64_t size) {
    return tile == 16 || tile < 2 * size;
  };
  for (int64_t tileM : {16, 32, 64, 128, 256})
    for (int64_t tileN : {16, 32, 64, 128, 256})
      for (int64_t tileK : {32, 64, 128}) {
        int64_t area = tileM * tileN;
        if (!fits(tileM, m) || !fits(tileN, n) || area > 128 * 256 ||
            tileK * bytes > 256 || tileK * bytes < 64 ||
            (tileK > 32 && tileK >= 2 * k) || (isFull && tileK > 32))
          continue;
        for (unsigned warps : {1, 2, 4, 8}) {
          // From 8 to 128 sums in a thread.
          if (area < 256 * warps || area > 128 * 32 * warps)
            continue;
          int64_t tiles = ceilDivide(m, tileM) * ceilDivide(n, tileN) * batches;
          for (int64_t split : {1, 2, 4, 8, 16}) {
            if (split > 1 && (tiles * split > 1024 || k < tileK * 4 * split))
              break;
            for (unsigned stages : {2, 3, 4}) {
              result.push_back({{tileM, tileN, tileK}, split, warps, stages});
              if (tileM <= 32)
                addParted(result, result.back(), value(parameters.k),
                          signature.numbers[parameters.k].divisibility());
            }
          }
        }
      }
  return result;
}

//===----------------------------------------------------------------------===//
// From words
//===----------------------------------------------------------------------===//

static Result<std::unique_ptr<Problem>> makeProblem(const Options &options) {
  Signature s;
  MatmulParameters p;
  auto addSize = [&](const char *name) {
    return s.add(options.sizeNumber(name));
  };
  p.batch = addSize("batch");
  p.m = addSize("m");
  p.n = addSize("n");
  p.k = addSize("k");
  ElementType type = options.type("type");
  ElementType outputType =
      options.choice("out") == "same"
          ? (type == ElementType::I8 ? ElementType::I32 : type)
          : options.type("out");
  Result<void> problem = runtime::success();
  auto add = [&](const char *name, ElementType type, Role role,
                 std::vector<unsigned> dimensions) {
    return addTensor(options, s, name, type, role, std::move(dimensions),
                     problem);
  };
  p.a = add("a", type, Role::Input, {p.batch, p.m, p.k});
  p.b = add("b", type, Role::Input, {p.batch, p.k, p.n});
  p.c = add("c", outputType, Role::Output, {p.batch, p.m, p.n});
  if (options.choice("bias") != "no")
    p.epilogue.bias = add("bias", options.type("bias"), Role::Input, {p.n});
  if (options.flag("residual"))
    p.epilogue.residual = add(
        "residual", run::isFloat(outputType) ? outputType : ElementType::F32,
        Role::Input, {p.batch, p.m, p.n});
  if (!problem)
    return problem.takeError();
  if (options.number("scale") != 1)
    p.epilogue.scale =
        s.add({"scale", ElementType::F32, options.number("scale")});
  p.epilogue.activation = activationFromName(options.choice("activation"));
  p.precision =
      options.choice("precision") == "tf32" ? Precision::TF32 : Precision::Full;
  return std::unique_ptr<Problem>(new MatmulProblem(std::move(s), p));
}

Operator kernels::makeMatmul() {
  using Kind = OperatorOption::Kind;
  return {
      "matmul",
      "Dense matrix product with an epilogue",
      "c[i, x, y] = activation(scale * sum over z of a[i, x, z] * b[i, z, y] + "
      "bias[y])\n            + residual[i, x, y]\n"
      "a: batch x m x k, b: batch x k x n, c and residual: batch x m x n, "
      "bias: n.\nStrides in any order; 0 repeats a dimension of an "
      "input. Sums are in f32; of i8 in i32.",
      {{"m", Kind::Size, "", "rows of a and c"},
       {"n", Kind::Size, "", "columns of b and c"},
       {"k", Kind::Size, "", "columns of a, rows of b"},
       {"batch", Kind::Size, "1", "how many products"},
       {"type",
        Kind::Choice,
        "f16",
        "of a and b",
        {"f16", "bf16", "f32", "f8e4m3", "f8e5m2", "i8"}},
       {"out",
        Kind::Choice,
        "same",
        "type of c; of i8 the same is i32",
        {"same", "f16", "bf16", "f32", "f8e4m3", "f8e5m2", "i8", "i32"}},
       {"precision",
        Kind::Choice,
        "full",
        "whether f32 operands may be rounded to tf32",
        {"full", "tf32"}},
       {"scale", Kind::Number, "1", "factor of the sum"},
       {"bias",
        Kind::Choice,
        "no",
        "type of a row to add",
        {"no", "f16", "bf16", "f32"}},
       {"activation", Kind::Choice, "none", "what each element goes through",
        activationNames()},
       {"residual",
        Kind::Choice,
        "no",
        "whether to add a tensor of c's shape and type",
        {"no", "yes"}}},
      {{"a", {"batch", "m", "k"}},
       {"b", {"batch", "k", "n"}},
       {"c", {"batch", "m", "n"}},
       {"bias", {"n"}},
       {"residual", {"batch", "m", "n"}}},
      makeProblem};
}
