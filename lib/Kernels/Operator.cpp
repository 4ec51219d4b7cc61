// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Operator.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

using namespace tilewright;
using namespace tilewright::kernels;

int64_t kernels::ceilPowerOfTwo(int64_t value) {
  int64_t power = 1;
  while (power < value)
    power *= 2;
  return power;
}

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

static std::string tileText(const std::array<int64_t, 3> &tile) {
  std::string text = std::to_string(tile[0]) + "x" + std::to_string(tile[1]);
  return tile[2] == 1 ? text : text + "x" + std::to_string(tile[2]);
}

static std::string countText(int64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) +
         (count == 1 ? "" : "s");
}

std::string Configuration::text() const {
  std::string result = tileText(tile) + ", " + countText(warps, "warp") + ", " +
                       countText(stages, "stage");
  if (split > 1)
    result += ", split by " + std::to_string(split) +
              (isClustered ? " in clusters" : "");
  if (parts > 1)
    result += ", among warps by " + std::to_string(parts);
  if (isDequantized)
    result += ", of dequantized weights";
  if (isTransposed)
    result += ", transposed";
  return result;
}

std::string Configuration::word() const {
  return tileText(tile) + "w" + std::to_string(warps) + "s" +
         std::to_string(stages) + "k" + std::to_string(split) +
         (isClustered ? "c" : "") +
         (parts > 1 ? "p" + std::to_string(parts) : "") +
         (isDequantized ? "d" : "") + (isTransposed ? "t" : "");
}

/// A number of 1 and more at the front of `text`, which it is taken off.
static std::optional<int64_t> takeNumber(std::string_view &text) {
  int64_t number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 1 || number > (int64_t(1) << 20))
    return std::nullopt;
  text.remove_prefix(end - text.data());
  return number;
}

/// Whether so many programs can be a cluster (tile.reduce_scatter).
static bool mayBeClustered(int64_t split) {
  return split == 2 || split == 4 || split == 8;
}

std::optional<Configuration> Configuration::parse(std::string_view word) {
  Configuration result;
  auto take = [&](char before) -> std::optional<int64_t> {
    if (word.empty() || word.front() != before)
      return std::nullopt;
    word.remove_prefix(1);
    return takeNumber(word);
  };
  std::optional<int64_t> rows = takeNumber(word), columns = take('x');
  std::optional<int64_t> depth =
      word.starts_with("x") ? take('x') : std::optional<int64_t>(1);
  std::optional<int64_t> warps = take('w'), stages = take('s');
  auto takeMark = [&](char mark) {
    bool isThere = word.starts_with(mark);
    word.remove_prefix(isThere);
    return isThere;
  };
  std::optional<int64_t> split = take('k');
  result.isClustered = takeMark('c');
  std::optional<int64_t> parts =
      word.starts_with("p") ? take('p') : std::optional<int64_t>(1);
  result.isDequantized = takeMark('d');
  result.isTransposed = takeMark('t');
  if (!rows || !columns || !depth || !warps || !stages || !split || !parts ||
      !word.empty() || (result.isClustered && !mayBeClustered(*split)))
    return std::nullopt;
  result.tile = {*rows, *columns, *depth};
  result.warps = *warps;
  result.stages = *stages;
  result.split = *split;
  result.parts = *parts;
  return result;
}

Grid kernels::gridOf(const Configuration &c, int64_t tiles) {
  return c.isClustered ? Grid{tiles * c.split} : Grid{tiles, c.split};
}

Value kernels::tileNumber(Reading &k, const Configuration &c) {
  Value program = k.program(0);
  return c.isClustered ? program / double(c.split) : program;
}

unsigned kernels::clusterAxis(const Configuration &c) {
  return c.tile[0] == 16 || c.tile[0] == 32 ? 0 : 1;
}

std::pair<Along, Along> kernels::clusterPart(Reading &k, const Configuration &c,
                                             const Value &row,
                                             const Value &column) {
  std::array<Value, 2> first = {row, column};
  std::array<int64_t, 2> size = {c.tile[0], c.tile[1]};
  unsigned axis = clusterAxis(c);
  size[axis] /= c.split;
  first[axis] =
      first[axis] + k.program(0) % double(c.split) * double(size[axis]);
  return {Along::part(first[0], size[0], c.tile[0]),
          Along::part(first[1], size[1], c.tile[1])};
}

