// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/ChoiceImprover.h"

#include <set>

using namespace tilewright::tilegpu;

/// Decisions that follow one changed at most; a chain of a loop's ops has
/// fewer.
static constexpr unsigned maxChanges = 48;

ChoiceImprover::ChoiceImprover(const std::vector<ChoicePrices> &decisions,
                               const ChoiceEdges &allEdges,
                               const std::vector<ChoiceForms> &allForms)
    : decisions(decisions), edges(decisions.size()), forms(decisions.size()),
      neighbours(decisions.size()) {
  std::vector<std::set<unsigned>> around(decisions.size());
  auto join = [&](unsigned a, unsigned b) {
    around[a].insert(b);
    around[b].insert(a);
  };
  for (const auto &[ends, matrix] : allEdges) {
    auto [a, b] = ends;
    edges[a].push_back({b, matrix});
    edges[b].push_back({a, transposeChoicePrices(matrix, decisions[a].size(),
                                                 decisions[b].size())});
    join(a, b);
  }
  for (const ChoiceForms &provided : allForms) {
    std::set<unsigned> ends = {provided.source};
    for (const auto &uses : provided.uses)
      for (const ChoiceForms::Use &use : uses)
        ends.insert(use.user);
    for (unsigned end : ends) {
      forms[end].push_back({&provided, {}});
      forms[end].back().ofOption.resize(decisions[end].size());
      for (unsigned other : ends)
        if (other < end)
          join(end, other);
    }
    for (unsigned form = 0; form < provided.uses.size(); ++form)
      for (const ChoiceForms::Use &use : provided.uses[form])
        forms[use.user].back().ofOption[use.option].push_back(form);
  }
  for (size_t node = 0; node < decisions.size(); ++node)
    neighbours[node].assign(around[node].begin(), around[node].end());
}

std::vector<unsigned> ChoiceImprover::improve(std::vector<unsigned> start) {
  options = std::move(start);
  prices = decisions;
  for (unsigned node = 0; node < decisions.size(); ++node) {
    for (const Edge &edge : edges[node])
      for (size_t i = 0; i < prices[edge.node].size(); ++i)
        prices[edge.node][i] += getRow(edge, options[node])[i];
    for (const Forms &of : forms[node])
      if (of.provided->source == node)
        of.provided->addTo(prices, options);
  }
  failures.clear();
  for (const ChoicePrices &node : decisions)
    failures.emplace_back(node.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned node = 0; node < decisions.size(); ++node)
      for (unsigned option = 0; option < decisions[node].size(); ++option)
        changed |= option != options[node] && failures[node][option].empty() &&
                   tryOption(node, option);
  }
  return options;
}

llvm::BitVector ChoiceImprover::listAround() const {
  llvm::BitVector around(decisions.size());
  for (const Change &change : changes) {
    around.set(change.node);
    for (unsigned node : neighbours[change.node])
      around.set(node);
  }
  return around;
}

void ChoiceImprover::forgetFailures(const llvm::BitVector &changed) {
  for (std::vector<llvm::BitVector> &ofNode : failures)
    for (llvm::BitVector &around : ofNode)
      if (around.anyCommon(changed))
        around.clear();
}

void ChoiceImprover::setOption(unsigned node, unsigned option) {
  for (const Edge &edge : edges[node]) {
    const uint64_t *before = getRow(edge, options[node]);
    const uint64_t *after = getRow(edge, option);
    ChoicePrices &sums = prices[edge.node];
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += after[i] - before[i];
  }
  for (const Forms &of : forms[node]) {
    if (of.provided->source == node) {
      of.provided->updateUsers(prices, options, option);
      continue;
    }
    llvm::ArrayRef<unsigned> before = of.ofOption[options[node]];
    for (unsigned form : before)
      of.provided->updateUses(prices, options, form, node, option);
    for (unsigned form : of.ofOption[option])
      if (!llvm::is_contained(before, form))
        of.provided->updateUses(prices, options, form, node, option);
  }
  options[node] = option;
}

int64_t ChoiceImprover::change(unsigned node, unsigned option) {
  int64_t difference =
      int64_t(prices[node][option]) - int64_t(prices[node][options[node]]);
  changes.push_back({node, options[node]});
  setOption(node, option);
  return difference;
}

unsigned ChoiceImprover::findCheapest(unsigned node) const {
  unsigned best = options[node];
  for (unsigned other = 0; other < prices[node].size(); ++other)
    if (prices[node][other] < prices[node][best])
      best = other;
  return best;
}

/// Whether the sum is less where `start` takes `option` and then each neighbour
/// of what has changed, in turn, what is cheapest for it.
bool ChoiceImprover::tryOption(unsigned start, unsigned option) {
  changes.clear();
  int64_t difference = change(start, option);
  for (unsigned next = 0;
       difference >= 0 && next < changes.size() && next < maxChanges; ++next)
    for (unsigned node : neighbours[changes[next].node])
      if (unsigned best = findCheapest(node);
          node != start && best != options[node])
        difference += change(node, best);
  llvm::BitVector around = listAround();
  if (difference < 0) {
    forgetFailures(around);
    return true;
  }
  for (auto it = changes.rbegin(); it != changes.rend(); ++it)
    setOption(it->node, it->before);
  failures[start][option] = std::move(around);
  return false;
}
