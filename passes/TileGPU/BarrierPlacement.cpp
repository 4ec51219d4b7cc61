// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/BarrierPlacement.h"

#include "passes/TileGPU/BarrierCover.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Chooses barriers of one strength. Each path without a barrier is a demand;
/// what meets all demands so far may leave other paths, which are demands then.
static void placeStrength(const SharedMemoryHazards &hazards, Ordering strength,
                          ArrayRef<uint64_t> prices, BarrierChoice &choice) {
  const BarrierChoice before = choice;
  std::vector<std::vector<unsigned>> demands;
  for (;;) {
    SmallVector<SharedMemoryHazards::Hazard> found =
        hazards.findHazards(choice, strength);
    if (found.empty())
      return;
    for (SharedMemoryHazards::Hazard &hazard : found)
      demands.push_back(std::move(hazard.path));
    llvm::sort(demands);
    demands.erase(llvm::unique(demands), demands.end());
    choice = before;
    choice.add(coverDemands(demands, prices), strength);
  }
}

BarrierChoice tilegpu::placeBarriers(const SharedMemoryHazards &hazards) {
  BarrierChoice choice(hazards.getGaps().size());
  SmallVector<uint64_t> prices = llvm::map_to_vector(
      hazards.getGaps(),
      [](const SharedMemoryHazards::Gap &gap) { return gap.price; });
  placeStrength(hazards, Ordering::Cta, prices, choice);
  placeStrength(hazards, Ordering::Warp, prices, choice);
  return choice;
}
