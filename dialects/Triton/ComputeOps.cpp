// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots, reductions, scans, gathers and histograms: what they accept.

#include "dialects/Triton/Triton.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// Ranks, and the sizes of `a` [batch,] M x K, `b` [batch,] K x N and `c`
/// [batch,] M x N, unpacked.
static LogicalResult verifyDotShapes(Operation *op, ArrayRef<int64_t> a,
                                     ArrayRef<int64_t> b, ArrayRef<int64_t> c) {
  size_t rank = a.size();
  if ((rank != 2 && rank != 3) || b.size() != rank || c.size() != rank)
    return op->emitOpError("expects operands of rank 2 or 3, all alike, but "
                           "got ranks ")
           << rank << ", " << b.size() << " and " << c.size();
  if (a[rank - 1] != b[rank - 2])
    return op->emitOpError("expects the same K in both operands, but got ")
           << a[rank - 1] << " and " << b[rank - 2];
  if (rank == 3 && a[0] != b[0])
    return op->emitOpError("expects the same batch in both operands, but got ")
           << a[0] << " and " << b[0];
  SmallVector<int64_t> expected(a);
  expected[rank - 1] = b[rank - 1];
  if (ArrayRef<int64_t>(expected) != c)
    return op->emitOpError("expects an accumulator of shape [")
           << expected << "], but got [" << c << "]";
  return success();
}

