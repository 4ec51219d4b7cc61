// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ops of `tile` accept. Encodings are not looked at.

#include "dialects/Layout/CoordinateMaps.h"
#include "dialects/Tile/Tile.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using layout::Axis;
using layout::LinearLayout;

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// dequantize
//===----------------------------------------------------------------------===//

int64_t DequantizeOp::getCodesPerWord() {
  return tileType(getWeights()).getElementTypeBitWidth() / int64_t(getBits());
}

int64_t DequantizeOp::getPlace(int64_t index) {
  int64_t codes = getCodesPerWord();
  assert(index >= 0 && index < codes && "expects an index in the word");
  switch (getOrder()) {
  case PackingOrder::LowFirst:
    return index;
  case PackingOrder::HighFirst:
    return codes - 1 - index;
  case PackingOrder::EvenFirst:
    // A word of one code has only the even one.
    return index % 2 == 0 ? index / 2 : codes / 2 + index / 2;
  }
  llvm_unreachable("all orders are listed");
}

bool DequantizeOp::isOfIntegers() {
  return getFormat() == CodeFormat::UnsignedInteger ||
         getFormat() == CodeFormat::SignedInteger;
}

unsigned DequantizeOp::getExponent(int64_t place) {
  return getInBytes() ? getBits() * place % 8 : 0;
}

/// How large an integer difference of codes and zeros may be.
static int64_t getLargestDifference(DequantizeOp op) {
  bool isSigned = op.getFormat() == CodeFormat::SignedInteger;
  int64_t range = int64_t(1) << op.getBits();
  int64_t largest = isSigned ? range / 2 : range - 1;
  if (op.getZeros())
    largest +=
        int64_t(1) << (tileType(op.getZeros()).getElementTypeBitWidth() - 1);
  return largest;
}

bool DequantizeOp::multipliesIn(Type type) {
  if (tileType(getScales()).getElementType() != type ||
      !(type.isF16() || type.isBF16()) || getInBytes())
    return false;
  switch (getFormat()) {
  case CodeFormat::UnsignedInteger:
  case CodeFormat::SignedInteger:
    // Integers up to 2^precision are numbers of the type.
    return (!getZeros() ||
            isa<IntegerType>(tileType(getZeros()).getElementType())) &&
           getLargestDifference(*this) <=
               int64_t(1) << cast<FloatType>(type).getFPMantissaWidth();
  case CodeFormat::CodeBook:
    // Products of bf16 entries may be below what f32 holds.
    return type.isF16() && tileType(getCodeBook()).getElementType() == type;
  case CodeFormat::E2M1:
  case CodeFormat::E4M3:
  case CodeFormat::E5M2:
    return true;
  }
  llvm_unreachable("all formats are listed");
}

LinearLayout DequantizeOp::getWordMap() {
  return layout::makeGroupMap(tileType(getResult()).getShape(),
                              tileType(getWeights()).getShape());
}

LinearLayout DequantizeOp::getGroupMap() {
  return layout::makeGroupMap(tileType(getResult()).getShape(),
                              tileType(getScales()).getShape());
}

LinearLayout DequantizeOp::getPlaceMap() {
  unsigned codeBits = llvm::Log2_64(getCodesPerWord());
  std::vector<layout::AxisBits> inputs;
  std::vector<uint64_t> columns;
  for (auto [dim, size] : llvm::enumerate(tileType(getResult()).getShape())) {
    inputs.push_back({Axis::coordinate(dim), llvm::Log2_64(size)});
    for (unsigned bit = 0; bit < llvm::Log2_64(size); ++bit)
      columns.push_back(dim == getAxis() && bit < codeBits
                            ? getPlace(int64_t(1) << bit) ^ getPlace(0)
                            : 0);
  }
  return LinearLayout(inputs, {{Axis::Offset, codeBits}}, columns);
}

/// The number of bits that the format demands of a code; 0 where any will do.
static uint32_t getBitsOfFormat(CodeFormat format) {
  switch (format) {
  case CodeFormat::E2M1:
    return 4;
  case CodeFormat::E4M3:
  case CodeFormat::E5M2:
    return 8;
  case CodeFormat::UnsignedInteger:
  case CodeFormat::SignedInteger:
  case CodeFormat::CodeBook:
    return 0;
  }
  llvm_unreachable("all formats are listed");
}

/// bits, axis and group_size by themselves.
static LogicalResult verifyAttributes(DequantizeOp op) {
  int32_t bits = op.getBits(), axis = op.getAxis(), group = op.getGroupSize();
  if (bits != 2 && bits != 4 && bits != 8)
    return op.emitOpError("expects bits of 2, 4 or 8, but got ") << bits;
  uint32_t expected = getBitsOfFormat(op.getFormat());
  if (expected && uint32_t(bits) != expected)
    return op.emitOpError("expects bits of ")
           << expected << " for " << stringifyCodeFormat(op.getFormat())
           << ", but got " << bits;
  int64_t rank = tileType(op.getWeights()).getRank();
  if (axis < 0 || axis >= rank)
    return op.emitOpError("expects axis in [0, ")
           << rank << "), but got " << axis;
  int32_t groups = op.getGroupAxis().value_or(axis);
  if (groups < 0 || groups >= rank)
    return op.emitOpError("expects group_axis in [0, ")
           << rank << "), but got " << groups;
  if (group < 1)
    return op.emitOpError("expects group_size of 1 or more, but got ") << group;
  return success();
}

