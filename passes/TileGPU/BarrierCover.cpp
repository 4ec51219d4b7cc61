// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/BarrierCover.h"

#include <algorithm>
#include <map>
#include <set>

using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// Steps of the search: enough for loops with dozens of conflicts, a few
/// milliseconds.
constexpr unsigned searchSteps = 20000;

using Demand = std::vector<unsigned>;

/// A place and the demands that it meets, by number.
struct Place {
  unsigned number;
  uint64_t price;
  std::vector<unsigned> meets;
};

/// Whether `b` meets all that `a` does for no more; of two that are the same,
/// the later one.
bool isDominated(const Place &a, const Place &b) {
  if (b.price > a.price || b.meets.size() < a.meets.size() ||
      !std::includes(b.meets.begin(), b.meets.end(), a.meets.begin(),
                     a.meets.end()))
    return false;
  return b.price < a.price || b.meets.size() > a.meets.size() ||
         b.number > a.number;
}

class Cover {
public:
  Cover(const std::vector<Demand> &demands, std::span<const uint64_t> prices) {
    // Of sets that contain others the smaller ones decide.
    std::set<Demand> distinct(demands.begin(), demands.end());
    std::vector<Demand> needed;
    for (const Demand &demand : distinct)
      if (std::none_of(distinct.begin(), distinct.end(),
                       [&](const Demand &other) {
                         return other.size() < demand.size() &&
                                std::includes(demand.begin(), demand.end(),
                                              other.begin(), other.end());
                       }))
        needed.push_back(demand);
    std::map<unsigned, std::vector<unsigned>> meets;
    for (unsigned index = 0; index < needed.size(); ++index)
      for (unsigned place : needed[index])
        meets[place].push_back(index);
    std::vector<Place> all;
    for (auto &[number, list] : meets)
      all.push_back({number, prices[number], list});
    for (const Place &place : all)
      if (std::none_of(all.begin(), all.end(), [&](const Place &other) {
            return isDominated(place, other);
          }))
        places.push_back(place);
    // The most for its price first; then the later one.
    std::sort(places.begin(), places.end(), [](const Place &a, const Place &b) {
      uint64_t left = a.meets.size() * b.price;
      uint64_t right = b.meets.size() * a.price;
      return left != right ? left > right : a.number > b.number;
    });
    choices.resize(needed.size());
    for (unsigned place = 0; place < places.size(); ++place)
      for (unsigned demand : places[place].meets)
        choices[demand].push_back(place);
  }

  std::vector<unsigned> find() {
    std::vector<unsigned> met(choices.size());
    std::vector<unsigned> chosen;
    best = choose(met);
    bestPrice = priceOf(best);
    search(met, chosen, 0);
    std::vector<unsigned> numbers;
    for (unsigned place : best)
      numbers.push_back(places[place].number);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

private:
  uint64_t priceOf(const std::vector<unsigned> &chosen) const {
    uint64_t sum = 0;
    for (unsigned place : chosen)
      sum += places[place].price;
    return sum;
  }

  void add(unsigned place, int count, std::vector<unsigned> &met) const {
    for (unsigned demand : places[place].meets)
      met[demand] += count;
  }

  /// Always the place that meets most of what is left for its price; then those
  /// are taken back that later ones made needless.
  std::vector<unsigned> choose(std::vector<unsigned> met) const {
    std::vector<unsigned> chosen;
    while (std::find(met.begin(), met.end(), 0) != met.end()) {
      unsigned bestPlace = 0;
      uint64_t bestNew = 0;
      for (unsigned place = 0; place < places.size(); ++place) {
        uint64_t fresh = 0;
        for (unsigned demand : places[place].meets)
          fresh += met[demand] == 0;
        if (fresh * places[bestPlace].price > bestNew * places[place].price) {
          bestPlace = place;
          bestNew = fresh;
        }
      }
      add(bestPlace, 1, met);
      chosen.push_back(bestPlace);
    }
    for (size_t index = chosen.size(); index-- > 0;) {
      const Place &place = places[chosen[index]];
      if (std::any_of(place.meets.begin(), place.meets.end(),
                      [&](unsigned demand) { return met[demand] == 1; }))
        continue;
      add(chosen[index], -1, met);
      chosen.erase(chosen.begin() + index);
    }
    return chosen;
  }

  /// Tries every place of the open demand that has fewest.
  void search(std::vector<unsigned> &met, std::vector<unsigned> &chosen,
              uint64_t price) {
    if (price >= bestPrice || ++steps > searchSteps)
      return;
    unsigned open = choices.size();
    for (unsigned demand = 0; demand < choices.size(); ++demand)
      if (!met[demand] && (open == choices.size() ||
                           choices[demand].size() < choices[open].size()))
        open = demand;
    if (open == choices.size()) {
      best = chosen;
      bestPrice = price;
      return;
    }
    for (unsigned place : choices[open]) {
      add(place, 1, met);
      chosen.push_back(place);
      search(met, chosen, price + places[place].price);
      chosen.pop_back();
      add(place, -1, met);
    }
  }

  std::vector<Place> places;
  /// For each demand the places that meet it.
  std::vector<std::vector<unsigned>> choices;
  std::vector<unsigned> best;
  uint64_t bestPrice = 0;
  unsigned steps = 0;
};

} // namespace

std::vector<unsigned>
tilegpu::coverDemands(const std::vector<std::vector<unsigned>> &demands,
                      std::span<const uint64_t> prices) {
  if (demands.empty())
    return {};
  return Cover(demands, prices).find();
}