std::vector<Kernel> kernels::withPrograms(std::vector<Kernel> kernels) {
  std::erase_if(kernels, [](const Kernel &kernel) {
    return kernel.grid.programs() == 0;
  });
  return kernels;
}

void kernels::addParted(std::vector<Configuration> &to, Configuration whole,
                        int64_t size, int64_t divisor, int64_t mostParts) {
  constexpr unsigned mostWarps = 8;
  for (int64_t parts = 4; parts <= mostParts; parts *= 2) {
    Configuration parted = whole;
    parted.parts = parts;
    parted.warps *= parts;
    if (parted.warps <= mostWarps && divisor % parts == 0 &&
        size >= parted.tile[2] * 2 * parts * parted.split)
      to.push_back(parted);
  }
}

void kernels::addClustered(std::vector<Configuration> &configurations) {
  for (size_t i = 0, end = configurations.size(); i < end; ++i) {
    Configuration c = configurations[i];
    c.isClustered = true;
    unsigned axis = clusterAxis(c);
    if (c.split > 1 && c.split <= 4 && c.tile[axis] >= (axis ? 8 : 2) * c.split)
      configurations.push_back(c);
  }
}

//===----------------------------------------------------------------------===//
// What options add to signatures
//===----------------------------------------------------------------------===//

static Error expects(std::string_view what, std::string_view got) {
  return {ErrorCode::InvalidArgument, "expects " + std::string(what) +
                                          ", but got '" + std::string(got) +
                                          "'"};
}

unsigned kernels::addTensor(const Options &options, Signature &signature,
                            const char *name, ElementType type, Role role,
                            std::vector<unsigned> dimensions,
                            Result<void> &problem) {
  std::vector<int64_t> sizes;
  for (unsigned d : dimensions)
    sizes.push_back(signature.numbers[d].integer());
  std::vector<int64_t> strides = options.strides(name, sizes);
  if (strides.size() != sizes.size() && problem)
    problem = Error{ErrorCode::InvalidArgument,
                    "expects " + std::to_string(sizes.size()) +
                        " strides of '" + std::string(name) + "', but got " +
                        std::to_string(strides.size())};
  strides.resize(sizes.size());
  return signature.addTensor(name, type, role, std::move(dimensions),
                             std::move(strides), options.alignment(name));
}

Result<void> kernels::checkDerived(const Options &options, const char *name,
                                   int64_t size, const std::string &formula) {
  int64_t given = options.size(name);
  if (given && given != size)
    return expects(std::string(name) + "=" + std::to_string(size) +
                       ", which is " + formula,
                   std::to_string(given));
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (size > most)
    return expects(std::string(name) + ", which is " + formula +
                       ", to be at most " + std::to_string(most),
                   std::to_string(size));
  return runtime::success();
}

Result<unsigned> kernels::addDerived(const Options &options,
                                     Signature &signature, const char *name,
                                     int64_t size, const std::string &formula,
                                     bool isDynamic) {
  if (Result<void> fits = checkDerived(options, name, size, formula); !fits)
    return fits.takeError();
  Number number{name, ElementType::I32, double(size)};
  number.isDynamic = isDynamic;
  return signature.add(std::move(number));
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static std::string join(const std::vector<std::string_view> &words) {
  std::string text;
  for (std::string_view word : words)
    text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

static std::optional<int64_t> parseSize(std::string_view text) {
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 ||
      value > INT32_MAX)
    return std::nullopt;
  return value;
}

static std::optional<double> parseNumber(const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !std::isfinite(value))
    return std::nullopt;
  return value;
}

static std::optional<std::vector<int64_t>> parseSizes(std::string_view text) {
  std::vector<int64_t> sizes;
  while (true) {
    size_t comma = text.find(',');
    std::optional<int64_t> size = parseSize(text.substr(0, comma));
    if (!size)
      return std::nullopt;
    sizes.push_back(*size);
    if (comma == std::string_view::npos)
      return sizes;
    text.remove_prefix(comma + 1);
  }
}

