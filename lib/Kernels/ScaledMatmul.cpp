// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose scales multiply sums: operands of 8 bits with scales of rows,
// of columns or of blocks; weights of fewer bits that become 8; the same of one
// of several experts for each row; and the product of two such results, of
// which the first goes through the activation. Of 16 bits too, without scales.

#include "lib/Kernels/ScaledProduct.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

class ScaledProblem : public Problem {
public:
  ScaledProblem(std::string name, Signature signature,
                ScaledParameters parameters)
      : name(std::move(name)), signature(std::move(signature)),
        parameters(std::move(parameters)) {}

  std::vector<Configuration> configurations() const override;
  std::vector<Kernel> kernels(const Configuration &c) const override;
  bool recompute(NamedArrays &tensors) const override {
    recomputeScaled(signature, parameters, tensors);
    return true;
  }

private:
  int64_t value(unsigned number) const {
    return signature.numbers[number].integer();
  }
  void addTiles(int64_t tileM, int64_t tileN,
                std::vector<Configuration> &to) const;

  std::string name;
  Signature signature;
  ScaledParameters parameters;
};

} // namespace

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

/// Of rows in tiles: at the most one of an expert's tiles has fewer rows than a
/// tile, and experts without rows have none.
static int64_t rowTiles(int64_t rows, int64_t tile, int64_t experts) {
  if (!experts)
    return ceilDivide(rows, tile);
  return (rows + std::min(experts, rows) * (tile - 1)) / tile;
}

std::vector<Kernel> ScaledProblem::kernels(const Configuration &c) const {
  ScaledParameters p = parameters;
  Signature all = signature;
  int64_t m = value(p.m), n = value(p.n);
  if (c.split > 1) {
    unsigned parts =
        all.add({"parts", ElementType::I32, double(c.split), true});
    p.partial = all.addTensor("partial", p.sumType(), Role::Workspace,
                              {parts, p.m, p.columns});
  }
  auto launch = [&](std::string suffix, const Configuration &by,
                    int64_t parts) {
    Kernel kernel{name + suffix, all, {}, by.warps, by.stages, {}};
    kernel.grid = {
        rowTiles(m, by.tile[0], p.experts) * ceilDivide(n, by.tile[1]), parts};
    return kernel;
  };
  std::vector<Kernel> result = {launch("", c, c.split)};
  result[0].text = [p, c](Reading &k) { scaledProduct(k, p, c); };
  if (c.split > 1) {
    Configuration adding{{16, p.columnTile(64), 1}, 1, 4, 1};
    result.push_back(launch("_add_parts", adding, 1));
    result[1].text = [p, adding, parts = c.split](Reading &k) {
      addScaledParts(k, p, adding, parts);
    };
  }
  return withPrograms(std::move(result));
}

/// Rows up to what an expert has if all have as many; warps by the tile's size,
/// and splits where the tiles are too few for a large GPU.
std::vector<Configuration> ScaledProblem::configurations() const {
  const ScaledParameters &p = parameters;
  std::vector<Configuration> result = {
      {{16, p.columnTile(16), p.depthTile(32, /*isFewRows=*/true)}, 1, 1, 1}};
  int64_t m = value(p.m), n = value(p.n);
  int64_t rows = ceilDivide(m, std::max<int64_t>(p.experts, 1));
  auto fits = [](int64_t tile, int64_t size) {
    return tile == 16 || tile < 2 * size;
  };
  for (int64_t tileM : {16, 32, 64, 128, 256})
    for (int64_t tileN : {16, 32, 64, 128, 256})
      if (fits(tileM, rows) && fits(tileN, n) && p.columnTile(tileN) == tileN)
        addTiles(tileM, tileN, result);
  return result;
}

