// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/ConversionPlan.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tilewright::layout {

namespace {

std::string count(uint64_t number, std::string_view what) {
  std::string text = std::to_string(number) + " " + std::string(what);
  return number == 1 ? text : text + "s";
}

/// "2 stores of 16 bytes (8 wavefronts)".
std::string describeAccess(const VectorAccess &vectors,
                           const std::optional<MatrixAccess> &matrices,
                           unsigned elementBits, unsigned wavefronts,
                           std::string_view vectorName,
                           std::string_view matrixName) {
  std::string text;
  if (matrices) {
    text = std::to_string(matrices->instructions()) + " " +
           std::string(matrixName) + ".x" + std::to_string(matrices->matrices) +
           (matrices->transposed ? ".trans" : "");
  } else {
    text = count(vectors.instructions(), vectorName) + " of " +
           count(vectors.vectorElements * elementBits / 8, "byte");
  }
  return text + " (" + count(wavefronts, "wavefront") + ")";
}

std::string describeRounds(const RoundsPlan &plan) {
  auto access = [&](const RoundsSide &side, uint64_t instructions,
                    uint64_t wavefronts, std::string_view name) {
    return count(instructions, name) + " of " +
           count(side.access.vectorElements * plan.elementBits / 8, "byte") +
           " (" +
           count(wavefronts >> side.threadRound.warp.size(), "wavefront") + ")";
  };
  return count(plan.rounds(), "round") + " through " +
         count(plan.bytes(), "byte") + ": " +
         access(plan.store, plan.storeInstructions, plan.storeWavefronts,
                "store") +
         ", " +
         access(plan.load, plan.loadInstructions, plan.loadWavefronts, "load");
}

/// Bytes of a tensor under `layout`.
uint64_t bytesOf(const LinearLayout &layout, unsigned elementBits) {
  return (uint64_t(elementBits) << layout.totalOutputBits()) / 8;
}

bool isMemoryWidth(unsigned bits) {
  return bits >= 8 && bits <= 64 && std::has_single_bit(bits);
}

/// Whether every warp stores for itself what it loads. Only one of several
/// warps that hold copies stores.
bool readsOwnWarp(const Conversion &conversion, const LinearLayout &source) {
  return conversion.movement < Movement::Warps &&
         !source.redundantBits(Axis::Warp);
}

/// A plan that is yet to be filled in.
ConversionPlan begin(const Conversion &conversion, Means means) {
  ConversionPlan plan;
  plan.conversion = conversion;
  plan.means = means;
  return plan;
}

std::optional<ConversionPlan>
planByTranspositions(const Conversion &conversion, unsigned elementBits,
                     const ConversionRules &rules) {
  if (!rules.transposesMatrices || elementBits != 16)
    return std::nullopt;
  ConversionPlan plan = begin(conversion, Means::Transpositions);
  plan.transpositions = planTransposition(conversion);
  if (!plan.transpositions)
    return std::nullopt;
  plan.price = priceOf(*plan.transpositions, rules);
  return plan;
}

ConversionPlan planByShuffles(const Conversion &conversion,
                              const LinearLayout &source, unsigned elementBits,
                              const ConversionRules &rules) {
  ConversionPlan plan = begin(conversion, Means::Shuffles);
  plan.shuffles = planShuffles(conversion, source, elementBits);
  plan.price = priceOf(*plan.shuffles, rules);
  return plan;
}

/// Plans by everything but shared memory.
std::vector<ConversionPlan> listPlansInWarps(const Conversion &conversion,
                                             const LinearLayout &source,
                                             unsigned elementBits,
                                             const ConversionRules &rules) {
  if (conversion.movement == Movement::Warps)
    return {};
  if (conversion.movement <= Movement::Registers)
    return {begin(conversion, Means::Registers)};
  std::vector<ConversionPlan> plans;
  if (auto plan = planByTranspositions(conversion, elementBits, rules))
    plans.push_back(std::move(*plan));
  plans.push_back(planByShuffles(conversion, source, elementBits, rules));
  return plans;
}

std::optional<ConversionPlan> planByRounds(const Conversion &conversion,
                                           const LinearLayout &source,
                                           const LinearLayout &destination,
                                           unsigned elementBits,
                                           const ConversionRules &rules) {
  std::vector<Axis> outputs;
  for (const AxisBits &output : source.outputs())
    outputs.push_back(output.axis);
  ConversionPlan plan = begin(conversion, Means::Rounds);
  plan.rounds = planRounds(source, destination.reorderOutputs(outputs),
                           elementBits, rules.sharedBytes);
  if (!plan.rounds)
    return std::nullopt;
  plan.staysInWarp = false;
  plan.price = priceOf(*plan.rounds, 1u << source.inputBits(Axis::Warp), rules);
  return plan;
}

std::optional<ConversionPlan> planThroughShared(const Conversion &conversion,
                                                const LinearLayout &source,
                                                const LinearLayout &destination,
                                                unsigned elementBits,
                                                const ConversionRules &rules) {
  if (!isMemoryWidth(elementBits))
    return std::nullopt;
  if (bytesOf(source, elementBits) > rules.sharedBytes)
    return planByRounds(conversion, source, destination, elementBits, rules);
  ConversionPlan plan = begin(conversion, Means::Shared);
  plan.shared = planShared(source, destination, elementBits, rules.matrices);
  plan.staysInWarp = readsOwnWarp(conversion, source);
  // One barrier before the load, one before the memory is used again.
  plan.price = priceOf(*plan.shared, rules) +
               2 * (plan.staysInWarp ? rules.warpBarrier : rules.barrier);
  return plan;
}

void sortByPrice(std::vector<ConversionPlan> &plans) {
  std::stable_sort(plans.begin(), plans.end(),
                   [](const ConversionPlan &a, const ConversionPlan &b) {
                     return a.price < b.price;
                   });
}

/// The first plan, if there is one.
std::optional<ConversionPlan> firstOf(std::vector<ConversionPlan> plans) {
  if (plans.empty())
    return std::nullopt;
  return std::move(plans.front());
}

} // namespace

