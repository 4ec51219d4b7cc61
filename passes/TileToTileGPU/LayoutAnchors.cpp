// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/LayoutAnchors.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

//===----------------------------------------------------------------------===//
// Blocked layouts
//===----------------------------------------------------------------------===//

SmallVector<unsigned> tilegpu::spreadUnits(unsigned count,
                                           SmallVectorImpl<int64_t> &left,
                                           ArrayRef<unsigned> order) {
  SmallVector<unsigned> units(left.size(), 1);
  for (unsigned dim : order) {
    unsigned taken = std::min<int64_t>(count, left[dim]);
    units[dim] = taken;
    left[dim] /= taken;
    count /= taken;
  }
  units[order.back()] *= count;
  return units;
}

static BlockedAttr makeBlocked(MLIRContext *context, ArrayRef<int64_t> shape,
                               ArrayRef<unsigned> order,
                               unsigned elementsAlongFastest,
                               unsigned numWarps) {
  SmallVector<int64_t> left(shape);
  SmallVector<unsigned> elements(shape.size(), 1);
  elements[order[0]] = elementsAlongFastest;
  left[order[0]] /= elementsAlongFastest;
  SmallVector<unsigned> threads = spreadUnits(32, left, order);
  SmallVector<unsigned> warps = spreadUnits(numWarps, left, order);
  return BlockedAttr::get(context, elements, threads, warps, order);
}

static SmallVector<unsigned> rowMajorOrder(unsigned rank) {
  SmallVector<unsigned> order(llvm::reverse(llvm::seq<unsigned>(0, rank)));
  return order;
}

static int64_t countElements(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

BlockedAttr tilegpu::getDefaultLayout(MLIRContext *context,
                                      ArrayRef<int64_t> shape,
                                      unsigned numWarps) {
  return makeBlocked(context, shape, rowMajorOrder(shape.size()), 1, numWarps);
}

BlockedAttr tilegpu::getCoalescedLayout(Value pointers, Value mask,
                                        const AxisAnalysis &axes,
                                        unsigned numWarps,
                                        unsigned widestBits) {
  auto type = cast<RankedTensorType>(pointers.getType());
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<unsigned> order = rowMajorOrder(shape.size());
  // The dimension in which addresses run comes first; equal ones stay
  // row-major.
  if (const AxisInfo *info = axes.lookup(pointers))
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(info->contiguity[a], a) >
             std::pair(info->contiguity[b], b);
    });
  Type pointee = cast<tt::PointerType>(type.getElementType()).getPointeeType();
  int64_t perThread =
      std::max<int64_t>(1, countElements(shape) / (32 * int64_t(numWarps)));
  int64_t widest = std::max(1u, widestBits / getMemoryBits(pointee));
  int64_t elements = std::min<int64_t>(
      {int64_t(axes.getVectorElements(pointers, mask, order[0])), perThread,
       widest, shape[order[0]]});
  return makeBlocked(type.getContext(), shape, order, elements, numWarps);
}
