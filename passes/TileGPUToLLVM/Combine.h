// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reductions and scans share: tuples of scalars (one for each source) that
// a region combines, and the basis in which a layout holds the elements of an
// axis. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_COMBINE_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_COMBINE_H

#include "passes/TileGPUToLLVM/Lowering.h"

namespace tilewright::tilegpu {

/// One element of each source.
using Tuple = llvm::SmallVector<mlir::Value, 2>;

/// Emits the region of a reduction or scan, and moves tuples between lanes.
class Combiner {
public:
  Combiner(Emitter &emitter, mlir::ConversionPatternRewriter &rewriter,
           const TileGPUTypeConverter &converter, mlir::Region &region)
      : emitter(emitter), rewriter(rewriter), converter(converter),
        region(region) {}

  /// region(a, b): a comes first where the order matters.
  Tuple combine(llvm::ArrayRef<mlir::Value> a, llvm::ArrayRef<mlir::Value> b);
  /// Each value of the lane whose number differs by `laneMask`.
  Tuple shuffleXor(llvm::ArrayRef<mlir::Value> values, unsigned laneMask);
  /// Each value of lane `lane`.
  Tuple shuffleIndex(llvm::ArrayRef<mlir::Value> values, mlir::Value lane);
  Tuple select(mlir::Value condition, llvm::ArrayRef<mlir::Value> a,
               llvm::ArrayRef<mlir::Value> b);

private:
  Emitter &emitter;
  mlir::ConversionPatternRewriter &rewriter;
  const TileGPUTypeConverter &converter;
  mlir::Region &region;
};

/// The registers of each operand as one tuple for each register, and back.
llvm::SmallVector<Tuple> zipOperands(llvm::ArrayRef<mlir::ValueRange> operands);
llvm::SmallVector<llvm::SmallVector<mlir::Value>>
unzipTuples(llvm::ArrayRef<Tuple> tuples, size_t sources);

/// The layout that all sources of `op` have; diagnoses sources without a
/// layout, or of several.
mlir::FailureOr<layout::LinearLayout> getCommonLayout(mlir::Operation *op);

/// The columns of `layout` for its registers alone, or for registers and lanes
/// (which come above them).
std::vector<uint64_t> getRegisterColumns(const layout::LinearLayout &layout);
std::vector<uint64_t> getThreadColumns(const layout::LinearLayout &layout);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_COMBINE_H
