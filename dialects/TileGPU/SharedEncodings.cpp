// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/Encodings.h"
#include "dialects/TileGPU/EncodingVerifiers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

//===----------------------------------------------------------------------===//
// SharedSwizzled
//===----------------------------------------------------------------------===//

LogicalResult SharedSwizzledAttr::verify(EmitError emitError, unsigned vector,
                                         unsigned perPhase, unsigned maxPhase,
                                         ArrayRef<unsigned> order) {
  unsigned values[] = {vector, perPhase, maxPhase};
  if (failed(verifyPowersOfTwo(emitError, "vector, perPhase and maxPhase",
                               values, 3)))
    return failure();
  assert(!order.empty() && "the text has one number at the least");
  return verifyOrder(emitError, order);
}

LinearLayout SharedSwizzledAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return layout::sharedSwizzled(
      layout::log2Exact(getVector()), layout::log2Exact(getPerPhase()),
      layout::log2Exact(getMaxPhase()), getOrder(), log2Each(shape));
}

unsigned SharedSwizzledAttr::getRank() const { return getOrder().size(); }

//===----------------------------------------------------------------------===//
// SharedNvmma
//===----------------------------------------------------------------------===//

LogicalResult SharedNvmmaAttr::verify(EmitError emitError,
                                      unsigned swizzleBytes,
                                      unsigned elementBits,
                                      ArrayRef<unsigned> order,
                                      bool fp4Padded) {
  if (!llvm::is_contained({0u, 32u, 64u, 128u}, swizzleBytes))
    return emitError() << "expects swizzle 0, 32, 64 or 128, but got "
                       << swizzleBytes;
  if (!llvm::is_contained({4u, 8u, 16u, 32u, 64u}, elementBits))
    return emitError() << "expects elementBits 4, 8, 16, 32 or 64, but got "
                       << elementBits;
  if (fp4Padded && elementBits > 8)
    return emitError() << "expects elementBits 4, or 8 for pairs, with "
                          "fp4Padded, but got "
                       << elementBits;
  if (fp4Padded && swizzleBytes != 0 && swizzleBytes != 128)
    return emitError() << "expects swizzle 0 or 128 with fp4Padded, but got "
                       << swizzleBytes;
  if (order.size() < 2)
    return emitError() << "expects a layout of rank 2 or more, but got rank "
                       << order.size();
  return verifyOrder(emitError, order);
}

static layout::TensorCopyTile getTensorCopyTile(SharedNvmmaAttr encoding) {
  return {encoding.getSwizzleBytes(), encoding.getElementBits(),
          encoding.getFp4Padded()};
}

LinearLayout SharedNvmmaAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return layout::sharedTensorCopy(getTensorCopyTile(*this), getOrder(),
                                  log2Each(shape));
}

layout::Padding SharedNvmmaAttr::getPadding() const {
  if (!getFp4Padded())
    return {};
  // 8 bytes of elements, 8 bytes of nothing.
  unsigned bits = getTensorCopyTile(*this).vectorBits();
  return {{{bits, bits}}};
}

unsigned SharedNvmmaAttr::getRank() const { return getOrder().size(); }

unsigned SharedNvmmaAttr::getAlignmentBytes(unsigned) const {
  // The swizzle is a function of the address.
  return getSwizzleBytes() ? getSwizzleBytes() * patternRows : 16;
}

LogicalResult SharedNvmmaAttr::verifyTile(ArrayRef<int64_t> shape,
                                          unsigned elementBits,
                                          EmitError emitError) const {
  if (elementBits != getElementBits())
    return emitError() << "expects elements of " << getElementBits()
                       << " bits for " << *this << ", but got " << elementBits
                       << " bits";
  int64_t atom = int64_t(1) << getTensorCopyTile(*this).atomBits();
  int64_t size = shape[getOrder().front()];
  if (size < atom)
    return emitError() << "expects at least " << atom << " elements ("
                       << getTensorCopyTile(*this).atomBytes()
                       << " bytes) in dimension " << getOrder().front()
                       << " for " << *this << ", but got " << size;
  return success();
}

//===----------------------------------------------------------------------===//
// SharedPadded
//===----------------------------------------------------------------------===//

LogicalResult SharedPaddedAttr::verify(EmitError emitError,
                                       SharedLayoutInterface parent,
                                       ArrayRef<unsigned> intervals,
                                       ArrayRef<unsigned> gaps) {
  assert(parent && "the parser takes no other attribute");
  if (!parent.getPadding().empty())
    return emitError() << "expects a parent without padding, but got "
                       << parent;
  assert(!intervals.empty() && "the text has one number at the least");
  if (failed(verifyPowersOfTwo(emitError, "intervals", intervals,
                               intervals.size())) ||
      failed(verifyPowersOfTwo(emitError, "gaps", gaps, intervals.size())))
    return failure();
  for (size_t i = 0; i < intervals.size(); ++i) {
    if (i && intervals[i] <= intervals[i - 1])
      return emitError() << "expects intervals to ascend, but got ["
                         << intervals << "]";
    if (gaps[i] > intervals[i])
      return emitError() << "expects gaps no larger than their intervals, but "
                            "got "
                         << gaps[i] << " after every " << intervals[i];
  }
  return success();
}

LinearLayout SharedPaddedAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return getParent().toLinearLayout(shape);
}

layout::Padding SharedPaddedAttr::getPadding() const {
  layout::Padding padding;
  for (auto [interval, gap] : llvm::zip_equal(getIntervals(), getGaps()))
    padding.steps.push_back(
        {layout::log2Exact(interval), layout::log2Exact(gap)});
  return padding;
}

unsigned SharedPaddedAttr::getRank() const { return getParent().getRank(); }

unsigned SharedPaddedAttr::getAlignmentBytes(unsigned elementBits) const {
  return getParent().getAlignmentBytes(elementBits);
}

LogicalResult SharedPaddedAttr::verifyTile(ArrayRef<int64_t> shape,
                                           unsigned elementBits,
                                           EmitError emitError) const {
  return getParent().verifyTile(shape, elementBits, emitError);
}
