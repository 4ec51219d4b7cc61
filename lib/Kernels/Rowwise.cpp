// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax, layer norm and RMS norm of rows, after a residual, times a gate and
// into a quantized type where asked for. A row that fits a tile is loaded once;
// a longer one once for each thing that must be known of all of it.

#include "lib/Kernels/Operator.h"
#include "lib/Kernels/Pieces.h"

#include <algorithm>
#include <limits>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

enum class RowOperation : uint8_t { Softmax, LayerNorm, RmsNorm };

/// Where in the signature things are.
struct RowParameters {
  RowOperation operation;
  unsigned rows, columns;
  unsigned x, y;
  std::optional<unsigned> residual, sum, weight, bias, scales, factor;
  std::optional<unsigned> epsilon, gate;
  Activation gateForm = Activation::None;
};

/// The rows of a program, in chunks of their columns.
class Rows {
public:
  Rows(Reading &k, const RowParameters &p, const Configuration &c,
       bool isWhole);

  /// Goes over the chunks: step(chunk, inside, first column, carried).
  using Step = std::function<std::vector<Value>(const Value &, const Value &,
                                                const std::vector<Value> &)>;
  std::vector<Value> overChunks(std::vector<Value> carried, const Step &step);
  /// The sum along each row of f(x), or the largest.
  Value combine(Combination how, const std::function<Value(const Value &)> &f);

  Along along(const Value &first) const { return {first, c.tile[1]}; }
  Along own() const { return {row, c.tile[0]}; }
  /// A chunk of a tensor of rows and columns, in f32.
  Value chunkOf(unsigned tensor, const Value &first) const {
    return k.load(k.tensor(tensor), {own(), along(first)}).to(ElementType::F32);
  }
  /// A number for each row, beside its columns.
  static Value column(const Value &perRow) { return perRow.expand(1); }
  Value columns() const { return k.number(p.columns); }
  Reading &reading() const { return k; }

private:
  Value load(const Value &first);
  Value inside(const Value &first) const;

  Reading &k;
  const RowParameters &p;
  const Configuration &c;
  bool isWhole;
  Value row;
  Value whole; ///< the only chunk
};

class RowProblem : public Problem {
public:
  RowProblem(Signature signature, RowParameters parameters)
      : signature(std::move(signature)), parameters(parameters) {}
  std::vector<Configuration> configurations() const override;
  std::vector<Kernel> kernels(const Configuration &c) const override;

private:
  Signature signature;
  RowParameters parameters;
};

} // namespace

//===----------------------------------------------------------------------===//
// Rows in chunks
//===----------------------------------------------------------------------===//

Rows::Rows(Reading &k, const RowParameters &p, const Configuration &c,
           bool isWhole)
    : k(k), p(p), c(c), isWhole(isWhole),
      row(k.program(0) * double(c.tile[0])) {
  if (isWhole)
    whole = load(k.integer(0));
}

/// The elements in f32, the residual added; the sum is stored on the way.
Value Rows::load(const Value &first) {
  Value x = chunkOf(p.x, first);
  return p.residual ? x + chunkOf(*p.residual, first) : x;
}

/// Which columns of the chunk there are; nothing where all are.
Value Rows::inside(const Value &first) const {
  if (!k.tensor(p.x).mayExceed(1, c.tile[1]))
    return {};
  return (k.range(c.tile[1]) < columns() - first).expand(0);
}

std::vector<Value> Rows::overChunks(std::vector<Value> carried,
                                    const Step &step) {
  if (isWhole)
    return step(whole, k.integer(0), carried);
  return k.forEach(k.integer(0), columns(), c.tile[1], std::move(carried),
                   [&](Value first, const std::vector<Value> &carried) {
                     return step(load(first), first, carried);
                   });
}

