// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/MemoryAccess.h"

#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;

std::optional<tt::MemoryAccess> tt::getMemoryAccess(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return MemoryAccess{load.getPtr(), load.getMask()};
  if (auto store = dyn_cast<StoreOp>(op))
    return MemoryAccess{store.getPtr(), store.getMask(), /*isWrite=*/true};
  if (auto atomic = dyn_cast<AtomicRMWOp>(op))
    return MemoryAccess{atomic.getPtr(), atomic.getMask(), /*isWrite=*/true,
                        /*isAtomic=*/true};
  if (auto swap = dyn_cast<AtomicCASOp>(op))
    return MemoryAccess{swap.getPtr(), Value(), /*isWrite=*/true,
                        /*isAtomic=*/true};
  return std::nullopt;
}
