// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers as codes of 8 or 4 bits, with a scale for each row or for each block
// of one; and the scales of blocks as codes of their own (T. Dettmers et al.,
// "QLoRA: Efficient Finetuning of Quantized LLMs" (2023), sections 2 and 3).

#include "lib/Kernels/Operator.h"
#include "lib/Kernels/Pieces.h"

#include <algorithm>
#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

enum class Format : uint8_t { I8, F8E4M3, F8E5M2, Int4, NF4, FP4, Book8 };

/// Where in the signature things are.
struct QuantizeParameters {
  Format format = Format::I8;
  unsigned rows = 0, columns = 0, blocks = 0;
  unsigned x = 0, q = 0, scales = 0;
  /// Of a launch whose numbers are not x as it is: subtracted from them.
  std::optional<unsigned> offset, book;
  /// Columns of a block.
  int64_t block = 0;
  bool dividesColumns = false;
  bool isHighFirst = false;
  /// A scale for each row, without a dimension of blocks.
  bool isOfRows = false;

  bool isPacked() const {
    return format == Format::Int4 || format == Format::NF4 ||
           format == Format::FP4;
  }
};

class QuantizeProblem : public Problem {
public:
  QuantizeProblem(Signature signature, QuantizeParameters parameters,
                  std::optional<QuantizeParameters> nested)
      : signature(std::move(signature)), parameters(parameters),
        nested(nested) {}
  std::vector<Configuration> configurations() const override;
  std::vector<Kernel> kernels(const Configuration &c) const override;

private:
  int64_t value(unsigned number) const {
    return signature.numbers[number].integer();
  }
  Kernel launch(std::string name, const QuantizeParameters &p,
                const Configuration &c) const;

  Signature signature;
  QuantizeParameters parameters;
  /// The launch that has the scales' codes.
  std::optional<QuantizeParameters> nested;
};

} // namespace

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

/// What a scale is the largest magnitude's part of.
static double largestCode(Format format) {
  switch (format) {
  case Format::I8:
    return 127;
  case Format::F8E4M3:
    return largestOf(ElementType::F8E4M3);
  case Format::F8E5M2:
    return largestOf(ElementType::F8E5M2);
  case Format::Int4:
    return 7;
  case Format::NF4:
  case Format::FP4:
  case Format::Book8:
    return 1;
  }
  return 1;
}

namespace {
/// A number and its code.
struct Entry {
  double number;
  int code;
};
} // namespace

/// The 16 numbers of a format of 4 bits, ascending: of NF4 the quantiles of the
/// QLoRA paper's appendix E, of FP4 those of bitsandbytes (sign, and magnitudes
/// 0, 1/192, 2/3, 1, 1/3, 1/2, 1/6, 1/4).
static std::vector<Entry> entriesOf(Format format) {
  static constexpr double nf4[] = {
      -1.0,
      -0.6961928009986877,
      -0.5250730514526367,
      -0.39491748809814453,
      -0.28444138169288635,
      -0.18477343022823334,
      -0.09105003625154495,
      0.0,
      0.07958029955625534,
      0.16093020141124725,
      0.24611230194568634,
      0.33791524171829224,
      0.44070982933044434,
      0.5626170039176941,
      0.7229568362236023,
      1.0,
  };
  static constexpr double fp4[] = {0,       1.0 / 192, 2.0 / 3, 1,
                                   1.0 / 3, 0.5,       1.0 / 6, 0.25};
  std::vector<Entry> entries;
  for (int code = 0; code < 16; ++code) {
    if (format == Format::Int4)
      entries.push_back({double(code < 8 ? code : code - 16), code});
    else if (format == Format::NF4)
      entries.push_back({nf4[code], code});
    else if (code != 8) // Of both zeros the positive one.
      entries.push_back({code < 8 ? fp4[code] : -fp4[code - 8], code});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.number < b.number; });
  return entries;
}

/// The codes of the entries next to `x`, i32; those of 8 and more less 16 with
/// `isSigned`. In the middle between two it is the lower one's.
static Value nearest(Reading &k, const Value &x,
                     const std::vector<Entry> &entries, bool isSigned) {
  auto codeOf = [&](const Entry &entry) {
    return entry.code - (isSigned && entry.code > 7 ? 16 : 0);
  };
  Value code = k.constant(codeOf(entries[0]), ElementType::I32, x.shape());
  for (size_t i = 1; i < entries.size(); ++i) {
    double middle =
        static_cast<float>((entries[i - 1].number + entries[i].number) / 2);
    int step = codeOf(entries[i]) - codeOf(entries[i - 1]);
    code = code + (middle < x).to(ElementType::I32) * double(step);
  }
  return code;
}

