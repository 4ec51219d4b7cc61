// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a gather into the way of its source to shared memory and the reads of
// the elements picked, unless shuffles within warps do. What a loop leaves as
// it is goes there once, before the loop.

#include "dialects/Layout/GatherPlan.h"
#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/SharedTile.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DECOMPOSEGATHERS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::GatherPlan;
using layout::LinearLayout;

namespace {

/// Whether shuffles cost no more than the way through shared memory, where most
/// stores and loads take a wavefront each.
bool isCheap(const GatherPlan &plan, const LinearLayout &source,
             unsigned elementBits, const layout::ConversionRules &rules) {
  unsigned words = std::max(1u, elementBits / 32);
  unsigned shuffles = words * (rules.shuffle * plan.countShuffles() +
                               rules.select * plan.countSelects());
  unsigned accesses = words * ((1u << source.inputBits(Axis::Register)) +
                               (1u << plan.from.inputBits(Axis::Register)));
  return shuffles <=
         2 * rules.barrier + accesses * (rules.sharedAccess + rules.wavefront);
}

/// Elements in row-major order: which of them a warp reads is not known, so
/// that no order is better.
LinearLayout getRowMajorLayout(ArrayRef<int64_t> shape) {
  LinearLayout layout;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim)
    layout =
        layout * LinearLayout::identity(Axis::Offset, Axis::coordinate(dim),
                                        layout::log2Exact(shape[dim]));
  return layout;
}

/// Where the gather's source may be stored: before the outermost loop that does
/// not change it, or at the gather.
Operation *findPlace(tt::GatherOp op) {
  Region *home = op.getSrc().getParentRegion();
  Operation *place = op, *at = op;
  while (at->getParentRegion() != home &&
         isa<scf::ForOp, scf::WhileOp, scf::IfOp>(at->getParentOp())) {
    at = at->getParentOp();
    if (!isa<scf::IfOp>(at))
      place = at;
  }
  return place;
}

/// The gathers of one function.
class Gathers {
public:
  Gathers(FunctionOpInterface function, const target::Target &target)
      : function(function), target(target), rules(getConversionRules(target)) {}

  LogicalResult run() {
    SmallVector<tt::GatherOp> gathers;
    function.walk([&](tt::GatherOp op) { gathers.push_back(op); });
    if (gathers.empty())
      return success();
    int64_t bytes = SharedLiveness(function).getPeakBytes();
    if (lookupNumWarps(function))
      budget = Occupancy(function, target).getBytesOfSameCount(bytes);
    return success(llvm::all_of(
        gathers, [&](tt::GatherOp op) { return succeeded(decompose(op)); }));
  }

private:
  LogicalResult decompose(tt::GatherOp op) {
    auto source = cast<RankedTensorType>(op.getSrc().getType());
    auto indices = cast<RankedTensorType>(op.getIndices().getType());
    auto result = cast<RankedTensorType>(op.getType());
    for (RankedTensorType type : {source, indices})
      if (!getRegisterLayout(type))
        return op.emitOpError("expects tensors with a register layout, but "
                              "got ")
               << type;
    if (result.getEncoding() != indices.getEncoding())
      return op.emitOpError("expects indices and result of one layout, but "
                            "got ")
             << indices << " and " << result;
    LinearLayout layout = toLinearLayout(source);
    std::optional<GatherPlan> plan = layout::planGather(
        layout, toLinearLayout(result), Axis::coordinate(op.getAxis()));
    if (plan &&
        isCheap(*plan, layout, getMemoryBits(source.getElementType()), rules))
      return success();
    IRRewriter rewriter(op);
    Value memory = store(op);
    rewriter.replaceOpWithNewOp<LocalGatherOp>(op, result, memory,
                                               op.getIndices(), op.getAxis());
    return success();
  }

  /// The tile of the gather's source: that of an earlier gather, or a new one,
  /// before loops unless that takes memory that costs a CTA.
  Value store(tt::GatherOp op) {
    Operation *place = findPlace(op);
    Value &known = tiles[{op.getSrc(), place}];
    if (known)
      return known;
    Value tile = storeAt(place, op);
    if (place == op)
      return tile;
    // Read where the gather is.
    OpBuilder builder(op);
    Operation *read =
        LocalGatherOp::create(builder, op.getLoc(), op.getType(), tile,
                              op.getIndices(), op.getAxis());
    bool fits = SharedLiveness(function).getPeakBytes() <= budget;
    read->erase();
    if (fits)
      return known = tile;
    Operation *allocation = tile.getDefiningOp();
    allocation->getNextNode()->erase();
    allocation->erase();
    return storeAt(op, op);
  }

  static Value storeAt(Operation *place, tt::GatherOp op) {
    OpBuilder builder(place);
    auto source = cast<RankedTensorType>(op.getSrc().getType());
    return createSharedTile(builder, op.getLoc(), op.getSrc(),
                            getRowMajorLayout(source.getShape()));
  }

  FunctionOpInterface function;
  const target::Target &target;
  layout::ConversionRules rules;
  /// Bytes of shared memory that may live together.
  int64_t budget = 0;
  /// By what they hold and where they are stored: those before loops.
  llvm::DenseMap<std::pair<Value, Operation *>, Value> tiles;
};

struct DecomposeGathers
    : tilegpu::impl::DecomposeGathersBase<DecomposeGathers> {
  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && failed(Gathers(function, *target).run()))
        return signalPassFailure();
  }
};

} // namespace
