// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of coded weights in the order of a fragment, for products that read
// them as such.

#include "lib/Kernels/Formula.h"
#include "lib/Kernels/Pieces.h"

#include <bit>
#include <cstdlib>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

class PrepackProblem : public Problem {
public:
  /// `from`: the words as they are; `result`: the tensor of those that are
  /// made, in `order`, with codes at the places of `coding`.
  PrepackProblem(Signature signature, CodedWeights from, unsigned result,
                 PrepackedOrder order, Coding coding)
      : signature(std::move(signature)), from(std::move(from)), result(result),
        order(std::move(order)), coding(coding) {}

  std::vector<Configuration> configurations() const override;
  std::vector<Kernel> kernels(const Configuration &c) const override;
  bool recompute(NamedArrays &tensors) const override;

private:
  int64_t value(unsigned number) const {
    return signature.numbers[number].integer();
  }
  void write(Reading &k, const Configuration &c) const;

  Signature signature;
  CodedWeights from;
  unsigned result;
  PrepackedOrder order;
  Coding coding;
};

} // namespace

/// Words of neighbours along `axis`: their codes, which are below 2^bits, at
/// the places of `coding`. Which code of its word an element is moves its place
/// by the sum of what its bits do.
static Value packWords(Value codes, unsigned axis, const Coding &coding,
                       unsigned count) {
  Reading &k = codes.reading();
  for (unsigned bit = 0; 1u << bit < count; ++bit) {
    int distance =
        int(coding.bitOf(1u << bit, count)) - int(coding.bitOf(0, count));
    auto [clear, set] = k.halve(codes, axis, 0);
    double factor = double(1u << std::abs(distance));
    codes = distance > 0 ? clear | set * factor : clear * factor | set;
  }
  return codes;
}

/// One tile of whole units.
void PrepackProblem::write(Reading &k, const Configuration &c) const {
  int64_t rows = c.tile[0], columns = c.tile[1];
  auto [row, column] = programTile(k.program(0), k.number(from.k),
                                   k.number(from.n), rows, columns, 1);
  Value codes = WeightLoader(k, from, rows, columns, column,
                             /*isTransposed=*/true)
                    .loadCodes(row);
  std::vector<unsigned> rowOrder =
      order.rowOrder(std::countr_zero(uint64_t(rows)));
  codes = k.reorder(codes, 1, inverseOrder(rowOrder));
  unsigned count = coding.codesPerWord(ElementType::I32);
  Value words = packWords(codes, 1, coding, count);
  words = k.reshape(words, {columns * rows / count});
  words = k.reorder(words, 0,
                    inverseOrder(order.wordOrder(rows, columns,
                                                 /*isTransposed=*/true)));
  Shape units = {columns / order.columns(), rows / order.rows(), order.words()};
  k.store(k.tensor(result).blocked(1, order.words()),
          {{column / double(order.columns()), units[0]},
           {row / double(order.rows()), units[1]},
           {k.integer(0), units[2]}},
          k.reshape(words, units));
}

std::vector<Kernel> PrepackProblem::kernels(const Configuration &c) const {
  Grid grid = {ceilDivide(value(from.k), c.tile[0]) *
               ceilDivide(value(from.n), c.tile[1])};
  Kernel kernel{"prepack", signature, grid, c.warps, c.stages, {}};
  kernel.text = [problem = *this, c](Reading &k) { problem.write(k, c); };
  return withPrograms({std::move(kernel)});
}

std::vector<Configuration> PrepackProblem::configurations() const {
  std::vector<Configuration> configurations;
  // Units of either order have whole ones of the other.
  int64_t leastRows = std::max(order.rows(), from.leastRows(16));
  int64_t leastColumns = std::max(order.columns(), from.leastColumns());
  for (int64_t rows : {leastRows, 2 * leastRows, 4 * leastRows})
    for (int64_t columns : {leastColumns, 2 * leastColumns, 4 * leastColumns})
      for (unsigned warps : {1, 2, 4, 8}) {
        int64_t each = rows * columns / (32 * warps);
        bool isPlain = configurations.empty();
        if (isPlain || (each >= 8 && each <= 64 &&
                        rows < 2 * std::max(value(from.k), leastRows) &&
                        columns < 2 * std::max(value(from.n), leastColumns)))
          configurations.push_back({{rows, columns, 1}, 1, warps, 1});
      }
  return configurations;
}

