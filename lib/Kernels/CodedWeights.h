// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of quantized operators: words, scales, zeros and a code book as
// tensors of a signature, the options that describe them, and how a kernel
// loads a tile of them.

#ifndef TILEWRIGHT_LIB_KERNELS_CODEDWEIGHTS_H
#define TILEWRIGHT_LIB_KERNELS_CODEDWEIGHTS_H

#include "lib/Kernels/Notation.h"
#include "lib/Kernels/Operator.h"
#include "lib/Kernels/PrepackedOrder.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace tilewright::kernels {

/// Weights of k x n, as indices in a signature.
struct CodedWeights {
  unsigned n = 0, k = 0;
  unsigned words = 0;
  /// There are scales wherever there is more than words (readWords).
  std::optional<unsigned> scales, zeros, book;
  Coding coding;
  unsigned codes = 8; ///< of a word
  /// The dimension along which words are packed: 0 is k, 1 is n.
  unsigned packed = 0;
  /// Where words, which are along k, lie by units; their tensor has the units
  /// along n and, of each, all words along k.
  std::optional<PrepackedOrder> prepacked;
  /// Rows that share a scale; 0: all.
  int64_t group = 0;
  /// How many such weights there are, in the first dimension of all tensors but
  /// the book; none: one, without that dimension.
  std::optional<unsigned> experts;

  /// Adds what the options describe to a signature that has the numbers k, n
  /// and experts. Fails where they contradict each other.
  static Result<CodedWeights> read(const Options &options, Signature &signature,
                                   unsigned k, unsigned n,
                                   std::optional<unsigned> experts = {});
  /// The words alone, of codes that may be any.
  static Result<CodedWeights> readWords(const Options &options,
                                        Signature &signature, unsigned k,
                                        unsigned n);
  /// The most parts of k rows that have whole words and groups each; 1 where
  /// the rows themselves have not.
  int64_t mostParts(int64_t k) const {
    int64_t unit = std::lcm(prepacked     ? prepacked->rows()
                            : packed == 0 ? int64_t(codes)
                                          : 1,
                            std::max<int64_t>(group, 1));
    return k % unit == 0 ? k / unit : 1;
  }
  /// Whether codes are numbers of `type` by their bits, times 2^-24, as
  /// integers are of f16 without an exponent (WeightLoader::loadInPlace); along
  /// k, so that all columns have codes at the same places of their bytes.
  bool standInPlace(ElementType type) const {
    return coding.isInteger() && type == ElementType::F16 && packed == 0;
  }
  /// The bits of an element's index along the words' dimension that say where
  /// in its byte the code is, ascending.
  std::vector<unsigned> bitsInByte() const;
  /// How many bits above its byte's lowest one the code of an element is.
  unsigned placeInByte(unsigned index) const {
    if (prepacked)
      index = unsigned(prepacked->packedRow(index));
    return coding.bitOf(index % codes, codes) % 8;
  }
  /// Its tensors' indices.
  std::vector<unsigned *> tensors() {
    std::vector<unsigned *> all = {&words};
    for (std::optional<unsigned> *index : {&scales, &zeros, &book})
      if (*index)
        all.push_back(&**index);
    return all;
  }
  /// Whether tiles of so many rows have whole groups, or are parts of one.
  bool fitsGroups(int64_t rows) const {
    return group == 0 || rows % group == 0 || group % rows == 0;
  }
  /// Whether tiles do, and have whole units of prepacked words.
  bool fits(int64_t rows, int64_t columns) const {
    return fitsGroups(rows) &&
           (!prepacked || (rows % prepacked->rows() == 0 &&
                           columns % prepacked->columns() == 0));
  }
  /// The fewest columns of a tile, and its fewest rows, from 16 up to `enough`
  /// where these would do.
  int64_t leastColumns() const { return prepacked ? prepacked->columns() : 16; }
  int64_t leastRows(int64_t enough) const {
    return prepacked ? prepacked->rows() : fitsGroups(enough) ? enough : 16;
  }
};

