// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult DotOp::verify() {
  auto a = tileType(getA()), b = tileType(getB()), c = tileType(getC());
  int64_t rank = a.getRank();
  if ((rank != 2 && rank != 3) || b.getRank() != rank || c.getRank() != rank)
    return emitOpError("expects operands of rank 2 or 3, all alike, but got ")
           << a << ", " << b << " and " << c;
  if (a.getElementType() != b.getElementType())
    return emitOpError("expects operands of one element type, but got ")
           << a.getElementType() << " and " << b.getElementType();
  if (a.getDimSize(rank - 1) != b.getDimSize(rank - 2))
    return emitOpError("expects the same K in both operands, but got ")
           << a.getDimSize(rank - 1) << " and " << b.getDimSize(rank - 2);
  SmallVector<int64_t> expected(a.getShape());
  expected[rank - 1] = b.getDimSize(rank - 1);
  if (rank == 3 && a.getDimSize(0) != b.getDimSize(0))
    return emitOpError("expects the same batch in both operands, but got ")
           << a.getDimSize(0) << " and " << b.getDimSize(0);
  if (ArrayRef<int64_t>(expected) != c.getShape())
    return emitOpError("expects an accumulator of shape [")
           << expected << "], but got [" << c.getShape() << "]";
  bool areIntegers = isa<IntegerType>(a.getElementType());
  if (areIntegers != isa<IntegerType>(c.getElementType()) ||
      isa<PointerType>(a.getElementType()) ||
      isa<PointerType>(c.getElementType()))
    return emitOpError("expects integers into an integer accumulator or floats "
                       "into a floating one, but got ")
           << a.getElementType() << " into " << c.getElementType();
  return success();
}

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
    InFlightDiagnostic diagnostic =
        op->emitOpError("expects a region on (");
    llvm::interleaveComma(expected, diagnostic);
    diagnostic << "), but got (";
    llvm::interleaveComma(body.getArgumentTypes(), diagnostic);
    return diagnostic << ")";
  }
  Operation *terminator = body.empty() ? nullptr : &body.back();
  if (!isa_and_present<ReduceReturnOp, ScanReturnOp>(terminator))
    return op->emitOpError("expects a region that ends in ")
           << op->getName() << ".return";
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

LogicalResult ScanOp::verify() {
  if (failed(verifySources(*this, getSrcs(), getAxis())))
    return failure();
  for (auto [source, result] : llvm::zip_equal(getSrcs(), getResult()))
    if (source.getType() != result.getType())
      return emitOpError("expects a result of type ")
             << source.getType() << ", but got " << result.getType();
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  return verifyCombine(*this, getSrcs(), getCombineOp());
}

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
