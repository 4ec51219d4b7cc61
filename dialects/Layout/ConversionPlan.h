// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a conversion between two register layouts is done, and what it costs.
//
// In: two register layouts, the width of an element, and what a target offers
// at which prices. Out: the cheapest plan, as data: passes/TileGPU makes a way
// through shared memory explicit, passes/TileGPUToLLVM emits the rest, and
// layout assignment compares the prices.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_CONVERSIONPLAN_H
#define TILEWRIGHT_DIALECTS_LAYOUT_CONVERSIONPLAN_H

#include "dialects/Layout/Conversion.h"
#include "dialects/Layout/RoundsPlan.h"
#include "dialects/Layout/SharedLayout.h"
#include "dialects/Layout/ShufflePlan.h"
#include "dialects/Layout/TransposePlan.h"

#include <string>

namespace tilewright::layout {

/// What a target offers to conversions, and at which prices. All prices are
/// those of one instruction of one warp, in half cycles of a multiprocessor;
/// every warp of a CTA does the same, so that their number cancels out.
struct ConversionRules {
  SharedOptions matrices;
  /// Whether 8x8 matrices can be transposed in registers, at the price of a
  /// shuffle (so measured on an H200).
  bool transposesMatrices;
  /// A select, or any other 32-bit arithmetic.
  unsigned select;
  /// shfl.sync on 32 bits.
  unsigned shuffle;
  /// Issuing an access to shared memory, and each of its wavefronts.
  unsigned sharedAccess;
  unsigned wavefront;
  /// Waiting for all warps of the CTA, or for the lanes of one's own warp.
  unsigned barrier;
  unsigned warpBarrier;
  /// Bytes of shared memory that a conversion may take.
  uint64_t sharedBytes = ~uint64_t(0);
};

/// What moves the data, ascending by what it needs.
enum class Means {
  Registers,      ///< a renaming; no instruction
  Transpositions, ///< transpositions of 8x8 matrices within warps
  Shuffles,       ///< selects and shuffles within warps
  Shared,         ///< a store to shared memory and a load from it
  Rounds          ///< the same for one part of the tensor after the other
};

/// The name of a means in the IR, remarks and reports: "registers", ...
std::string_view meansName(Means means);
/// The inverse of meansName.
std::optional<Means> meansOfName(std::string_view name);

struct ConversionPlan {
  Conversion conversion;
  Means means = Means::Registers;
  /// The plan of Means::Transpositions, Means::Shuffles, Means::Shared,
  /// Means::Rounds.
  std::optional<TransposePlan> transpositions;
  std::optional<ShufflePlan> shuffles;
  std::optional<SharedPlan> shared;
  std::optional<RoundsPlan> rounds;
  /// Whether threads read nothing from shared memory that another warp stored.
  bool staysInWarp = true;
  /// Whether another conversion of the same tensor has stored it
  /// (Means::Shared).
  bool isStored = false;
  /// In the unit of ConversionRules.
  uint64_t price = 0;

  /// What is done, in words: "8 shuffles and 16 selects".
  std::string describe() const;
};

/// Every plan that moves the elements, `elementBits` wide each, from `source`
/// to `destination` (as classifyConversion takes them), the cheapest first, one
/// for each means that can do it. A tie goes to what needs no shared memory.
/// Only elements of 8, 16, 32 or 64 bits can go through shared memory. Empty
/// where the source lacks an element, or where data cross warps that cannot go
/// through shared memory; a renaming of registers stands alone. What takes more
/// shared memory than the rules allow goes in rounds.
std::vector<ConversionPlan> listConversionPlans(const LinearLayout &source,
                                                const LinearLayout &destination,
                                                unsigned elementBits,
                                                const ConversionRules &rules);

/// The cheapest plan, if there is one.
std::optional<ConversionPlan> planConversion(const LinearLayout &source,
                                             const LinearLayout &destination,
                                             unsigned elementBits,
                                             const ConversionRules &rules);

/// The plan that loads what another conversion has stored from `source` under
/// `shared`. Elements of 8, 16, 32 or 64 bits.
ConversionPlan planLoadOf(const LinearLayout &shared,
                          const LinearLayout &source,
                          const LinearLayout &destination, unsigned elementBits,
                          const ConversionRules &rules);

/// The plan by `means`: none where that cannot do it. Means::Rounds is planned
/// as if a quarter of the tensor were all that fits.
std::optional<ConversionPlan> planConversionBy(Means means,
                                               const LinearLayout &source,
                                               const LinearLayout &destination,
                                               unsigned elementBits,
                                               const ConversionRules &rules);

/// The price of planConversion's plan, as far as it is known without bank
/// conflicts, at a small part of its time: what layout assignment compares.
std::optional<uint64_t> estimateConversion(const LinearLayout &source,
                                           const LinearLayout &destination,
                                           unsigned elementBits,
                                           const ConversionRules &rules);

/// Prices of a plan's parts.
uint64_t priceOf(const TransposePlan &plan, const ConversionRules &rules);
uint64_t priceOf(const ShufflePlan &plan, const ConversionRules &rules);
uint64_t priceOf(const SharedPlan &plan, const ConversionRules &rules);
/// Its barriers included; `warps` is the number of warps.
uint64_t priceOf(const RoundsPlan &plan, unsigned warps,
                 const ConversionRules &rules);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_CONVERSIONPLAN_H
