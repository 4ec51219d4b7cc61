// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lowering patterns of all op families share: the type conversion,
// thread indices, register layouts.
//
// A tensor with a register layout becomes one LLVM value for each register of a
// thread, in the order of the layout's register index (a 1:N conversion; no
// structs). Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_LOWERING_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_LOWERING_H

#include "dialects/Layout/LinearLayout.h"
#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/TileGPUToLLVM/Emitter.h"

namespace tilewright::tilegpu {

class AxisAnalysis;
class NamedBarrierWarps;
class PointerRegisters;

/// Emits an error at `op` where the target lacks what it is lowered to.
llvm::LogicalResult verifyCapability(mlir::Operation *op,
                                     const target::Target &target,
                                     target::Capability capability);

/// Tensors, pending ones included, to registers, tensors of pointers to those
/// that are kept, pointers to LLVM pointers, memory descriptors to shared
/// pointers, named barriers to their numbers, tokens to nothing. Elements keep
/// their LLVM type; 8-bit floats become i8.
class TileGPUTypeConverter : public mlir::LLVMTypeConverter {
public:
  /// `pointers` speaks of the module that is converted.
  TileGPUTypeConverter(mlir::MLIRContext *context,
                       const PointerRegisters &pointers);
  /// The LLVM type of one element of a tensor, or of a scalar.
  mlir::Type convertElement(mlir::Type element) const;

