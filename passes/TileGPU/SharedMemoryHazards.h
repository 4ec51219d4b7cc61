// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which accesses to shared memory are not ordered by a barrier.
//
// In: a function whose allocations have offsets, as a control-flow graph. Out:
// the first op that touches bytes which an earlier access, on some path without
// a barrier, touches too, where at least one of the two writes.

#ifndef TILEWRIGHT_PASSES_TILEGPU_SHAREDMEMORYHAZARDS_H
#define TILEWRIGHT_PASSES_TILEGPU_SHAREDMEMORYHAZARDS_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// An access to the bytes [begin, end) of the CTA's shared memory.
struct SharedAccess {
  int64_t begin = 0;
  int64_t end = 0;
  bool isWrite = false;

  bool conflictsWith(const SharedAccess &other) const {
    return (isWrite || other.isWrite) && begin < other.end && other.begin < end;
  }
  auto operator<=>(const SharedAccess &) const = default;
};

class SharedMemoryHazards {
public:
  explicit SharedMemoryHazards(mlir::FunctionOpInterface function);

  /// The first op, in program order, that conflicts with an access before it
  /// when barriers stand where the function has them and before each op of
  /// `barriersBefore`; null if there is none.
  mlir::Operation *
  findUnordered(const llvm::SetVector<mlir::Operation *> &barriersBefore) const;

private:
  /// Accesses since the last barrier, without repetition.
  using State = llvm::SmallSetVector<unsigned, 8>;

  llvm::SmallVector<SharedAccess> getAccesses(mlir::Operation *op) const;

  mlir::FunctionOpInterface function;
  /// Ops that touch shared memory or are barriers, block by block.
  llvm::MapVector<mlir::Block *, llvm::SmallVector<mlir::Operation *>> events;
  /// Accesses of each such op, as indices into `accesses`.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> accessesOf;
  llvm::SmallVector<SharedAccess> accesses;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_SHAREDMEMORYHAZARDS_H
