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
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilewright::tilegpu {

class AxisAnalysis;
class PointerRegisters;

/// Address spaces of NVPTX (LLVM, "User Guide for NVPTX Back-end").
enum AddressSpace : unsigned { globalSpace = 1, sharedSpace = 3 };

/// Tensors to registers, tensors of pointers to those that are kept, pointers
/// to LLVM pointers, memory descriptors to shared pointers, tokens to nothing.
/// Elements keep their LLVM type; 8-bit floats become i8.
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

/// Makes LLVM IR at one location, in one block. All integers are i32 unless
/// said otherwise.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location location)
      : builder(builder), location(location) {}

  mlir::Value constant(int64_t value) { return constant(value, 32); }
  mlir::Value constant(int64_t value, unsigned bits);
  mlir::Value zero(mlir::Type type);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value addConstant(mlir::Value a, int64_t b);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  mlir::Value bitAnd(mlir::Value a, mlir::Value b);
  mlir::Value bitOr(mlir::Value a, mlir::Value b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value equal(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value bitcast(mlir::Value value, mlir::Type type);
  /// Reinterprets a scalar (pointers included) as the integer of its width.
  mlir::Value toInteger(mlir::Value value);
  /// The inverse of toInteger for `type`.
  mlir::Value fromInteger(mlir::Value value, mlir::Type type);
  /// base + index * sizeof(element), an index in elements.
  mlir::Value gep(mlir::Value base, mlir::Type element, mlir::Value index);
  /// The pointer `bytes` further.
  mlir::Value advance(mlir::Value pointer, int64_t bytes);
  /// A vector of the values (all of one type), or the value alone.
  mlir::Value packVector(mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> unpackVector(mlir::Value vector);

  /// threadIdx.x, its part within the warp, and the warp's number in the CTA.
  mlir::Value threadId();
  mlir::Value laneId();
  mlir::Value warpId();

  /// shfl.sync.bfly / .idx over the whole warp, for a value of 8 to 64 bits.
  mlir::Value shuffleXor(mlir::Value value, unsigned laneMask);
  mlir::Value shuffleIndex(mlir::Value value, mlir::Value lane);
  /// shfl.sync.up by `delta`: lanes below delta keep their own value.
  mlir::Value shuffleUp(mlir::Value value, unsigned delta);
  mlir::Value shuffleDown(mlir::Value value, unsigned delta);

  /// A call of an LLVM intrinsic with one result.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result,
                        mlir::ValueRange operands);

  /// Inline PTX, for what has no intrinsic: with effects, LLVM takes it to read
  /// and write memory. `constraints` in LLVM's form ("=r,r,l"); several outputs
  /// give a struct, which is unpacked.
  llvm::SmallVector<mlir::Value>
  inlineAssembly(llvm::StringRef text, llvm::StringRef constraints,
                 llvm::ArrayRef<mlir::Type> results, mlir::ValueRange operands,
                 bool hasEffects = true);

  /// Inline PTX that only computes a value: it may be moved or left out.
  mlir::Value pureAssembly(llvm::StringRef text, llvm::StringRef constraints,
                           mlir::Type result, mlir::ValueRange operands);

  mlir::OpBuilder &builder;
  mlir::Location location;

private:
  mlir::Value shuffle(mlir::Value value, mlir::Value lane,
                      mlir::NVVM::ShflKind kind);

  /// By value and width: the indices of vectors ask for the same few.
  llvm::SmallDenseMap<std::pair<int64_t, unsigned>, mlir::Value> constants;
};

/// The elements of one access, 128 bits at most together: as one integer where
/// they are one element or fit 32 bits, and as a vector of i32 otherwise.
/// Narrower elements than `elementBits` (i1) are extended.
mlir::Value packElements(Emitter &emitter, mlir::ValueRange elements,
                         unsigned elementBits);

/// The inverse of packElements for `count` elements of LLVM type `type`.
llvm::SmallVector<mlir::Value> unpackElements(Emitter &emitter,
                                              mlir::Value packed,
                                              unsigned count, mlir::Type type,
                                              unsigned elementBits);

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
                                 const target::Target &,
                                 mlir::RewritePatternSet &);
/// Functions of floats.
void populateMathFunctionPatterns(const TileGPUTypeConverter &,
                                  const target::Target &,
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
/// tt.print and tt.assert.
void populateDiagnosticPatterns(const TileGPUTypeConverter &,
                                const target::Target &,
                                mlir::RewritePatternSet &);
void populateSharedMemoryPatterns(const TileGPUTypeConverter &,
                                  const target::Target &,
                                  mlir::RewritePatternSet &);
void populateAsyncCopyPatterns(const TileGPUTypeConverter &,
                               const target::Target &, const AxisAnalysis &,
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

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_LOWERING_H
