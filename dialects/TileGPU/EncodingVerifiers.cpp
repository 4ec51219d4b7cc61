// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/EncodingVerifiers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Warps of one CTA, on every GPU.
static constexpr unsigned maxWarps = 32;

unsigned tilegpu::productOf(ArrayRef<unsigned> sizes) {
  unsigned product = 1;
  for (unsigned size : sizes)
    product *= size;
  return product;
}

LogicalResult tilegpu::verifyShapeBits(EmitError emitError, StringRef what,
                                       ArrayRef<int64_t> shape,
                                       unsigned maxBits) {
  unsigned bits = 0;
  for (int64_t size : shape) {
    if (size <= 0 || !layout::isPowerOfTwo(size))
      return emitError() << "expects every dimension of " << what
                         << " to be a power of two, but got " << size;
    bits += layout::log2Exact(size);
  }
  if (bits > maxBits)
    return emitError() << "expects " << what << " to have at most 2^" << maxBits
                       << " elements, but got 2^" << bits;
  return success();
}

LogicalResult tilegpu::verifyTensor(RegisterLayoutInterface encoding,
                                    ArrayRef<int64_t> shape,
                                    EmitError emitError) {
  if (shape.size() != encoding.getRank())
    return emitError() << "expects a tensor of rank " << encoding.getRank()
                       << " for the layout " << encoding << ", but got rank "
                       << shape.size();
  if (failed(verifyShapeBits(emitError, "a tensor with a layout", shape)))
    return failure();
  return encoding.verifyShape(shape, emitError);
}

LogicalResult tilegpu::verifyPowersOfTwo(EmitError emitError, StringRef name,
                                         ArrayRef<unsigned> values,
                                         size_t rank) {
  if (values.size() != rank)
    return emitError() << "expects " << name << " to have " << rank
                       << " entries, but got " << values.size();
  for (unsigned value : values)
    if (!layout::isPowerOfTwo(value))
      return emitError() << "expects " << name
                         << " to be powers of two, but got " << value;
  return success();
}

LogicalResult tilegpu::verifyWarps(EmitError emitError,
                                   ArrayRef<unsigned> warps, size_t rank) {
  if (failed(verifyPowersOfTwo(emitError, "warps", warps, rank)))
    return failure();
  uint64_t product = 1;
  for (unsigned count : warps) {
    product *= count;
    if (product > maxWarps)
      return emitError() << "expects at most " << maxWarps
                         << " warps, but got [" << warps << "]";
  }
  return success();
}

LogicalResult tilegpu::verifyOrder(EmitError emitError,
                                   ArrayRef<unsigned> order) {
  SmallVector<bool> seen(order.size(), false);
  for (unsigned dim : order) {
    if (dim >= order.size() || seen[dim])
      return emitError() << "expects order to be a permutation of 0 to "
                         << order.size() - 1 << ", but got [" << order << "]";
    seen[dim] = true;
  }
  return success();
}
