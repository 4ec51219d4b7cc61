// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/ChoiceProblem.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <set>

using namespace tilewright::tilegpu;

/// Further solutions that are looked for, of one settled decision and of all:
/// each takes as long as the first, a hundredth of what it takes to list
/// options and prices.
static constexpr size_t mostAlternatives = 3, mostTries = 12;

unsigned ChoiceProblem::addDecision(std::vector<uint64_t> prices) {
  assert(!prices.empty() && "a decision has an option");
  decisions.push_back(std::move(prices));
  return decisions.size() - 1;
}

void ChoiceProblem::addPrices(unsigned decision,
                              const std::vector<uint64_t> &prices) {
  for (size_t i = 0; i < prices.size(); ++i)
    decisions[decision][i] += prices[i];
}

void ChoiceProblem::addEdge(unsigned a, unsigned b,
                            const std::vector<uint64_t> &prices) {
  size_t rows = decisions[a].size(), columns = decisions[b].size();
  assert(prices.size() == rows * columns && "a price for each pair");
  if (a == b) {
    for (size_t i = 0; i < rows; ++i)
      decisions[a][i] += prices[i * columns + i];
    return;
  }
  auto [first, second] = std::minmax(a, b);
  std::vector<uint64_t> &sum = edges[{first, second}];
  sum.resize(rows * columns);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      sum[a < b ? i * columns + j : j * rows + i] += prices[i * columns + j];
}

uint64_t ChoiceProblem::priceOf(const std::vector<unsigned> &options) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < decisions.size(); ++i)
    sum += decisions[i][options[i]];
  for (const auto &[ends, prices] : edges)
    sum += prices[options[ends.first] * decisions[ends.second].size() +
                  options[ends.second]];
  return sum;
}

/// Prices of pairs of options, row by row.
using Matrix = std::vector<uint64_t>;

static Matrix transpose(const Matrix &matrix, size_t rows, size_t columns) {
  Matrix result(matrix.size());
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      result[j * rows + i] = matrix[i * columns + j];
  return result;
}

namespace tilewright::tilegpu {

/// Folds decisions into their neighbours until none is left, then settles them
/// in the opposite order.
class ChoiceReducer {
public:
  explicit ChoiceReducer(const ChoiceProblem &problem)
      : prices(problem.decisions), neighbours(problem.decisions.size()),
        options(problem.decisions.size(), 0) {
    for (const auto &[ends, matrix] : problem.edges) {
      auto [a, b] = ends;
      neighbours[a][b] = matrix;
      neighbours[b][a] = transpose(matrix, size(a), size(b));
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
    std::vector<std::pair<unsigned, Matrix>> edges;
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
      Matrix sum(size(a) * size(b));
      for (unsigned i = 0; i < size(a); ++i)
        for (unsigned j = 0; j < size(b); ++j)
          sum[i * size(b) + j] = leastPrice(entry, {i, j});
      addEdge(a, b, sum);
    }
    folded.push_back(std::move(entry));
  }

  void addEdge(unsigned a, unsigned b, const Matrix &matrix) {
    for (unsigned node : {a, b})
      byDegree.erase({degree(node), node});
    auto add = [&](unsigned from, unsigned to, const Matrix &more) {
      Matrix &sum = neighbours[from][to];
      sum.resize(more.size());
      for (size_t i = 0; i < more.size(); ++i)
        sum[i] += more[i];
    };
    add(a, b, matrix);
    add(b, a, transpose(matrix, size(a), size(b)));
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

  std::vector<std::vector<uint64_t>> prices;
  std::vector<std::map<unsigned, Matrix>> neighbours;
  std::set<std::pair<unsigned, unsigned>> byDegree;
  std::vector<Folded> folded;
  std::vector<unsigned> options;
  std::vector<std::pair<unsigned, unsigned>> alternatives;
};

} // namespace tilewright::tilegpu

namespace {

/// Lowers the sum of prices of given options by changing them. What each option
/// of each decision costs, its neighbours being as they are, is kept up to
/// date: a decision of many neighbours is looked at for each of them.
class ChoiceImprover {
public:
  using Prices = std::vector<uint64_t>;