Value Rows::combine(Combination how,
                    const std::function<Value(const Value &)> &f) {
  bool isSum = how == Combination::Sum;
  double neutral = isSum ? 0 : -std::numeric_limits<double>::infinity();
  Value none = k.constant(neutral, ElementType::F32, {c.tile[0]});
  return overChunks({none}, [&](const Value &x, const Value &first,
                                const std::vector<Value> &carried) {
    Value of = f(x);
    if (Value there = inside(first))
      of = select(there, of, neutral);
    Value combined = k.reduce(of, 1, how);
    return std::vector<Value>{isSum ? carried[0] + combined
                                    : maximum(carried[0], combined)};
  })[0];
}

//===----------------------------------------------------------------------===//
// The operations: what they need of a row, and what becomes of an element
//===----------------------------------------------------------------------===//

using Elementwise = std::function<Value(const Value &, const Value &)>;

/// y = 2^(x' - max x') / sum, x' = x log2 e.
static Elementwise softmax(Rows &rows, const RowParameters &p) {
  Reading &k = rows.reading();
  Value factor = p.factor ? k.number(*p.factor) * log2e
                          : k.constant(log2e, ElementType::F32);
  Value largest = rows.combine(Combination::Maximum,
                               [&](const Value &x) { return x * factor; });
  auto power = [=](const Value &x) {
    return exp2(x * factor - Rows::column(largest));
  };
  Value sum = rows.combine(Combination::Sum, power);
  return [=](const Value &x, const Value &) {
    return power(x) / Rows::column(sum);
  };
}

/// y = ((x - mean) / sqrt(variance + epsilon) * weight + bias) * f(gate); RMS
/// norm has no mean.
static Elementwise norm(Rows &rows, const RowParameters &p) {
  Reading &k = rows.reading();
  Value count = rows.columns().to(ElementType::F32);
  Value mean;
  if (p.operation == RowOperation::LayerNorm)
    mean = rows.combine(Combination::Sum, [](const Value &x) { return x; }) /
           count;
  auto centered = [=](const Value &x) {
    return mean ? x - Rows::column(mean) : x;
  };
  Value squares = rows.combine(Combination::Sum, [&](const Value &x) {
    Value distance = centered(x);
    return distance * distance;
  });
  Value factor = apply(Unary::ReciprocalSquareRoot,
                       squares / count + k.number(*p.epsilon));
  return [=, &rows, &k](const Value &x, const Value &first) {
    Value y = centered(x) * Rows::column(factor);
    if (p.weight)
      y = y * k.load(k.tensor(*p.weight), {rows.along(first)})
                  .to(ElementType::F32)
                  .expand(0);
    if (p.bias)
      y = y + k.load(k.tensor(*p.bias), {rows.along(first)})
                  .to(ElementType::F32)
                  .expand(0);
    if (p.gate)
      y = y * activate(rows.chunkOf(*p.gate, first), p.gateForm);
    return y;
  };
}

/// The largest magnitude that is stored by a quantized type.
static double largestStored(ElementType type) {
  return type == ElementType::I8 ? 127 : largestOf(type);
}

