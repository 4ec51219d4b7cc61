// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that convert between floating-point types: tt.fp_to_fp, and those of
// `arith` where LLVM's own do not serve. All registers of a tile are converted
// together, since instructions take several 8-bit elements at once.

#include "passes/TileGPUToLLVM/Lowering.h"
#include "passes/TileGPUToLLVM/SmallFloats.h"
#include "passes/TileGPUToLLVM/VectorParts.h"

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

/// Where `value` is in a vector, all of which is words of two; none where it is
/// in none.
std::optional<VectorPart> findPlaceInWords(Value value) {
  std::optional<VectorPart> part = findVectorPart(value);
  bool isInWords =
      part &&
      cast<VectorType>(part->vector.getType()).getNumElements() % 2 == 0;
  return isInWords ? part : std::nullopt;
}

/// The word of which `value`, of 16 bits, is the upper half; none where it is
/// none's.
Value findWordAbove(Emitter &emitter, Value value) {
  std::optional<VectorPart> place = findPlaceInWords(value);
  if (!place || place->number % 2 == 0)
    return {};
  auto [vector, position] = *place;
  int64_t words = cast<VectorType>(vector.getType()).getNumElements() / 2;
  Type i32 = emitter.builder.getI32Type();
  Value bits = emitter.bitcast(
      vector, words == 1 ? i32 : Type(VectorType::get(words, i32)));
  return emitter.unpackVector(bits)[position / 2];
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
      Value word = findWordAbove(emitter, value);
      value = word
                  ? emitter.bitcast(
                        emitter.bitAnd(word, emitter.constant(0xffff0000)), f32)
                  : LLVM::FPExtOp::create(rewriter, op->getLoc(), f32, value);
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// Lower sums, differences and products of bf16 in pairs where operands are in
/// words: an assembler would pair them too, but then take both halves out of
/// the word by an instruction each.
template <typename OpT>
struct LowerBf16Pairs : TileGPUPattern<OpT> {
  using TileGPUPattern<OpT>::TileGPUPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename TileGPUPattern<OpT>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValueRange left = adaptor.getLhs(), right = adaptor.getRhs();
    if (!getElementTypeOrSelf(op.getType()).isBF16() || left.size() % 2 != 0 ||
        left.size() != right.size() ||
        !this->target.has(target::Capability::Bf16AddMul))
      return rewriter.notifyMatchFailure(op, "not served by this pattern");
    for (size_t index = 0; index < left.size(); index += 2)
      if (!isWorthPair(left.slice(index, 2), right.slice(index, 2)))
        return rewriter.notifyMatchFailure(op, "operands are in no words");
    Emitter emitter(rewriter, op->getLoc());
    SmallVector<Value> results;
    for (size_t index = 0; index < left.size(); index += 2) {
      auto pair = OpT::create(
          rewriter, op->getLoc(), emitter.packVector(left.slice(index, 2)),
          emitter.packVector(right.slice(index, 2)), op.getFastmathAttr());
      llvm::append_range(results, emitter.unpackVector(pair));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  static bool isWord(ValueRange values) {
    std::optional<VectorPart> first = findPlaceInWords(values.front());
    std::optional<VectorPart> second = findPlaceInWords(values.back());
    return first && second && first->vector == second->vector &&
           first->number % 2 == 0 && second->number == first->number + 1;
  }

  /// Whether one is a word, and the other one, too, or the same number twice.
  static bool isWorthPair(ValueRange left, ValueRange right) {
    auto isSame = [](ValueRange values) {
      return values.front() == values.back() ||
             (matchPattern(values.front(), m_Constant()) &&
              matchPattern(values.back(), m_Constant()));
    };
    return (isWord(left) && (isWord(right) || isSame(right))) ||
           (isSame(left) && isWord(right));
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
  patterns.add<LowerBf16Extension, LowerBf16Pairs<arith::AddFOp>,
               LowerBf16Pairs<arith::SubFOp>, LowerBf16Pairs<arith::MulFOp>,
               LowerFloatCast<tt::FpToFpOp>, LowerFloatCast<arith::ExtFOp>,
               LowerFloatCast<arith::TruncFOp>, LowerTf32Cast<arith::ExtFOp>,
               LowerTf32Cast<arith::TruncFOp>>(converter, target,
                                               /*benefit=*/2);
}
