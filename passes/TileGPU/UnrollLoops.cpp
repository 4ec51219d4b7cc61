// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolls loops of few iterations, whose copies then start together.
//
// A software pipeline starts the copies of a stage less than it has buffers,
// and computes which buffer each iteration takes. Where there are no more
// iterations than buffers, straight-line code needs neither: AdvanceCopies has
// the copies of all iterations start at once. What their tiles take then is
// noted as the function's shared memory.

#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/TileGPU/CopiesAhead.h"
#include "passes/TileGPU/LoopMemory.h"
#include "passes/TileGPU/LoopSchedule.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_UNROLLLOOPS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Whether the function writes what copies of the loop read: straight-line code
/// has them start in their place then.
static bool writesWhatIsCopied(FunctionOpInterface function, scf::ForOp loop) {
  SmallVector<Value> reads;
  for (auto copy : loop.getBody()->getOps<AsyncCopyOp>())
    reads.push_back(copy.getPointers());
  return LoopWrites(function).mayReach(reads);
}

namespace {
struct UnrollLoops : tilegpu::impl::UnrollLoopsBase<UnrollLoops> {
  using UnrollLoopsBase::UnrollLoopsBase;

  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    if (!target->has(target::Capability::CpAsync))
      return;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal() ||
          llvm::is_contained(exceptFunctions, function.getName()))
        continue;
      for (Block &block : function.getFunctionBody())
        for (auto loop : llvm::to_vector(block.getOps<scf::ForOp>()))
          if (std::optional<int64_t> bytes = findBytes(loop, function, *target))
            unroll(loop, function, *bytes);
    }
  }

private:
  /// The bytes of shared memory that are in use in the loop with the tiles of
  /// all iterations, by the rules of pipelines of as many stages; none where
  /// there is no room for them, or their copies may not start before the loop.
  std::optional<int64_t> findBytes(scf::ForOp loop,
                                   FunctionOpInterface function,
                                   const target::Target &target) const {
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!trips || trips->ult(2) || trips->ugt(mostTrips) || isLong(loop) ||
        isScheduled(loop) || trips->ugt(getMostStages(loop, numStages)))
      return std::nullopt;
    CopiesAhead copies(loop, target, ctasPerMultiprocessor, /*acquires=*/false);
    if (!copies.hasCopies() || copies.findObstacle() ||
        writesWhatIsCopied(function, loop))
      return std::nullopt;
    SharedMemoryBudget budget(function, target);
    CopiesAhead::Depth depth =
        copies.findDepth(trips->getZExtValue(), budget, /*moreBytes=*/0,
                         /*mayBeLate=*/false);
    if (trips->ugt(depth.stages))
      return std::nullopt;
    return copies.countBytesBeside(budget) +
           copies.countBytes({.stages = unsigned(trips->getZExtValue())});
  }

  static void unroll(scf::ForOp loop, FunctionOpInterface function,
                     int64_t bytes) {
    remark::passed(loop.getLoc(),
                   remark::RemarkOpts::name("unroll").category("loop").function(
                       function.getName()))
        << "this loop is unrolled: copies of all its iterations may start "
           "before the first one";
    // It can be: the trip count is known.
    (void)loopUnrollFull(loop);
    StringRef name = TileGPUDialect::sharedBytesAttrName;
    if (auto others = function->getAttrOfType<IntegerAttr>(name))
      bytes = std::max(bytes, others.getInt());
    function->setAttr(name, Builder(function).getI32IntegerAttr(bytes));
  }

  /// Whether an iteration computes so much that the copies of the next one
  /// arrive meanwhile; then code that is some times as long gains nothing.
  /// RWKV-7's first launch has 327 operations an iteration: two in a row take
  /// 468 us on an H200, a loop 472, of which CUDA's assembler has 3,400 lines
  /// of PTX for 5,900.
  bool isLong(scf::ForOp loop) const {
    unsigned count = 0;
    loop.getBody()->walk([&](Operation *) { ++count; });
    return count > mostOperations;
  }

  /// Code grows by as much.
  static constexpr uint64_t mostTrips = 4;
};
} // namespace