int64_t Options::size(std::string_view name) const {
  return *parseSize(words.find(name)->second);
}
double Options::number(std::string_view name) const {
  return *parseNumber(words.find(name)->second);
}
const std::string &Options::choice(std::string_view name) const {
  return words.find(name)->second;
}
ElementType Options::type(std::string_view name) const {
  return *run::elementTypeFromName(choice(name));
}

std::vector<int64_t> Options::strides(std::string_view tensor,
                                      const std::vector<int64_t> &sizes) const {
  if (auto given = words.find(std::string(tensor) + ".strides");
      given != words.end())
    return *parseSizes(given->second);
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<int64_t>(sizes[d], 1);
  return strides;
}

int64_t Options::alignment(std::string_view tensor) const {
  auto given = words.find(std::string(tensor) + ".alignment");
  return given == words.end() ? 16 : *parseSize(given->second);
}

static Result<void> checkValue(const OperatorOption &row,
                               const std::string &value) {
  std::string name = std::string(row.name) + "=";
  switch (row.kind) {
  case OperatorOption::Kind::Size:
    if (!parseSize(value))
      return expects(name + "an integer from 0 to 2147483647", value);
    return runtime::success();
  case OperatorOption::Kind::Number:
    if (!parseNumber(value))
      return expects(name + "a finite number", value);
    return runtime::success();
  case OperatorOption::Kind::Choice:
    if (std::find(row.choices.begin(), row.choices.end(), value) ==
        row.choices.end())
      return expects(name + "one of " + join(row.choices), value);
    return runtime::success();
  }
  return runtime::success();
}

/// `name` is "TENSOR.strides" or "TENSOR.alignment".
static Result<void> checkTensorWord(const std::vector<OperatorTensor> &tensors,
                                    const std::string &name,
                                    const std::string &value) {
  size_t dot = name.find('.');
  std::string_view tensor = std::string_view(name).substr(0, dot);
  std::string_view what = std::string_view(name).substr(dot + 1);
  std::vector<std::string_view> names;
  for (const OperatorTensor &known : tensors)
    names.push_back(known.name);
  if (std::find(names.begin(), names.end(), tensor) == names.end())
    return expects("a tensor of " + join(names), tensor);
  if (what == "strides" && !parseSizes(value))
    return expects(name + "=integers of 0 and more with commas between them",
                   value);
  if (what == "alignment") {
    std::optional<int64_t> bytes = parseSize(value);
    if (!bytes || *bytes < 1 || *bytes > 16 || (*bytes & (*bytes - 1)))
      return expects(name + "=1, 2, 4, 8 or 16", value);
  }
  if (what != "strides" && what != "alignment")
    return expects("'.strides' or '.alignment' behind a tensor's name", name);
  return runtime::success();
}

/// Names of sizes with commas between them.
static std::vector<std::string_view> splitNames(std::string_view text) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    size_t comma = text.find(',');
    names.push_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return names;
}

static Result<void> checkDynamic(const std::vector<OperatorOption> &options,
                                 const std::string &value) {
  std::vector<std::string_view> sizes;
  for (const OperatorOption &row : options)
    if (row.kind == OperatorOption::Kind::Size)
      sizes.push_back(row.name);
  for (std::string_view name : splitNames(value))
    if (std::find(sizes.begin(), sizes.end(), name) == sizes.end())
      return expects("dynamic=sizes of " + join(sizes), name);
  return runtime::success();
}

Number Options::sizeNumber(std::string_view name) const {
  Number number{std::string(name), ElementType::I32,
                static_cast<double>(size(name))};
  if (auto given = words.find("dynamic"); given != words.end()) {
    std::vector<std::string_view> names = splitNames(given->second);
    number.isDynamic =
        std::find(names.begin(), names.end(), name) != names.end();
  }
  return number;
}