std::string_view meansName(Means means) {
  switch (means) {
  case Means::Registers:
    return "registers";
  case Means::Transpositions:
    return "matrix transpositions";
  case Means::Shuffles:
    return "shuffles";
  case Means::Shared:
    return "shared memory";
  case Means::Rounds:
    return "shared memory in rounds";
  }
  return "";
}

std::optional<Means> meansOfName(std::string_view name) {
  for (Means means : {Means::Registers, Means::Transpositions, Means::Shuffles,
                      Means::Shared, Means::Rounds})
    if (meansName(means) == name)
      return means;
  return std::nullopt;
}

std::string ConversionPlan::describe() const {
  if (means == Means::Registers)
    return "a renaming of registers";
  if (means == Means::Transpositions)
    return count(transpositions->words.size(), "matrix transposition");
  if (means == Means::Shuffles)
    return count(shuffles->countShuffles(), "shuffle") + " and " +
           count(shuffles->countSelects(), "select");
  if (means == Means::Rounds)
    return describeRounds(*rounds);
  unsigned bits = shared->elementBits;
  std::string load =
      describeAccess(shared->load, shared->matrixLoad, bits,
                     shared->countLoadWavefronts(), "load", "ldmatrix");
  if (isStored)
    return load + " of what is stored";
  return describeAccess(shared->store, shared->matrixStore, bits,
                        shared->countStoreWavefronts(), "store", "stmatrix") +
         ", " + load;
}

uint64_t priceOf(const TransposePlan &plan, const ConversionRules &rules) {
  // Each word is put together from two registers.
  return uint64_t(rules.shuffle + rules.select) * plan.words.size();
}

uint64_t priceOf(const ShufflePlan &plan, const ConversionRules &rules) {
  return uint64_t(rules.shuffle) * plan.countShuffles() +
         uint64_t(rules.select) * plan.countSelects();
}

uint64_t priceOf(const SharedPlan &plan, const ConversionRules &rules) {
  unsigned accesses = (plan.matrixStore ? plan.matrixStore->instructions()
                                        : plan.store.instructions()) +
                      (plan.matrixLoad ? plan.matrixLoad->instructions()
                                       : plan.load.instructions());
  return uint64_t(rules.sharedAccess) * accesses +
         uint64_t(rules.wavefront) *
             (plan.countStoreWavefronts() + plan.countLoadWavefronts());
}