void ScaledProblem::addTiles(int64_t tileM, int64_t tileN,
                             std::vector<Configuration> &to) const {
  const ScaledParameters &p = parameters;
  int64_t k = value(p.k), bytes = run::byteSize(p.product);
  int64_t area = tileM * tileN * (p.isGated ? 2 : 1);
  int64_t tiles =
      rowTiles(value(p.m), tileM, p.experts) * ceilDivide(value(p.n), tileN);
  int64_t least = p.depthTile(bytes == 1 ? 64 : 32, tileM == 16);
  for (int64_t tileK : {16, 32, 64, 128, 256}) {
    if (p.depthTile(tileK, tileM == 16) != tileK || area > 128 * 256 ||
        tileK * bytes > 256 || tileK < least ||
        (tileK > least && tileK >= 2 * k) || (bytes == 4 && tileK > 32))
      continue;
    for (unsigned warps : {1, 2, 4, 8}) {
      // From 8 to 128 sums in a thread, and at most 128 weights that are
      // unpacked.
      if (area < 256 * warps || area > 128 * 32 * warps ||
          (p.coded && tileN * tileK > 128 * 32 * int64_t(warps)))
        continue;
      for (int64_t split : {1, 2, 4, 8, 16}) {
        if (split > 1 && (tiles * split > 1024 || k < tileK * 4 * split))
          break;
        for (unsigned stages : {2, 3, 4, 6, 8})
          to.push_back({{tileM, tileN, tileK}, split, warps, stages});
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// From words
//===----------------------------------------------------------------------===//

namespace {

/// Reads the options of either operator.
class ScaledReader {
public:
  ScaledReader(const Options &options, bool isGrouped)
      : options(options), isGrouped(isGrouped) {}
  Result<std::unique_ptr<Problem>> read();

private:
  Result<void> checkTypes();
  Result<void> checkWeights();
  Result<void> addSizes();
  Result<void> addRows();
  Result<void> addWeights();
  Result<void> addPlainScales();
  Result<void> checkPrepacked(const PrepackedOrder &order) const;
  Result<void> addRest();
  Result<unsigned> addDerived(const char *name, int64_t size,
                              const std::string &formula) {
    return kernels::addDerived(options, s, name, size, formula);
  }
  unsigned add(const char *name, ElementType type, Role role,
               std::vector<unsigned> dimensions, bool isOfExperts = false);
  bool isPlain() const { return options.choice("weights") == "plain"; }

  const Options &options;
  bool isGrouped;
  Signature s;
  ScaledParameters p;
  std::optional<unsigned> experts;
  Result<void> problem = runtime::success();
};

} // namespace

static Error refuse(std::string message) {
  return {ErrorCode::InvalidArgument, std::move(message)};
}

unsigned ScaledReader::add(const char *name, ElementType type, Role role,
                           std::vector<unsigned> dimensions, bool isOfExperts) {
  if (isOfExperts && experts)
    dimensions.insert(dimensions.begin(), *experts);
  return addTensor(options, s, name, type, role, std::move(dimensions),
                   problem);
}

/// What scales and zeros go with the operands' type.
Result<void> ScaledReader::checkTypes() {
  ElementType type = options.type("type");
  bool isOf8Bits = run::byteSize(type) == 1;
  for (const char *name : {"a_scales", "a_zeros"})
    if (!isOf8Bits && options.choice(name) != "no")
      return refuse("expects " + std::string(name) +
                    "=no with type=" + options.choice("type") +
                    ", as only operands of 8 bits have any, but got '" +
                    options.choice(name) + "'");
  if (options.choice("a_zeros") != "no" &&
      (type != ElementType::I8 || options.size("a_group") ||
       options.size("group")))
    return refuse("expects a_zeros=no where type is not i8 or scales are of "
                  "blocks along k, but got '" +
                  options.choice("a_zeros") + "'");
  if (options.choice("a_scales") == "no" && options.size("a_group"))
    return refuse("expects a_group=0 without a_scales, but got '" +
                  options.choice("a_group") + "'");
  return runtime::success();
}

/// Whether the codes less their zeros are numbers of 8 bits, where a's are.
Result<void> ScaledReader::checkWeights() {
  if (isPlain())
    return runtime::success();
  if (options.size("block") != 1)
    return refuse("expects block=1 with weights=" + options.choice("weights") +
                  ", whose scales are each column's own, but got '" +
                  options.choice("block") + "'");
  if (options.type("type") == ElementType::F32)
    return refuse("expects type=f16 or bf16, or of 8 bits, with weights=" +
                  options.choice("weights") + ", but got 'f32'");
  if (options.type("type") != ElementType::I8)
    return runtime::success();
  const std::string &weights = options.choice("weights");
  const std::string &zeros = options.choice("zeros");
  bool isSmall = weights.ends_with("int2") || weights.ends_with("int4");
  if (!isSmall && weights != "int8")
    return refuse("expects weights=plain, int2, int4, uint2, uint4 or int8 "
                  "with type=i8, which holds the numbers of these, but got '" +
                  weights + "'");
  if (zeros != "no" && (zeros != "i8" || !isSmall))
    return refuse("expects zeros=" + std::string(isSmall ? "no or i8" : "no") +
                  " with type=i8 and weights=" + weights +
                  ", as their differences are to be i8, but got '" + zeros +
                  "'");
  return runtime::success();
}

Result<void> ScaledReader::addSizes() {
  p.m = s.add(options.sizeNumber("m"));
  p.n = s.add(options.sizeNumber("n"));
  p.k = s.add(options.sizeNumber("k"));
  p.isGated = options.flag("gate");
  int64_t n = options.size("n");
  for (const char *name : {"n", "k"})
    if (options.sizeNumber(name).isDynamic)
      return refuse("expects dynamic sizes other than k and n, as weights have "
                    "one shape, but got '" +
                    std::string(name) + "'");
  Result<unsigned> columns =
      addDerived("columns", p.isGated ? 2 * n : n, p.isGated ? "2 n" : "n");
  if (!columns)
    return columns.takeError();
  p.columns = p.isGated ? *columns : p.n;
  p.divisor = s.numbers[p.n].divisibility();
  if (!isGrouped)
    return runtime::success();
  p.experts = options.size("experts");
  if (p.experts < 1)
    return refuse("expects experts of 1 or more, but got '0'");
  if (options.sizeNumber("experts").isDynamic)
    return refuse("expects dynamic sizes other than experts, but got "
                  "'experts'");
  experts = s.add(options.sizeNumber("experts"));
  return runtime::success();
}

/// a with its scales and zeros; where rows are gathered, of the table's rows.
Result<void> ScaledReader::addRows() {
  ElementType type = options.type("type");
  unsigned rows = p.m;
  bool isGathered = isGrouped && options.flag("gather");
  if (isGathered) {
    if (options.size("table_rows") == 0 && options.size("m"))
      return refuse("expects table_rows of 1 or more with gather=yes, "
                    "but got '0'");
    rows = s.add(options.sizeNumber("table_rows"));
  }
  p.a = add(isGathered ? "table" : "a", type, Role::Input, {rows, p.k});
  p.aGroup = options.size("a_group");
  int64_t k = options.size("k");
  if (p.aGroup >= k)
    p.aGroup = 0;
  if (p.aGroup % 16)
    return refuse("expects a_group=a multiple of 16, or at least k = " +
                  std::to_string(k) + ", but got '" + std::to_string(p.aGroup) +
                  "'");
  Result<unsigned> groups =
      addDerived("a_groups", p.aGroup ? ceilDivide(k, p.aGroup) : 1,
                 "k / a_group rounded up");
  if (!groups)
    return groups.takeError();
  if (options.choice("a_scales") != "no") {
    std::vector<unsigned> sizes = {rows};
    if (p.aGroup)
      sizes.push_back(*groups);
    const char *names[2][2] = {{"a_scales", "a_block_scales"},
                               {"table_scales", "table_block_scales"}};
    p.aScales = add(names[isGathered][p.aGroup != 0], options.type("a_scales"),
                    Role::Input, sizes);
  }
  if (options.choice("a_zeros") != "no") {
    p.aZeros = add(isGathered ? "table_zeros" : "a_zeros",
                   options.type("a_zeros"), Role::Input, {rows});
    p.sums = add("sums", ElementType::I32, Role::Input, {p.columns},
                 /*isOfExperts=*/true);
  }
  if (!isGrouped || !problem)
    return std::exchange(problem, runtime::success());
  ElementType index = options.type("index_type");
  unsigned bounds =
      s.add({"bounds", ElementType::I32, double(p.experts + 1), true});
  p.offsets = add("offsets", index, Role::Input, {bounds});
  s.tensors[*p.offsets].content = {Content::Kind::Offsets, options.size("m")};
  if (isGathered) {
    p.rows = add("rows", index, Role::Input, {p.m});
    s.tensors[*p.rows].content = {Content::Kind::Below,
                                  options.size("table_rows")};
  }
  return std::exchange(problem, runtime::success());
}

/// Of weights that are numbers: of `group` rows and `block` columns.
Result<void> ScaledReader::addPlainScales() {
  int64_t k = options.size("k"), columns = s.numbers[p.columns].integer();
  p.group = options.size("group") >= k ? 0 : options.size("group");
  p.block = options.size("block");
  if (p.group % 16)
    return refuse(
        "expects group=a multiple of 16, or at least k = " + std::to_string(k) +
        ", but got '" + std::to_string(p.group) + "'");
  if (p.block != 1 && (p.block == 0 || p.block % 16))
    return refuse("expects block=1 or a multiple of 16, but got '" +
                  std::to_string(p.block) + "'");
  if (p.isGated && options.size("n") % p.block)
    return refuse(
        "expects block=a divisor of n = " + std::to_string(options.size("n")) +
        " with gate=yes, but got '" + std::to_string(p.block) + "'");
  Result<unsigned> groups = addDerived(
      "groups", p.group ? ceilDivide(k, p.group) : 1, "k / group rounded up");
  Result<unsigned> blocks =
      p.block == 1 ? Result<unsigned>(p.columns)
                   : addDerived("blocks", ceilDivide(columns, p.block),
                                "columns / block rounded up");
  if (!groups || !blocks)
    return !groups ? groups.takeError() : blocks.takeError();
  bool isOfBlocks = p.group || p.block > 1;
  p.scales = add(isOfBlocks ? "w_block_scales" : "w_scales",
                 options.type("scales"), Role::Input,
                 isOfBlocks ? std::vector<unsigned>{*groups, *blocks}
                            : std::vector<unsigned>{*blocks},
                 /*isOfExperts=*/true);
  return runtime::success();
}

Result<void> ScaledReader::addWeights() {
  p.product = options.type("type");
  if (isPlain()) {
    p.w = add("w", p.product, Role::Input, {p.k, p.columns},
              /*isOfExperts=*/true);
    if (options.choice("zeros") != "no")
      return refuse("expects zeros=no with weights=plain, but got '" +
                    options.choice("zeros") + "'");
    if (options.choice("scales") != "no")
      return addPlainScales();
    if (options.size("group") || options.size("block") != 1)
      return refuse("expects group=0 and block=1 without scales, but got '" +
                    std::to_string(options.size("group")) + "' and '" +
                    std::to_string(options.size("block")) + "'");
    return runtime::success();
  }
  if (options.choice("scales") == "no")
    return refuse("expects scales with weights=" + options.choice("weights") +
                  ", but got 'no'");
  Result<CodedWeights> coded =
      CodedWeights::read(options, s, p.k, p.columns, experts);
  if (!coded)
    return coded.takeError();
  p.coded = *coded;
  p.group = coded->group;
  if (p.isGated && coded->packed == 1 && options.size("n") % coded->codes)
    return refuse("expects n=a multiple of " + std::to_string(coded->codes) +
                  ", the codes of a word, with gate=yes and packed=n, but got "
                  "'" +
                  std::to_string(options.size("n")) + "'");
  if (coded->prepacked)
    if (Result<void> fits = checkPrepacked(*coded->prepacked); !fits)
      return fits;
  if (p.product == ElementType::I8 && p.group % 16)
    return refuse("expects group=a multiple of 16, or at least k, with "
                  "type=i8, whose sums are of one group, but got '" +
                  std::to_string(p.group) + "'");
  if (p.product == ElementType::I8 && coded->zeros)
    s.tensors[*coded->zeros].content = {Content::Kind::Below,
                                        int64_t(1) << coded->coding.bits};
  // Numbers of 8 bits that codes of any kind may be multiplied by.
  if (run::byteSize(p.product) == 1 && p.product != ElementType::I8)
    p.product = ElementType::F16;
  return runtime::success();
}

/// Units are of operands of 16 bits, and whole in each half and group.
Result<void> ScaledReader::checkPrepacked(const PrepackedOrder &order) const {
  const std::string &packed = options.choice("packed");
  if (p.product == ElementType::I8)
    return refuse("expects packed=k or packed=n with type=i8, whose operands "
                  "are of 8 bits, but got '" +
                  packed + "'");
  int64_t n = options.size("n");
  if (p.isGated && n % order.columns())
    return refuse("expects n=a multiple of " + std::to_string(order.columns()) +
                  ", the columns of a unit, with gate=yes and packed=" +
                  packed + ", but got '" + std::to_string(n) + "'");
  if (p.aGroup % order.rows())
    return refuse("expects a_group=a multiple of " +
                  std::to_string(order.rows()) +
                  ", the rows of a unit, with packed=" + packed +
                  ", but got '" + std::to_string(p.aGroup) + "'");
  return runtime::success();
}

Result<void> ScaledReader::addRest() {
  ElementType out = options.type("out");
  p.c = add("c", out, Role::Output, {p.m, p.n});
  if (options.choice("bias") != "no")
    p.bias = add("bias", options.type("bias"), Role::Input, {p.columns},
                 /*isOfExperts=*/true);
  if (options.flag("residual"))
    p.residual = add("residual", out, Role::Input, {p.m, p.n});
  p.activation = activationFromName(options.choice("activation"));
  return std::exchange(problem, runtime::success());
}

Result<std::unique_ptr<Problem>> ScaledReader::read() {
  for (auto step : {&ScaledReader::checkTypes, &ScaledReader::checkWeights,
                    &ScaledReader::addSizes, &ScaledReader::addRows,
                    &ScaledReader::addWeights, &ScaledReader::addRest})
    if (Result<void> done = (this->*step)(); !done)
      return done.takeError();
  return std::unique_ptr<Problem>(
      new ScaledProblem(isGrouped ? "grouped_matmul" : "scaled_matmul",
                        std::move(s), std::move(p)));
}

template <bool isGrouped>
static Result<std::unique_ptr<Problem>> makeProblem(const Options &options) {
  return ScaledReader(options, isGrouped).read();
}

//===----------------------------------------------------------------------===//
// The operators
//===----------------------------------------------------------------------===//

/// Those of coded weights, of which there may be none.
static std::vector<OperatorOption> weightOptions() {
  std::vector<OperatorOption> options =
      codedWeightOptions(/*mayBePrepacked=*/true);
  for (OperatorOption &option : options) {
    if (option.name == "weights") {
      option.initial = "plain";
      option.text = "numbers of a's type, or what codes stand for";
      option.choices.insert(option.choices.begin(), "plain");
    }
    if (option.name == "scales") {
      option.initial = "f32";
      option.text = "type of scales of w";
      option.choices.push_back("no");
    }
  }
  using Kind = OperatorOption::Kind;
  options.push_back({"block",
                     Kind::Size,
                     "1",
                     "columns of w that share scales, where these are numbers",
                     {"1", "1", "16", "128"}});
  for (const char *derived : {"columns", "blocks", "a_groups"})
    options.push_back(
        {derived, Kind::Size, "0", "checked where it is not 0", {"0"}});
  return options;
}

static std::vector<OperatorOption> productOptions() {
  using Kind = OperatorOption::Kind;
  std::vector<OperatorOption> options = {
      {"m", Kind::Size, "", "rows of a and c"},
      {"n", Kind::Size, "", "columns of c"},
      {"k", Kind::Size, "", "columns of a, rows of w"},
      {"type",
       Kind::Choice,
       "i8",
       "of a",
       {"i8", "f8e4m3", "f8e5m2", "f16", "bf16", "f32"}},
      {"out", Kind::Choice, "f16", "type of c", {"f16", "bf16", "f32"}},
      {"a_scales",
       Kind::Choice,
       "no",
       "type of scales of a's rows",
       {"no", "f32", "f16", "bf16"}},
      {"a_group",
       Kind::Size,
       "0",
       "columns of a that share scales; 0: all",
       {"0", "0", "32", "128"}},
      {"a_zeros",
       Kind::Choice,
       "no",
       "type of what is subtracted from a's rows",
       {"no", "i32", "i8"}},
      {"gate",
       Kind::Choice,
       "no",
       "whether w has 2 n columns, of which the first n are a gate's",
       {"no", "yes"}},
      {"bias",
       Kind::Choice,
       "no",
       "type of a row to add",
       {"no", "f16", "bf16", "f32"}},
      {"activation", Kind::Choice, "none",
       "what each element goes through, or each of the gate",
       activationNames()},
      {"residual",
       Kind::Choice,
       "no",
       "whether to add a tensor of c's shape and type",
       {"no", "yes"}}};
  for (OperatorOption &option : weightOptions())
    options.push_back(std::move(option));
  return options;
}

/// `isGrouped`: tensors of weights have a dimension of experts first.
static std::vector<OperatorTensor> productTensors(bool isGrouped) {
  std::vector<OperatorTensor> tensors = {
      {"w", {"k", "columns"}},
      {"w_scales", {"columns"}},
      {"w_block_scales", {"groups", "blocks"}},
      {"sums", {"columns"}},
      {"bias", {"columns"}}};
  for (OperatorTensor &tensor : codedWeightTensors()) {
    std::replace(tensor.sizes.begin(), tensor.sizes.end(),
                 std::string_view("n"), std::string_view("columns"));
    tensors.push_back(std::move(tensor));
  }
  if (isGrouped)
    for (OperatorTensor &tensor : tensors)
      if (tensor.name != "book")
        tensor.sizes.insert(tensor.sizes.begin(), "experts");
  tensors.insert(tensors.begin(), {{"a", {"m", "k"}},
                                   {"a_scales", {"m"}},
                                   {"a_block_scales", {"m", "a_groups"}},
                                   {"a_zeros", {"m"}}});
  tensors.push_back({"c", {"m", "n"}});
  tensors.push_back({"residual", {"m", "n"}});
  return tensors;
}

Operator kernels::makeScaledMatmul() {
  return {
      "scaled_matmul",
      "Product of 8-bit operands with scales, and of gates",
      "c[x, y] = activation(s[x, y]) + residual[x, y], or with gate=yes\n"
      "          activation(s[x, y]) * s[x, n + y] + residual[x, y]\n"
      "s[x, y] = sum over z of (a[x, z] - a_zeros[x]) * a_scales[x, z / "
      "a_group] "
      "* v[z, y]\n          + bias[y]\n"
      "v[z, y] = w[z, y] * scales[z / group, y / block], or (value of the code "
      "at (z, y)\n          - zeros[z / group, y]) * scales[z / group, y]\n"
      "a: m x k; w: k x columns (n, or 2 n of gates) of a's type, or words as "
      "those of\nquantized_matmul; a_scales: m, or m x a_groups; w_scales: "
      "columns, or groups x\nblocks; bias: columns; a_zeros: m, with sums: "
      "those of w's columns. Strides of 0\nrepeat: one scale for all. Sums are "
      "in i32 of "
      "i8, else in f32. Scales of blocks along k or of several columns are "
      "a_block_scales\nand w_block_scales.",
      productOptions(),
      productTensors(/*isGrouped=*/false),
      makeProblem<false>};
}

Operator kernels::makeGroupedMatmul() {
  using Kind = OperatorOption::Kind;
  Operator made = {
      "grouped_matmul",
      "Products of rows with the weights of one of several experts each",
      "As scaled_matmul, where rows offsets[e] to offsets[e + 1] - 1 of a have "
      "the weights,\nscales, zeros, sums and bias of expert e, which is these "
      "tensors' first dimension.\nExperts may have no rows. With gather=yes "
      "row x of a is row rows[x] of table, which\nhas table_scales and "
      "table_zeros. offsets: experts + 1, from 0 to m, on the device.",
      productOptions(),
      productTensors(/*isGrouped=*/true),
      makeProblem<true>};
  for (OperatorOption &option : made.options) {
    if (option.name == "type")
      option.initial = "f16";
    if (option.name == "scales")
      option.initial = "no";
  }
  made.options.push_back({"experts",
                          Kind::Size,
                          "",
                          "how many weights there are",
                          {"1", "3", "8", "40"}});
  made.options.push_back({"index_type",
                          Kind::Choice,
                          "i32",
                          "of offsets and rows",
                          {"i32", "i64"}});
  made.options.push_back({"gather",
                          Kind::Choice,
                          "no",
                          "whether a's rows are those of a table",
                          {"no", "yes"}});
  made.options.push_back(
      {"table_rows", Kind::Size, "1", "rows of the table", {"1", "9", "64"}});
  made.tensors.push_back({"offsets", {""}});
  made.tensors.push_back({"table", {"table_rows", "k"}});
  made.tensors.push_back({"table_scales", {"table_rows"}});
  made.tensors.push_back({"table_block_scales", {"table_rows", "a_groups"}});
  made.tensors.push_back({"table_zeros", {"table_rows"}});
  made.tensors.push_back({"rows", {"m"}});
  return made;
}
