// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout encodings: registration, and those of tensors in registers that stand
// for no instruction. Each family has its file: MatrixEncodings,
// LinearEncodings, SharedEncodings; their maps are built by dialects/Layout.

#include "dialects/Layout/Encodings.h"
#include "dialects/TileGPU/EncodingVerifiers.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

#include "dialects/TileGPU/TileGPUEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/TileGPU/TileGPUAttributes.cpp.inc"

void TileGPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/TileGPU/TileGPUAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Blocked
//===----------------------------------------------------------------------===//

/// log2 of the elements that one thread's block may have.
static constexpr unsigned maxElementBits = 24;

LogicalResult BlockedAttr::verify(EmitError emitError,
                                  ArrayRef<unsigned> elements,
                                  ArrayRef<unsigned> threads,
                                  ArrayRef<unsigned> warps,
                                  ArrayRef<unsigned> order) {
  size_t rank = order.size();
  assert(rank && "the text has one number at the least");
  if (failed(verifyPowersOfTwo(emitError, "elements", elements, rank)) ||
      failed(verifyPowersOfTwo(emitError, "threads", threads, rank)) ||
      failed(verifyWarps(emitError, warps, rank)) ||
      failed(verifyOrder(emitError, order)))
    return failure();
  if (productOf(threads) != 32)
    return emitError() << "expects 32 threads in a warp, but got "
                       << productOf(threads);
  unsigned elementBits = 0;
  for (unsigned count : elements)
    elementBits += layout::log2Exact(count);
  if (elementBits > maxElementBits)
    return emitError() << "expects at most 2^" << maxElementBits
                       << " elements in a thread, but got 2^" << elementBits;
  return success();
}

LinearLayout BlockedAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return layout::blockedLayout(log2Each(getElements()), log2Each(getThreads()),
                               log2Each(getWarps()), getOrder(),
                               log2Each(shape));
}

unsigned BlockedAttr::getRank() const { return getOrder().size(); }
unsigned BlockedAttr::getNumWarps() const { return productOf(getWarps()); }

LogicalResult BlockedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                          EmitError emitError) const {
  return verifyTensor(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

LogicalResult SliceAttr::verify(EmitError emitError, unsigned dim,
                                RegisterLayoutInterface parent) {
  assert(parent && "the parser takes no other attribute");
  if (parent.getRank() < 2)
    return emitError() << "expects a parent of rank 2 or more, but got rank "
                       << parent.getRank();
  if (dim >= parent.getRank())
    return emitError() << "expects dim in [0, " << parent.getRank()
                       << "), but got " << dim;
  return success();
}

LinearLayout SliceAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> expanded(shape);
  expanded.insert(expanded.begin() + getDim(), 1);
  return layout::sliceLayout(getParent().toLinearLayout(expanded), getDim());
}

unsigned SliceAttr::getRank() const { return getParent().getRank() - 1; }
unsigned SliceAttr::getNumWarps() const { return getParent().getNumWarps(); }

LogicalResult SliceAttr::verifyShape(ArrayRef<int64_t> shape,
                                     EmitError emitError) const {
  SmallVector<int64_t> expanded(shape);
  expanded.insert(expanded.begin() + getDim(), 1);
  return getParent().verifyShape(expanded, emitError);
}

LogicalResult SliceAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                        EmitError emitError) const {
  return verifyTensor(*this, shape, emitError);
}
