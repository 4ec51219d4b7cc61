// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing one option for each of many decisions so that the sum of prices is
// small.
//
// In: decisions with a price for each option, edges with a price for each pair
// of options of two decisions, and forms, which are made once however many
// decisions use them. Out: an option for each decision. It knows nothing of
// layouts.
//
// This is a partitioned boolean quadratic problem (Scholz and Eckstein,
// "Register Allocation for Irregular Architectures", LCTES 2002): decisions
// with at most two neighbours are folded into these, which keeps the optimum;
// where none is left the one with most neighbours is settled by the least
// price that they still allow. So trees and series-parallel graphs are solved
// exactly, but for forms, for which each user pays until here. What a settled
// decision missed, and what sharing saves, is improved afterwards
// (ChoiceImprover.h); and each settled one is tried with its other options,
// with all that follows. Ties go to the first option.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_CHOICEPROBLEM_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_CHOICEPROBLEM_H

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tilewright::tilegpu {

/// A price for each option of a decision, or for each pair of options of two.
using ChoicePrices = std::vector<uint64_t>;
/// `prices`, row by row, with rows and columns exchanged.
ChoicePrices transposeChoicePrices(const ChoicePrices &prices, size_t rows,
                                   size_t columns);

/// (a, b), a < b -> prices, row by row.
using ChoiceEdges = std::map<std::pair<unsigned, unsigned>, ChoicePrices>;

/// What one decision provides for others, each form of it made once however
/// many use it.
struct ChoiceForms {
  /// That a decision uses a form under one of its options, and how often.
  struct Use {
    unsigned user, option;
    uint64_t weight;
  };

  unsigned source;
  /// A price of each form for each option of the source, row by row.
  ChoicePrices prices;
  /// Of each form, by user and option.
  std::vector<std::vector<Use>> uses;

  uint64_t getPrice(unsigned option, unsigned form) const {
    return prices[option * uses.size() + form];
  }
  /// What all forms that are used cost together.
  uint64_t priceOf(const std::vector<unsigned> &options) const;
  /// Adds what each option of the source and of the users costs while the
  /// others have `options`.
  void addTo(std::vector<ChoicePrices> &sums,
             const std::vector<unsigned> &options) const;
  /// Brings what addTo() added up to date, as the source takes `option` in
  /// place of options[source].
  void updateUsers(std::vector<ChoicePrices> &sums,
                   const std::vector<unsigned> &options, unsigned option) const;
  /// The same of one form, as a user takes `option` in place of options[user],
  /// one of which uses the form.
  void updateUses(std::vector<ChoicePrices> &sums,
                  const std::vector<unsigned> &options, unsigned form,
                  unsigned user, unsigned option) const;
};

class ChoiceProblem {
public:
  /// A price that stands for "impossible"; sums of many stay below 2^64.
  static constexpr uint64_t impossible = uint64_t(1) << 48;

  /// A decision with a price for each of its options, at least one. Gives its
  /// number: 0, 1, ...
  unsigned addDecision(ChoicePrices prices);
  /// Adds to the prices of the options of `decision`.
  void addPrices(unsigned decision, const ChoicePrices &prices);
  /// Adds prices[i * (options of b) + j] for option i of `a` and j of `b`. Two
  /// decisions may have several edges.
  void addEdge(unsigned a, unsigned b, const ChoicePrices &prices);
  /// Has `source` provide `count` forms of what it decides: form k costs
  /// prices[i * count + k] under its option i, once for all who use it. Gives
  /// the number that `addUse` takes.
  unsigned addForms(unsigned source, unsigned count, ChoicePrices prices);
  /// Has `user` use form `form` of `forms` under `option`, `weight` times as
  /// often as its price says. Of uses of one form the weightiest counts, and a
  /// quarter of the others, for which the form is kept. What a decision
  /// provides for itself is not shared.
  void addUse(unsigned forms, unsigned user, unsigned option, unsigned form,
              uint64_t weight);

  /// An option for each decision.
  std::vector<unsigned> solve() const;
  /// The sum of all prices of these options.
  uint64_t priceOf(const std::vector<unsigned> &options) const;

private:
  /// The edges, and those of `forms` to their users, as if each user paid for
  /// itself.
  ChoiceEdges getUnshared() const;

  std::vector<ChoicePrices> decisions;
  ChoiceEdges edges;
  std::vector<ChoiceForms> forms;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_CHOICEPROBLEM_H
