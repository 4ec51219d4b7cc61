// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static LogicalResult verifySameElement(Operation *op, Type a, Type b) {
  if (getElementTypeOrSelf(a) == getElementTypeOrSelf(b))
    return success();
  return op->emitOpError("expects one element type, but got ")
         << getElementTypeOrSelf(a) << " and " << getElementTypeOrSelf(b);
}

LogicalResult MakeRangeOp::verify() {
  auto type = tileType(getResult());
  if (type.getRank() != 1)
    return emitOpError("expects a result of rank 1, but got ") << type;
  int64_t size = int64_t(int32_t(getEnd())) - int64_t(int32_t(getStart()));
  if (size != type.getDimSize(0))
    return emitOpError("expects end - start to be the result's size ")
           << type.getDimSize(0) << ", but got " << size;
  return success();
}

LogicalResult SplatOp::verify() {
  return verifySameElement(*this, getSrc().getType(), getType());
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute value = adaptor.getSrc();
  if (!isa_and_present<IntegerAttr, FloatAttr>(value))
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), value);
}

LogicalResult UnsplatOp::verify() {
  if (tileType(getSrc()).getNumElements() != 1)
    return emitOpError("expects a tile of one element, but got ")
           << getSrc().getType();
  return success();
}

/// The source's constant splat in the result's type, or null.
static Attribute foldSplat(Attribute source, Type result) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(source);
  if (!splat)
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(result),
                                splat.getSplatValue<Attribute>());
}

namespace {
/// rename(splat(x)) -> splat(x)
template <typename OpT> struct RenameOfSplat : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto splat = op.getSrc().template getDefiningOp<SplatOp>();
    if (!splat)
      return rewriter.notifyMatchFailure(op, "the source is no splat");
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};
} // namespace

LogicalResult ExpandDimsOp::verify() {
  auto source = tileType(getSrc()), result = tileType(getResult());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (getAxis() > uint64_t(source.getRank()))
    return emitOpError("expects axis in [0, ")
           << source.getRank() << "], but got " << int32_t(getAxis());
  SmallVector<int64_t> expected(source.getShape());
  expected.insert(expected.begin() + getAxis(), 1);
  if (ArrayRef<int64_t>(expected) != result.getShape())
    return emitOpError("expects a result of shape [")
           << expected << "], but got [" << result.getShape() << "]";
  return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldSplat(adaptor.getSrc(), getType());
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<RenameOfSplat<ExpandDimsOp>>(context);
}

LogicalResult BroadcastOp::verify() {
  auto source = tileType(getSrc()), result = tileType(getResult());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (source.getRank() != result.getRank())
    return emitOpError("expects a result of rank ")
           << source.getRank() << ", but got rank " << result.getRank();
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    if (source.getDimSize(dim) != 1 &&
        source.getDimSize(dim) != result.getDimSize(dim))
      return emitOpError("expects size 1 or ")
             << result.getDimSize(dim) << " in dimension " << dim
             << " of the source, but got " << source.getDimSize(dim);
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<RenameOfSplat<BroadcastOp>>(context);
}

LogicalResult ReshapeOp::verify() {
  auto source = tileType(getSrc()), result = tileType(getResult());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (source.getNumElements() != result.getNumElements())
    return emitOpError("expects a result of ")
           << source.getNumElements() << " elements, but got "
           << result.getNumElements();
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

LogicalResult TransOp::verify() {
  auto source = tileType(getSrc()), result = tileType(getResult());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  SmallVector<int64_t> order(getOrder());
  if (int64_t(order.size()) != source.getRank() || !isPermutationVector(order))
    return emitOpError("expects order to be a permutation of ")
           << source.getRank() << " dimensions, but got [" << getOrder() << "]";
  SmallVector<int64_t> expected =
      applyPermutation(source.getShape(), ArrayRef<int64_t>(order));
  if (ArrayRef<int64_t>(expected) != result.getShape())
    return emitOpError("expects a result of shape [")
           << expected << "], but got [" << result.getShape() << "]";
  return success();
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  if (isIdentityPermutation(SmallVector<int64_t>(getOrder())) &&
      getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<TransOp>()) {
    SmallVector<int32_t> order;
    for (int32_t dim : getOrder())
      order.push_back(inner.getOrder()[dim]);
    setOrder(order);
    setOperand(inner.getSrc());
    return getResult();
  }
  return foldSplat(adaptor.getSrc(), getType());
}

LogicalResult JoinOp::verify() {
  auto source = tileType(getLhs()), result = tileType(getResult());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  SmallVector<int64_t> expected(source.getShape());
  expected.push_back(2);
  if (ArrayRef<int64_t>(expected) != result.getShape())
    return emitOpError("expects a result of shape [")
           << expected << "], but got [" << result.getShape() << "]";
  return success();
}

LogicalResult SplitOp::verify() {
  auto source = tileType(getSrc()), result = tileType(getOutLHS());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (source.getRank() == 0 || source.getShape().back() != 2)
    return emitOpError("expects a last dimension of 2 elements, but got ")
           << source;
  if (source.getShape().drop_back() != result.getShape())
    return emitOpError("expects results of shape [")
           << source.getShape().drop_back() << "], but got ["
           << result.getShape() << "]";
  return success();
}

LogicalResult CatOp::verify() {
  auto source = tileType(getLhs()), result = tileType(getResult());
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (source.getNumElements() * 2 != result.getNumElements())
    return emitOpError("expects a result of ")
           << source.getNumElements() * 2 << " elements, but got "
           << result.getNumElements();
  return success();
}