Result<void> Operator::check(Options &given) const {
  for (const auto &[word, value] : given.words) {
    if (word.find('.') != std::string::npos) {
      if (Result<void> fits = checkTensorWord(tensors, word, value); !fits)
        return fits;
      continue;
    }
    if (word == "dynamic") {
      if (Result<void> fits = checkDynamic(options, value); !fits)
        return fits;
      continue;
    }
    auto row = std::find_if(
        options.begin(), options.end(),
        [&](const OperatorOption &row) { return row.name == word; });
    if (row == options.end()) {
      std::vector<std::string_view> names;
      for (const OperatorOption &other : options)
        names.push_back(other.name);
      return expects("an option of '" + std::string(name) + "' (" +
                         join(names) + ")",
                     word);
    }
    if (Result<void> fits = checkValue(*row, value); !fits)
      return fits;
  }
  for (const OperatorOption &row : options)
    if (!given.words.count(row.name)) {
      if (row.initial.empty())
        return Error{ErrorCode::InvalidArgument,
                     "expects " + std::string(row.name) + "=..., " +
                         std::string(row.text)};
      given.words.emplace(row.name, row.initial);
    }
  return runtime::success();
}

Result<std::unique_ptr<Problem>>
Operator::prepare(const Options::Words &words) const {
  Options given;
  given.words = words;
  if (Result<void> fits = check(given); !fits)
    return fits.takeError();
  return make(given);
}

/// An option's value in one wording.
static std::string canonicalValue(const OperatorOption &row,
                                  const std::string &value) {
  if (row.kind != OperatorOption::Kind::Number)
    return value;
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", *parseNumber(value));
  return text;
}

/// Strides and alignment; strides of dimensions that have one element mean
/// nothing.
static std::string layoutText(const Signature &signature,
                              const TensorParameter &tensor) {
  std::string text = tensor.name + "=";
  std::vector<int64_t> sizes = signature.sizesOf(tensor);
  std::vector<int64_t> strides = signature.stridesOf(tensor);
  for (size_t d = 0; d < sizes.size(); ++d)
    text += (d ? "," : "") + std::to_string(sizes[d] > 1 ? strides[d] : 0);
  return text + "@" + std::to_string(tensor.alignment) + "\n";
}

Result<std::string> Operator::classOf(const Options::Words &words) const {
  Options given;
  given.words = words;
  if (Result<void> fits = check(given); !fits)
    return fits.takeError();
  Result<std::unique_ptr<Problem>> problem = make(given);
  if (!problem)
    return problem.takeError();
  std::string text;
  for (const OperatorOption &row : options)
    text += std::string(row.name) + "=" +
            canonicalValue(row, given.words.find(row.name)->second) + "\n";
  if (auto dynamic = given.words.find("dynamic");
      dynamic != given.words.end()) {
    std::vector<std::string_view> names = splitNames(dynamic->second);
    std::sort(names.begin(), names.end());
    text += "dynamic=" + join(names) + "\n";
  }
  std::vector<Kernel> kernels =
      (*problem)->kernels((*problem)->configurations().front());
  if (!kernels.empty())
    for (const TensorParameter &tensor : kernels.front().signature.tensors)
      text += layoutText(kernels.front().signature, tensor);
  return text;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

bool Problem::recompute(NamedArrays &) const { return false; }

static std::vector<Operator> makeOperators() {
  std::vector<Operator> operators = {
      makeAttention(), makeDequantize(),      makeLayerNorm(),
      makeMatmul(),    makeQuantizedMatmul(), makeRmsNorm(),
      makeSoftmax(),   makeScaledMatmul(),    makeGroupedMatmul(),
      makeQuantize(),  makePrepack()};
  for (Operator &linear : makeLinearAttention())
    operators.push_back(std::move(linear));
  std::sort(
      operators.begin(), operators.end(),
      [](const Operator &a, const Operator &b) { return a.name < b.name; });
  return operators;
}

std::span<const Operator> kernels::allOperators() {
  static const std::vector<Operator> operators = makeOperators();
  return operators;
}

Result<const Operator *> kernels::findOperator(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Operator &known : allOperators()) {
    if (known.name == name)
      return &known;
    names.push_back(known.name);
  }
  return expects("an operator (" + join(names) + ")", name);
}
