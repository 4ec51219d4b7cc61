// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software pipelines of asynchronous copies: those of later iterations are on
// their way while one is computed. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_COPIESAHEAD_H
#define TILEWRIGHT_PASSES_TILEGPU_COPIESAHEAD_H

#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/EarlyOps.h"

namespace tilewright::tilegpu {

class CopiesAhead {
public:
  CopiesAhead(mlir::scf::ForOp loop, const target::Target &target);

  bool hasCopies() const { return !copies.empty(); }

  /// Why the loop cannot be pipelined; nothing where it can. Changes nothing.
  std::optional<llvm::StringRef> findObstacle();

  /// Bytes of one buffer of each tile that is copied to.
  int64_t getTileBytes() const;

  /// The most stages, up to `wanted`, whose tiles find room: two if they can be
  /// had at all, more as long as a multiprocessor runs as many CTAs. 1: none
  /// do. `moreBytes`: what pipelines in the loop take beyond what `budget`
  /// knows.
  unsigned countStages(unsigned wanted, const SharedMemoryBudget &budget,
                       int64_t moreBytes);

  /// Copies of iteration i + stages - 1 start when those of iteration i that
  /// are read first have come and been seen by all warps: the tiles that they
  /// overwrite were read in the iteration before, so that one barrier serves
  /// both. Others are waited for where they are read, where much is computed
  /// before.
  void schedule(unsigned stages);

private:
  /// Copies that are waited for together.
  struct Group {
    llvm::SmallVector<AsyncCopyOp> copies;
    /// The first op that reads one of them; null where none does.
    mlir::Operation *reader;
    AsyncCommitOp commit = {};
    AsyncWaitOp wait = {};
  };

  bool ownsGroups();
  int64_t countBytesBeside(const SharedMemoryBudget &budget);
  bool isLive(mlir::Value tile, mlir::Operation *op);
  mlir::Operation *findReader(AsyncCopyOp copy);
  bool isWorthWaiting(mlir::Operation *first, mlir::Operation *second) const;
  llvm::SmallVector<Group> formGroups();
  void close(Group &group);

  mlir::scf::ForOp loop;
  const target::Target &target;
  llvm::SmallVector<AsyncCopyOp> copies;
  /// Copies, and what they need.
  EarlyOps early;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_COPIESAHEAD_H
