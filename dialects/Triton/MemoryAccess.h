// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ops have in common that read or write through pointers.

#ifndef TILEWRIGHT_DIALECTS_TRITON_MEMORYACCESS_H
#define TILEWRIGHT_DIALECTS_TRITON_MEMORYACCESS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace tilewright::tt {

/// A load, a store or an atomic through a pointer or a tile of them.
struct MemoryAccess {
  mlir::Value pointers;
  /// Null: all elements are accessed.
  mlir::Value mask;
  bool isWrite = false;
  bool isAtomic = false;
};

/// The access that `op` makes; none for other ops.
std::optional<MemoryAccess> getMemoryAccess(mlir::Operation *op);

} // namespace tilewright::tt

#endif // TILEWRIGHT_DIALECTS_TRITON_MEMORYACCESS_H
