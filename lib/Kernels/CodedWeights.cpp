// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/CodedWeights.h"

#include "lib/Kernels/Pieces.h"

#include <algorithm>
#include <bit>

using namespace tilewright;
using namespace tilewright::kernels;

//===----------------------------------------------------------------------===//
// From words
//===----------------------------------------------------------------------===//

namespace {

struct NamedFormat {
  std::string_view name;
  Coding::Format format;
  unsigned bits;
};
constexpr NamedFormat formats[] = {
    {"uint2", Coding::Format::Unsigned, 2},
    {"uint4", Coding::Format::Unsigned, 4},
    {"uint8", Coding::Format::Unsigned, 8},
    {"int2", Coding::Format::Signed, 2},
    {"int4", Coding::Format::Signed, 4},
    {"int8", Coding::Format::Signed, 8},
    {"book2", Coding::Format::CodeBook, 2},
    {"book4", Coding::Format::CodeBook, 4},
    {"book8", Coding::Format::CodeBook, 8},
    {"e2m1", Coding::Format::E2M1, 4},
    {"e4m3", Coding::Format::E4M3, 8},
    {"e5m2", Coding::Format::E5M2, 8},
};

/// Reads weights into a signature.
class WeightReader {
public:
  WeightReader(const Options &options, Signature &signature)
      : options(options), s(signature) {}
  Result<CodedWeights> read(unsigned k, unsigned n,
                            std::optional<unsigned> experts);
  Result<CodedWeights> readWords(unsigned k, unsigned n);

private:
  Result<void> readCoding();
  Result<void> readGroups();
  Result<void> readPrepacked();
  Result<std::array<unsigned, 2>> addWordSizes();
  Result<void> addWords(Result<void> &problem);
  Result<void> addTensors();
  unsigned add(const char *name, ElementType type,
               std::vector<unsigned> dimensions, Result<void> &problem) {
    if (w.experts)
      dimensions.insert(dimensions.begin(), *w.experts);
    return addTensor(options, s, name, type, Role::Input, std::move(dimensions),
                     problem);
  }
  Result<unsigned> addDerived(const char *name, int64_t size,
                              const std::string &formula) {
    return kernels::addDerived(options, s, name, size, formula + " rounded up");
  }

  const Options &options;
  Signature &s;
  CodedWeights w = {};
  unsigned groups = 0;
  ElementType word = ElementType::I32;
};

} // namespace

static Error refuse(std::string message) {
  return {ErrorCode::InvalidArgument, std::move(message)};
}

std::optional<Coding> kernels::codingFromNames(std::string_view weights,
                                               std::string_view order) {
  std::optional<Coding::Order> known = Coding::orderFromName(order);
  for (const NamedFormat &format : formats)
    if (format.name == weights && known)
      return Coding{format.format, format.bits, *known};
  return std::nullopt;
}

Result<void> WeightReader::readCoding() {
  w.coding =
      *codingFromNames(options.choice("weights"), options.choice("order"));
  word = options.type("word");
  w.codes = w.coding.codesPerWord(word);
  w.packed = options.choice("packed") == "n" ? 1 : 0;
  for (const char *name : {"k", "n"})
    if (options.sizeNumber(name).isDynamic)
      return refuse("expects dynamic sizes other than k and n, as weights have "
                    "one shape, "
                    "but got '" +
                    std::string(name) + "'");
  return runtime::success();
}

/// Tiles along k have whole groups or are parts of one.
Result<void> WeightReader::readGroups() {
  if (!w.coding.isInteger() && options.choice("zeros") != "no")
    return refuse("expects zeros=no with weights=" + options.choice("weights") +
                  ", whose codes are no integers, but got '" +
                  options.choice("zeros") + "'");
  int64_t k = options.size("k"), group = options.size("group");
  int64_t divisor = group & -group;
  if (group == 0 || group >= k)
    w.group = 0;
  else if (divisor % 16 != 0 && divisor != group)
    return refuse("expects group=a power of two, a multiple of 16, or at least "
                  "k = " +
                  std::to_string(k) + ", but got '" + std::to_string(group) +
                  "'");
  else
    w.group = group;
  Result<unsigned> added =
      addDerived("groups", w.group ? ceilDivide(k, w.group) : 1, "k / group");
  if (!added)
    return added.takeError();
  groups = *added;
  return runtime::success();
}