  const PointerRegisters &pointers;
};

/// Base of the patterns of this folder: one source op, operands as registers.
template <typename OpT>
class TileGPUPattern : public mlir::OpConversionPattern<OpT> {
public:
  TileGPUPattern(const TileGPUTypeConverter &converter,
                 const target::Target &target, mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<OpT>(converter, &converter.getContext(),
                                       benefit),
        converter(converter), target(target) {}
  using Adaptor =
      typename OpT::template GenericAdaptor<llvm::ArrayRef<mlir::ValueRange>>;

protected:
  const TileGPUTypeConverter &converter;
  const target::Target &target;
};

/// Flat outputs of `layout` in a thread: the value of each output axis for
/// register 0 as IR (from lane and warp), and, for each register, the constants
/// to XOR in. Coordinates that no thread bit touches have no IR value.
class ThreadCoordinates {
public:
  /// `layout`: (register, lane, warp) -> any outputs.
  ThreadCoordinates(Emitter &emitter, const layout::LinearLayout &layout);
  /// The value of output `axis` for `registerIndex`, as i32.
  mlir::Value get(unsigned registerIndex, layout::Axis axis);

private:
  Emitter &emitter;
  const layout::LinearLayout layout;
  llvm::SmallVector<std::pair<layout::Axis, mlir::Value>> base;
  /// For each output axis, the bits that lanes or warps reach.
  llvm::SmallVector<uint64_t> threadBits;
};

/// The part of `output` of `layout` that comes from `value` (i32, within
/// bounds) of `input`; null where none does.
mlir::Value emitAxisPart(Emitter &emitter, const layout::LinearLayout &layout,
                         layout::Axis input, mlir::Value value,
                         layout::Axis output);

/// True in the one of the threads holding copies of the same elements that is
/// to act for them (stores, atomics); null where every thread holds its own.
mlir::Value emitOwnerPredicate(Emitter &emitter,
                               const layout::LinearLayout &layout);

/// Emits what `body` emits where `predicate` (null: everywhere) is true, and
/// goes on behind it. Splits the block; what an Emitter makes in it does not
/// dominate what follows.
void emitIf(mlir::ConversionPatternRewriter &rewriter, mlir::Location location,
            mlir::Value predicate, llvm::function_ref<void()> body);

/// The registers in which a thread holds a tensor; 1 for a scalar.
unsigned countRegisters(mlir::Type type);

/// How the registers of `result` are found among those of `source` in the same
/// thread, where result coordinate c holds source coordinate map(c) (a linear
/// map from dim axes to dim axes): one source register for each result
/// register. None where an element would have to come from another thread.
std::optional<llvm::SmallVector<unsigned>>
matchRegisters(const layout::LinearLayout &source,
               const layout::LinearLayout &result,
               const layout::LinearLayout &map);

/// Inlines the single-block `region` on scalars: the values it returns. The
/// region's ops are cloned; they are legalised with the rest. `arguments` have
/// LLVM types.
llvm::SmallVector<mlir::Value>
inlineScalarRegion(mlir::ConversionPatternRewriter &rewriter,
                   const TileGPUTypeConverter &converter, mlir::Region &region,
                   mlir::ValueRange arguments);

//===----------------------------------------------------------------------===//
// Patterns by op family
//===----------------------------------------------------------------------===//

void populateFunctionPatterns(const TileGPUTypeConverter &,
                              const target::Target &,
                              mlir::RewritePatternSet &);
void populateControlFlowPatterns(const TileGPUTypeConverter &,
                                 const target::Target &,
                                 mlir::RewritePatternSet &);
/// tt.addptr of tensors.
void populatePointerPatterns(const TileGPUTypeConverter &,
                             const target::Target &, mlir::RewritePatternSet &);
/// arith.cmpi of affine tensors.
void populateComparisonPatterns(const TileGPUTypeConverter &,
                                const target::Target &, const AxisAnalysis &,
                                mlir::RewritePatternSet &);
void populateElementwisePatterns(const TileGPUTypeConverter &,
                                 const target::Target &, const AxisAnalysis &,
                                 mlir::RewritePatternSet &);
/// Functions of floats. `flushSubnormals`: exponentials of f32 give 0 for a
/// subnormal result.
void populateMathFunctionPatterns(const TileGPUTypeConverter &,
                                  const target::Target &, bool flushSubnormals,
                                  mlir::RewritePatternSet &);
/// tt.extern_elementwise.
void populateLibraryCallPatterns(const TileGPUTypeConverter &,
                                 const target::Target &,
                                 mlir::RewritePatternSet &);
/// tt.elementwise_inline_asm.
void populateInlineAssemblyPatterns(const TileGPUTypeConverter &,
                                    const target::Target &,
                                    mlir::RewritePatternSet &);
/// Diagnoses calls of functions that are not known, or with other types.
mlir::LogicalResult verifyLibraryCalls(mlir::ModuleOp module);
/// Conversions between floating-point types.
void populateFloatCastPatterns(const TileGPUTypeConverter &,
                               const target::Target &,
                               mlir::RewritePatternSet &);
void populateShapePatterns(const TileGPUTypeConverter &, const target::Target &,
                           mlir::RewritePatternSet &);
void populateGlobalMemoryPatterns(const TileGPUTypeConverter &,
                                  const target::Target &, const AxisAnalysis &,
                                  mlir::RewritePatternSet &);
void populateAtomicPatterns(const TileGPUTypeConverter &,
                            const target::Target &, const AxisAnalysis &,
                            mlir::RewritePatternSet &);
void populateGatherPatterns(const TileGPUTypeConverter &,
                            const target::Target &, mlir::RewritePatternSet &);
void populateDequantizePatterns(const TileGPUTypeConverter &,
                                const target::Target &,
                                mlir::RewritePatternSet &);
/// tilegpu.local_count.
void populateHistogramPatterns(const TileGPUTypeConverter &,
                               const target::Target &,
                               mlir::RewritePatternSet &);
/// tt.map_elementwise.
void populateMapPatterns(const TileGPUTypeConverter &, const target::Target &,
                         mlir::RewritePatternSet &);
/// tt.print and tt.assert.
void populateDiagnosticPatterns(const TileGPUTypeConverter &,
                                const target::Target &,
                                mlir::RewritePatternSet &);
/// tilegpu.store_parts.
void populateClusterPatterns(const TileGPUTypeConverter &,
                             const target::Target &, mlir::RewritePatternSet &);
void populateSharedMemoryPatterns(const TileGPUTypeConverter &,
                                  const target::Target &,
                                  mlir::RewritePatternSet &);
void populateAsyncCopyPatterns(const TileGPUTypeConverter &,
                               const target::Target &, const AxisAnalysis &,
                               mlir::RewritePatternSet &);
/// tilegpu.bulk_copy, and mbarriers.
void populateBulkCopyPatterns(const TileGPUTypeConverter &,
                              const target::Target &,
                              mlir::RewritePatternSet &);
/// tilegpu.tensor_map where the kernel makes the map.
void populateTensorMapPatterns(const TileGPUTypeConverter &,
                               const target::Target &,
                               mlir::RewritePatternSet &);
void populateConversionPatterns(const TileGPUTypeConverter &,
                                const target::Target &,
                                mlir::RewritePatternSet &);
void populateReductionPatterns(const TileGPUTypeConverter &,
                               const target::Target &,
                               mlir::RewritePatternSet &);
/// tt.scan; part of populateReductionPatterns.
void populateScanPatterns(const TileGPUTypeConverter &, const target::Target &,
                          mlir::RewritePatternSet &);
void populateDotPatterns(const TileGPUTypeConverter &, const target::Target &,
                         mlir::RewritePatternSet &);
/// tilegpu.wgmma, and what belongs to it.
void populateWarpGroupDotPatterns(const TileGPUTypeConverter &,
                                  const target::Target &,
                                  mlir::RewritePatternSet &);
/// Named barriers, and what is in tilegpu.warp_specialize; see Agents.h.
void populateAgentPatterns(const TileGPUTypeConverter &, const target::Target &,
                           const NamedBarrierWarps &,
                           mlir::RewritePatternSet &);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_LOWERING_H
