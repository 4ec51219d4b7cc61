// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and branches: tt.func and tt.return, cf.br and cf.cond_br with
// tensors as block arguments.

#include "passes/Analysis/Occupancy.h"
#include "passes/TileGPUToLLVM/Agents.h"
#include "passes/TileGPUToLLVM/Lowering.h"
#include "passes/TileGPUToLLVM/Pointers.h"
#include "passes/TileGPUToLLVM/SymbolNames.h"
#include "passes/TileGPUToLLVM/TensorMaps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// Lower a public tt.func to an NVVM kernel.
struct LowerFunction : TileGPUPattern<tt::FuncOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::FuncOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FunctionType type = op.getFunctionType();
    if (type.getNumResults() != 0)
      return rewriter.notifyMatchFailure(op, "a kernel returns nothing");
    TypeConverter::SignatureConversion signature(type.getNumInputs());
    for (auto [index, input] : llvm::enumerate(type.getInputs())) {
      Type converted = converter.convertElement(input);
      if (!converted)
        return rewriter.notifyMatchFailure(op, "an argument has no LLVM type");
      signature.addInputs(index, converted);
    }
    auto functionType =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(op.getContext()),
                                    signature.getConvertedTypes());
    std::string symbol = getPtxSymbol(op.getSymName());
    auto function =
        LLVM::LLVMFuncOp::create(rewriter, op.getLoc(), symbol, functionType);
    if (op.getSymName() != symbol)
      function->setAttr(TileGPUDialect::kernelNameAttrName,
                        op.getSymNameAttr());
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    int32_t threads = 32 * lookupNumWarps(op);
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      rewriter.getDenseI32ArrayAttr({threads, 1, 1}));
    if (unsigned ctas = lookupCluster(op); ctas > 1)
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                        rewriter.getDenseI32ArrayAttr({int32_t(ctas), 1, 1}));
    // Said although it may be no less than the hardware's own limit: left to
    // itself, the assembler of CUDA 13 gives some kernels of 128 threads 32
    // registers and spills thousands of bytes.
    function->setAttr(
        NVVM::NVVMDialect::getMaxnregAttrName(),
        rewriter.getI32IntegerAttr(getRegistersAtEntry(op, target)));
    if (unsigned registers = countRegistersOfLoads(op))
      function->setAttr(TileGPUDialect::registersOfLoadsAttrName,
                        rewriter.getI32IntegerAttr(registers));
    for (StringRef name : {StringRef(TileGPUDialect::sharedBytesAttrName),
                           StringRef(TileGPUDialect::tensorMapsAttrName),
                           StringRef(TileGPUDialect::scratchBytesAttrName),
                           StringRef(TileGPUDialect::clusterAttrName),
                           StringRef(tt::descriptorRanksAttrName)})
      if (Attribute attribute = op->getAttr(name))
        function->setAttr(name, attribute);
    for (auto [index, input] : llvm::enumerate(type.getInputs()))
      if (isa<TensorMapType>(input))
        describeMapParameter(function, index);
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.end());
    if (failed(rewriter.convertRegionTypes(&function.getBody(), converter,
                                           &signature)))
      return rewriter.notifyMatchFailure(op, "a block argument has no type");
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lower tt.return of a kernel.
struct LowerReturn : TileGPUPattern<tt::ReturnOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::ReturnOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op->getNumOperands() != 0)
      return rewriter.notifyMatchFailure(op, "a kernel returns nothing");
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

/// Lower tt.get_program_id and tt.get_num_programs to the special registers of
/// their axis.
template <typename OpT, typename X, typename Y, typename Z>
struct LowerGridQuery : TileGPUPattern<OpT> {
  using TileGPUPattern<OpT>::TileGPUPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename TileGPUPattern<OpT>::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    switch (op.getAxis()) {
    case tt::ProgramAxis::X:
      rewriter.replaceOpWithNewOp<X>(op, i32);
      return success();
    case tt::ProgramAxis::Y:
      rewriter.replaceOpWithNewOp<Y>(op, i32);
      return success();
    case tt::ProgramAxis::Z:
      rewriter.replaceOpWithNewOp<Z>(op, i32);
      return success();
    }
    llvm_unreachable("all axes are listed");
  }
};

using LowerProgramId = LowerGridQuery<tt::GetProgramIdOp, NVVM::BlockIdXOp,
                                      NVVM::BlockIdYOp, NVVM::BlockIdZOp>;
using LowerNumPrograms = LowerGridQuery<tt::GetNumProgramsOp, NVVM::GridDimXOp,
                                        NVVM::GridDimYOp, NVVM::GridDimZOp>;

/// The registers that `operands` of a branch, lowered to `values`, pass on.
SmallVector<Value> getPassedValues(MutableOperandRange operands,
                                   ArrayRef<ValueRange> values,
                                   const PointerRegisters &pointers,
                                   ConversionPatternRewriter &rewriter) {
  SmallVector<Value> passed;
  for (auto [operand, range] : llvm::zip_equal(operands, values)) {
    if (!pointers.getOmittedBits(operand.get())) {
      passed.append(range.begin(), range.end());
      continue;
    }
    PointerReader reader(rewriter, operand.getOwner()->getLoc(), pointers,
                         operand.get(), range);
    for (unsigned index : pointers.getPassed(operand))
      passed.push_back(reader.getPointer(index));
  }
  return passed;
}

/// Lower cf.br; its block's signature becomes one argument for each register.
struct LowerBranch : TileGPUPattern<cf::BranchOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(cf::BranchOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::BrOp>(
        op,
        getPassedValues(op.getDestOperandsMutable(), adaptor.getDestOperands(),
                        converter.pointers, rewriter),
        op.getDest());
    return success();
  }
};

/// Lower cf.cond_br.
struct LowerConditionalBranch : TileGPUPattern<cf::CondBranchOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(cf::CondBranchOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> whenTrue = getPassedValues(
        op.getTrueDestOperandsMutable(), adaptor.getTrueDestOperands(),
        converter.pointers, rewriter);
    SmallVector<Value> whenFalse = getPassedValues(
        op.getFalseDestOperandsMutable(), adaptor.getFalseDestOperands(),
        converter.pointers, rewriter);
    rewriter.replaceOpWithNewOp<LLVM::CondBrOp>(
        op, adaptor.getCondition().front(), op.getTrueDest(), whenTrue,
        op.getFalseDest(), whenFalse);
    return success();
  }
};

} // namespace

void tilegpu::populateFunctionPatterns(const TileGPUTypeConverter &converter,
                                       const target::Target &target,
                                       RewritePatternSet &patterns) {
  patterns.add<LowerFunction, LowerReturn, LowerProgramId, LowerNumPrograms>(
      converter, target);
}

void tilegpu::populateControlFlowPatterns(const TileGPUTypeConverter &converter,
                                          const target::Target &target,
                                          RewritePatternSet &patterns) {
  patterns.add<LowerBranch, LowerConditionalBranch>(converter, target);
}
