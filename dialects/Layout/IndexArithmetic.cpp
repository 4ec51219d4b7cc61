// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/IndexArithmetic.h"

#include <algorithm>
#include <bit>
#include <map>

namespace tilewright::layout {

namespace {

/// Input bits that share the distances to their output bits.
struct Group {
  uint64_t mask = 0;
  /// Output bit minus input bit, ascending.
  std::vector<int> distances;
};

/// A multiplication, in units of the other operations: it needs the slower pipe
/// on some targets.
constexpr unsigned multiplyCost = 2;

uint64_t shifted(uint64_t value, int shift) {
  return shift < 0 ? value >> -shift : value << shift;
}

/// The term of the input bits `mask` moved by `shift` and copied by `factor`.
IndexTerm makeTerm(uint64_t mask, int shift, uint64_t factor,
                   uint64_t inputMask) {
  bool needsMask = shifted(inputMask & ~mask, std::min(shift, 0)) != 0;
  // A left shift is part of the factor.
  if (factor != 1 && shift > 0)
    return {mask, needsMask, 0, factor << shift, mask * (factor << shift)};
  return {mask, needsMask, shift, factor, shifted(mask, shift) * factor};
}

unsigned cost(const IndexTerm &term) {
  // The last one is the sum with the other terms.
  return term.needsMask + (term.shift != 0) +
         (term.factor != 1 ? multiplyCost : 0) + 1;
}

unsigned cost(std::span<const IndexTerm> terms) {
  unsigned total = 0;
  for (const IndexTerm &term : terms)
    total += cost(term);
  return total;
}

/// Groups by distances, in the order of their lowest input bits.
std::vector<Group> groupBits(const LinearLayout &layout, Axis input,
                             Axis output) {
  std::vector<Group> groups;
  for (unsigned bit = 0; bit < layout.inputBits(input); ++bit) {
    std::vector<int> distances;
    for (uint64_t rest = layout.basis(input, bit, output); rest;
         rest &= rest - 1)
      distances.push_back(std::countr_zero(rest) - static_cast<int>(bit));
    if (distances.empty())
      continue;
    auto it =
        std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
          return group.distances == distances;
        });
    if (it == groups.end())
      it = groups.insert(groups.end(), {0, distances});
    it->mask |= uint64_t(1) << bit;
  }
  return groups;
}

/// The group as one multiplication; none where its copies would overlap, since
/// sums would carry.
std::optional<IndexTerm> multiplicationTerm(const Group &group,
                                            uint64_t inputMask) {
  int shift = group.distances.front();
  uint64_t base = shifted(group.mask, shift), seen = 0, factor = 0;
  for (int distance : group.distances) {
    uint64_t copy = base << (distance - shift);
    if (seen & copy)
      return std::nullopt;
    seen |= copy;
    factor |= uint64_t(1) << (distance - shift);
  }
  return makeTerm(group.mask, shift, factor, inputMask);
}

/// The terms with the groups named in `multiplied` as multiplications and each
/// distance of the others as a shift.
std::vector<IndexTerm> termsWith(std::span<const Group> groups,
                                 const std::vector<bool> &multiplied,
                                 uint64_t inputMask) {
  std::vector<IndexTerm> terms;
  std::map<int, uint64_t> diagonals;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (multiplied[i]) {
      terms.push_back(*multiplicationTerm(groups[i], inputMask));
      continue;
    }
    for (int distance : groups[i].distances)
      diagonals[distance] |= groups[i].mask;
  }
  for (auto [distance, mask] : diagonals)
    terms.push_back(makeTerm(mask, distance, 1, inputMask));
  return terms;
}

} // namespace

std::vector<IndexTerm> indexTerms(const LinearLayout &layout, Axis input,
                                  Axis output) {
  uint64_t inputMask = (uint64_t(1) << layout.inputBits(input)) - 1;
  std::vector<Group> groups = groupBits(layout, input, output);
  std::vector<bool> chosen(groups.size(), false);
  std::vector<IndexTerm> best = termsWith(groups, chosen, inputMask);

  // All multiplications at once, then each one given up where that is cheaper;
  // and the same from none. Two groups may share all their shifts, so neither
  // direction alone finds every gain.
  for (bool start : {true, false}) {
    std::vector<bool> current(groups.size());
    for (size_t i = 0; i < groups.size(); ++i)
      current[i] = start && groups[i].distances.size() > 1 &&
                   multiplicationTerm(groups[i], inputMask);
    std::vector<IndexTerm> terms = termsWith(groups, current, inputMask);
    for (size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].distances.size() < 2 ||
          !multiplicationTerm(groups[i], inputMask))
        continue;
      current[i] = !current[i];
      std::vector<IndexTerm> changed = termsWith(groups, current, inputMask);
      if (cost(changed) < cost(terms))
        terms = std::move(changed);
      else
        current[i] = !current[i];
    }
    if (cost(terms) < cost(best))
      best = std::move(terms);
  }
  return best;
}

uint64_t reachableBits(const LinearLayout &layout, std::span<const Axis> inputs,
                       Axis output) {
  uint64_t reach = 0;
  for (Axis input : inputs)
    for (unsigned bit = 0; bit < layout.inputBits(input); ++bit)
      reach |= layout.basis(input, bit, output);
  return reach;
}

} // namespace tilewright::layout
