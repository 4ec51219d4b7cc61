// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the tiles in shared memory live, and how many bytes are free beside
// them.
//
// In: a function, structured or as a graph of blocks, planned or not. Out: for
// each allocation the ops at which it is live; bytes that live at an op; what
// the target has left there. A tile lives from its allocation to the last use
// of its descriptor, of views of it, and of block arguments that may stand for
// it. Regions of an op that does not say in which order they run may run at the
// same time: what is allocated in them lives as long as the op, where several
// of them allocate.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_SHAREDLIVENESS_H
#define TILEWRIGHT_PASSES_ANALYSIS_SHAREDLIVENESS_H

#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/BitVector.h"

namespace tilewright::tilegpu {

class SharedLiveness {
public:
  explicit SharedLiveness(mlir::FunctionOpInterface function);

  /// In the order of the function.
  llvm::ArrayRef<LocalAllocOp> getAllocations() const { return allocations; }
  /// Whether the allocations, by number, live at a common op.
  bool liveTogether(unsigned a, unsigned b) const {
    return live[a].anyCommon(live[b]);
  }
  /// Bytes of all allocations that live at `op`, those included that end or
  /// begin there.
  int64_t getLiveBytes(mlir::Operation *op) const {
    return bytesAt[numbers.at(op).first];
  }
  /// The op at which most bytes live, the first of several; null where none
  /// do.
  mlir::Operation *getPeak() const { return peak; }
  int64_t getPeakBytes() const { return peak ? getLiveBytes(peak) : 0; }
  /// Numbers of the allocations that live at `op`.
  llvm::SmallVector<unsigned> getLiveAt(mlir::Operation *op) const;
  bool isLiveAt(unsigned allocation, mlir::Operation *op) const {
    return live[allocation].test(numbers.at(op).first);
  }

  // What moves of ops change. The peak is not kept up to date.

  /// The allocation now lives at `op` too.
  void addLive(unsigned allocation, mlir::Operation *op);
  /// `op`, which has no regions, now stands next to `neighbour`: the same
  /// allocations live there.
  void moveNextTo(mlir::Operation *op, mlir::Operation *neighbour);

private:
  void addAllocation(LocalAllocOp allocation);
  /// The ops from `first` to `last`, of one block, and what is in them.
  void addRange(mlir::Operation *first, mlir::Operation *last,
                llvm::BitVector &where) const;

  mlir::FunctionOpInterface function;
  llvm::SmallVector<LocalAllocOp> allocations;
  llvm::SmallVector<llvm::BitVector> live;
  /// The number of each op, those outside before those inside, and the first
  /// number behind what is in it.
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> numbers;
  llvm::SmallVector<int64_t> bytesAt;
  mlir::Operation *peak = nullptr;
};

/// What a pass may still allocate. It holds for the function as it was when it
/// was asked for; tiles that do not live at one op do not count against each
/// other.
class SharedMemoryBudget {
public:
  SharedMemoryBudget(mlir::FunctionOpInterface function,
                     const target::Target &target)
      : liveness(function), limit(target.sharedMemoryLimit) {}

  /// Bytes that a tile which lives at `op` alone may have beside the others
  /// that live there; 0 where these alone take more than there is.
  int64_t getFreeBytes(mlir::Operation *op) const {
    return std::max<int64_t>(0, limit - liveness.getLiveBytes(op));
  }
  /// Bytes that the target gives a CTA.
  int64_t getLimit() const { return limit; }
  /// Bytes of those that live at `op`, as many as a CTA has at most.
  int64_t getTakenBytes(mlir::Operation *op) const {
    return limit - getFreeBytes(op);
  }

private:
  SharedLiveness liveness;
  int64_t limit;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_SHAREDLIVENESS_H
