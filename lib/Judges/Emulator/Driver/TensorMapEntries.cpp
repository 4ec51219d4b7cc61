// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: tensor maps.

#include "lib/Judges/Emulator/Driver/Entries.h"
#include "lib/Judges/Emulator/Driver/State.h"

#include "lib/Judges/Emulator/Machine/TensorMapObject.h"

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

/// Takes the current context, as CUDA's driver does (580, seen on an H200).
Status driver::cuTensorMapEncodeTiled(void *map, int dataType, uint32_t rank,
                                      void *address, const uint64_t *shape,
                                      const uint64_t *strideBytes,
                                      const uint32_t *box,
                                      const uint32_t *elementStrides,
                                      int interleave, int swizzle,
                                      int l2Promotion, int outOfBoundsFill) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!map || rank < 1 || rank > TensorMap::maximumRank || !shape || !box ||
      !elementStrides || (rank > 1 && !strideBytes) ||
      reinterpret_cast<uintptr_t>(map) % TensorMap::alignment)
    return invalidValue;
  TensorMap tensor;
  tensor.dataType = dataType;
  tensor.rank = rank;
  tensor.address = reinterpret_cast<uintptr_t>(address);
  tensor.interleave = interleave;
  tensor.swizzle = swizzle;
  tensor.promotion = l2Promotion;
  tensor.fill = outOfBoundsFill;
  for (uint32_t i = 0; i < rank; ++i) {
    tensor.shape[i] = shape[i];
    tensor.box[i] = box[i];
    tensor.elementStrides[i] = elementStrides[i];
    if (i + 1 < rank)
      tensor.strides[i] = strideBytes[i];
  }
  if (!tensor.verify().empty())
    return invalidValue;
  encodeTensorMap(tensor, static_cast<uint8_t *>(map));
  return success;
}