/// Groups of prepacked weights have whole units, or these have whole groups, in
/// none of which rows come from another one.
Result<void> WeightReader::readPrepacked() {
  const std::string &packed = options.choice("packed");
  if (packed == "k" || packed == "n")
    return runtime::success();
  if (word != ElementType::I32)
    return refuse("expects word=i32 with packed=" + packed + ", but got '" +
                  options.choice("word") + "'");
  w.prepacked = PrepackedOrder::of(packed, w.coding);
  int64_t unit = w.prepacked->rows(), span = w.prepacked->span();
  bool hasUnits = w.group % unit == 0,
       hasGroups = unit % std::max<int64_t>(w.group, 1) == 0;
  if (hasUnits || (hasGroups && w.group % span == 0))
    return runtime::success();
  return refuse("expects group=a multiple of " + std::to_string(unit) +
                ", a power of two from " + std::to_string(span) +
                " on, or at least k with packed=" + packed +
                ", in whose order rows change places within groups, but got '" +
                std::to_string(w.group) + "'");
}

/// Bits that random codes may have set: all but those that make a float no
/// number, or so large that sums leave f16.
static int64_t codeMask(Coding::Format format) {
  bool isByte =
      format == Coding::Format::E4M3 || format == Coding::Format::E5M2;
  return isByte ? 0xbfbfbfbf : 0xffffffff;
}

static Result<std::array<unsigned, 2>> both(Result<unsigned> first,
                                            Result<unsigned> second) {
  if (!first || !second)
    return !first ? first.takeError() : second.takeError();
  return std::array<unsigned, 2>{*first, *second};
}

Result<std::array<unsigned, 2>>
kernels::addPrepackedSizes(const Options &options, Signature &signature,
                           const PrepackedOrder &order, unsigned k, unsigned n,
                           const char *rows, const char *columns) {
  auto unitsOf = [&](unsigned number, int64_t unit) {
    return ceilDivide(signature.numbers[number].integer(), unit);
  };
  return both(
      addDerived(options, signature, rows, unitsOf(n, order.columns()),
                 "n / " + std::to_string(order.columns()) + " rounded up"),
      addDerived(options, signature, columns,
                 unitsOf(k, order.rows()) * order.words(),
                 std::to_string(order.words()) + " times k / " +
                     std::to_string(order.rows()) + " rounded up"));
}

/// The dimensions of the words' tensor.
Result<std::array<unsigned, 2>> WeightReader::addWordSizes() {
  int64_t rows = s.numbers[w.k].integer(), columns = s.numbers[w.n].integer();
  std::string codes = std::to_string(w.codes);
  if (w.prepacked)
    return addPrepackedSizes(options, s, *w.prepacked, w.k, w.n, "word_rows",
                             "word_columns");
  if (w.packed == 0)
    return both(
        addDerived("word_rows", ceilDivide(rows, w.codes), "k / " + codes),
        addDerived("word_columns", columns, "n"));
  return both(
      addDerived("word_rows", rows, "k"),
      addDerived("word_columns", ceilDivide(columns, w.codes), "n / " + codes));
}

Result<void> WeightReader::addWords(Result<void> &problem) {
  Result<std::array<unsigned, 2>> sizes = addWordSizes();
  if (!sizes)
    return sizes.takeError();
  w.words = add("words", word, {(*sizes)[0], (*sizes)[1]}, problem);
  s.tensors[w.words].content = {Content::Kind::Codes,
                                codeMask(w.coding.format)};
  return runtime::success();
}

Result<void> WeightReader::addTensors() {
  Result<void> problem = runtime::success();
  if (Result<void> added = addWords(problem); !added)
    return added.takeError();
  w.scales = add("scales", options.type("scales"), {groups, w.n}, problem);
  if (options.choice("zeros") != "no")
    w.zeros = add("zeros", options.type("zeros"), {groups, w.n}, problem);
  if (w.coding.format != Coding::Format::CodeBook)
    return problem;
  unsigned entries =
      s.add({"entries", ElementType::I32, double(1u << w.coding.bits), true});
  w.book = addTensor(options, s, "book", options.type("book"), Role::Input,
                     {entries}, problem);
  return problem;
}

