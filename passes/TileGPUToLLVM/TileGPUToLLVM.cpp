// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: two conversions, the first from tiles to scalars (patterns of this
// folder), the second from scalar `arith`, `math` and `ub` to LLVM (upstream's
// patterns, which know nothing of registers). In the end agents become
// branches.

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "passes/Analysis/AxisAnalysis.h"
#include "passes/TileGPUToLLVM/Agents.h"
#include "passes/TileGPUToLLVM/Lowering.h"
#include "passes/TileGPUToLLVM/Passes.h"
#include "passes/TileGPUToLLVM/Pointers.h"
#include "passes/TileGPUToLLVM/TensorMaps.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_TILEGPUTOLLVM
#include "passes/TileGPUToLLVM/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// The CTA's shared memory: an external array without a size (PTX ISA, "Dynamic
/// shared memory"), aligned for every swizzle.
void createSharedArray(ModuleOp module) {
  OpBuilder builder(module.getBodyRegion());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
  LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false,
                         LLVM::Linkage::External, sharedArrayName,
                         /*value=*/Attribute(), /*alignment=*/1024,
                         sharedSpace);
}

struct TileGPUToLLVM : tilegpu::impl::TileGPUToLLVMBase<TileGPUToLLVM> {
  using TileGPUToLLVMBase::TileGPUToLLVMBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const target::Target *target = requireTarget(module);
    if (!target)
      return signalPassFailure();
    bool usesShared = false;
    for (auto function : module.getOps<tt::FuncOp>()) {
      if (lookupNumWarps(function) == 0) {
        function.emitOpError("expects the attribute ")
            << TileGPUDialect::numWarpsAttrName
            << "; run tilegpu-assign-layouts first";
        return signalPassFailure();
      }
      WalkResult allocates =
          function.walk([](LocalAllocOp) { return WalkResult::interrupt(); });
      usesShared |= allocates.wasInterrupted();
    }
    if (usesShared)
      createSharedArray(module);
    ClusterMeetings meetings(module);
    if (failed(verifyLibraryCalls(module)) ||
        failed(verifyAgents(module, *target)) ||
        failed(passTensorMaps(module)) || failed(lowerTiles(module, *target)) ||
        failed(lowerScalars(module)))
      return signalPassFailure();
    lowerAgents(module, *target, meetings);
  }

private:
  LogicalResult lowerTiles(ModuleOp module, const target::Target &target) {
    AxisAnalysis axes(module);
    PointerRegisters pointers(module);
    NamedBarrierWarps barriers(module);
    TileGPUTypeConverter converter(&getContext(), pointers);
    RewritePatternSet patterns(&getContext());
    populateFunctionPatterns(converter, target, patterns);
    populateControlFlowPatterns(converter, target, patterns);
    populatePointerPatterns(converter, target, patterns);
    populateComparisonPatterns(converter, target, axes, patterns);
    populateElementwisePatterns(converter, target, axes, patterns);
    populateMathFunctionPatterns(converter, target, flushSubnormals, patterns);
    populateInlineAssemblyPatterns(converter, target, patterns);
    populateLibraryCallPatterns(converter, target, patterns);
    populateFloatCastPatterns(converter, target, patterns);
    populateShapePatterns(converter, target, patterns);
    populateGlobalMemoryPatterns(converter, target, axes, patterns);
    populateAtomicPatterns(converter, target, axes, patterns);
    populateGatherPatterns(converter, target, patterns);
    populateDequantizePatterns(converter, target, patterns);
    populateHistogramPatterns(converter, target, patterns);
    populateMapPatterns(converter, target, patterns);
    populateDiagnosticPatterns(converter, target, patterns);
    populateSharedMemoryPatterns(converter, target, patterns);
    populateClusterPatterns(converter, target, patterns);
    populateAsyncCopyPatterns(converter, target, axes, patterns);
    populateBulkCopyPatterns(converter, target, patterns);
    populateTensorMapPatterns(converter, target, patterns);
    populateConversionPatterns(converter, target, patterns);
    populateReductionPatterns(converter, target, patterns);
    populateDotPatterns(converter, target, patterns);
    populateWarpGroupDotPatterns(converter, target, patterns);
    populateAgentPatterns(converter, target, barriers, patterns);

    ConversionTarget legality(getContext());
    legality.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    legality.addLegalOp<ModuleOp, UnrealizedConversionCastOp, AgentReturnOp>();
    // Who runs an op is asked of the op around it, which is lowered in the end.
    legality.addDynamicallyLegalOp<WarpSpecializeOp>([&](WarpSpecializeOp op) {
      return llvm::all_of(op.getAgents(), [&](Region &region) {
        return converter.isLegal(&region);
      });
    });
    // Scalars are the second conversion's, but for what NVPTX has instructions
    // of its own.
    legality.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect,
                                        ub::UBDialect>(
        [&](Operation *op) { return converter.isLegal(op); });
    legality.addDynamicallyLegalOp<arith::DivFOp>([&](arith::DivFOp op) {
      return converter.isLegal(op.getOperation()) && !op.getType().isF32();
    });
    legality.addDynamicallyLegalOp<arith::MulSIExtendedOp,
                                   arith::MulUIExtendedOp>([&](Operation *op) {
      return converter.isLegal(op) && !op->getResult(0).getType().isInteger(64);
    });
    // LLVM's own conversions of wide integers round twice on some targets.
    legality.addDynamicallyLegalOp<arith::SIToFPOp, arith::UIToFPOp>(
        [&](Operation *op) {
          return converter.isLegal(op) && !op->getResult(0).getType().isBF16();
        });
    // LLVM's is true of 0.
    legality.addDynamicallyLegalOp<arith::FPToSIOp, arith::FPToUIOp>(
        [&](Operation *op) {
          return converter.isLegal(op) &&
                 !op->getResult(0).getType().isInteger(1);
        });
    legality.addDynamicallyLegalOp<arith::TruncFOp>([&](arith::TruncFOp op) {
      return converter.isLegal(op.getOperation()) && !op.getRoundingmode();
    });
    legality.addIllegalOp<
        arith::RemFOp, math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp,
        math::AtanOp, math::Atan2Op, math::AtanhOp, math::CbrtOp, math::CosOp,
        math::CoshOp, math::ErfOp, math::ErfcOp, math::Exp2Op, math::ExpM1Op,
        math::ExpOp, math::FPowIOp, math::IsInfOp, math::SincosOp,
        math::Log10Op, math::Log1pOp, math::Log2Op, math::LogOp, math::PowFOp,
        math::RsqrtOp, math::SinOp, math::SinhOp, math::SqrtOp, math::TanOp,
        math::TanhOp>();
    return applyFullConversion(module, legality, std::move(patterns));
  }

  LogicalResult lowerScalars(ModuleOp module) {
    LowerToLLVMOptions options(&getContext());
    LLVMTypeConverter converter(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    ConversionTarget legality(getContext());
    legality.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    legality.addLegalOp<ModuleOp, UnrealizedConversionCastOp, AgentReturnOp,
                        WarpSpecializeOp>();
    if (failed(applyFullConversion(module, legality, std::move(patterns))))
      return failure();
    SmallVector<UnrealizedConversionCastOp> left, unresolved;
    module.walk([&](UnrealizedConversionCastOp op) { left.push_back(op); });
    reconcileUnrealizedCasts(left, &unresolved);
    for (UnrealizedConversionCastOp op : unresolved)
      if (!op->use_empty())
        return op.emitOpError("is left: a value has no LLVM form");
    return success();
  }
};

} // namespace
