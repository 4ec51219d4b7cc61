// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which programs run as a cluster: those that tile.reduce_scatter sums over.
//
// In: tilegpu IR, whose control flow is structured. Out: functions that name
// their clusters, and errors where programs could not come to an op together.

#include "dialects/Tile/Tile.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/TileToTileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_FORMCLUSTERS
#include "passes/TileToTileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using tile::ReduceScatterOp;

namespace {

struct FormClusters : tilegpu::impl::FormClustersBase<FormClusters> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && failed(form(function)))
        signalPassFailure();
  }

private:
  LogicalResult form(FunctionOpInterface function) {
    SmallVector<ReduceScatterOp> ops;
    function.walk([&](ReduceScatterOp op) { ops.push_back(op); });
    if (ops.empty())
      return success();
    if (failed(verifyTarget(ops.front())))
      return failure();
    for (ReduceScatterOp op : ops)
      if (failed(verifyPlace(op)) || failed(verifyPrograms(op, ops.front())))
        return failure();
    int32_t programs = ops.front().getPrograms();
    if (unsigned ctas = lookupCluster(function);
        ctas != 1 && ctas != unsigned(programs))
      return ops.front().emitOpError("expects the programs of the function's "
                                     "clusters (tilegpu.cluster), ")
             << ctas << ", but got " << programs;
    function->setAttr(
        TileGPUDialect::clusterAttrName,
        Builder(function.getContext()).getI32IntegerAttr(programs));
    return success();
  }

  LogicalResult verifyTarget(ReduceScatterOp op) {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return failure();
    if (target->has(target::Capability::Clusters))
      return success();
    return op.emitOpError("expects a target with thread block clusters, such "
                          "as sm_90a, but got ")
           << StringRef(target->name)
           << "; there, sum by atomics or in a second launch";
  }

  static LogicalResult verifyPlace(ReduceScatterOp op) {
    Operation *parent = op->getParentOp();
    if (isa<FunctionOpInterface>(parent))
      return success();
    return op.emitOpError("expects to be in the body of a function, where all "
                          "programs of a cluster come by, but got it inside '")
           << parent->getName() << "'; move it out of loops and branches";
  }

  static LogicalResult verifyPrograms(ReduceScatterOp op,
                                      ReduceScatterOp first) {
    if (op.getPrograms() == first.getPrograms())
      return success();
    InFlightDiagnostic diagnostic =
        op.emitOpError("expects the ")
        << first.getPrograms()
        << " programs of the function's first tile.reduce_scatter, but got "
        << op.getPrograms();
    diagnostic.attachNote(first.getLoc()) << "that op is here";
    return diagnostic;
  }
};

} // namespace
