// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a sum over the programs of a cluster of writes to each other's shared
// memory, between barriers of the cluster, and a sum of what came there.
//
// In: tilegpu IR with tile.reduce_scatter on tensors with layouts, in functions
// that name their clusters. Out: tilegpu.store_parts, barriers and loads.

#include "dialects/Layout/RegisterParts.h"
#include "dialects/Layout/SharedLayout.h"
#include "dialects/Tile/Tile.h"
#include "dialects/TileGPU/Agents.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/SharedTile.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DECOMPOSEREDUCESCATTERS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using tile::ReduceScatterOp;

namespace {

void createClusterBarrier(OpBuilder &builder, Location location) {
  BarrierOp::create(builder, location, /*warp=*/false, /*shared=*/false,
                    /*cluster=*/true);
}

/// A buffer for each program's part, mutable, where the threads that hold
/// tensors of `type` find each other's elements by the widest accesses.
Value createBuffers(ReduceScatterOp op, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(op.getType());
  LinearLayout registers = toLinearLayout(type);
  MemDescType one =
      getSharedTileType(type, layout::planShared(registers, registers,
                                                 type.getElementTypeBitWidth())
                                  .shared);
  auto all =
      MemDescType::get(op.getContext(), one.getShape(), one.getElementType(),
                       one.getEncoding(), op.getPrograms(), /*isMutable=*/true);
  return LocalAllocOp::create(builder, op.getLoc(), all, /*source=*/Value(),
                              /*offset=*/IntegerAttr());
}

/// The sum of all buffers, in their order.
Value createSum(ReduceScatterOp op, Value buffers, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(op.getType());
  auto all = cast<MemDescType>(buffers.getType());
  auto one = MemDescType::get(op.getContext(), all.getShape(),
                              all.getElementType(), all.getEncoding(),
                              /*buffers=*/1, /*isMutable=*/true);
  Value sum;
  for (int32_t program = 0; program < int32_t(op.getPrograms()); ++program) {
    Value number = arith::ConstantOp::create(
        builder, op.getLoc(), builder.getI32IntegerAttr(program));
    Value buffer =
        MemDescIndexOp::create(builder, op.getLoc(), one, buffers, number);
    Value part = LocalLoadOp::create(builder, op.getLoc(), type, buffer,
                                     /*token=*/Value());
    if (!sum)
      sum = part;
    else if (isa<FloatType>(type.getElementType()))
      sum = arith::AddFOp::create(builder, op.getLoc(), sum, part);
    else
      sum = arith::AddIOp::create(builder, op.getLoc(), sum, part);
  }
  return sum;
}

/// Has the agents beside that of `op` come to as many barriers of the cluster
/// as it does: these wait for all of the CTA's threads.
void followInOtherAgents(ReduceScatterOp op, unsigned barriers) {
  auto agents = dyn_cast<WarpSpecializeOp>(op->getParentOp());
  if (!agents)
    return;
  for (Region &region : agents.getAgents()) {
    if (&region == op->getParentRegion())
      continue;
    OpBuilder builder(region.back().getTerminator());
    for (unsigned count = 0; count < barriers; ++count)
      createClusterBarrier(builder, op.getLoc());
  }
}

/// Threads hold the source in registers of one part each, and the result as
/// they hold a part.
LogicalResult verifyLayouts(ReduceScatterOp op) {
  for (Type type : {op.getSource().getType(), op.getType()})
    if (!getRegisterLayout(type))
      return op.emitOpError("expects tensors with a register layout, but got ")
             << type;
  std::optional<layout::RegisterParts> parts = layout::RegisterParts::get(
      toLinearLayout(cast<RankedTensorType>(op.getSource().getType())),
      Axis::coordinate(op.getAxis()), layout::log2Exact(op.getPrograms()));
  if (!parts || parts->getLayout() !=
                    toLinearLayout(cast<RankedTensorType>(op.getType())))
    return op.emitOpError("expects registers that each hold one part along "
                          "axis ")
           << op.getAxis() << ", and the result in the layout of a part, but "
           << "got " << op.getSource().getType() << " and " << op.getType();
  if (unsigned ctas = lookupCluster(op); ctas != op.getPrograms())
    return op.emitOpError("expects a function with clusters of ")
           << op.getPrograms() << " programs (run tilegpu-form-clusters first)"
           << ", but got " << ctas;
  return success();
}

struct DecomposeReduceScatters
    : tilegpu::impl::DecomposeReduceScattersBase<DecomposeReduceScatters> {
  void runOnOperation() override {
    SmallVector<ReduceScatterOp> ops;
    getOperation().walk([&](ReduceScatterOp op) { ops.push_back(op); });
    for (ReduceScatterOp op : ops) {
      if (failed(verifyLayouts(op)))
        return signalPassFailure();
      decompose(op);
    }
  }

private:
  static void decompose(ReduceScatterOp op) {
    IRRewriter rewriter(op);
    Location location = op.getLoc();
    // A cluster is programs of consecutive numbers from a multiple on.
    Value program =
        tt::GetProgramIdOp::create(rewriter, location, tt::ProgramAxis::X);
    Value last = arith::ConstantOp::create(
        rewriter, location, rewriter.getI32IntegerAttr(op.getPrograms() - 1));
    Value rank = arith::AndIOp::create(rewriter, location, program, last);
    // Before the barrier: from there on nothing else is in these bytes.
    Value buffers = createBuffers(op, rewriter);
    createClusterBarrier(rewriter, location);
    StorePartsOp::create(rewriter, location, op.getSource(), buffers, rank,
                         op.getAxis());
    createClusterBarrier(rewriter, location);
    followInOtherAgents(op, /*barriers=*/2);
    rewriter.replaceOp(op, createSum(op, buffers, rewriter));
  }
};

} // namespace
