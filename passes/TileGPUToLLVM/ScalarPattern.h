// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of patterns for ops on scalars. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_SCALARPATTERN_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_SCALARPATTERN_H

#include "passes/TileGPUToLLVM/Lowering.h"

namespace tilewright::tilegpu {

/// Matches where the result is no tensor: those are taken apart before.
template <typename OpT>
struct ScalarPattern : mlir::OpConversionPattern<OpT> {
  ScalarPattern(const TileGPUTypeConverter &converter,
                const target::Target &target, mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<OpT>(converter, &converter.getContext(),
                                       benefit),
        converter(converter), target(target) {}

  mlir::LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const final {
    if (mlir::isa<mlir::ShapedType>(op->getResult(0).getType()))
      return rewriter.notifyMatchFailure(op, "a tensor");
    Emitter emitter(rewriter, op.getLoc());
    mlir::Type type = converter.convertElement(op->getResult(0).getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "the type has no LLVM form");
    mlir::Value result = lower(op, adaptor.getOperands(), type, emitter);
    if (!result)
      return rewriter.notifyMatchFailure(op, "not served by this pattern");
    rewriter.replaceOp(op, result);
    return mlir::success();
  }

  /// The op's value in `type`, or null where another pattern serves.
  virtual mlir::Value lower(OpT op, mlir::ValueRange operands, mlir::Type type,
                            Emitter &emitter) const = 0;

protected:
  const TileGPUTypeConverter &converter;
  const target::Target &target;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_SCALARPATTERN_H
