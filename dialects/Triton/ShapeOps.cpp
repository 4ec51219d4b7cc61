// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that make tiles or give their elements other coordinates: what they
// accept, and what becomes of them where the elements are known.

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Source and result have one element type, and the result the shape given.
static LogicalResult verifyResult(Operation *op, RankedTensorType source,
                                  RankedTensorType result,
                                  ArrayRef<int64_t> shape) {
  if (source.getElementType() != result.getElementType())
    return op->emitOpError("expects a result of elements ")
           << source.getElementType() << ", but got "
           << result.getElementType();
  if (shape != result.getShape())
    return op->emitOpError("expects a result of shape [")
           << shape << "], but got [" << result.getShape() << "]";
  return success();
}

/// The constant's elements, in row-major order, in the result's shape; null
/// where they are unknown or `type` needs another order.
static Attribute foldReshape(Attribute source, Type type) {
  auto elements = dyn_cast_if_present<DenseElementsAttr>(source);
  return elements ? elements.reshape(cast<ShapedType>(type)) : Attribute();
}

/// The source's constant splat in the result's type, or null.
static Attribute foldSplat(Attribute source, Type result) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(source);
  if (!splat)
    return {};
  return splat.resizeSplat(cast<ShapedType>(result));
}

namespace {
/// rename(splat(x)) -> splat(x)
template <typename OpT>
struct RenameOfSplat : OpRewritePattern<OpT> {
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

//===----------------------------------------------------------------------===//
// make_range, splat, unsplat
//===----------------------------------------------------------------------===//

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

void MakeRangeOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                    SetIntRangeFn setRange) {
  auto number = [](uint32_t value) { return APInt(32, value); };
  setRange(getResult(), ConstantIntRanges::fromSigned(number(getStart()),
                                                      number(getEnd() - 1)));
}

LogicalResult SplatOp::verify() {
  Type element = tileType(getResult()).getElementType();
  if (getSrc().getType() != element)
    return emitOpError("expects a result of elements ")
           << getSrc().getType() << ", but got " << element;
  return success();
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

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<SplatOp>())
    return splat.getSrc();
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getSrc()))
    return splat.getSplatValue<Attribute>();
  return {};
}

//===----------------------------------------------------------------------===//
// expand_dims, broadcast
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::verify() {
  auto source = tileType(getSrc());
  if (getAxis() > uint64_t(source.getRank()))
    return emitOpError("expects axis in [0, ")
           << source.getRank() << "], but got " << int32_t(getAxis());
  SmallVector<int64_t> expected(source.getShape());
  expected.insert(expected.begin() + getAxis(), 1);
  return verifyResult(*this, source, tileType(getResult()), expected);
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldReshape(adaptor.getSrc(), getType());
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<RenameOfSplat<ExpandDimsOp>>(context);
}

LogicalResult BroadcastOp::verify() {
  auto source = tileType(getSrc()), result = tileType(getResult());
  if (source.getRank() != result.getRank())
    return emitOpError("expects a result of rank ")
           << source.getRank() << ", but got rank " << result.getRank();
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    if (source.getDimSize(dim) != 1 &&
        source.getDimSize(dim) != result.getDimSize(dim))
      return emitOpError("expects size 1 or ")
             << result.getDimSize(dim) << " in dimension " << dim
             << " of the source, but got " << source.getDimSize(dim);
  return verifyResult(*this, source, result, result.getShape());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  // A layout between that differs from both ends may be there for a reason.
  auto inner = getSrc().getDefiningOp<BroadcastOp>();
  if (inner && tileType(inner.getSrc()).getEncoding() ==
                   tileType(getResult()).getEncoding()) {
    setOperand(inner.getSrc());
    return getResult();
  }
  return foldSplat(adaptor.getSrc(), getType());
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<RenameOfSplat<BroadcastOp>>(context);
}

//===----------------------------------------------------------------------===//
// reshape, trans
//===----------------------------------------------------------------------===//

/// Replaces an attribute of Triton 3.0 and 3.1, which is a boolean there, by
/// the keyword's unit attribute.
static ParseResult normalizeFlag(OpAsmParser &parser, SMLoc location,
                                 NamedAttrList &attributes, StringAttr name) {
  Attribute value = attributes.get(name);
  if (!value || isa<UnitAttr>(value))
    return success();
  auto flag = dyn_cast<BoolAttr>(value);
  if (!flag)
    return parser.emitError(location, "expects ")
           << name.getValue()
           << " to be a unit attribute or a boolean, but got " << value;
  attributes.erase(name);
  if (flag.getValue())
    attributes.set(name, UnitAttr::get(name.getContext()));
  return success();
}

