// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local search for a choice of lower price.
//
// In: the decisions, edges and forms of a ChoiceProblem, and options to start
// from. Out: options that no single change makes cheaper, with the changes that
// follow from it: a decision is changed, and those around it in turn take what
// is cheapest for them. What a loop carries and the ops that compute it can
// only change together.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_CHOICEIMPROVER_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_CHOICEIMPROVER_H

#include "passes/TileToTileGPU/ChoiceProblem.h"

namespace tilewright::tilegpu {

class ChoiceImprover {
public:
  ChoiceImprover(const std::vector<ChoicePrices> &decisions,
                 const ChoiceEdges &edges,
                 const std::vector<ChoiceForms> &forms);

  /// Each change lowers the sum, so that this ends.
  std::vector<unsigned> improve(std::vector<unsigned> start);

private:
  struct Edge {
    unsigned node;
    /// A row for each option of the decision that this is an edge of.
    ChoicePrices matrix;
  };
  /// A change, for taking it back.
  struct Change {
    unsigned node, before;
  };

  /// What the options of the other end cost with `option`.
  const uint64_t *getRow(const Edge &edge, unsigned option) const {
    return edge.matrix.data() + option * prices[edge.node].size();
  }
  void setOption(unsigned node, unsigned option);
  /// Gives the difference that it makes to the sum of all prices.
  int64_t change(unsigned node, unsigned option);
  bool tryOption(unsigned start, unsigned option);
  /// The cheapest option of `node` while all others are as they are; the one
  /// that it has, of several.
  unsigned findCheapest(unsigned node) const;

  const std::vector<ChoicePrices> &decisions;
  std::vector<std::vector<Edge>> edges;
  /// Of each decision, the forms that it provides or uses.
  std::vector<std::vector<const ChoiceForms *>> forms;
  /// Of each decision, those whose prices its option changes.
  std::vector<std::vector<unsigned>> neighbours;
  std::vector<unsigned> options;
  /// Of each option of each decision, all others being as they are: kept up to
  /// date, as a decision of many neighbours is looked at for each of them.
  std::vector<ChoicePrices> prices;
  std::vector<Change> changes;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_CHOICEIMPROVER_H