  ChoiceImprover(const std::vector<Prices> &decisions,
                 const std::map<std::pair<unsigned, unsigned>, Matrix> &edges)
      : decisions(decisions), around(decisions.size()) {
    for (const auto &[ends, matrix] : edges) {
      auto [a, b] = ends;
      around[a].push_back({b, matrix});
      around[b].push_back(
          {a, transpose(matrix, decisions[a].size(), decisions[b].size())});
    }
  }

  /// Each change lowers the sum, so that this ends.
  std::vector<unsigned> improve(std::vector<unsigned> start) {
    options = std::move(start);
    prices = decisions;
    for (unsigned node = 0; node < decisions.size(); ++node)
      for (const Neighbour &neighbour : around[node])
        for (size_t i = 0; i < prices[neighbour.node].size(); ++i)
          prices[neighbour.node][i] += getRow(neighbour, options[node])[i];
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned node = 0; node < decisions.size(); ++node)
        for (unsigned option = 0; option < decisions[node].size(); ++option)
          changed |= option != options[node] && tryOption(node, option);
    }
    return options;
  }

private:
  struct Neighbour {
    unsigned node;
    /// A row for each option of the decision that this is a neighbour of.
    Matrix matrix;
  };
  /// A change, for taking it back.
  struct Change {
    unsigned node, before;
  };

  /// Decisions that follow one changed at most; a chain of a loop's ops has
  /// fewer.
  static constexpr unsigned maxChanges = 48;

  /// What the neighbour's options cost with `option`.
  const uint64_t *getRow(const Neighbour &neighbour, unsigned option) const {
    return neighbour.matrix.data() + option * prices[neighbour.node].size();
  }

  void setOption(unsigned node, unsigned option) {
    for (const Neighbour &neighbour : around[node]) {
      const uint64_t *before = getRow(neighbour, options[node]);
      const uint64_t *after = getRow(neighbour, option);
      Prices &sums = prices[neighbour.node];
      for (size_t i = 0; i < sums.size(); ++i)
        sums[i] += after[i] - before[i];
    }
    options[node] = option;
  }

  /// Changes the sum of all prices by what is given.
  int64_t change(unsigned node, unsigned option) {
    int64_t difference =
        int64_t(prices[node][option]) - int64_t(prices[node][options[node]]);
    changes.push_back({node, options[node]});
    setOption(node, option);
    return difference;
  }

  /// Whether the sum is less where `start` takes `option` and then each
  /// neighbour of what has changed, in turn, what is cheapest for it: what a
  /// loop carries and the ops that compute it can only change together.
  bool tryOption(unsigned start, unsigned option) {
    changes.clear();
    int64_t difference = change(start, option);
    for (unsigned next = 0;
         difference >= 0 && next < changes.size() && next < maxChanges; ++next)
      for (const Neighbour &neighbour : around[changes[next].node]) {
        unsigned node = neighbour.node, best = options[node];
        if (node == start)
          continue;
        for (unsigned other = 0; other < prices[node].size(); ++other)
          if (prices[node][other] < prices[node][best])
            best = other;
        if (best != options[node])
          difference += change(node, best);
      }
    if (difference < 0)
      return true;
    for (auto it = changes.rbegin(); it != changes.rend(); ++it)
      setOption(it->node, it->before);
    return false;
  }

  const std::vector<Prices> &decisions;
  std::vector<std::vector<Neighbour>> around;
  std::vector<unsigned> options;
  /// Of each option of each decision, with its neighbours' options.
  std::vector<Prices> prices;
  std::vector<Change> changes;
};

} // namespace

std::vector<unsigned> ChoiceProblem::solve() const {
  ChoiceImprover improver(decisions, edges);
  ChoiceReducer reducer(*this);
  std::vector<unsigned> options = improver.improve(reducer.run());
  // What was settled by less than was known is tried otherwise, with all that
  // follows from it.
  uint64_t best = priceOf(options);
  auto alternatives = reducer.getAlternatives();
  alternatives.resize(std::min(alternatives.size(), mostTries));
  for (auto [node, option] : alternatives) {
    ChoiceReducer other(*this);
    other.fix(node, option);
    std::vector<unsigned> found = improver.improve(other.run());
    if (uint64_t price = priceOf(found); price < best) {
      best = price;
      options = std::move(found);
    }
  }
  return options;
}
