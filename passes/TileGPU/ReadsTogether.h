// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has the reads of straight-line code start together: groups of copies, loads
// of few registers, and bulk copies, each behind the read before. Private to
// this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_READSTOGETHER_H
#define TILEWRIGHT_PASSES_TILEGPU_READSTOGETHER_H

#include "passes/Analysis/RegisterPressure.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/LoopMemory.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// Knows the function as it is when this is made, and what it moves itself.
class ReadsTogether {
public:
  explicit ReadsTogether(mlir::FunctionOpInterface function);

  /// Bytes of shared memory that are in use somewhere in the function, those of
  /// conversions included.
  int64_t countPeakBytes();

  /// Of the block, which waits for groups of its own alone: at each op there
  /// are then at most `bytes` in use, or as many as before.
  void run(mlir::Block &block, int64_t bytes);
  /// Has the block's bulk copies, such as the first ones of a loop, start
  /// behind the reads before the first wait for copies of threads, or else
  /// behind the last read, with what makes their mbarriers; within `bytes` as
  /// above.
  void advanceBulkCopies(mlir::Block &block, int64_t bytes);

private:
  int64_t countBytes(mlir::Operation *op);
  bool advanceLoad(mlir::Operation *load);
  bool advance(mlir::Operation *read);
  bool advanceBehind(mlir::Operation *place, mlir::Operation *read);
  bool mayMove(mlir::Operation *op);
  bool mayStartEarly(BulkCopyOp copy);
  bool findNeeded(mlir::Operation *read,
                  llvm::SetVector<mlir::Operation *> &needed);
  bool hasRoom(llvm::ArrayRef<mlir::Operation *> tiles, mlir::Operation *read);
  void move(llvm::ArrayRef<mlir::Operation *> ops);

  mlir::FunctionOpInterface function;
  LoopWrites writes;
  SharedLiveness liveness;
  TileRegisters registers;
  /// Of the allocations.
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  int64_t budget = 0;
  /// The read behind which the next one is to stand; null where there is none
  /// since the program may have waited for others.
  mlir::Operation *last = nullptr;
  /// Registers of a thread that hold what loads of the block bring earlier.
  unsigned held = 0;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_READSTOGETHER_H
