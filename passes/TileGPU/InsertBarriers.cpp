// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts a barrier wherever accesses to the same bytes of shared memory need one,
// and nowhere else, and before it a fence where the asynchronous proxy is to
// see what was written.

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "passes/Analysis/SharedMemoryHazards.h"
#include "passes/TileGPU/BarrierPlacement.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_INSERTBARRIERS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// Says how many barriers a function has, where it has any.
void remarkCounts(FunctionOpInterface function) {
  unsigned ofCta = 0, ofWarps = 0;
  function.walk([&](BarrierOp op) { ++(op.getWarp() ? ofWarps : ofCta); });
  if (ofCta + ofWarps == 0)
    return;
  auto options = remark::RemarkOpts::name("barriers")
                     .category("shared-memory")
                     .function(function.getName());
  remark::passed(function.getLoc(), options)
      << (Twine(ofCta) + " barriers of all warps and " + Twine(ofWarps) +
          " of single warps in '" + function.getName() + "'")
             .str();
}

struct InsertBarriers : tilegpu::impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      if (failed(verifyAccessesInBlocks(function)) || failed(insert(function)))
        return signalPassFailure();
      remarkCounts(function);
    }
  }

private:
  static LogicalResult
  diagnoseMissingWait(const SharedMemoryHazards::Hazard &missing) {
    auto [expected, work] = [&]() -> std::pair<StringRef, StringRef> {
      switch (cast<AsyncStepOpInterface>(missing.first).getAsyncStep().work) {
      case AsyncWork::Copies:
        return {"a tilegpu.async_wait for the copy that writes", "copy"};
      case AsyncWork::Products:
        return {"a tilegpu.wgmma_wait for the product that reads", "product"};
      case AsyncWork::BulkCopies:
        return {"a tilegpu.mbarrier_wait for the copy that writes", "copy"};
      case AsyncWork::BulkStores:
        return {"a tilegpu.bulk_store_wait for the store that reads", "store"};
      }
      llvm_unreachable("all kinds are listed");
    }();
    InFlightDiagnostic diagnostic = missing.second->emitOpError("expects ")
                                    << expected
                                    << " its bytes on every path from there";
    diagnostic.attachNote(missing.first->getLoc())
        << "the " << work << " is here";
    return diagnostic;
  }

  static LogicalResult insert(FunctionOpInterface function) {
    SharedMemoryHazards hazards(function, getOffset);
    if (auto missing = hazards.findMissingWait())
      return diagnoseMissingWait(*missing);
    BarrierPlan plan = placeBarriers(hazards);
    for (unsigned gap : plan.fences) {
      Operation *before = hazards.getGaps()[gap].before;
      OpBuilder builder(before);
      ProxyFenceOp::create(builder, before->getLoc());
    }
    for (auto [gap, strength] :
         llvm::zip_equal(hazards.getGaps(), plan.barriers.strength)) {
      if (strength == Ordering::None)
        continue;
      OpBuilder builder(gap.before);
      BarrierOp::create(builder, gap.before->getLoc(),
                        /*warp=*/strength == Ordering::Warp, /*shared=*/true);
    }
    return success();
  }
};

} // namespace