Result<CodedWeights> WeightReader::read(unsigned k, unsigned n,
                                        std::optional<unsigned> experts) {
  w.experts = experts;
  w.k = k;
  w.n = n;
  if (Result<void> fits = readCoding(); !fits)
    return fits.takeError();
  if (Result<void> fits = readGroups(); !fits)
    return fits.takeError();
  if (Result<void> fits = readPrepacked(); !fits)
    return fits.takeError();
  if (Result<void> fits = addTensors(); !fits)
    return fits.takeError();
  return w;
}

Result<CodedWeights> WeightReader::readWords(unsigned k, unsigned n) {
  w.k = k;
  w.n = n;
  if (Result<void> fits = readCoding(); !fits)
    return fits.takeError();
  if (Result<void> fits = readPrepacked(); !fits)
    return fits.takeError();
  Result<void> problem = runtime::success();
  if (Result<void> added = addWords(problem); !added)
    return added.takeError();
  if (!problem)
    return problem.takeError();
  return w;
}

Result<CodedWeights> CodedWeights::readWords(const Options &options,
                                             Signature &signature, unsigned k,
                                             unsigned n) {
  return WeightReader(options, signature).readWords(k, n);
}

Result<CodedWeights> CodedWeights::read(const Options &options,
                                        Signature &signature, unsigned k,
                                        unsigned n,
                                        std::optional<unsigned> experts) {
  return WeightReader(options, signature).read(k, n, experts);
}

std::vector<unsigned> CodedWeights::bitsInByte() const {
  std::vector<unsigned> result;
  unsigned last = prepacked ? unsigned(prepacked->rows()) : codes;
  for (unsigned bit = 0; 1u << bit < last; ++bit)
    if (placeInByte(1u << bit) != placeInByte(0))
      result.push_back(bit);
  return result;
}

std::vector<OperatorOption> kernels::codedWeightOptions(bool mayBePrepacked) {
  using Kind = OperatorOption::Kind;
  OperatorOption packed = {"packed",
                           Kind::Choice,
                           "k",
                           "the dimension of which a word has several elements",
                           {"k", "n"}};
  if (mayBePrepacked) {
    packed.text = "the dimension of which a word has several elements, or the "
                  "fragment whose order prepacked words (along k) are in";
    for (std::string_view family : PrepackedOrder::families())
      packed.choices.push_back(family);
  }
  std::vector<std::string_view> names;
  for (const NamedFormat &format : formats)
    names.push_back(format.name);
  return {
      {"weights", Kind::Choice, "uint4", "what codes stand for", names},
      {"word", Kind::Choice, "i32", "what codes are packed in", {"i32", "i8"}},
      {"order",
       Kind::Choice,
       "low_first",
       "of the codes in a word, from the lowest bits on (even_first: those of "
       "even elements first)",
       {"low_first", "high_first", "even_first"}},
      std::move(packed),
      {"group",
       Kind::Size,
       "0",
       "rows of w that share scales and zeros; 0: all",
       {"16", "32", "64", "128", "48", "1", "1000"}},
      {"scales", Kind::Choice, "f16", "type of scales", {"f16", "bf16", "f32"}},
      {"zeros",
       Kind::Choice,
       "no",
       "type of what is subtracted from integers",
       {"no", "i8", "f16", "bf16", "f32"}},
      {"book",
       Kind::Choice,
       "f16",
       "type of the code book",
       {"f16", "bf16", "f32"}},
      {"word_rows", Kind::Size, "0", "checked where it is not 0", {"0"}},
      {"word_columns", Kind::Size, "0", "checked where it is not 0", {"0"}},
      {"groups", Kind::Size, "0", "checked where it is not 0", {"0"}}};
}

std::vector<OperatorOption> kernels::codedWordOptions() {
  std::vector<OperatorOption> result;
  for (OperatorOption &option : codedWeightOptions(/*mayBePrepacked=*/true))
    for (std::string_view name :
         {"weights", "word", "order", "packed", "word_rows", "word_columns"})
      if (option.name == name)
        result.push_back(std::move(option));
  return result;
}

