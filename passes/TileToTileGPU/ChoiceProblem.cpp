// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/ChoiceProblem.h"

#include "passes/TileToTileGPU/ChoiceImprover.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <set>

using namespace tilewright::tilegpu;

/// Further solutions that are looked for, of one settled decision and of all:
/// each takes as long as the first, a hundredth of what it takes to list
/// options and prices.
static constexpr size_t mostAlternatives = 3, mostTries = 12;

ChoicePrices
tilewright::tilegpu::transposeChoicePrices(const ChoicePrices &prices,
                                           size_t rows, size_t columns) {
  ChoicePrices result(prices.size());
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      result[j * rows + i] = prices[i * columns + j];
  return result;
}

unsigned ChoiceProblem::addDecision(ChoicePrices prices) {
  assert(!prices.empty() && "a decision has an option");
  decisions.push_back(std::move(prices));
  return decisions.size() - 1;
}

void ChoiceProblem::addPrices(unsigned decision, const ChoicePrices &prices) {
  for (size_t i = 0; i < prices.size(); ++i)
    decisions[decision][i] += prices[i];
}

/// Adds prices[i * (options of b) + j] for option i of `a` and j of `b`.
static void addEdgeTo(ChoiceEdges &edges, unsigned a, unsigned b, size_t rows,
                      size_t columns, const ChoicePrices &prices) {
  auto [first, second] = std::minmax(a, b);
  ChoicePrices &sum = edges[{first, second}];
  sum.resize(rows * columns);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      sum[a < b ? i * columns + j : j * rows + i] += prices[i * columns + j];
}

void ChoiceProblem::addEdge(unsigned a, unsigned b,
                            const ChoicePrices &prices) {
  size_t rows = decisions[a].size(), columns = decisions[b].size();
  assert(prices.size() == rows * columns && "a price for each pair");
  if (a != b)
    return addEdgeTo(edges, a, b, rows, columns, prices);
  for (size_t i = 0; i < rows; ++i)
    decisions[a][i] += prices[i * columns + i];
}

unsigned ChoiceProblem::addForms(unsigned source, unsigned count,
                                 ChoicePrices prices) {
  assert(prices.size() == decisions[source].size() * count &&
         "a price for each option and form");
  forms.push_back({source, std::move(prices), {}});
  forms.back().uses.resize(count);
  return forms.size() - 1;
}

/// The use by an option of a user, or where it would be.
template <typename Uses>
static auto findUse(Uses &uses, unsigned user, unsigned option) {
  return llvm::lower_bound(uses, std::pair(user, option),
                           [](const ChoiceForms::Use &use, auto key) {
                             return std::pair(use.user, use.option) < key;
                           });
}

void ChoiceProblem::addUse(unsigned number, unsigned user, unsigned option,
                           unsigned form, uint64_t weight) {
  ChoiceForms &provided = forms[number];
  if (user == provided.source) {
    decisions[user][option] += weight * provided.getPrice(option, form);
    return;
  }
  auto &uses = provided.uses[form];
  auto at = findUse(uses, user, option);
  if (at != uses.end() && at->user == user && at->option == option)
    at->weight = std::max(at->weight, weight);
  else
    uses.insert(at, {user, option, weight});
}

uint64_t ChoiceProblem::priceOf(const std::vector<unsigned> &options) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < decisions.size(); ++i)
    sum += decisions[i][options[i]];
  for (const auto &[ends, prices] : edges)
    sum += prices[options[ends.first] * decisions[ends.second].size() +
                  options[ends.second]];
  for (const ChoiceForms &provided : forms)
    sum += provided.priceOf(options);
  return sum;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

namespace {

/// What a further user pays for a form that is made anyway: it is kept for it,
/// in registers. A quarter is between what 99 kernels of flash-linear-attention
/// are fastest with, nothing (0.967 of their time without forms, for 0.968, and
/// 0.974 with a half), and what the library's linear attention is, a half
/// (H200).
uint64_t getShare(uint64_t weight) { return weight / 4; }

/// How often a form is used: by the user with the weightiest use, the
/// weightiest of others, and the shares of all others.
struct FormWeight {
  uint64_t most = 0, others = 0, shares = 0;
  unsigned user = 0;

  void add(unsigned by, uint64_t weight) {
    if (weight > most) {
      shares += getShare(most);
      others = most;
      most = weight;
      user = by;
    } else {
      shares += getShare(weight);
      others = std::max(others, weight);
    }
  }
  uint64_t get() const { return most + shares; }
  /// What a use of `by` adds to what others use.
  uint64_t getOf(unsigned by, uint64_t weight) const {
    uint64_t least = by == user ? others : most;
    return weight > least ? weight - least + getShare(least) : getShare(weight);
  }
};

} // namespace

/// How often the users of a form use it, where `node` takes `option` and the
/// others have `options`.
static FormWeight weigh(llvm::ArrayRef<ChoiceForms::Use> uses,
                        const std::vector<unsigned> &options, unsigned node,
                        unsigned option) {
  FormWeight weight;
  for (const ChoiceForms::Use &use : uses)
    if (use.option == (use.user == node ? option : options[use.user]))
      weight.add(use.user, use.weight);
  return weight;
}

