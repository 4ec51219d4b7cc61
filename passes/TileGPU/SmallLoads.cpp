// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/SmallLoads.h"

#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/RegisterPressure.h"
#include "passes/TileGPU/LoadsAhead.h"
#include "passes/TileGPU/LoopMemory.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Registers of a thread that one load, and that all of them, may take.
static constexpr unsigned mostOfOne = 8, mostOfAll = 16;

static bool isUsedHere(Operation *load, scf::ForOp loop) {
  return !load->use_empty() &&
         llvm::all_of(load->getUsers(), [&](Operation *user) {
           Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
           return here && !here->hasTrait<OpTrait::IsTerminator>();
         });
}

SmallLoads::SmallLoads(scf::ForOp loop, const EarlyOps &early,
                       const target::Target &target)
    : target(target), warps(std::max(1u, lookupNumWarps(loop))) {
  TileRegisters registers;
  most = RegisterPressure(loop.getRegion(), registers).getMost();
  unsigned limit = target.maxTileRegistersOf(warps * target::Target::warpSize);
  LoopWrites writes(loop);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isLoad(op) || early.getStage(&op) || !isUsedHere(&op, loop))
      continue;
    Type type = op.getResult(0).getType();
    unsigned own = countRegistersOf(type);
    SmallVector<Value> reads = {getGlobalAccess(&op)->pointers};
    // A number, though tiles be spilled: waiting for it takes longer than they
    // do (gradients of gated norms: 35 us for 43 and 46 on an H200).
    bool isTile = isa<RankedTensorType>(type);
    if (own > mostOfOne || held + own > mostOfAll ||
        (isTile && countRegisters(1) + 2 * own > limit) ||
        !EarlyOps(loop).add(&op, 0, reads) || writes.mayReach(reads))
      continue;
    held += own;
    loads.push_back(&op);
  }
}

/// Registers where what was loaded so many iterations ahead is held: the next
/// one comes before the last use of the one before.
unsigned SmallLoads::countRegisters(int distance) const {
  return most + (distance + 1) * held;
}

int SmallLoads::findDistance(int mostDistance) const {
  unsigned limit = target.maxTileRegistersOf(warps * target::Target::warpSize);
  auto countCtas = [&](int distance) {
    return Occupancy(target, warps, estimateRegisters(countRegisters(distance)))
        .countCtas(/*sharedBytes=*/0);
  };
  int distance = 1;
  while (distance < mostDistance && (distance + 1) * held <= mostOfAll &&
         countRegisters(distance + 1) <= limit &&
         countCtas(distance + 1) == countCtas(1))
    ++distance;
  return distance;
}