static bool isFp8(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

/// Whether products of `operand` can be summed in `accumulator`.
static bool canAccumulate(Type operand, Type accumulator) {
  if (isa<IntegerType>(operand) && isa<IntegerType>(accumulator))
    return operand.getIntOrFloatBitWidth() <=
           accumulator.getIntOrFloatBitWidth();
  if (!isa<FloatType>(operand) || !isa<FloatType>(accumulator))
    return false;
  return accumulator.getIntOrFloatBitWidth() >= 16 &&
         (!operand.isF64() || accumulator.isF64());
}

LogicalResult DotOp::verify() {
  auto a = tileType(getA()), b = tileType(getB()), c = tileType(getC());
  if (failed(verifyDotShapes(*this, a.getShape(), b.getShape(), c.getShape())))
    return failure();
  Type aElement = a.getElementType(), bElement = b.getElementType();
  if (aElement != bElement && !(isFp8(aElement) && isFp8(bElement)))
    return emitOpError("expects operands of one element type, or fp8 both, but "
                       "got ")
           << aElement << " and " << bElement;
  if (!canAccumulate(aElement, c.getElementType()))
    return emitOpError("expects integer operands and an integer accumulator at "
                       "least as wide, or float operands and a float "
                       "accumulator of 16 bits or more (f64 for f64), but got ")
           << aElement << " into " << c.getElementType();
  return success();
}

/// Diagnoses an operand of a scaled dot whose elements cannot hold `encoded`.
static LogicalResult verifyScaledElement(Operation *op, StringRef name,
                                         Type element,
                                         ScaledElementType encoded) {
  bool fits = false;
  StringRef expected;
  switch (encoded) {
  case ScaledElementType::BF16:
    fits = element.isBF16();
    expected = "bf16";
    break;
  case ScaledElementType::FP16:
    fits = element.isF16();
    expected = "f16";
    break;
  case ScaledElementType::E4M3:
    fits = isa<Float8E4M3FNType>(element) || element.isInteger(8);
    expected = "f8E4M3FN or i8";
    break;
  case ScaledElementType::E5M2:
    fits = isa<Float8E5M2Type>(element) || element.isInteger(8);
    expected = "f8E5M2 or i8";
    break;
  case ScaledElementType::E2M1:
  case ScaledElementType::E2M3:
  case ScaledElementType::E3M2:
    fits = element.isInteger(8);
    expected = "i8";
    break;
  }
  if (fits)
    return success();
  return op->emitOpError("expects ")
         << name << " of " << expected << " for "
         << stringifyScaledElementType(encoded) << ", but got " << element;
}

/// The operand's shape in elements: packed elements of 4 bits are two in one.
static SmallVector<int64_t> getUnpackedShape(RankedTensorType type,
                                             ScaledElementType encoded,
                                             size_t packedFromEnd) {
  SmallVector<int64_t> shape(type.getShape());
  if (encoded == ScaledElementType::E2M1 && packedFromEnd <= shape.size())
    shape[shape.size() - packedFromEnd] *= 2;
  return shape;
}

/// Scales are [batch,] rows x K / group.
static LogicalResult verifyScales(Operation *op, StringRef name, Value scales,
                                  ArrayRef<int64_t> batch, int64_t rows,
                                  int64_t k) {
  if (!scales)
    return success();
  auto type = tileType(scales);
  int64_t group = type.getElementType().isInteger(8) ? 32 : 16;
  SmallVector<int64_t> expected(batch);
  expected.append({rows, k / group});
  if (k % group == 0 && ArrayRef<int64_t>(expected) == type.getShape())
    return success();
  return op->emitOpError("expects ")
         << name << " of shape [" << expected << "] (groups of " << group
         << " along K = " << k << "), but got [" << type.getShape() << "]";
}

LogicalResult DotScaledOp::verify() {
  auto a = tileType(getA()), b = tileType(getB()), c = tileType(getC());
  if (failed(verifyScaledElement(*this, "lhs", a.getElementType(),
                                 getAElementType())) ||
      failed(verifyScaledElement(*this, "rhs", b.getElementType(),
                                 getBElementType())))
    return failure();
  SmallVector<int64_t> aShape =
      getUnpackedShape(a, getAElementType(), getLhsKPack() ? 1 : 2);
  SmallVector<int64_t> bShape =
      getUnpackedShape(b, getBElementType(), getRhsKPack() ? 2 : 1);
  if (failed(verifyDotShapes(*this, aShape, bShape, c.getShape())))
    return failure();
  if (!isa<FloatType>(c.getElementType()) || isFp8(c.getElementType()))
    return emitOpError("expects a float accumulator of 16 bits or more, but "
                       "got ")
           << c.getElementType();
  ArrayRef<int64_t> batch = ArrayRef<int64_t>(aShape).drop_back(2);
  int64_t m = aShape[aShape.size() - 2], k = aShape.back();
  if (failed(verifyScales(*this, "lhs scales", getAScale(), batch, m, k)))
    return failure();
  return verifyScales(*this, "rhs scales", getBScale(), batch, bShape.back(),
                      k);
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

/// Sources of one shape, the axis among their dimensions.
static LogicalResult verifySources(Operation *op, OperandRange sources,
                                   int32_t axis) {
  if (sources.empty())
    return op->emitOpError("expects at least one source, but got none");
  auto first = tileType(sources.front());
  if (axis < 0 || axis >= first.getRank())
    return op->emitOpError("expects axis in [0, ")
           << first.getRank() << "), but got " << axis;
  for (Value source : sources)
    if (tileType(source).getShape() != first.getShape())
      return op->emitOpError("expects sources of one shape, but got [")
             << first.getShape() << "] and [" << tileType(source).getShape()
             << "]";
  if (op->getNumResults() != sources.size())
    return op->emitOpError("expects as many results as sources, but got ")
           << op->getNumResults() << " and " << sources.size();
  return success();
}

/// The region takes two elements of each source and gives one of each.
static LogicalResult verifyCombine(Operation *op, OperandRange sources,
                                   Region &region) {
  SmallVector<Type> elements;
  for (Value source : sources)
    elements.push_back(tileType(source).getElementType());
  SmallVector<Type> expected(elements);
  expected.append(elements);
  Block &body = region.front();
  if (!llvm::equal(body.getArgumentTypes(), expected)) {
    InFlightDiagnostic diagnostic = op->emitOpError("expects a region on (");
    llvm::interleaveComma(expected, diagnostic);
    diagnostic << "), but got (";
    llvm::interleaveComma(body.getArgumentTypes(), diagnostic);
    return diagnostic << ")";
  }
  StringRef name = isa<ReduceOp>(op) ? ReduceReturnOp::getOperationName()
                                     : ScanReturnOp::getOperationName();
  Operation *terminator = body.getTerminator();
  if (terminator->getName().getStringRef() != name)
    return op->emitOpError("expects a region that ends in ")
           << name << ", but got " << terminator->getName();
  if (!llvm::equal(terminator->getOperandTypes(), elements)) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("expects a region that gives (");
    llvm::interleaveComma(elements, diagnostic);
    diagnostic << "), but got (";
    llvm::interleaveComma(terminator->getOperandTypes(), diagnostic);
    return diagnostic << ")";
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifySources(*this, getSrcs(), getAxis())))
    return failure();
  for (auto [source, result] : llvm::zip_equal(getSrcs(), getResult())) {
    RankedTensorType type = tileType(source);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + getAxis());
    auto tile = dyn_cast<RankedTensorType>(result.getType());
    bool fits = getElementTypeOrSelf(result.getType()) == type.getElementType();
    fits &= shape.empty() ? !tile
                          : tile && tile.getShape() == ArrayRef<int64_t>(shape);
    if (fits)
      continue;
    Type expected = shape.empty()
                        ? type.getElementType()
                        : RankedTensorType::get(shape, type.getElementType());
    return emitOpError("expects a result of type ")
           << expected << ", but got " << result.getType();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  return verifyCombine(*this, getSrcs(), getCombineOp());
}