/// Beyond the words that there are, codes are 0.
bool PrepackProblem::recompute(NamedArrays &tensors) const {
  WeightFormula codes(signature, from, tensors);
  Elements made(signature, result, tensors);
  std::vector<int64_t> sizes = signature.sizesOf(signature.tensors[result]);
  unsigned count = coding.codesPerWord(ElementType::I32);
  int64_t columns = sizes[0] * order.columns();
  int64_t rows = sizes[1] / order.words() * order.rows();
  layout::OrderedWords places = order.places(rows, columns);
  std::vector<uint32_t> words(places.size());
  for (int64_t z = 0; z < rows; ++z)
    for (int64_t y = 0; y < columns; ++y) {
      int64_t row = order.packedRow(z);
      words[places.offsetOf({uint64_t(y), uint64_t(row / count)})] |=
          uint32_t(codes.codeAt(0, z, y)) << coding.bitOf(row % count, count);
    }
  for (size_t place = 0; place < words.size(); ++place)
    made.at({int64_t(place) / sizes[1], int64_t(place) % sizes[1]}) =
        double(int32_t(words[place]));
  return true;
}

static Result<std::unique_ptr<Problem>> makeProblem(const Options &options) {
  Signature s;
  unsigned n = s.add(options.sizeNumber("n"));
  unsigned k = s.add(options.sizeNumber("k"));
  Result<CodedWeights> from = CodedWeights::readWords(options, s, k, n);
  if (!from)
    return from.takeError();
  Coding coding = from->coding;
  coding.order = *Coding::orderFromName(options.choice("to_order"));
  PrepackedOrder order = PrepackedOrder::of(options.choice("to"), coding);
  Result<std::array<unsigned, 2>> sizes = addPrepackedSizes(
      options, s, order, k, n, "prepacked_rows", "prepacked_columns");
  if (!sizes)
    return sizes.takeError();
  Result<void> problem = runtime::success();
  unsigned result =
      addTensor(options, s, "prepacked", ElementType::I32, Role::Output,
                {(*sizes)[0], (*sizes)[1]}, problem);
  if (!problem)
    return problem.takeError();
  return std::unique_ptr<Problem>(new PrepackProblem(
      std::move(s), std::move(*from), result, std::move(order), coding));
}

Operator kernels::makePrepack() {
  using Kind = OperatorOption::Kind;
  Operator made = {
      "prepack",
      "Words of weights in the order of a fragment",
      "words: codes packed along k or n, or prepacked, of k x n weights, as "
      "quantized_matmul\ntakes them; prepacked: the same codes in 32-bit words "
      "by units, which it takes with\npacked=, of `to`, and order=, of "
      "`to_order`. Codes beyond the words are 0.",
      {{"k", Kind::Size, "", "rows of the weights"},
       {"n", Kind::Size, "", "columns of the weights"},
       {"to", Kind::Choice, "m16n8",
        "the fragment: of targets from Turing on, or of Volta",
        PrepackedOrder::families()},
       {"to_order",
        Kind::Choice,
        "even_first",
        "of the codes in the words that are made",
        {"low_first", "high_first", "even_first"}},
       {"prepacked_rows", Kind::Size, "0", "checked where it is not 0", {"0"}},
       {"prepacked_columns",
        Kind::Size,
        "0",
        "checked where it is not 0",
        {"0"}}},
      {{"words", {"word_rows", "word_columns"}},
       {"prepacked", {"prepacked_rows", "prepacked_columns"}}},
      makeProblem};
  for (OperatorOption &option : codedWordOptions())
    made.options.push_back(std::move(option));
  return made;
}
