// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block pointers and tensor descriptors: what they accept.

#include "dialects/Triton/Triton.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

/// Diagnoses a list of operands that has not one a dimension.
static LogicalResult verifyCount(Operation *op, StringRef what, size_t count,
                                 int64_t rank) {
  if (int64_t(count) == rank)
    return success();
  return op->emitOpError("expects ")
         << rank << " " << what << ", but got " << count;
}

bool tt::haveSameBits(Type a, Type b) {
  auto first = dyn_cast<IntegerType>(a), second = dyn_cast<IntegerType>(b);
  return first && second ? first.getWidth() == second.getWidth() : a == b;
}

LogicalResult MakeTensorPtrOp::verify() {
  RankedTensorType block = getBlock(getType());
  if (!block)
    return emitOpError("expects a block pointer as result, but got ")
           << getType();
  int64_t rank = block.getRank();
  if (failed(verifyCount(*this, "sizes", getShape().size(), rank)) ||
      failed(verifyCount(*this, "strides", getStrides().size(), rank)) ||
      failed(verifyCount(*this, "offsets", getOffsets().size(), rank)) ||
      failed(
          verifyCount(*this, "dimensions in order", getOrder().size(), rank)))
    return failure();
  for (int32_t dim : getOrder())
    if (dim < 0 || dim >= rank || llvm::count(getOrder(), dim) != 1)
      return emitOpError("expects order to be a permutation of ")
             << rank << " dimensions, but got [" << getOrder() << "]";
  return success();
}

LogicalResult AdvanceOp::verify() {
  RankedTensorType block = getBlock(getType());
  if (!block)
    return emitOpError("expects a block pointer, but got ") << getType();
  return verifyCount(*this, "offsets", getOffsets().size(), block.getRank());
}

/// advance(p, 0...) -> p
OpFoldResult AdvanceOp::fold(FoldAdaptor adaptor) {
  auto isZero = [](Attribute offset) {
    return offset && matchPattern(offset, m_Zero());
  };
  return llvm::all_of(adaptor.getOffsets(), isZero) ? getPtr() : OpFoldResult();
}

LogicalResult MakeTensorDescriptorOp::verify() {
  RankedTensorType block = getType().getBlockType();
  if (failed(verifyCount(*this, "sizes", getShape().size(), block.getRank())) ||
      failed(
          verifyCount(*this, "strides", getStrides().size(), block.getRank())))
    return failure();
  if (!haveSameBits(getBase().getType().getPointeeType(),
                    block.getElementType()))
    return emitOpError("expects a base that points at ")
           << block.getElementType() << ", but got " << getBase().getType();
  return success();
}

bool MakeTensorDescriptorOp::hasAlignedRows() {
  auto hint = (*this)->getAttrOfType<IntegerAttr>("tt.divisibility");
  return hint && hint.getInt() % rowAlignment == 0;
}

LogicalResult tt::verifyDescriptorBlock(Operation *op,
                                        TensorDescriptorType descriptor,
                                        RankedTensorType tile, size_t indices) {
  RankedTensorType block = descriptor.getBlockType();
  if (failed(verifyCount(op, "indices", indices, block.getRank())))
    return failure();
  auto isOne = [](int64_t size) { return size == 1; };
  int64_t missing = block.getRank() - tile.getRank();
  if (missing < 0 || block.getShape().drop_front(missing) != tile.getShape() ||
      !llvm::all_of(block.getShape().take_front(missing), isOne) ||
      !haveSameBits(block.getElementType(), tile.getElementType()))
    return op->emitOpError("expects a tile of the descriptor's block ")
           << block << ", but got " << tile;
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyDescriptorBlock(*this, getDesc().getType(),
                               cast<RankedTensorType>(getType()),
                               getIndices().size());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyDescriptorBlock(*this, getDesc().getType(),
                               cast<RankedTensorType>(getSrc().getType()),
                               getIndices().size());
}