namespace {
/// A reduction of one element gives that element. Tiles with layouts are left:
/// dropping an axis is more than a reshape there.
struct ReduceOfOneElement : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto first = tileType(op.getSrcs().front());
    if (first.getDimSize(op.getAxis()) != 1)
      return rewriter.notifyMatchFailure(op, "the axis has several elements");
    auto hasLayout = [](Value source) {
      return tileType(source).getEncoding();
    };
    if (llvm::any_of(op.getSrcs(), hasLayout))
      return rewriter.notifyMatchFailure(op, "the tiles have layouts");
    SmallVector<Value> results;
    for (auto [source, type] : llvm::zip(op.getSrcs(), op.getResultTypes())) {
      auto tile = dyn_cast<RankedTensorType>(type);
      if (tile)
        results.push_back(
            ReshapeOp::create(rewriter, op.getLoc(), tile, source));
      else
        results.push_back(
            UnsplatOp::create(rewriter, op.getLoc(), type, source));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<ReduceOfOneElement>(context);
}

LogicalResult ScanOp::verify() {
  if (failed(verifySources(*this, getSrcs(), getAxis())))
    return failure();
  for (auto [source, result] : llvm::zip_equal(getSrcs(), getResult()))
    if (!haveSameShape(source.getType(), result.getType()) ||
        tileType(source).getElementType() != tileType(result).getElementType())
      return emitOpError("expects a result of type ")
             << source.getType() << ", but got " << result.getType();
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  return verifyCombine(*this, getSrcs(), getCombineOp());
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  auto source = tileType(getSrc()), indices = tileType(getIndices());
  auto result = tileType(getResult());
  if (int32_t(getAxis()) < 0 || int64_t(getAxis()) >= source.getRank())
    return emitOpError("expects axis in [0, ")
           << source.getRank() << "), but got " << int32_t(getAxis());
  if (indices.getRank() != source.getRank())
    return emitOpError("expects indices of rank ")
           << source.getRank() << ", but got rank " << indices.getRank();
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    if (dim != int64_t(getAxis()) &&
        source.getDimSize(dim) != indices.getDimSize(dim))
      return emitOpError("expects indices of size ")
             << source.getDimSize(dim) << " in dimension " << dim
             << ", but got " << indices.getDimSize(dim);
  if (result.getShape() != indices.getShape() ||
      result.getElementType() != source.getElementType())
    return emitOpError("expects a result of the indices' shape and the "
                       "source's element type, but got ")
           << result;
  return success();
}

//===----------------------------------------------------------------------===//
// Histograms
//===----------------------------------------------------------------------===//

LogicalResult HistogramOp::verify() {
  if (tileType(getResult()).getRank() == 1)
    return success();
  return emitOpError("expects a result of rank 1, one element a bin, but got ")
         << getType();
}
