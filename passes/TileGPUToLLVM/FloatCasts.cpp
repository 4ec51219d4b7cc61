// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that convert between floating-point types: tt.fp_to_fp, and those of
// `arith` where LLVM's own do not serve. All registers of a tile are converted
// together, since instructions take several 8-bit elements at once.

#include "passes/TileGPUToLLVM/Lowering.h"
#include "passes/TileGPUToLLVM/SmallFloats.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// How an op rounds; nothing where another pattern serves it.
std::optional<FloatRounding> getRounding(tt::FpToFpOp op) {
  FloatRounding rounding;
  rounding.towardZero = op.getRounding() == tt::RoundingMode::RTZ;
  rounding.saturates = isSmallFloat(getElementTypeOrSelf(op.getType()));
  return rounding;
}

std::optional<FloatRounding> getRounding(arith::ExtFOp op) {
  if (!isSmallFloat(getElementTypeOrSelf(op.getIn())))
    return std::nullopt;
  return FloatRounding();
}

std::optional<FloatRounding> getRounding(arith::TruncFOp op) {
  std::optional<arith::RoundingMode> mode = op.getRoundingmode();
  if (!mode && !isSmallFloat(getElementTypeOrSelf(op.getType())))
    return std::nullopt;
  FloatRounding rounding;
  rounding.towardZero = mode == arith::RoundingMode::toward_zero;
  return rounding;
}

/// Lower arith.truncf to tf32, and arith.extf back, which changes nothing.
template <typename OpT>
struct LowerTf32Cast : TileGPUPattern<OpT> {
  using TileGPUPattern<OpT>::TileGPUPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename TileGPUPattern<OpT>::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn());
    Type to = getElementTypeOrSelf(op.getType());
    bool rounds = from.isF32() && to.isTF32();
    if (!rounds && !(from.isTF32() && to.isF32()))
      return rewriter.notifyMatchFailure(op, "not served by this pattern");
    SmallVector<Value> values(adaptor.getIn());
    Emitter emitter(rewriter, op->getLoc());
    if (rounds)
      for (Value &value : values)
        value = emitter.bitcast(roundToTf32(emitter, this->target, value),
                                rewriter.getF32Type());
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// The word that `value` is the upper half of; none where it is none's.
Value findWordAbove(Value value) {
  auto half = value.getDefiningOp<LLVM::ExtractElementOp>();
  if (!half || !matchPattern(half.getPosition(), m_One()))
    return nullptr;
  auto pair = half.getVector().getDefiningOp<LLVM::BitcastOp>();
  bool isWord = pair && pair.getArg().getType().isInteger(32) &&
                pair.getType() == VectorType::get(2, value.getType());
  return isWord ? pair.getArg() : nullptr;
}

/// Lower arith.extf of bf16. The upper half of a word is one as it stands, once
/// the lower one is 0; LLVM would extract it, and shift it back.
struct LowerBf16Extension : TileGPUPattern<arith::ExtFOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type f32 = rewriter.getF32Type();
    if (!getElementTypeOrSelf(op.getIn()).isBF16() ||
        getElementTypeOrSelf(op.getType()) != f32)
      return rewriter.notifyMatchFailure(op, "not served by this pattern");
    Emitter emitter(rewriter, op->getLoc());
    SmallVector<Value> values(adaptor.getIn());
    for (Value &value : values) {
      Value word = findWordAbove(value);
      value = word
                  ? emitter.bitcast(
                        emitter.bitAnd(word, emitter.constant(0xffff0000)), f32)
                  : LLVM::FPExtOp::create(rewriter, op->getLoc(), f32, value);
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// Lower a conversion of floats, of a scalar or of all registers of a tile.
template <typename OpT>
struct LowerFloatCast : TileGPUPattern<OpT> {
  using TileGPUPattern<OpT>::TileGPUPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename TileGPUPattern<OpT>::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<FloatRounding> rounding = getRounding(op);
    auto from = dyn_cast<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
    auto to = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
    if (!rounding || !from || !to)
      return rewriter.notifyMatchFailure(op, "not served by this pattern");
    Emitter emitter(rewriter, op->getLoc());
    rewriter.replaceOpWithMultiple(
        op, {convertFloats(emitter, this->target, adaptor.getOperands()[0],
                           from, to, *rounding)});
    return success();
  }
};

} // namespace

void tilegpu::populateFloatCastPatterns(const TileGPUTypeConverter &converter,
                                        const target::Target &target,
                                        RewritePatternSet &patterns) {
  // Before the pattern that takes any elementwise op apart.
  patterns.add<LowerBf16Extension, LowerFloatCast<tt::FpToFpOp>,
               LowerFloatCast<arith::ExtFOp>, LowerFloatCast<arith::TruncFOp>,
               LowerTf32Cast<arith::ExtFOp>, LowerTf32Cast<arith::TruncFOp>>(
      converter, target,
      /*benefit=*/2);
}