static void rowwise(Reading &k, const RowParameters &p, const Configuration &c,
                    bool isWhole) {
  Rows rows(k, p, c, isWhole);
  Elementwise result =
      p.operation == RowOperation::Softmax ? softmax(rows, p) : norm(rows, p);
  Tensor y = k.tensor(p.y);
  Value scale;
  if (p.scales) {
    // Rows of zeros have scale 0 and are zeros.
    Value largest = k.constant(0, ElementType::F32, {c.tile[0]});
    largest = rows.overChunks({largest}, [&](const Value &x, const Value &first,
                                             const std::vector<Value> &so) {
      Value magnitude = apply(Unary::Absolute, result(x, first));
      if (y.mayExceed(1, c.tile[1]))
        magnitude =
            select((k.range(c.tile[1]) < rows.columns() - first).expand(0),
                   magnitude, 0.0);
      return std::vector<Value>{
          maximum(so[0], k.reduce(magnitude, 1, Combination::Maximum))};
    })[0];
    k.store(k.tensor(*p.scales), {rows.own()},
            largest * (1 / largestStored(y.type)));
    scale = select(largest == 0.0, largest, largestStored(y.type) / largest);
  }
  rows.overChunks({}, [&](const Value &x, const Value &first,
                          const std::vector<Value> &) {
    Box box = {rows.own(), rows.along(first)};
    if (p.sum)
      k.store(k.tensor(*p.sum), box, toStored(x, k.tensor(*p.sum).type));
    Value of = result(x, first);
    k.store(y, box, toStored(scale ? of * Rows::column(scale) : of, y.type));
    return std::vector<Value>();
  });
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

static const char *nameOf(RowOperation operation) {
  switch (operation) {
  case RowOperation::Softmax:
    return "softmax";
  case RowOperation::LayerNorm:
    return "layer_norm";
  case RowOperation::RmsNorm:
    return "rms_norm";
  }
  return "";
}

std::vector<Kernel> RowProblem::kernels(const Configuration &c) const {
  int64_t rows = signature.numbers[parameters.rows].integer();
  int64_t columns = signature.numbers[parameters.columns].integer();
  if (rows == 0 || columns == 0)
    return {};
  bool isWhole = columns <= c.tile[1];
  Kernel kernel{
      nameOf(parameters.operation), signature, {}, c.warps, c.stages, {}};
  kernel.grid = {ceilDivide(rows, c.tile[0])};
  kernel.readsAgain = !isWhole;
  kernel.text = [p = parameters, c, isWhole](Reading &k) {
    rowwise(k, p, c, isWhole);
  };
  return {std::move(kernel)};
}

/// The whole row where a tile of it leaves a thread 32 elements, else chunks.
std::vector<Configuration> RowProblem::configurations() const {
  int64_t rows = signature.numbers[parameters.rows].integer();
  int64_t columns = signature.numbers[parameters.columns].integer();
  std::vector<Configuration> result = {{{1, 128, 1}, 1, 1, 1}};
  int64_t whole = std::max<int64_t>(ceilPowerOfTwo(columns), 16);
  for (int64_t tileColumns : {whole, int64_t(1024), int64_t(4096)})
    for (int64_t tileRows : {1, 2, 4, 8, 16, 32})
      for (unsigned warps : {1, 2, 4, 8, 16}) {
        int64_t perThread = tileRows * tileColumns / (32 * warps);
        if (tileColumns > whole || perThread < 1 || perThread > 32 ||
            (tileRows > 1 && tileRows >= 2 * rows) ||
            (tileColumns == whole && tileColumns != columns && warps > 8 &&
             columns < 4096))
          continue;
        Configuration c{{tileRows, tileColumns, 1}, 1, warps, 1};
        if (std::find(result.begin(), result.end(), c) == result.end())
          result.push_back(c);
      }
  return result;
}

//===----------------------------------------------------------------------===//
// From words
//===----------------------------------------------------------------------===//

template <RowOperation operation>
static Result<std::unique_ptr<Problem>> makeProblem(const Options &options) {
  Signature s;
  RowParameters p;
  p.operation = operation;
  p.rows = s.add(options.sizeNumber("rows"));
  p.columns = s.add(options.sizeNumber("columns"));
  Result<void> problem = runtime::success();
  auto addMatrix = [&](const char *name, ElementType type, Role role) {
    return addTensor(options, s, name, type, role, {p.rows, p.columns},
                     problem);
  };
  ElementType type = options.type("type");
  ElementType stored =
      options.choice("out") == "same" ? type : options.type("out");
  p.x = addMatrix("x", type, Role::Input);
  p.y = addMatrix("y", stored, Role::Output);
  if (options.flag("residual")) {
    p.residual = addMatrix("residual", type, Role::Input);
    p.sum = addMatrix("sum", type, Role::Output);
  }
  if (stored != type && run::byteSize(stored) == 1)
    p.scales = s.addTensor("scales", ElementType::F32, Role::Output, {p.rows});
  if constexpr (operation == RowOperation::Softmax) {
    if (options.number("scale") != 1)
      p.factor = s.add({"scale", ElementType::F32, options.number("scale")});
  } else {
    p.epsilon = s.add({"epsilon", ElementType::F32, options.number("epsilon")});
    ElementType kind = options.choice("parameters") == "same"
                           ? type
                           : options.type("parameters");
    if (options.flag("weight"))
      p.weight = s.addTensor("weight", kind, Role::Input, {p.columns});
    if (options.flag("bias"))
      p.bias = s.addTensor("bias", kind, Role::Input, {p.columns});
    if (options.choice("gate") != "no") {
      p.gate = addMatrix("gate", type, Role::Input);
      p.gateForm = activationFromName(options.choice("gate"));
    }
  }
  if (!problem)
    return problem.takeError();
  return std::unique_ptr<Problem>(new RowProblem(std::move(s), p));
}

static std::vector<OperatorOption> commonOptions() {
  using Kind = OperatorOption::Kind;
  return {{"rows", Kind::Size, "", "rows of x"},
          {"columns", Kind::Size, "", "columns of x"},
          {"type", Kind::Choice, "f16", "of x", {"f16", "bf16", "f32"}},
          {"out",
           Kind::Choice,
           "same",
           "type of y; of i8 and fp8 each row has a scale",
           {"same", "f16", "bf16", "f32", "i8", "f8e4m3", "f8e5m2"}},
          {"residual",
           Kind::Choice,
           "no",
           "whether x + residual, stored as sum, stands for x",
           {"no", "yes"}}};
}

static std::vector<OperatorTensor> rowTensors() {
  std::vector<std::string_view> matrix = {"rows", "columns"};
  return {{"x", matrix},    {"y", matrix},           {"residual", matrix},
          {"sum", matrix},  {"weight", {"columns"}}, {"bias", {"columns"}},
          {"gate", matrix}, {"scales", {"rows"}}};
}

Operator kernels::makeSoftmax() {
  std::vector<OperatorOption> options = commonOptions();
  options.push_back(
      {"scale", OperatorOption::Kind::Number, "1", "factor of x"});
  return {
      "softmax",
      "Softmax of each row",
      "y[i, j] = exp(scale * x[i, j]) / sum over l of exp(scale * x[i, l])\n"
      "x, y, residual, sum: rows x columns; scales: rows, f32.",
      std::move(options),
      rowTensors(),
      makeProblem<RowOperation::Softmax>};
}

/// `bias`: whether rows are added where nothing is said of it.
static std::vector<OperatorOption> normOptions(std::string_view bias) {
  using Kind = OperatorOption::Kind;
  std::vector<OperatorOption> options = commonOptions();
  options.push_back({"epsilon", Kind::Number, "1e-5", "added to the variance"});
  options.push_back({"weight",
                     Kind::Choice,
                     "yes",
                     "whether to multiply by a row",
                     {"no", "yes"}});
  options.push_back(
      {"bias", Kind::Choice, bias, "whether to add a row", {"no", "yes"}});
  options.push_back({"parameters",
                     Kind::Choice,
                     "same",
                     "type of weight and bias",
                     {"same", "f16", "bf16", "f32"}});
  options.push_back({"gate",
                     Kind::Choice,
                     "no",
                     "what of the gate multiplies the result, if anything",
                     {"no", "silu", "sigmoid"}});
  return options;
}

Operator kernels::makeLayerNorm() {
  return {"layer_norm",
          "Layer norm of each row",
          "y[i, j] = ((x[i, j] - mean[i]) / sqrt(variance[i] + epsilon) * "
          "weight[j] + bias[j]) * f(gate[i, j])\n"
          "x, y, residual, sum, gate: rows x columns; weight, bias: columns; "
          "scales: rows, f32.",
          normOptions("yes"),
          rowTensors(),
          makeProblem<RowOperation::LayerNorm>};
}

Operator kernels::makeRmsNorm() {
  return {"rms_norm",
          "RMS norm of each row",
          "y[i, j] = (x[i, j] / sqrt(mean over l of x[i, l]^2 + epsilon) * "
          "weight[j] + bias[j]) * f(gate[i, j])\n"
          "x, y, residual, sum, gate: rows x columns; weight, bias: columns; "
          "scales: rows, f32.",
          normOptions("no"),
          rowTensors(),
          makeProblem<RowOperation::RmsNorm>};
}
