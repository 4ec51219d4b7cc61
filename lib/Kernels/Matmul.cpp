// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense products: batches of any sizes, strides and orders, with what is done
// to the result on its way to memory.

#include "lib/Kernels/DenseProduct.h"

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

class MatmulProblem : public Problem {
public:
  MatmulProblem(Signature signature, DenseProduct product)
      : signature(std::move(signature)), product(std::move(product)) {}

  std::vector<Configuration> configurations() const override {
    return product.configurations(signature);
  }
  std::vector<Kernel> kernels(const Configuration &c) const override {
    return product.kernels("matmul", signature, c);
  }

private:
  Signature signature;
  DenseProduct product;
};

} // namespace

//===----------------------------------------------------------------------===//
// From words
//===----------------------------------------------------------------------===//

static Result<std::unique_ptr<Problem>> makeProblem(const Options &options) {
  Signature s;
  DenseProduct p;
  auto addSize = [&](const char *name) {
    return s.add(options.sizeNumber(name));
  };
  unsigned batch = addSize("batch");
  p.batch = batch;
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
  p.a = add("a", type, Role::Input, {batch, p.m, p.k});
  p.b = add("b", type, Role::Input, {batch, p.k, p.n});
  p.c = add("c", outputType, Role::Output, {batch, p.m, p.n});
  if (options.choice("bias") != "no")
    p.epilogue.bias = add("bias", options.type("bias"), Role::Input, {p.n});
  if (options.flag("residual"))
    p.epilogue.residual = add(
        "residual", run::isFloat(outputType) ? outputType : ElementType::F32,
        Role::Input, {batch, p.m, p.n});
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