uint64_t ChoiceForms::priceOf(const std::vector<unsigned> &options) const {
  uint64_t sum = 0;
  unsigned taken = options[source];
  for (unsigned form = 0; form < uses.size(); ++form)
    sum +=
        getPrice(taken, form) * weigh(uses[form], options, source, taken).get();
  return sum;
}

void ChoiceForms::addTo(std::vector<ChoicePrices> &sums,
                        const std::vector<unsigned> &options) const {
  unsigned taken = options[source];
  for (unsigned form = 0; form < uses.size(); ++form) {
    FormWeight weight = weigh(uses[form], options, source, taken);
    for (size_t i = 0; i < sums[source].size(); ++i)
      sums[source][i] += getPrice(i, form) * weight.get();
    for (const Use &use : uses[form])
      sums[use.user][use.option] +=
          getPrice(taken, form) * weight.getOf(use.user, use.weight);
  }
}

/// Each form has another price for its users.
void ChoiceForms::updateUsers(std::vector<ChoicePrices> &sums,
                              const std::vector<unsigned> &options,
                              unsigned option) const {
  for (unsigned form = 0; form < uses.size(); ++form) {
    // Differences wrap around; the sums do not.
    uint64_t more = getPrice(option, form) - getPrice(options[source], form);
    if (!more)
      continue;
    FormWeight weight = weigh(uses[form], options, source, option);
    for (const Use &use : uses[form])
      sums[use.user][use.option] += more * weight.getOf(use.user, use.weight);
  }
}

/// The form is used more or less often.
void ChoiceForms::updateUses(std::vector<ChoicePrices> &sums,
                             const std::vector<unsigned> &options,
                             unsigned form, unsigned user,
                             unsigned option) const {
  FormWeight before = weigh(uses[form], options, user, options[user]);
  FormWeight after = weigh(uses[form], options, user, option);
  for (size_t i = 0; i < sums[source].size(); ++i)
    sums[source][i] += getPrice(i, form) * (after.get() - before.get());
  for (const Use &use : uses[form])
    sums[use.user][use.option] +=
        getPrice(options[source], form) * (after.getOf(use.user, use.weight) -
                                           before.getOf(use.user, use.weight));
}

