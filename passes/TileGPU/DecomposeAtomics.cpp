// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits an atomic of the program into the access by the threads that own its
// elements, the barriers that its order asks for, and the way of its result to
// the other threads. Volatile loads take that way too.

#include "dialects/Layout/SharedLayout.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/SharedTile.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DECOMPOSEATOMICS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

namespace {

/// Whether threads other than an element's owner hold it too.
bool hasCopies(const LinearLayout &layout) {
  return layout.redundantBits(Axis::Lane) || layout.redundantBits(Axis::Warp);
}

/// The layout of one element that every thread holds.
LinearAttr getScalarLayout(MLIRContext *context, unsigned numWarps) {
  unsigned warpBits = llvm::Log2_32(numWarps);
  return LinearAttr::get(
      context,
      LinearLayout(
          {{Axis::Register, 0}, {Axis::Lane, 5}, {Axis::Warp, warpBits}},
          {{Axis::coordinate(0), 0}}, std::vector<uint64_t>(5 + warpBits)));
}

/// Whether `semantic` orders earlier accesses before the atomic.
bool isRelease(tt::MemorySemantic semantic) {
  return semantic == tt::MemorySemantic::RELEASE ||
         semantic == tt::MemorySemantic::ACQUIRE_RELEASE;
}

/// Whether `semantic` orders later accesses behind the atomic.
bool isAcquire(tt::MemorySemantic semantic) {
  return semantic == tt::MemorySemantic::ACQUIRE ||
         semantic == tt::MemorySemantic::ACQUIRE_RELEASE;
}

/// Whether threads hold elements of the result of `op`, and need them, that
/// only their owners are sure to have. A load gives each warp what there is
/// when that warp reads: while others write there (volatile), warps may differ,
/// and would take different branches, with barriers on the way.
bool needsSharing(Operation *op, unsigned numWarps) {
  Value result = op->getResult(0);
  if (result.use_empty())
    return false;
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!isa<tt::LoadOp>(op))
    return !type || hasCopies(toLinearLayout(type));
  return numWarps > 1 &&
         (!type || toLinearLayout(type).redundantBits(Axis::Warp));
}

/// Decomposes `op`, an atomic or a volatile load of a program of `numWarps`.
void decompose(Operation *op, tt::MemorySemantic semantic, unsigned numWarps) {
  Location location = op->getLoc();
  bool oneWarp = numWarps == 1;
  OpBuilder builder(op);
  // What the program's other threads have written comes before the owners'
  // accesses...
  if (isRelease(semantic))
    BarrierOp::create(builder, location, oneWarp);
  builder.setInsertionPointAfter(op);
  Value result = op->getResult(0);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : result.getUses())
    uses.push_back(&use);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  bool isShared = needsSharing(op, numWarps);
  Value memory;
  if (isShared) {
    Value tile = result;
    if (!type) {
      type = RankedTensorType::get({1}, result.getType(),
                                   getScalarLayout(op->getContext(), numWarps));
      tile = tt::SplatOp::create(builder, location, type, result);
    }
    LinearLayout layout = toLinearLayout(type);
    layout::SharedPlan plan = layout::planShared(
        layout, layout, getMemoryBits(type.getElementType()));
    memory = createSharedTile(builder, location, tile, plan.shared);
  }
  // ... and these before what the others read afterwards.
  if (isAcquire(semantic))
    BarrierOp::create(builder, location, oneWarp);
  if (!isShared)
    return;
  Value loaded = LocalLoadOp::create(builder, location, type, memory,
                                     /*token=*/Value());
  if (!isa<RankedTensorType>(result.getType()))
    loaded = tt::UnsplatOp::create(builder, location, loaded);
  for (OpOperand *use : uses)
    use->set(loaded);
}

struct DecomposeAtomics
    : tilegpu::impl::DecomposeAtomicsBase<DecomposeAtomics> {
  void runOnOperation() override {
    SmallVector<std::pair<Operation *, tt::MemorySemantic>> accesses;
    getOperation().walk(
        [&](tt::AtomicRMWOp op) { accesses.push_back({op, op.getSem()}); });
    getOperation().walk(
        [&](tt::AtomicCASOp op) { accesses.push_back({op, op.getSem()}); });
    getOperation().walk([&](tt::LoadOp op) {
      if (op.mustReread())
        accesses.push_back({op, tt::MemorySemantic::RELAXED});
    });
    for (auto [op, semantic] : accesses)
      if (failed(verifyAndDecompose(op, semantic)))
        return signalPassFailure();
  }

private:
  static LogicalResult verifyAndDecompose(Operation *op,
                                          tt::MemorySemantic semantic) {
    unsigned numWarps = lookupNumWarps(op);
    if (numWarps == 0)
      return op->emitOpError("expects a function with the attribute ")
             << TileGPUDialect::numWarpsAttrName;
    if (!layout::isPowerOfTwo(numWarps))
      return op->emitOpError("expects to be run by a power of two warps, but "
                             "got ")
             << numWarps << "; move it into an agent";
    Type type = op->getResult(0).getType();
    if (isa<RankedTensorType>(type) && !getRegisterLayout(type))
      return op->emitOpError("expects tensors with a register layout, but got ")
             << type;
    decompose(op, semantic, numWarps);
    return success();
  }
};

} // namespace
