// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts copies of straight-line code, such as the first ones of loops, and of
// iterations that do not overlap, right behind the reads before, so that memory
// answers them together; loads of few registers beside them, and bulk copies.

#include "dialects/Target/Target.h"
#include "dialects/TileGPU/Agents.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Analysis/Occupancy.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/ReadsTogether.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ADVANCECOPIES
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static bool hasGroups(Block &block) {
  return !block.getOps<AsyncCommitOp>().empty();
}

/// Whether each iteration of the loop waits for its own groups, as where it is
/// no software pipeline: of others the waits count groups of all iterations.
static bool waitsForItself(scf::ForOp loop) {
  auto waits = loop.getBody()->getOps<AsyncWaitOp>();
  return llvm::all_of(waits, [&](AsyncWaitOp wait) {
    return !wait.getTokens().empty() &&
           llvm::all_of(wait.getTokens(), [&](Value token) {
             return token.getParentBlock() == loop.getBody() &&
                    token.getDefiningOp();
           });
  });
}

/// The blocks whose reads may start together, those of agents too.
static SmallVector<Block *> listBlocks(FunctionOpInterface function) {
  SmallVector<Block *> blocks;
  for (Region *region : getAgentRegions(function))
    for (Block &block : *region)
      if (hasGroups(block))
        blocks.push_back(&block);
  // Buffers that warps of their own will fill live as long as the function:
  // what loops leave is less than it seems.
  WalkResult bulk =
      function->walk([](BulkCopyOp) { return WalkResult::interrupt(); });
  if (bulk.wasInterrupted())
    return blocks;
  function.walk([&](scf::ForOp loop) {
    if (hasGroups(*loop.getBody()) && waitsForItself(loop))
      blocks.push_back(loop.getBody());
  });
  return blocks;
}

/// The blocks that make mbarriers and start bulk copies, as in front of loops:
/// not those of pipelines, whose mbarriers are made outside.
static SmallVector<Block *> listBulkBlocks(FunctionOpInterface function) {
  SmallVector<Block *> blocks;
  function.walk([&](Block *block) {
    if (!block->getOps<MbarrierInitOp>().empty() &&
        !block->getOps<BulkCopyOp>().empty())
      blocks.push_back(block);
  });
  return blocks;
}

/// What unrolled loops take, whose copies are to start together.
static int64_t getNotedBytes(FunctionOpInterface function) {
  auto bytes =
      function->getAttrOfType<IntegerAttr>(TileGPUDialect::sharedBytesAttrName);
  return bytes ? bytes.getInt() : 0;
}

namespace {
struct AdvanceCopies : tilegpu::impl::AdvanceCopiesBase<AdvanceCopies> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const target::Target *target = requireTarget(module);
    if (!target)
      return signalPassFailure();
    for (auto function : module.getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      SmallVector<Block *> blocks = listBlocks(function);
      SmallVector<Block *> bulkBlocks = listBulkBlocks(function);
      if (blocks.empty() && bulkBlocks.empty())
        continue;
      ReadsTogether reads(function);
      int64_t bytes = std::max(reads.countPeakBytes(), getNotedBytes(function));
      int64_t budget = Occupancy(function, *target).getBytesOfSameCount(bytes);
      for (Block *block : blocks)
        reads.run(*block, budget);
      for (Block *block : bulkBlocks)
        reads.advanceBulkCopies(*block, budget);
    }
  }
};
} // namespace
