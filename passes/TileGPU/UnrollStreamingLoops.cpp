// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolls loops that only load and compute, within each warp, so that loads of
// several iterations are on their way at a time, in registers.

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/TileGPU/LoadsAhead.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_UNROLLSTREAMINGLOOPS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

/// Iterations at a time, registers of a thread that their loads fill, and those
/// that everything in them gives: code grows by as much.
static constexpr uint64_t mostIterations = 8;
static constexpr uint64_t mostLoaded = 32, mostComputed = 1024;

/// Whether the op reduces what the lanes of a warp hold: loads of the next
/// iteration may be issued before, as they may not before a barrier.
static bool reducesWithinWarps(Operation *op) {
  auto reduce = dyn_cast<tt::ReduceOp>(op);
  if (!reduce)
    return false;
  LinearLayout layout =
      toLinearLayout(cast<RankedTensorType>(reduce.getOperand(0).getType()));
  return !layout.reaches(Axis::Warp, Axis::coordinate(reduce.getAxis()));
}

/// How many iterations are to be one, a divisor of their number; 1 where the
/// loop is to stay.
static uint64_t findFactor(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->ult(2) || !tt::isStreaming(loop, reducesWithinWarps))
    return 1;
  uint64_t loaded = 0, computed = 0;
  for (Operation &op : loop.getBody()->without_terminator())
    for (Type type : op.getResultTypes()) {
      uint64_t registers = countRegistersOf(type);
      loaded += isLoad(op) ? registers : 0;
      computed += isa<RankedTensorType>(type) ? registers : 0;
    }
  if (loaded == 0)
    return 1;
  uint64_t most = std::min({mostIterations, mostLoaded / loaded,
                            mostComputed / std::max<uint64_t>(1, computed)});
  for (uint64_t factor = most; factor > 1; --factor)
    if (trips->urem(factor) == 0)
      return factor;
  return 1;
}

namespace {
struct UnrollStreamingLoops
    : tilegpu::impl::UnrollStreamingLoopsBase<UnrollStreamingLoops> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      SmallVector<std::pair<scf::ForOp, uint64_t>> loops;
      function.walk([&](scf::ForOp loop) {
        if (uint64_t factor = findFactor(loop); factor > 1)
          loops.emplace_back(loop, factor);
      });
      for (auto [loop, factor] : loops)
        unroll(loop, factor, function.getName());
    }
  }

private:
  static void unroll(scf::ForOp loop, uint64_t factor, StringRef function) {
    remark::passed(
        loop.getLoc(),
        remark::RemarkOpts::name("unroll").category("loop").function(function))
        << "this loop is unrolled: loads of " + std::to_string(factor) +
               " iterations are on their way at a time";
    // It can be: the trip count is known, and a multiple of the factor.
    (void)loopUnrollByFactor(loop, factor);
  }
};
} // namespace