ParseResult ReshapeOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  Type sourceType, resultType;
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(source))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("allow_reorder")))
    result.addAttribute(getAllowReorderAttrName(result.name),
                        builder.getUnitAttr());
  if (succeeded(parser.parseOptionalKeyword("efficient_layout")))
    result.addAttribute(getEfficientLayoutAttrName(result.name),
                        builder.getUnitAttr());
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      normalizeFlag(parser, location, result.attributes,
                    getAllowReorderAttrName(result.name)) ||
      normalizeFlag(parser, location, result.attributes,
                    getEfficientLayoutAttrName(result.name)) ||
      parser.parseColonType(sourceType) || parser.parseArrow() ||
      parser.parseType(resultType))
    return failure();
  result.addTypes(resultType);
  return parser.resolveOperand(source, sourceType, result.operands);
}

void ReshapeOp::print(OpAsmPrinter &printer) {
  printer << " " << getSrc();
  if (getAllowReorder())
    printer << " allow_reorder";
  if (getEfficientLayout())
    printer << " efficient_layout";
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getAllowReorderAttrName(), getEfficientLayoutAttrName()});
  printer << " : " << getSrc().getType() << " -> " << getType();
}

LogicalResult ReshapeOp::verify() {
  auto source = tileType(getSrc()), result = tileType(getResult());
  if (source.getNumElements() != result.getNumElements())
    return emitOpError("expects a result of ")
           << source.getNumElements() << " elements, but got "
           << result.getNumElements();
  return verifyResult(*this, source, result, result.getShape());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  // Any order of equal elements, and one order of those that may be reordered,
  // is right.
  return foldReshape(adaptor.getSrc(), getType());
}

namespace {
/// reshape(reshape(x)) -> reshape(x). Layouts make the step between matter, so
/// only tiles without encodings are merged.
struct ReshapeOfReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the source is no reshape");
    if (tileType(inner.getSrc()).getEncoding() ||
        tileType(op.getSrc()).getEncoding() || tileType(op).getEncoding())
      return rewriter.notifyMatchFailure(op, "the tiles have layouts");
    rewriter.modifyOpInPlace(op, [&]() {
      op.setOperand(inner.getSrc());
      op.setAllowReorder(op.getAllowReorder() || inner.getAllowReorder());
    });
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<RenameOfSplat<ReshapeOp>, ReshapeOfReshape>(context);
}

/// Whether `order` names each of `rank` dimensions once.
static bool isPermutation(ArrayRef<int32_t> order, int64_t rank) {
  if (int64_t(order.size()) != rank)
    return false;
  SmallVector<bool> isNamed(rank);
  for (int32_t dim : order) {
    if (dim < 0 || dim >= rank || isNamed[dim])
      return false;
    isNamed[dim] = true;
  }
  return true;
}

LogicalResult TransOp::verify() {
  auto source = tileType(getSrc());
  SmallVector<int64_t> order(getOrder());
  if (!isPermutation(getOrder(), source.getRank()))
    return emitOpError("expects order to be a permutation of ")
           << source.getRank() << " dimensions, but got [" << getOrder() << "]";
  return verifyResult(
      *this, source, tileType(getResult()),
      applyPermutation(source.getShape(), ArrayRef<int64_t>(order)));
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

void TransOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<RenameOfSplat<TransOp>>(context);
}

//===----------------------------------------------------------------------===//
// join, split, cat
//===----------------------------------------------------------------------===//

LogicalResult JoinOp::verify() {
  auto source = tileType(getLhs());
  SmallVector<int64_t> expected(source.getShape());
  expected.push_back(2);
  return verifyResult(*this, source, tileType(getResult()), expected);
}

/// join(split(x)) -> x
OpFoldResult JoinOp::fold(FoldAdaptor) {
  auto split = getLhs().getDefiningOp<SplitOp>();
  if (split && getLhs() == split.getOutLHS() && getRhs() == split.getOutRHS() &&
      split.getSrc().getType() == getType())
    return split.getSrc();
  return {};
}

LogicalResult SplitOp::verify() {
  auto source = tileType(getSrc());
  if (source.getRank() == 0 || source.getShape().back() != 2)
    return emitOpError("expects a last dimension of 2 elements, but got ")
           << source;
  return verifyResult(*this, source, tileType(getOutLHS()),
                      source.getShape().drop_back());
}

/// split(join(x, y)) -> x, y; split(splat) -> two splats
LogicalResult SplitOp::fold(FoldAdaptor adaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSrc().getDefiningOp<JoinOp>();
  if (join && join.getLhs().getType() == getOutLHS().getType()) {
    results.assign({join.getLhs(), join.getRhs()});
    return success();
  }
  if (Attribute half = foldSplat(adaptor.getSrc(), getOutLHS().getType())) {
    results.assign(2, half);
    return success();
  }
  return failure();
}

LogicalResult CatOp::verify() {
  auto source = tileType(getLhs()), result = tileType(getResult());
  if (result.getRank() != 1)
    return emitOpError("expects a result of rank 1, but got ") << result;
  return verifyResult(*this, source, result, {source.getNumElements() * 2});
}
