// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns graphs of blocks into loops and branches with regions. The algorithm is
// upstream's (mlir/Transforms/CFGToSCF.h); here is what it does not know: how a
// function of `tt` ends, and that switches become branches of two ways, which
// is all that later passes know.

#include "dialects/Triton/Triton.h"
#include "dialects/Triton/TritonGPU.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Tile/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_STRUCTURECONTROLFLOW
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

namespace {

struct Transformation : ControlFlowToSCFTransformation {
  /// What follows an endless loop: a return of no values in particular.
  FailureOr<Operation *> createUnreachableTerminator(Location location,
                                                     OpBuilder &builder,
                                                     Region &region) override {
    auto makeUndefined = [&](TypeRange types) {
      return llvm::map_to_vector(types, [&](Type type) {
        return getUndefValue(location, builder, type);
      });
    };
    // Only bodies of functions and functions of scalars are transformed.
    if (auto function = dyn_cast<tt::FuncOp>(region.getParentOp()))
      return tt::ReturnOp::create(
                 builder, location,
                 makeUndefined(function.getFunctionType().getResults()))
          .getOperation();
    auto map = cast<tt::MapElementwiseOp>(region.getParentOp());
    SmallVector<Type> types;
    for (Type type : map.getResultTypes())
      types.append(map.getPack(), getElementTypeOrSelf(type));
    return tt::MapElementwiseReturnOp::create(builder, location,
                                              makeUndefined(types))
        .getOperation();
  }
};

/// Replaces a switch by a chain of branches, one for each case.
void replaceSwitch(scf::IndexSwitchOp op, IRRewriter &rewriter) {
  Location location = op.getLoc();
  rewriter.setInsertionPoint(op);
  if (op.getNumCases() == 0) {
    Operation *yield = op.getDefaultBlock().getTerminator();
    SmallVector<Value> results(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&op.getDefaultBlock(), op);
    rewriter.replaceOp(op, results);
    return;
  }
  // The number before it was made an index, as tile IR has it.
  Value flag = op.getArg();
  if (auto cast = flag.getDefiningOp<arith::IndexCastUIOp>())
    flag = cast.getIn();
  Operation *first = nullptr;
  for (auto [number, region] : llvm::enumerate(op.getCaseRegions())) {
    Value value = arith::ConstantOp::create(
        rewriter, location,
        rewriter.getIntegerAttr(flag.getType(), op.getCases()[number]));
    Value isCase = arith::CmpIOp::create(rewriter, location,
                                         arith::CmpIPredicate::eq, flag, value);
    auto branch = scf::IfOp::create(rewriter, location, op.getResultTypes(),
                                    isCase, /*addThenBlock=*/false,
                                    /*addElseBlock=*/false);
    branch.getThenRegion().takeBody(region);
    if (first)
      scf::YieldOp::create(rewriter, location, branch.getResults());
    else
      first = branch;
    bool isLast = number + 1 == op.getNumCases();
    if (isLast)
      branch.getElseRegion().takeBody(op.getDefaultRegion());
    else
      rewriter.setInsertionPointToEnd(
          rewriter.createBlock(&branch.getElseRegion()));
  }
  rewriter.replaceOp(op, first->getResults());
}

struct StructureControlFlow
    : tile::impl::StructureControlFlowBase<StructureControlFlow> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<tt::FuncOp>())
      if (!function.isExternal() && failed(structure(function, rewriter)))
        return signalPassFailure();
  }

private:
  /// Triton 3.0 writes its undefined values (of variables that a branch leaves
  /// alone) in LLVM's dialect, and 3.7 its barriers in one of its own.
  static void replaceForeign(Region &body, IRRewriter &rewriter) {
    body.walk([&](LLVM::UndefOp op) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<ub::PoisonOp>(op, op.getType());
    });
    body.walk([&](ttg::BarrierOp op) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<gpu::BarrierOp>(op);
    });
    body.walk(readCachePolicy);
  }

  /// Triton 3.9 has one attribute for both hints on caches.
  static void readCachePolicy(Operation *access) {
    auto policy = dyn_cast_if_present<tt::CachePolicyAttr>(
        access->getDiscardableAttr("cachePolicy"));
    if (!policy || !access->getInherentAttr("cache"))
      return;
    access->removeDiscardableAttr("cachePolicy");
    MLIRContext *context = access->getContext();
    access->setAttr("cache", tt::CacheModifierAttr::get(
                                 context, policy.getCacheModifier()));
    access->setAttr("evict", tt::EvictionPolicyAttr::get(
                                 context, policy.getEvictionPolicy()));
  }

  /// Makes one block of a region's, which ends as `owner` wants it.
  static LogicalResult makeOneBlock(Operation *owner, Region &body,
                                    IRRewriter &rewriter) {
    (void)eraseUnreachableBlocks(rewriter, body);
    if (!body.hasOneBlock()) {
      DominanceInfo dominance(owner);
      Transformation transformation;
      if (failed(transformCFGToSCF(body, transformation, dominance)))
        return failure();
    }
    if (body.hasOneBlock())
      return success();
    return owner->emitOpError("expects branches that can be made into loops "
                              "and conditions");
  }

  static LogicalResult structure(tt::FuncOp function, IRRewriter &rewriter) {
    replaceForeign(function.getBody(), rewriter);
    SmallVector<tt::MapElementwiseOp> maps;
    function.walk([&](tt::MapElementwiseOp op) { maps.push_back(op); });
    for (tt::MapElementwiseOp op : maps)
      if (failed(makeOneBlock(op, op.getScalarOp(), rewriter)))
        return failure();
    if (failed(makeOneBlock(function, function.getBody(), rewriter)))
      return failure();
    SmallVector<scf::IndexSwitchOp> switches;
    function.walk([&](scf::IndexSwitchOp op) { switches.push_back(op); });
    for (scf::IndexSwitchOp op : switches)
      replaceSwitch(op, rewriter);
    return success();
  }
};

} // namespace
