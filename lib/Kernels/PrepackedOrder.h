// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which prepacked weights lie: by units, each of which a warp
// loads by 16 bytes a thread as its share of a dot's operand. It is derived
// from the operand's layout (dialects/Layout/WordOrder.h), before any kernel
// has layouts: one order serves every tile and number of warps of a family of
// instructions.

#ifndef TILEWRIGHT_LIB_KERNELS_PREPACKEDORDER_H
#define TILEWRIGHT_LIB_KERNELS_PREPACKEDORDER_H

#include "dialects/Layout/OrderedWords.h"
#include "dialects/Target/Target.h"
#include "lib/Kernels/Coding.h"

#include <string_view>
#include <vector>

namespace tilewright::kernels {

/// The order of 32-bit words with codes of k x n weights, padded to whole
/// units. In memory: units along n, of each those along k, of each its words.
///
/// Rows of a unit change places, so that codes of a word, one after the other,
/// are a thread's elements in the operand's own order: activations stay as they
/// are.
class PrepackedOrder {
public:
  /// Names of families: of the fragments whose operands units are.
  static std::vector<std::string_view> families();
  /// That of a target's 16-bit operands.
  static std::string_view familyOf(const target::Target &target);
  /// `family`: one of these.
  static PrepackedOrder of(std::string_view family, const Coding &coding);

  /// Rows and columns of a unit, and its words.
  int64_t rows() const { return int64_t(codes) << unitBits(1); }
  int64_t columns() const { return int64_t(1) << unitBits(0); }
  int64_t words() const { return int64_t(1) << order.unit().totalInputBits(); }
  /// Rows change places within so many, which divide a unit's.
  int64_t span() const;

  /// Bit b of a row of w is bit rowOrder(…)[b] of the row of codes as words
  /// have them, for 2^bits rows, at least a unit's.
  std::vector<unsigned> rowOrder(unsigned bits) const {
    return order.depth(bits);
  }
  /// The row of codes, as words have them, that row `row` of w is.
  int64_t packedRow(int64_t row) const;
  /// Of columns x (rows / codes) words, row by row (of the transpose where not
  /// `isTransposed`): bit b of an index is bit wordOrder(…)[b] of that of the
  /// words as they lie in a tile of so many whole units.
  std::vector<unsigned> wordOrder(int64_t rows, int64_t columns,
                                  bool isTransposed) const;
  /// In which order to take so many columns, a power of two, where weights are
  /// the right operand: warps divide its columns from the fourth bit on, where
  /// units have words of one thread, so that those bits come last.
  std::vector<unsigned> columnOrder(int64_t columns) const;

  /// For each word of a unit, and each of its codes from the lowest bits on,
  /// the element that has that code: its row times columns(), plus its column.
  std::vector<uint32_t> codePlaces() const;
  /// The places of all words of padded weights: (n, k / codes), units first.
  /// The sizes are whole units.
  layout::OrderedWords places(int64_t rows, int64_t columns) const;

private:
  PrepackedOrder(layout::WordOrder order, const Coding &coding)
      : order(std::move(order)), coding(coding),
        codes(coding.codesPerWord(run::ElementType::I32)) {}
  unsigned unitBits(unsigned dimension) const {
    return order.unit().outputBits(layout::Axis::coordinate(dimension));
  }

  layout::WordOrder order; ///< dim0: columns, dim1: rows
  Coding coding;
  unsigned codes; ///< of a word
};

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_PREPACKEDORDER_H
