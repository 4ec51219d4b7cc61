// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/SmallLoads.h"

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

SmallVector<Operation *> tilegpu::findSmallLoads(scf::ForOp loop,
                                                 const EarlyOps &early,
                                                 const target::Target &target) {
  TileRegisters registers;
  unsigned threads =
      std::max(1u, lookupNumWarps(loop)) * target::Target::warpSize;
  unsigned limit = target.maxTileRegistersOf(threads);
  unsigned most = RegisterPressure(loop.getRegion(), registers).getMost();
  LoopWrites writes(loop);
  SmallVector<Operation *> loads;
  unsigned held = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isLoad(op) || early.getStage(&op) || !isUsedHere(&op, loop))
      continue;
    unsigned own = countRegistersOf(op.getResult(0).getType());
    SmallVector<Value> reads = {getGlobalAccess(&op)->pointers};
    // The next one comes before the last use of the one before.
    if (own > mostOfOne || held + own > mostOfAll ||
        most + 2 * (held + own) > limit || !EarlyOps(loop).add(&op, 0, reads) ||
        writes.mayReach(reads))
      continue;
    held += own;
    loads.push_back(&op);
  }
  return loads;
}