/// The options that read() takes, and the tensors that it adds.
/// `mayBePrepacked`: whether the operator takes prepacked words too.
std::vector<OperatorOption> codedWeightOptions(bool mayBePrepacked = false);
std::vector<OperatorTensor> codedWeightTensors();
/// The coding that options of these values stand for; none: they are none.
std::optional<Coding> codingFromNames(std::string_view weights,
                                      std::string_view order);
/// The options that readWords() takes.
std::vector<OperatorOption> codedWordOptions();

/// Adds the dimensions of the tensor of words in that order, of k x n weights,
/// under two names.
Result<std::array<unsigned, 2>>
addPrepackedSizes(const Options &options, Signature &signature,
                  const PrepackedOrder &order, unsigned k, unsigned n,
                  const char *rows, const char *columns);

/// The launch (Dequantize.cpp) that writes weights as numbers to the tensor
/// `result`, k x n, of the signature: tile[0] x tile[1] of them in a program.
/// Tiles are to fit the groups.
Kernel makeDequantization(Signature signature, const CodedWeights &weights,
                          unsigned result, const Configuration &c);

/// What of coded weights is meant, where it is not all: one of the experts, and
/// columns that begin with a word.
struct WeightPart {
  Value expert;
  Value firstColumn, columns;
  /// A power of two that divides `columns`.
  int64_t divisor = 1;
  /// Parts of k, of each of which tiles have the same rows: where there are
  /// several, which one it is is the tiles' first dimension.
  int64_t depths = 1;
};

/// Loads tiles of weights: `rows` x `columns` from any row on, of the columns
/// from `column` on.
class WeightLoader {
public:
  /// `isTransposed`: tiles have columns first.
  WeightLoader(Reading &k, const CodedWeights &weights, int64_t rows,
               int64_t columns, const Value &column, bool isTransposed,
               const WeightPart &part = {});

  /// The rows from `row` on, a multiple of the tile's, as numbers of `type`.
  Value load(const Value &row, ElementType type);
  /// The same without their scales: (value of the code - zero), rounded to
  /// `type`.
  Value loadUnscaled(const Value &row, ElementType type);
  /// The same, with numbers of f16 by their codes' bits: (value of the code -
  /// the least one) 2^(place in its byte - 24), which takes a mask for two of
  /// them. Rows are of one group.
  Value loadInPlace(const Value &row);
  /// The codes themselves, as integers of 32 bits; of weights without parts.
  Value loadCodes(const Value &row);
  /// What is to be subtracted from (value - the least one), in f32 and shaped
  /// as scales are, or with one element; nothing: 0.
  Value loadOffsets(const Value &row);
  /// What those rows are multiplied by, where they are of one group: f32, the
  /// tile's columns in one dimension and 1 in the other. Where one group has
  /// all rows it is not by parts.
  Value loadScales(const Value &row);

private:
  CodedTile loadCoded(const Value &row);
  Value loadZeros(const Value &row);
  Tensor view(unsigned index, const WeightPart &part, int64_t codes,
              int64_t parts) const;
  Tensor viewPrepacked(const WeightPart &part) const;
  Value loadBox(const Tensor &view, Along alongK, Along alongN);
  Value loadWords(const Value &row);
  Value loadPrepacked(const Value &row);
  Value inRowOrder(const Value &numbers) const;
  Value loadGroups(const Tensor &view, const Value &row);
  double leastValue() const {
    return weights.coding.format == Coding::Format::Signed
               ? -double(1u << (weights.coding.bits - 1))
               : 0;
  }

  Reading &k;
  CodedWeights weights;
  int64_t rows, columns;
  Value column;
  /// Of a tile without parts: which dimension is k.
  unsigned depthAxis;
  int64_t parts;
  Tensor allWords, allScales, allZeros;
  /// Of prepacked words, along n.
  Value firstUnit;
  Value book, scales, zeros;
};

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_CODEDWEIGHTS_H
