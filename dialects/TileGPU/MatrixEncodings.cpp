// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/Encodings.h"
#include "dialects/TileGPU/EncodingVerifiers.h"
#include "dialects/TileGPU/MatrixFragments.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

//===----------------------------------------------------------------------===//
// Mma
//===----------------------------------------------------------------------===//

LogicalResult MmaAttr::verify(EmitError emitError, MmaFamily family,
                              ArrayRef<unsigned> warps) {
  if (warps.size() != 2 && warps.size() != 3)
    return emitError() << "expects warps in 2 or 3 dimensions, but got "
                       << warps.size();
  return verifyWarps(emitError, warps, warps.size());
}

LinearLayout MmaAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return layout::mmaAccumulator(toFragment(getFamily()), log2Each(getWarps()),
                                log2Each(shape));
}

unsigned MmaAttr::getRank() const { return getWarps().size(); }
unsigned MmaAttr::getNumWarps() const { return productOf(getWarps()); }

LogicalResult MmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                      EmitError emitError) const {
  return verifyTensor(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// Wgmma
//===----------------------------------------------------------------------===//

LogicalResult WgmmaAttr::verify(EmitError emitError, unsigned n,
                                ArrayRef<unsigned> warps) {
  if (!layout::isPowerOfTwo(n) || n < 8 || n > 256)
    return emitError()
           << "expects n to be a power of two from 8 to 256, but got " << n;
  if (warps.size() != 2 && warps.size() != 3)
    return emitError() << "expects warps in 2 or 3 dimensions, but got "
                       << warps.size();
  if (failed(verifyWarps(emitError, warps, warps.size())))
    return failure();
  unsigned rows = warps[warps.size() - 2];
  if (rows < 4)
    return emitError() << "expects groups of 4 warps along the rows, but got "
                       << rows << " warps";
  return success();
}

LinearLayout WgmmaAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return layout::wgmmaAccumulator(layout::log2Exact(getN()),
                                  log2Each(getWarps()), log2Each(shape));
}

unsigned WgmmaAttr::getRank() const { return getWarps().size(); }
unsigned WgmmaAttr::getNumWarps() const { return productOf(getWarps()); }

LogicalResult WgmmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                        EmitError emitError) const {
  return verifyTensor(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// DotOperand
//===----------------------------------------------------------------------===//

LogicalResult DotOperandAttr::verify(EmitError emitError, unsigned index,
                                     RegisterLayoutInterface parent,
                                     unsigned kWidth) {
  if (index > 1)
    return emitError() << "expects index 0 (left) or 1 (right), but got "
                       << index;
  assert(parent && "the parser takes no other attribute");
  if (parent.getRank() != 2 && parent.getRank() != 3)
    return emitError() << "expects a parent of rank 2 or 3, but got rank "
                       << parent.getRank();
  if (auto wgmma = dyn_cast<WgmmaAttr>(parent)) {
    if (index == 1)
      return emitError() << "expects index 0 under " << parent
                         << " (wgmma takes its right operand from shared "
                            "memory), but got 1";
    if (kWidth != 1 && kWidth != 2 && kWidth != 4)
      return emitError() << "expects kWidth 1, 2 or 4 under " << parent
                         << ", but got " << kWidth;
    return success();
  }
  auto mma = dyn_cast<MmaAttr>(parent);
  if (!mma && kWidth != 0)
    return emitError() << "expects kWidth 0 under " << parent << ", but got "
                       << kWidth;
  if (mma && !llvm::is_contained({1u, 2u, 4u, 8u}, kWidth))
    return emitError() << "expects kWidth 1, 2, 4 or 8, but got " << kWidth;
  if (mma && (kWidth == 1 || kWidth == 8) &&
      (mma.getFamily() == MmaFamily::M8N8K4 ||
       mma.getFamily() == MmaFamily::M8N8K4F16))
    return emitError() << "expects kWidth 2 or 4 under "
                       << stringifyMmaFamily(mma.getFamily()) << ", but got "
                       << kWidth;
  return success();
}

LinearLayout DotOperandAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  if (auto mma = dyn_cast<MmaAttr>(getParent()))
    return layout::mmaOperand(toFragment(mma.getFamily()), getIndex(),
                              layout::log2Exact(getKWidth()),
                              log2Each(mma.getWarps()), log2Each(shape));
  if (auto wgmma = dyn_cast<WgmmaAttr>(getParent()))
    return layout::wgmmaOperand(layout::log2Exact(getKWidth()),
                                log2Each(wgmma.getWarps()), log2Each(shape));
  return getThreadOperandLayout(getParent(), getIndex(), shape);
}

LogicalResult DotOperandAttr::verifyShape(ArrayRef<int64_t> shape,
                                          EmitError emitError) const {
  if (isa<MmaAttr, WgmmaAttr>(getParent()))
    return success();
  // What the result's layout says of the rows or columns; K is the threads'
  // own.
  SmallVector<int64_t> collapsed(shape);
  collapsed[shape.size() - (getIndex() == 0 ? 1 : 2)] = 1;
  return getParent().verifyShape(collapsed, emitError);
}

LinearLayout tilegpu::getThreadOperandLayout(RegisterLayoutInterface result,
                                             unsigned index,
                                             ArrayRef<int64_t> shape) {
  SmallVector<int64_t> collapsed(shape);
  collapsed[shape.size() - (index == 0 ? 1 : 2)] = 1;
  return layout::threadOperand(result.toLinearLayout(collapsed), index,
                               log2Each(shape));
}

unsigned DotOperandAttr::getRank() const { return getParent().getRank(); }
unsigned DotOperandAttr::getNumWarps() const {
  return getParent().getNumWarps();
}

LogicalResult DotOperandAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                             EmitError emitError) const {
  return verifyTensor(*this, shape, emitError);
}
