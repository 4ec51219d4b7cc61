// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing one option for each of many decisions so that the sum of prices is
// small.
//
// In: decisions with a price for each option, and edges with a price for each
// pair of options of two decisions. Out: an option for each decision. It knows
// nothing of layouts.
//
// This is a partitioned boolean quadratic problem (Scholz and Eckstein,
// "Register Allocation for Irregular Architectures", LCTES 2002): decisions
// with at most two neighbours are folded into these, which keeps the optimum;
// where none is left the one with most neighbours is settled by the least
// price that they still allow. So trees and series-parallel graphs are solved
// exactly. What a settled decision missed is improved afterwards: a decision is
// changed, and those around it follow as long as that is cheaper for each; the
// whole is kept where it is cheaper. Ties go to the first option.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_CHOICEPROBLEM_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_CHOICEPROBLEM_H

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tilewright::tilegpu {

class ChoiceProblem {
public:
  /// A price that stands for "impossible"; sums of many stay below 2^64.
  static constexpr uint64_t impossible = uint64_t(1) << 48;

  /// A decision with a price for each of its options, at least one. Gives its
  /// number: 0, 1, ...
  unsigned addDecision(std::vector<uint64_t> prices);
  /// Adds to the prices of the options of `decision`.
  void addPrices(unsigned decision, const std::vector<uint64_t> &prices);
  /// Adds prices[i * (options of b) + j] for option i of `a` and j of `b`. Two
  /// decisions may have several edges.
  void addEdge(unsigned a, unsigned b, const std::vector<uint64_t> &prices);

  /// An option for each decision.
  std::vector<unsigned> solve() const;
  /// The sum of all prices of these options.
  uint64_t priceOf(const std::vector<unsigned> &options) const;

private:
  friend class ChoiceReducer;
  std::vector<std::vector<uint64_t>> decisions;
  /// (a, b), a < b -> prices, row by row.
  std::map<std::pair<unsigned, unsigned>, std::vector<uint64_t>> edges;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_CHOICEPROBLEM_H