/// The index of the entry of an ascending book of 256 numbers that is next to
/// each of a row of numbers, 1 x n, by halving.
static Value nearestInBook(Reading &k, const Tensor &book, const Value &x) {
  Value row = k.reduce(x, 0, Combination::Sum);
  Value low = k.constant(0, ElementType::I32, row.shape());
  auto entry = [&](const Value &index) {
    return k.load(book, {Along::gathered(index)}).to(ElementType::F32);
  };
  for (int64_t step = 128; step; step /= 2) {
    Value candidate = low + double(step);
    low = low + (entry(candidate) <= row).to(ElementType::I32) * double(step);
  }
  Value next = minimum(low + 1.0, 255.0);
  Value isNext = entry(next) - row < row - entry(low);
  return (low + isNext.to(ElementType::I32) * (next - low)).expand(0);
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

namespace {

/// The blocks of a program: `count` of a row from `first` on; of each `size`
/// columns at a time.
class Blocks {
public:
  Blocks(Reading &k, const QuantizeParameters &p, const Configuration &c)
      : k(k), p(p), count(c.tile[0]), size(c.tile[1]) {
    Value tiles = tilesOf(k.number(p.blocks), count);
    row = k.program(0) / tiles;
    first = k.program(0) % tiles * double(count);
  }

  /// A tensor of rows and columns as blocks and their columns, of which an
  /// element has `each`.
  Tensor view(unsigned index, int64_t each) const;
  Box box(const Value &column, int64_t each) const {
    return {{count > 1 ? first : k.integer(0), count},
            {column / double(each), size / each}};
  }
  /// The numbers of the columns from `column` on, f32.
  Value load(const Value &column) {
    if (p.block > size)
      return loadNow(column);
    if (!whole)
      whole = loadNow(column);
    return whole;
  }
  /// Goes over the columns.
  std::vector<Value>
  overColumns(std::vector<Value> carried,
              const std::function<std::vector<Value>(
                  const Value &, const std::vector<Value> &)> &step) const {
    if (p.block <= size)
      return step(k.integer(0), carried);
    return k.forEach(k.integer(0), k.integer(p.block), size, std::move(carried),
                     step);
  }

  Reading &k;
  const QuantizeParameters &p;
  int64_t count, size;
  Value row, first;

private:
  Value loadNow(const Value &column) const;
  Value whole; ///< all columns, where a tile has them
};

} // namespace

Tensor Blocks::view(unsigned index, int64_t each) const {
  Tensor tensor = k.tensor(index).at(0, row);
  int64_t elements = ceilDivide(p.block, each);
  Value length = k.integer(elements);
  int64_t divisor = elements & -elements;
  if (count == 1) {
    // The last one may be shorter.
    Value begin = first * double(elements);
    if (!p.dividesColumns) {
      length = minimum(length, tilesOf(k.number(p.columns), each) - begin);
      divisor = 1;
    }
    tensor = tensor.slice(0, begin, length, divisor);
    begin = k.integer(1);
    tensor.sizes.insert(tensor.sizes.begin(), begin);
    tensor.strides.insert(tensor.strides.begin(), tensor.strides[0]);
    tensor.divisibility.insert(tensor.divisibility.begin(), 1);
    return tensor;
  }
  tensor.sizes = {k.number(p.blocks), length};
  tensor.strides.insert(tensor.strides.begin(),
                        tensor.strides[0] * double(elements));
  tensor.divisibility = {k.signature().numbers[p.blocks].divisibility(),
                         divisor};
  return tensor;
}

Value Blocks::loadNow(const Value &column) const {
  Tensor from = view(p.x, 1);
  Box at = box(column, 1);
  Value x = k.load(from, at).to(ElementType::F32);
  if (!p.offset)
    return x;
  // Beyond the tensor there is nothing that it is subtracted from.
  x = x - k.load(k.tensor(*p.offset), {k.integer(0)});
  if (!from.mayExceed(1, at[1]))
    return x;
  Value inside = k.range(size) < from.sizes[1] - column;
  return select(inside.expand(0), x, 0.0);
}

/// The codes of numbers that are at most 1 of their format's largest, as they
/// are stored: of 4 bits two in a byte.
static Value codesOf(const Blocks &of, const Value &x, ElementType type) {
  Reading &k = of.k;
  const QuantizeParameters &p = of.p;
  if (p.format == Format::Book8) {
    // Bytes of 128 and more are those of negative integers.
    Value code = nearestInBook(k, k.tensor(*p.book), x);
    return (code - (127.0 < code).to(ElementType::I32) * 256.0)
        .to(ElementType::I8);
  }
  if (!p.isPacked())
    return toStored(x, type);
  std::vector<Entry> entries = entriesOf(p.format);
  // Pairs have a dimension of their own; the one in the upper half has the
  // byte's sign.
  Value pairs = k.reshape(x, {of.count, of.size / 2, 2});
  Value isUpper = k.range(2) == (p.isHighFirst ? 0.0 : 1.0);
  isUpper = isUpper.expand(0).expand(0);
  Value code = select(isUpper, nearest(k, pairs, entries, true) * 16.0,
                      nearest(k, pairs, entries, false));
  return k.reduce(code, 2, Combination::Sum).to(ElementType::I8);
}

static void quantize(Reading &k, const QuantizeParameters &p,
                     const Configuration &c) {
  Blocks of(k, p, c);
  Value largest = k.constant(0, ElementType::F32, {of.count});
  largest = of.overColumns(
      {largest}, [&](const Value &column, const std::vector<Value> &so) {
        Value magnitude = apply(Unary::Absolute, of.load(column));
        return std::vector<Value>{
            maximum(so[0], k.reduce(magnitude, 1, Combination::Maximum))};
      })[0];
  double code = largestCode(p.format);
  Value scale =
      code == 1 ? largest : largest * double(static_cast<float>(1 / code));
  Box place = {of.row, {of.first, of.count}};
  k.store(k.tensor(p.scales), p.isOfRows ? Box{{of.row, 1}} : place, scale);
  // Blocks of zeros are zeros, with a scale of 0.
  Value factor = select(largest == 0.0, largest, code / largest).expand(1);
  int64_t each = p.isPacked() ? 2 : 1;
  Tensor to = of.view(p.q, each);
  of.overColumns({}, [&](const Value &column, const std::vector<Value> &) {
    Value codes = codesOf(of, of.load(column) * factor, to.type);
    k.store(to, of.box(column, each), codes);
    return std::vector<Value>();
  });
}

/// The mean of all scales, by one program.
static void average(Reading &k, const QuantizeParameters &p,
                    const Configuration &c) {
  Tensor scales = k.tensor(p.x);
  Value count = k.number(p.columns);
  Value sums = k.forEach(
      k.integer(0), count, c.tile[1],
      {k.constant(0, ElementType::F32, {c.tile[1]})},
      [&](Value first, const std::vector<Value> &so) {
        return std::vector<Value>{
            so[0] + k.load(scales, {k.integer(0), {first, c.tile[1]}})};
      })[0];
  Value mean = k.reduce(sums, 0, Combination::Sum) / count.to(ElementType::F32);
  k.store(k.tensor(*p.offset), {k.integer(0)}, mean);
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

Kernel QuantizeProblem::launch(std::string name, const QuantizeParameters &p,
                               const Configuration &c) const {
  Kernel kernel{std::move(name), signature, {}, c.warps, c.stages, {}};
  kernel.grid = {value(p.rows) * ceilDivide(value(p.blocks), c.tile[0])};
  kernel.text = [p, c](Reading &k) { quantize(k, p, c); };
  return kernel;
}

std::vector<Kernel> QuantizeProblem::kernels(const Configuration &c) const {
  if (value(parameters.rows) == 0 || value(parameters.columns) == 0)
    return {};
  std::vector<Kernel> result = {launch("quantize", parameters, c)};
  if (!nested)
    return result;
  Configuration one{{1, 1024, 1}, 1, 4, 1};
  Kernel mean{"quantize_mean_scale", signature, {1}, one.warps, 1, {}};
  mean.text = [p = *nested, one](Reading &k) { average(k, p, one); };
  result.push_back(std::move(mean));
  Configuration few{
      {1, std::max<int64_t>(ceilPowerOfTwo(nested->block), 32), 1}, 1, 1, 1};
  result.push_back(launch("quantize_scales", *nested, few));
  return result;
}

std::vector<Configuration> QuantizeProblem::configurations() const {
  const QuantizeParameters &p = parameters;
  std::vector<Configuration> result = {{{1, 128, 1}, 1, 1, 1}};
  int64_t whole = std::max<int64_t>(ceilPowerOfTwo(p.block), 32);
  for (int64_t size : {whole, int64_t(1024), int64_t(4096)})
    for (int64_t count : {1, 2, 4, 8, 16, 32, 64})
      for (unsigned warps : {1, 2, 4, 8}) {
        int64_t each = count * size / (32 * warps);
        bool isOne =
            !p.dividesColumns || p.format == Format::Book8 || p.block > size;
        if (size > whole || each < 1 || each > 32 || (count > 1 && isOne) ||
            (count > 1 && count >= 2 * value(p.blocks)))
          continue;
        Configuration c{{count, size, 1}, 1, warps, 1};
        if (std::find(result.begin(), result.end(), c) == result.end())
          result.push_back(c);
      }
  return result;
}

//===----------------------------------------------------------------------===//
// From words
//===----------------------------------------------------------------------===//

static Error refuse(std::string message) {
  return {ErrorCode::InvalidArgument, std::move(message)};
}

static constexpr std::string_view formatNames[] = {
    "i8", "f8e4m3", "f8e5m2", "int4", "nf4", "fp4", "book8"};

namespace {

/// Reads the options.
class QuantizeReader {
public:
  explicit QuantizeReader(const Options &options) : options(options) {}
  Result<std::unique_ptr<Problem>> read();

private:
  Result<void> readBlocks();
  Result<void> addTensors();
  void nest();
  /// A size that follows from the columns'.
  Result<unsigned> addDerived(const char *name, int64_t size,
                              const std::string &formula) {
    return kernels::addDerived(options, s, name, size, formula,
                               options.sizeNumber("columns").isDynamic);
  }
  unsigned add(const char *name, ElementType type, Role role,
               std::vector<unsigned> dimensions) {
    return addTensor(options, s, name, type, role, std::move(dimensions),
                     problem);
  }

  const Options &options;
  Signature s;
  QuantizeParameters p;
  std::optional<QuantizeParameters> nested;
  unsigned stored = 0;
  Result<void> problem = runtime::success();
};

} // namespace

Result<void> QuantizeReader::readBlocks() {
  for (unsigned format = 0; format < std::size(formatNames); ++format)
    if (formatNames[format] == options.choice("format"))
      p.format = static_cast<Format>(format);
  p.isHighFirst = options.choice("order") == "high_first";
  p.rows = s.add(options.sizeNumber("rows"));
  p.columns = s.add(options.sizeNumber("columns"));
  int64_t columns = options.size("columns"), block = options.size("block");
  bool isDynamic = options.sizeNumber("columns").isDynamic;
  if (isDynamic && block == 0)
    return refuse("expects block of 1 or more with dynamic columns, but got "
                  "'0'");
  p.block = block == 0 || (block > columns && !isDynamic)
                ? std::max<int64_t>(columns, 1)
                : block;
  p.dividesColumns = !isDynamic && columns % p.block == 0;
  if (p.isPacked() && p.block % 2 && p.block < columns)
    return refuse(
        "expects an even block with format=" + options.choice("format") +
        ", but got '" + std::to_string(p.block) + "'");
  Result<unsigned> blocks = addDerived("blocks", ceilDivide(columns, p.block),
                                       "columns / block rounded up");
  if (!blocks)
    return blocks.takeError();
  p.blocks = *blocks;
  stored = p.columns;
  if (!p.isPacked())
    return runtime::success();
  Result<unsigned> bytes =
      addDerived("bytes", ceilDivide(columns, 2), "columns / 2 rounded up");
  if (!bytes)
    return bytes.takeError();
  stored = *bytes;
  return runtime::success();
}

Result<void> QuantizeReader::addTensors() {
  p.x = add("x", options.type("type"), Role::Input, {p.rows, p.columns});
  ElementType code = p.format == Format::F8E4M3   ? ElementType::F8E4M3
                     : p.format == Format::F8E5M2 ? ElementType::F8E5M2
                                                  : ElementType::I8;
  p.q = add("q", code, Role::Output, {p.rows, stored});
  bool isNested = options.flag("nested");
  if (isNested || p.format == Format::Book8) {
    unsigned entries = s.add({"entries", ElementType::I32, 256, true});
    p.book = add("book", ElementType::F32, Role::Input, {entries});
    s.tensors[*p.book].content = {Content::Kind::Ascending};
  }
  p.isOfRows = options.size("block") == 0 && !isNested;
  if (p.isOfRows)
    p.scales = add("row_scales", ElementType::F32, Role::Output, {p.rows});
  else if (!isNested)
    p.scales =
        add("scales", ElementType::F32, Role::Output, {p.rows, p.blocks});
  else if (options.size("rows") != 1 && options.size("rows") != 0)
    return refuse("expects rows=1 with nested=yes, whose blocks are those of "
                  "all scales, but got '" +
                  options.choice("rows") + "'");
  else if (options.sizeNumber("columns").isDynamic)
    return refuse("expects dynamic sizes other than columns with nested=yes, "
                  "but got 'columns'");
  return std::exchange(problem, runtime::success());
}

/// A launch more, whose numbers are the scales of the one before.
void QuantizeReader::nest() {
  nested.emplace();
  QuantizeParameters &n = *nested;
  n.format = Format::Book8;
  n.rows = p.rows;
  n.columns = p.blocks;
  n.block = 256;
  int64_t count = s.numbers[p.blocks].integer();
  n.dividesColumns = count % n.block == 0;
  n.blocks = s.add(
      {"outer_blocks", ElementType::I32, double(ceilDivide(count, n.block))});
  unsigned one = s.add({"one", ElementType::I32, 1, true});
  p.scales = n.x = s.addTensor("inner_scales", ElementType::F32,
                               Role::Workspace, {p.rows, p.blocks});
  n.q = add("scale_codes", ElementType::I8, Role::Output, {p.rows, p.blocks});
  n.scales =
      add("outer_scales", ElementType::F32, Role::Output, {p.rows, n.blocks});
  n.offset = add("offset", ElementType::F32, Role::Output, {one});
  n.book = p.book;
}

Result<std::unique_ptr<Problem>> QuantizeReader::read() {
  if (Result<void> fits = readBlocks(); !fits)
    return fits.takeError();
  if (Result<void> fits = addTensors(); !fits)
    return fits.takeError();
  if (options.flag("nested"))
    nest();
  if (!problem)
    return problem.takeError();
  return std::unique_ptr<Problem>(new QuantizeProblem(std::move(s), p, nested));
}

static Result<std::unique_ptr<Problem>> makeProblem(const Options &options) {
  return QuantizeReader(options).read();
}

Operator kernels::makeQuantize() {
  using Kind = OperatorOption::Kind;
  return {
      "quantize",
      "Numbers as codes of 8 or 4 bits, with a scale for each row or block",
      "scales[x, y] = max |x[x, z]| / L over z of block y, q[x, z] = the code "
      "of the\n               number of the format that is next to x[x, z] / "
      "scales[x, z / block]\n"
      "L: 127 of i8, 448 of f8e4m3, 57344 of f8e5m2, 7 of int4, 1 of nf4, fp4 "
      "and book8.\nx: rows x columns; q: the same, or "
      "of 4 bits rows x\ncolumns / 2 bytes; scales: rows x blocks, or "
      "row_scales: rows; book: "
      "256,\nascending. With nested=yes\nthe scales less their mean, offset, "
      "are codes "
      "of the book in blocks of 256\nthemselves: scale_codes: rows x blocks; "
      "outer_scales: rows x blocks / 256.",
      {{"rows", Kind::Size, "1", "rows of x"},
       {"columns", Kind::Size, "", "columns of x"},
       {"type", Kind::Choice, "f16", "of x", {"f16", "bf16", "f32"}},
       {"format",
        Kind::Choice,
        "i8",
        "what codes stand for",
        {std::begin(formatNames), std::end(formatNames)}},
       {"block",
        Kind::Size,
        "0",
        "columns that share a scale; 0: a row",
        {"0", "64", "128", "100", "256"}},
       {"order",
        Kind::Choice,
        "high_first",
        "of the codes in a byte",
        {"high_first", "low_first"}},
       {"nested",
        Kind::Choice,
        "no",
        "whether scales are codes too",
        {"no", "yes"}},
       {"blocks", Kind::Size, "0", "checked where it is not 0", {"0"}},
       {"outer_blocks", Kind::Size, "0", "checked where it is not 0", {"0"}},
       {"bytes", Kind::Size, "0", "checked where it is not 0", {"0"}}},
      {{"x", {"rows", "columns"}},
       {"q", {"rows", ""}},
       {"scales", {"rows", "blocks"}},
       {"row_scales", {"rows"}},
       {"book", {""}},
       {"scale_codes", {"rows", "blocks"}},
       {"outer_scales", {"rows", "outer_blocks"}},
       {"offset", {""}}},
      makeProblem};
}
