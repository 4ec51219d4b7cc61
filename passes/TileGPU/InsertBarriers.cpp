// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts a barrier wherever two accesses to the same bytes of shared memory need
// one, and nowhere else.

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/SharedMemoryHazards.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_INSERTBARRIERS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

struct InsertBarriers : tilegpu::impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      SharedMemoryHazards hazards(function);
      llvm::SetVector<Operation *> places;
      while (Operation *op = hazards.findUnordered(places))
        places.insert(op);
      // A barrier found late, through a loop's back edge, may make an earlier
      // one needless.
      for (Operation *op : SmallVector<Operation *>(places.getArrayRef())) {
        places.remove(op);
        if (hazards.findUnordered(places))
          places.insert(op);
      }
      bool oneWarp = lookupNumWarps(function) == 1;
      for (Operation *op : places) {
        OpBuilder builder(op);
        BarrierOp::create(builder, op->getLoc(), /*warp=*/oneWarp);
      }
    }
  }
};

} // namespace
