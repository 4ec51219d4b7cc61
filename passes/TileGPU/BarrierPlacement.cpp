// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/BarrierPlacement.h"

#include "passes/TileGPU/BarrierCover.h"

#include <utility>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Whether threads write what the asynchronous proxy accesses then: a fence
/// goes with the barrier between the two.
static bool takesFence(const SharedMemoryHazards::Hazard &hazard) {
  auto isOfProxy = [](const SharedOperand &operand) {
    return operand.accessor == SharedAccessor::AsynchronousProxy;
  };
  auto isWriteOfThreads = [&](const SharedOperand &operand) {
    return operand.isWrite && !isOfProxy(operand) &&
           operand.accessor != SharedAccessor::Mbarrier;
  };
  return llvm::any_of(getSharedOperands(hazard.first), isWriteOfThreads) &&
         llvm::any_of(getSharedOperands(hazard.second), isOfProxy);
}

/// Leaves those gaps of a path that are executed least often: not those of a
/// loop, where there are some in front of it.
static void keepRarest(std::vector<unsigned> &path, ArrayRef<uint64_t> prices) {
  uint64_t least = ~uint64_t(0);
  for (unsigned gap : path)
    least = std::min(least, prices[gap]);
  llvm::erase_if(path, [&](unsigned gap) { return prices[gap] >= 2 * least; });
}

/// Chooses barriers of one strength. Each path without a barrier is a demand;
/// what meets all demands so far may leave other paths, which are demands then.
/// `fencesApart`: fences are where they are executed least often.
static void placeStrength(const SharedMemoryHazards &hazards, Ordering strength,
                          ArrayRef<uint64_t> prices, bool fencesApart,
                          BarrierChoice &choice) {
  const BarrierChoice before = choice;
  std::vector<std::vector<unsigned>> demands;
  for (;;) {
    SmallVector<SharedMemoryHazards::Hazard> found =
        hazards.findHazards(choice, strength);
    if (found.empty())
      return;
    for (SharedMemoryHazards::Hazard &hazard : found) {
      if (fencesApart && takesFence(hazard))
        keepRarest(hazard.path, prices);
      demands.push_back(std::move(hazard.path));
    }
    llvm::sort(demands);
    demands.erase(llvm::unique(demands), demands.end());
    choice = before;
    choice.add(coverDemands(demands, prices), strength);
  }
}

static BarrierChoice place(const SharedMemoryHazards &hazards,
                           ArrayRef<uint64_t> prices, bool fencesApart) {
  BarrierChoice choice(hazards.getGaps().size());
  placeStrength(hazards, Ordering::Cta, prices, fencesApart, choice);
  placeStrength(hazards, Ordering::Warp, prices, fencesApart, choice);
  return choice;
}

/// What the barriers and their fences cost.
static uint64_t addPrices(const BarrierPlan &plan, ArrayRef<uint64_t> prices) {
  uint64_t sum = 0;
  for (auto [strength, price] : llvm::zip_equal(plan.barriers.strength, prices))
    if (strength != Ordering::None)
      sum += price;
  for (unsigned gap : plan.fences)
    sum += prices[gap];
  return sum;
}

/// Whether conflicts are left that need a barrier of any strength.
static bool leavesHazards(const SharedMemoryHazards &hazards,
                          const BarrierChoice &choice) {
  return !hazards.findHazards(choice, Ordering::Cta).empty() ||
         !hazards.findHazards(choice, Ordering::Warp).empty();
}

/// Leaves fences alone where others of the barriers order what theirs does.
static void dropNeedless(const SharedMemoryHazards &hazards,
                         BarrierPlan &plan) {
  for (unsigned gap : plan.fences) {
    Ordering strength =
        std::exchange(plan.barriers.strength[gap], Ordering::None);
    if (strength != Ordering::None && leavesHazards(hazards, plan.barriers))
      plan.barriers.strength[gap] = strength;
  }
}

/// A barrier of a loop that serves what is written in front of the loop as well
/// has its fence in every iteration. Where nothing else asks for that, a fence
/// in front of the loop costs less, and maybe another barrier.
BarrierPlan tilegpu::placeBarriers(const SharedMemoryHazards &hazards) {
  SmallVector<uint64_t> prices = llvm::map_to_vector(
      hazards.getGaps(),
      [](const SharedMemoryHazards::Gap &gap) { return gap.price; });
  auto plan = [&](bool fencesApart) {
    BarrierChoice choice = place(hazards, prices, fencesApart);
    SmallVector<unsigned> fences = hazards.findProxyFences(choice);
    return BarrierPlan{std::move(choice), std::move(fences)};
  };
  BarrierPlan together = plan(/*fencesApart=*/false);
  if (together.fences.empty())
    return together;
  BarrierPlan apart = plan(/*fencesApart=*/true);
  dropNeedless(hazards, apart);
  return addPrices(apart, prices) < addPrices(together, prices) ? apart
                                                                : together;
}