std::vector<OperatorTensor> kernels::codedWeightTensors() {
  return {{"words", {"word_rows", "word_columns"}},
          {"scales", {"groups", "n"}},
          {"zeros", {"groups", "n"}},
          {"book", {""}}};
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

WeightLoader::WeightLoader(Reading &k, const CodedWeights &weights,
                           int64_t rows, int64_t columns, const Value &column,
                           bool isTransposed, const WeightPart &part)
    : k(k), weights(weights), rows(rows), columns(columns), column(column),
      depthAxis(isTransposed ? 1 : 0), parts(part.depths) {
  // Made here, since what they are made of does not change in a loop.
  int64_t ofGroups = weights.group ? parts : 1;
  allWords = weights.prepacked
                 ? viewPrepacked(part)
                 : view(weights.words, part, weights.packed ? weights.codes : 1,
                        parts);
  // What divides it is seen.
  if (weights.prepacked)
    firstUnit = column / double(columns) *
                double(columns / weights.prepacked->columns());
  if (!weights.scales)
    return;
  allScales = view(*weights.scales, part, 1, ofGroups);
  if (weights.zeros)
    allZeros = view(*weights.zeros, part, 1, ofGroups);
  if (weights.book)
    book = k.load(k.tensor(*weights.book),
                  {{k.integer(0), 1 << weights.coding.bits}});
  if (weights.group)
    return;
  scales = loadGroups(allScales, k.integer(0));
  if (weights.zeros)
    zeros = loadGroups(allZeros, k.integer(0));
}

/// That part of a tensor, of k x n, whose elements have `codes` columns each:
/// with the dimension of `parts` first, where there are several, and columns
/// and k in the tiles' order.
Tensor WeightLoader::view(unsigned index, const WeightPart &part, int64_t codes,
                          int64_t parts) const {
  Tensor tensor = k.tensor(index);
  if (part.expert)
    tensor = tensor.at(0, part.expert);
  if (part.columns)
    tensor = tensor.slice(1, part.firstColumn / double(codes),
                          tilesOf(part.columns, codes),
                          std::max<int64_t>(part.divisor / codes, 1));
  if (depthAxis == 1)
    tensor = tensor.transposed();
  return parts > 1 ? tensor.parted(depthAxis, parts) : tensor;
}

/// Units along n and k, and their words; before them which part of k it is,
/// where there are several.
Tensor WeightLoader::viewPrepacked(const WeightPart &part) const {
  const PrepackedOrder &order = *weights.prepacked;
  Tensor tensor = k.tensor(weights.words);
  if (part.expert)
    tensor = tensor.at(0, part.expert);
  tensor = tensor.blocked(1, order.words());
  if (part.columns)
    tensor = tensor.slice(0, part.firstColumn / double(order.columns()),
                          tilesOf(part.columns, order.columns()),
                          std::max<int64_t>(part.divisor / order.columns(), 1));
  return parts > 1 ? tensor.parted(1, parts) : tensor;
}

CodedTile WeightLoader::loadCoded(const Value &row) {
  CodedTile tile;
  tile.coding = weights.coding;
  unsigned before = parts > 1 ? 1 : 0;
  tile.axis = before + (weights.packed == 0 ? depthAxis : 1 - depthAxis);
  tile.groupAxis = before + depthAxis;
  tile.group = weights.group ? weights.group : rows;
  tile.book = book;
  tile.words = loadWords(row);
  return tile;
}

/// Of a tile by parts, where there are several.
Value WeightLoader::loadZeros(const Value &row) {
  return weights.group ? loadGroups(allZeros, row)
         : parts > 1   ? zeros.expand(0)
                       : zeros;
}

Value WeightLoader::load(const Value &row, ElementType type) {
  CodedTile tile = loadCoded(row);
  if (weights.zeros)
    tile.zeros = loadZeros(row);
  tile.scales = weights.group ? loadGroups(allScales, row)
                : parts > 1   ? scales.expand(0)
                              : scales;
  return inRowOrder(k.dequantize(tile, type));
}

Value WeightLoader::loadUnscaled(const Value &row, ElementType type) {
  CodedTile tile = loadCoded(row);
  if (weights.zeros)
    tile.zeros = loadZeros(row);
  // Entries of a book may be of a wider type, in which they would be looked up.
  if (tile.book)
    tile.book = tile.book.to(type);
  return inRowOrder(k.dequantize(tile, type));
}

Value WeightLoader::loadInPlace(const Value &row) {
  CodedTile tile = loadCoded(row);
  Shape one(parts > 1 ? 3 : 2, 1);
  tile.scales = k.constant(0x1p-24, ElementType::F16, one);
  tile.zeros =
      leastValue() ? k.constant(leastValue(), ElementType::I8, one) : Value();
  tile.inBytes = true;
  return inRowOrder(k.dequantize(tile, ElementType::F16));
}

/// As signed integers where they have 8 bits, which i8 holds.
Value WeightLoader::loadCodes(const Value &row) {
  CodedTile tile = loadCoded(row);
  bool isByte = weights.coding.bits == 8;
  tile.coding.format =
      isByte ? Coding::Format::Signed : Coding::Format::Unsigned;
  tile.book = {};
  Value codes = k.dequantize(tile, ElementType::I8).to(ElementType::I32);
  return inRowOrder(isByte ? codes & 255.0 : codes);
}

Value WeightLoader::loadOffsets(const Value &row) {
  if (weights.zeros) {
    Value offsets = loadZeros(row).to(ElementType::F32);
    return leastValue() ? offsets - leastValue() : offsets;
  }
  return leastValue() ? k.constant(-leastValue(), ElementType::F32,
                                   Shape(parts > 1 ? 3 : 2, 1))
                      : Value();
}

Value WeightLoader::loadScales(const Value &row) {
  return (weights.group ? loadGroups(allScales, row) : scales)
      .to(ElementType::F32);
}

/// Of each part that the view has.
Value WeightLoader::loadBox(const Tensor &view, Along alongK, Along alongN) {
  Box box = {alongK, alongN};
  if (depthAxis == 1)
    std::swap(box[0], box[1]);
  if (view.sizes.size() > 2)
    box.insert(box.begin(), Along(k.integer(0), parts));
  return k.load(view, box);
}

/// Words of whole units, as words along k of a tile have them.
Value WeightLoader::loadPrepacked(const Value &row) {
  const PrepackedOrder &order = *weights.prepacked;
  int64_t unitsN = columns / order.columns(), unitsK = rows / order.rows();
  Box box = {{firstUnit, unitsN},
             {row / double(order.rows()), unitsK},
             {k.integer(0), order.words()}};
  bool isTransposed = depthAxis == 1;
  Shape flat = {unitsN * unitsK * order.words()};
  Shape tile = {columns, rows / weights.codes};
  if (!isTransposed)
    std::swap(tile[0], tile[1]);
  unsigned before = 0;
  if (parts > 1) {
    box.insert(box.begin(), Along(k.integer(0), parts));
    flat.insert(flat.begin(), parts);
    tile.insert(tile.begin(), parts);
    before = 1;
  }
  Value words = k.reshape(k.load(allWords, box), flat);
  return k.reshape(
      k.reorder(words, before, order.wordOrder(rows, columns, isTransposed)),
      tile);
}

/// Rows of prepacked words as they are in w.
Value WeightLoader::inRowOrder(const Value &numbers) const {
  if (!weights.prepacked)
    return numbers;
  unsigned axis = depthAxis + (parts > 1 ? 1 : 0);
  return k.reorder(
      numbers, axis,
      weights.prepacked->rowOrder(std::countr_zero(uint64_t(rows))));
}

Value WeightLoader::loadWords(const Value &row) {
  if (weights.prepacked)
    return loadPrepacked(row);
  int64_t codes = weights.codes;
  if (codes == 1)
    return loadBox(allWords, {row, rows}, {column, columns});
  if (weights.packed == 0)
    return loadBox(allWords, {row / double(codes), rows / codes},
                   {column, columns});
  // Said so that what divides it is seen.
  int64_t ofTile = columns / codes;
  Value first = column / double(columns) * double(ofTile);
  return loadBox(allWords, {row, rows}, {first, ofTile});
}

/// Scales or zeros of the groups from `row` on.
Value WeightLoader::loadGroups(const Tensor &view, const Value &row) {
  Along all(column, columns);
  int64_t group = weights.group;
  Value first = group > 1 ? row / double(group) : row;
  if (group && group < rows)
    return loadBox(view, {first, rows / group}, all);
  Value loaded = loadBox(view, first, all);
  return loaded.expand(loaded.shape().size() - 1 + depthAxis);
}