ChoiceEdges ChoiceProblem::getUnshared() const {
  ChoiceEdges result = edges;
  for (const ChoiceForms &provided : forms) {
    unsigned source = provided.source;
    std::map<unsigned, ChoicePrices> ofUsers;
    for (unsigned form = 0; form < provided.uses.size(); ++form)
      for (const ChoiceForms::Use &use : provided.uses[form]) {
        size_t rows = decisions[source].size();
        size_t columns = decisions[use.user].size();
        ChoicePrices &sum = ofUsers[use.user];
        sum.resize(rows * columns);
        for (size_t i = 0; i < rows; ++i)
          sum[i * columns + use.option] +=
              provided.getPrice(i, form) * use.weight;
      }
    for (const auto &[user, prices] : ofUsers)
      addEdgeTo(result, source, user, decisions[source].size(),
                decisions[user].size(), prices);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The solution
//===----------------------------------------------------------------------===//

namespace {

/// Folds decisions into their neighbours until none is left, then settles them
/// in the opposite order.
class ChoiceReducer {
public:
  ChoiceReducer(const std::vector<ChoicePrices> &decisions,
                const ChoiceEdges &edges)
      : prices(decisions), neighbours(decisions.size()),
        options(decisions.size(), 0) {
    for (const auto &[ends, matrix] : edges) {
      auto [a, b] = ends;
      neighbours[a][b] = matrix;
      neighbours[b][a] = transposeChoicePrices(matrix, size(a), size(b));
    }
    for (unsigned node = 0; node < prices.size(); ++node)
      byDegree.insert({degree(node), node});
  }

  /// Has `node` take `option`, whatever that costs.
  void fix(unsigned node, unsigned option) { take(remove(node), option); }

  std::vector<unsigned> run() {
    while (!byDegree.empty()) {
      auto [fewest, node] = *byDegree.begin();
      if (fewest <= 2)
        fold(node);
      else
        settle(std::prev(byDegree.end())->second);
    }
    for (auto it = folded.rbegin(); it != folded.rend(); ++it)
      options[it->node] = bestOption(*it);
    return options;
  }

  /// Of the decisions that were settled, not folded, the options that looked
  /// best after the one taken.
  const std::vector<std::pair<unsigned, unsigned>> &getAlternatives() const {
    return alternatives;
  }

private:
  /// A decision that waits for its neighbours, with its edges to them.
  struct Folded {
    unsigned node;
    std::vector<std::pair<unsigned, ChoicePrices>> edges;
  };

  size_t size(unsigned node) const { return prices[node].size(); }
  unsigned degree(unsigned node) const { return neighbours[node].size(); }

  /// Takes `node` out of the graph.
  Folded remove(unsigned node) {
    Folded result = {node, {}};
    byDegree.erase({degree(node), node});
    for (auto &[other, matrix] : neighbours[node]) {
      byDegree.erase({degree(other), other});
      neighbours[other].erase(node);
      byDegree.insert({degree(other), other});
      result.edges.emplace_back(other, std::move(matrix));
    }
    neighbours[node].clear();
    return result;
  }

  /// Removes a decision of at most two neighbours; what it costs at best
  /// becomes a price of theirs.
  void fold(unsigned node) {
    Folded entry = remove(node);
    if (entry.edges.size() == 1) {
      auto &[other, matrix] = entry.edges[0];
      for (size_t j = 0; j < size(other); ++j)
        prices[other][j] += leastPrice(entry, {unsigned(j)});
    } else if (entry.edges.size() == 2) {
      unsigned a = entry.edges[0].first, b = entry.edges[1].first;
      ChoicePrices sum(size(a) * size(b));
      for (unsigned i = 0; i < size(a); ++i)
        for (unsigned j = 0; j < size(b); ++j)
          sum[i * size(b) + j] = leastPrice(entry, {i, j});
      addEdge(a, b, sum);
    }
    folded.push_back(std::move(entry));
  }

  void addEdge(unsigned a, unsigned b, const ChoicePrices &matrix) {
    for (unsigned node : {a, b})
      byDegree.erase({degree(node), node});
    auto add = [&](unsigned from, unsigned to, const ChoicePrices &more) {
      ChoicePrices &sum = neighbours[from][to];
      sum.resize(more.size());
      for (size_t i = 0; i < more.size(); ++i)
        sum[i] += more[i];
    };
    add(a, b, matrix);
    add(b, a, transposeChoicePrices(matrix, size(a), size(b)));
    for (unsigned node : {a, b})
      byDegree.insert({degree(node), node});
  }

  /// The price of `node` and its edges where its neighbours take `taken`.
  uint64_t priceWith(const Folded &entry, unsigned option,
                     const std::vector<unsigned> &taken) const {
    uint64_t price = prices[entry.node][option];
    for (size_t i = 0; i < taken.size(); ++i) {
      const auto &[other, matrix] = entry.edges[i];
      price += matrix[option * size(other) + taken[i]];
    }
    return price;
  }

  uint64_t leastPrice(const Folded &entry,
                      const std::vector<unsigned> &taken) const {
    uint64_t best = std::numeric_limits<uint64_t>::max();
    for (unsigned option = 0; option < size(entry.node); ++option)
      best = std::min(best, priceWith(entry, option, taken));
    return best;
  }

  unsigned bestOption(const Folded &entry) const {
    std::vector<unsigned> taken;
    for (const auto &[other, matrix] : entry.edges)
      taken.push_back(options[other]);
    unsigned best = 0;
    for (unsigned option = 1; option < size(entry.node); ++option)
      if (priceWith(entry, option, taken) < priceWith(entry, best, taken))
        best = option;
    return best;
  }

  /// Decides a node of many neighbours by what they would pay at best.
  void settle(unsigned node) {
    Folded entry = remove(node);
    std::vector<std::pair<uint64_t, unsigned>> ranked;
    for (unsigned option = 0; option < size(node); ++option) {
      uint64_t price = prices[node][option];
      for (const auto &[other, matrix] : entry.edges) {
        uint64_t least = std::numeric_limits<uint64_t>::max();
        for (size_t j = 0; j < size(other); ++j)
          least = std::min(least,
                           matrix[option * size(other) + j] + prices[other][j]);
        price += least;
      }
      ranked.emplace_back(price, option);
    }
    std::sort(ranked.begin(), ranked.end());
    take(entry, ranked.front().second);
    for (size_t i = 1; i < ranked.size() && i <= mostAlternatives; ++i)
      alternatives.emplace_back(node, ranked[i].second);
  }

  void take(const Folded &entry, unsigned option) {
    options[entry.node] = option;
    for (const auto &[other, matrix] : entry.edges)
      for (size_t j = 0; j < size(other); ++j)
        prices[other][j] += matrix[option * size(other) + j];
  }

  std::vector<ChoicePrices> prices;
  std::vector<std::map<unsigned, ChoicePrices>> neighbours;
  std::set<std::pair<unsigned, unsigned>> byDegree;
  std::vector<Folded> folded;
  std::vector<unsigned> options;
  std::vector<std::pair<unsigned, unsigned>> alternatives;
};

} // namespace

std::vector<unsigned> ChoiceProblem::solve() const {
  ChoiceEdges unshared = getUnshared();
  ChoiceImprover improver(decisions, edges, forms);
  ChoiceReducer reducer(decisions, unshared);
  std::vector<unsigned> options = improver.improve(reducer.run());
  // What was settled by less than was known is tried otherwise, with all that
  // follows from it.
  uint64_t best = priceOf(options);
  auto alternatives = reducer.getAlternatives();
  alternatives.resize(std::min(alternatives.size(), mostTries));
  for (auto [node, option] : alternatives) {
    ChoiceReducer other(decisions, unshared);
    other.fix(node, option);
    std::vector<unsigned> found = improver.improve(other.run());
    if (uint64_t price = priceOf(found); price < best) {
      best = price;
      options = std::move(found);
    }
  }
  return options;
}