uint64_t priceOf(const RoundsPlan &plan, unsigned warps,
                 const ConversionRules &rules) {
  // Where threads load what others keep they select; two barriers a round.
  uint64_t selects = plan.load.isUniform
                         ? 0
                         : plan.loadInstructions *
                               plan.load.access.vectorElements *
                               std::max(1u, plan.elementBits / 32);
  return uint64_t(rules.sharedAccess) *
             (plan.storeInstructions + plan.loadInstructions) +
         uint64_t(rules.wavefront) *
             (plan.storeWavefronts + plan.loadWavefronts) / warps +
         uint64_t(rules.select) * selects +
         2 * uint64_t(rules.barrier) * plan.rounds();
}

std::vector<ConversionPlan> listConversionPlans(const LinearLayout &source,
                                                const LinearLayout &destination,
                                                unsigned elementBits,
                                                const ConversionRules &rules) {
  std::optional<Conversion> conversion =
      classifyConversion(source, destination);
  if (!conversion)
    return {};
  std::vector<ConversionPlan> plans =
      listPlansInWarps(*conversion, source, elementBits, rules);
  if (conversion->movement > Movement::Registers)
    if (auto plan = planThroughShared(*conversion, source, destination,
                                      elementBits, rules))
      plans.push_back(std::move(*plan));
  sortByPrice(plans);
  return plans;
}

std::optional<ConversionPlan> planConversion(const LinearLayout &source,
                                             const LinearLayout &destination,
                                             unsigned elementBits,
                                             const ConversionRules &rules) {
  return firstOf(listConversionPlans(source, destination, elementBits, rules));
}

ConversionPlan planLoadOf(const LinearLayout &shared,
                          const LinearLayout &source,
                          const LinearLayout &destination, unsigned elementBits,
                          const ConversionRules &rules) {
  std::optional<Conversion> conversion =
      classifyConversion(source, destination);
  assert(conversion && "the source holds every element");
  ConversionPlan plan = begin(*conversion, Means::Shared);
  plan.shared =
      planSharedUnder(shared, source, destination, elementBits, rules.matrices);
  plan.staysInWarp = readsOwnWarp(*conversion, source);
  plan.isStored = true;
  unsigned accesses = plan.shared->matrixLoad
                          ? plan.shared->matrixLoad->instructions()
                          : plan.shared->load.instructions();
  plan.price = uint64_t(rules.sharedAccess) * accesses +
               uint64_t(rules.wavefront) * plan.shared->countLoadWavefronts();
  return plan;
}

std::optional<ConversionPlan> planConversionBy(Means means,
                                               const LinearLayout &source,
                                               const LinearLayout &destination,
                                               unsigned elementBits,
                                               const ConversionRules &rules) {
  ConversionRules bounded = rules;
  if (means == Means::Rounds)
    bounded.sharedBytes =
        std::min(rules.sharedBytes, bytesOf(source, elementBits) / 4);
  for (ConversionPlan &plan :
       listConversionPlans(source, destination, elementBits, bounded))
    if (plan.means == means)
      return std::move(plan);
  return std::nullopt;
}

std::optional<uint64_t> estimateConversion(const LinearLayout &source,
                                           const LinearLayout &destination,
                                           unsigned elementBits,
                                           const ConversionRules &rules) {
  std::optional<Conversion> conversion =
      classifyConversion(source, destination);
  if (!conversion)
    return std::nullopt;
  std::optional<uint64_t> best;
  for (const ConversionPlan &plan :
       listPlansInWarps(*conversion, source, elementBits, rules))
    best = std::min(best.value_or(plan.price), plan.price);
  uint64_t barriers = 2 * (readsOwnWarp(*conversion, source) ? rules.warpBarrier
                                                             : rules.barrier);
  // A store and a load, each of one wavefront, are the least.
  uint64_t least = 2 * (rules.sharedAccess + rules.wavefront) + barriers;
  if ((best && *best <= least) || !isMemoryWidth(elementBits))
    return best;
  SharedEstimate shared =
      estimateShared(source, destination, elementBits, rules.matrices);
  uint64_t price = uint64_t(rules.sharedAccess) * shared.accesses +
                   uint64_t(rules.wavefront) * shared.wavefronts + barriers;
  return best ? std::min(*best, price) : price;
}

} // namespace tilewright::layout