/// Scales have one element a group along the axis of groups.
static LogicalResult verifyScales(DequantizeOp op) {
  RankedTensorType result = tileType(op.getResult());
  RankedTensorType scales = tileType(op.getScales());
  int64_t axis = op.getGroupDim(), group = op.getGroupSize();
  int64_t size = result.getDimSize(axis);
  if (size > group && size % group != 0)
    return op.emitOpError("expects a multiple of group_size ")
           << group << " in dimension " << axis << " of the result, but got "
           << size;
  if (scales.getRank() != result.getRank())
    return op.emitOpError("expects scales of rank ")
           << result.getRank() << ", but got " << scales;
  for (int64_t dim = 0; dim < result.getRank(); ++dim) {
    int64_t actual = scales.getDimSize(dim), whole = result.getDimSize(dim);
    int64_t groups = std::max<int64_t>(1, size / group);
    if (dim == axis && actual != groups)
      return op.emitOpError("expects scales of size ")
             << groups << " in dimension " << dim << " (groups of " << group
             << " in " << size << "), but got " << actual;
    if (dim != axis && actual != whole && actual != 1)
      return op.emitOpError("expects scales of size ")
             << whole << " or 1 in dimension " << dim << ", but got " << actual;
  }
  return success();
}

/// Zeros and a code book come with the formats that use them.
static LogicalResult verifyZerosAndCodeBook(DequantizeOp op) {
  CodeFormat format = op.getFormat();
  if (op.getZeros() && !op.isOfIntegers())
    return op.emitOpError("expects zeros with unsigned and signed only, but "
                          "got ")
           << stringifyCodeFormat(format);
  if (op.getInBytes() && !op.isOfIntegers())
    return op.emitOpError("expects in_bytes with unsigned and signed only, but "
                          "got ")
           << stringifyCodeFormat(format);
  RankedTensorType scales = tileType(op.getScales());
  if (op.getZeros() && tileType(op.getZeros()).getShape() != scales.getShape())
    return op.emitOpError("expects zeros of the scales' shape [")
           << scales.getShape() << "], but got ["
           << tileType(op.getZeros()).getShape() << "]";
  bool wantsCodeBook = format == CodeFormat::CodeBook;
  if (wantsCodeBook && !op.getCodeBook())
    return op.emitOpError("expects a code book for code_book, but got none");
  if (!op.getCodeBook())
    return success();
  if (!wantsCodeBook)
    return op.emitOpError("expects a code book with code_book only, but got ")
           << stringifyCodeFormat(format);
  RankedTensorType codeBook = tileType(op.getCodeBook());
  if (codeBook.getRank() != 1 || codeBook.getDimSize(0) != 1 << op.getBits())
    return op.emitOpError("expects a code book of rank 1 and ")
           << (1 << op.getBits()) << " elements, but got " << codeBook;
  return success();
}

LogicalResult DequantizeOp::verify() {
  if (failed(verifyAttributes(*this)))
    return failure();
  SmallVector<int64_t> expected(tileType(getWeights()).getShape());
  expected[getAxis()] *= getCodesPerWord();
  if (tileType(getResult()).getShape() != ArrayRef<int64_t>(expected))
    return emitOpError("expects a result of shape [")
           << expected << "] (" << getCodesPerWord()
           << " codes a word), but got [" << tileType(getResult()).getShape()
           << "]";
  if (failed(verifyScales(*this)))
    return failure();
  return verifyZerosAndCodeBook(*this);
}

//===----------------------------------------------------------------------===//
// solve_unit_lower
//===----------------------------------------------------------------------===//

LogicalResult SolveUnitLowerOp::verify() {
  RankedTensorType lower = tileType(getLower());
  int64_t rank = lower.getRank();
  if ((rank != 2 && rank != 3) ||
      lower.getDimSize(rank - 1) != lower.getDimSize(rank - 2))
    return emitOpError("expects a square matrix, or a batch of them, but got ")
           << lower;
  RankedTensorType rhs = getRhs() ? tileType(getRhs()) : lower;
  if (rhs.getRank() != rank ||
      rhs.getShape().drop_back() != lower.getShape().drop_back())
    return emitOpError("expects a right-hand side of shape [")
           << lower.getShape().drop_back() << ", m], but got ["
           << rhs.getShape() << "]";
  if (tileType(getResult()).getShape() != rhs.getShape())
    return emitOpError("expects a result of shape [")
           << rhs.getShape() << "], but got ["
           << tileType(getResult()).getShape() << "]";
  return success();
}

//===----------------------------------------------------------------------===//
// reduce_scatter
//===----------------------------------------------------------------------===//

LogicalResult ReduceScatterOp::verify() {
  int32_t programs = getPrograms(), axis = getAxis();
  if (programs != 2 && programs != 4 && programs != 8)
    return emitOpError("expects programs of 2, 4 or 8, but got ") << programs;
  RankedTensorType source = tileType(getSource());
  if (axis < 0 || axis >= source.getRank())
    return emitOpError("expects axis in [0, ")
           << source.getRank() << "), but got " << axis;
  SmallVector<int64_t> shape(source.getShape());
  if (shape[axis] % programs)
    return emitOpError("expects a multiple of ")
           << programs << " (programs) in dimension " << axis
           << " of the source, but got " << shape[axis];
  shape[axis] /= programs;
  RankedTensorType result = tileType(getResult());
  if (result.getShape() != ArrayRef<int64_t>(shape) ||
      result.getElementType() != source.getElementType())
    return emitOpError("expects a result of shape [")
           << shape << "] and of " << source.getElementType() << ", but got "
           << result;
  return success();
}
