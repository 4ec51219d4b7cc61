// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cheapest choice of places that has one of each of several sets: where
// barriers go, when each set is a path on which one must stand.
//
// In: sets of places, a price for each place. Out: the places chosen. It holds
// no IR.

#ifndef TILEWRIGHT_PASSES_TILEGPU_BARRIERCOVER_H
#define TILEWRIGHT_PASSES_TILEGPU_BARRIERCOVER_H

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::tilegpu {

/// Places, ascending, of which each set of `demands` (none empty) has at least
/// one, and none of which could be left out. The sum of their prices is the
/// least there is, unless that takes more than a bounded search to find: then
/// it is what cheapest-first choice and the search came to. Of equal choices
/// the one with later places is taken; the result depends on the arguments
/// alone. `prices` are positive.
std::vector<unsigned>
coverDemands(const std::vector<std::vector<unsigned>> &demands,
             std::span<const uint64_t> prices);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_BARRIERCOVER_H
