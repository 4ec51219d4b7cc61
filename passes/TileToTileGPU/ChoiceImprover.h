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
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

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
  /// Forms that a decision provides, or uses.
  struct Forms {
    const ChoiceForms *provided;
    /// Which of them it uses under each of its options.
    std::vector<llvm::SmallVector<unsigned, 2>> ofOption;
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
  /// Decisions that `changes` changes, and those whose prices they change.
  llvm::BitVector listAround() const;
  void forgetFailures(const llvm::BitVector &changed);
  /// The cheapest option of `node` while all others are as they are; the one
  /// that it has, of several.
  unsigned findCheapest(unsigned node) const;

  const std::vector<ChoicePrices> &decisions;
  std::vector<std::vector<Edge>> edges;
  /// Of each decision.
  std::vector<std::vector<Forms>> forms;
  /// Of each decision, those whose prices its option changes.
  std::vector<std::vector<unsigned>> neighbours;
  std::vector<unsigned> options;
  /// Of each option of each decision, all others being as they are: kept up to
  /// date, as a decision of many neighbours is looked at for each of them.
  std::vector<ChoicePrices> prices;
  std::vector<Change> changes;
  /// Of each option that made nothing cheaper, the decisions that said so: as
  /// long as none of them changes, it would be found again. Else empty.
  std::vector<std::vector<llvm::BitVector>> failures;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_CHOICEIMPROVER_H
