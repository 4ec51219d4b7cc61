// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts copies of straight-line code, such as the first ones of loops, right
// behind the reads before, so that memory answers them together; and loads of
// few registers beside them.

#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
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
      if (function.isExternal() ||
          llvm::none_of(function.getFunctionBody(), hasGroups))
        continue;
      ReadsTogether reads(function);
      int64_t bytes = std::max(reads.countPeakBytes(), getNotedBytes(function));
      int64_t budget = Occupancy(function, *target).getBytesOfSameCount(bytes);
      for (Block &block : function.getFunctionBody())
        if (hasGroups(block))
          reads.run(block, budget);
    }
  }
};
} // namespace
