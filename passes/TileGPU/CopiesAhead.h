// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software pipelines of asynchronous copies: those of later iterations are on
// their way while one is computed. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_COPIESAHEAD_H
#define TILEWRIGHT_PASSES_TILEGPU_COPIESAHEAD_H

#include "dialects/Triton/Triton.h"
#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/BulkCopies.h"
#include "passes/TileGPU/LateProducts.h"

namespace tilewright::tilegpu {

class CopiesAhead {
public:
  /// `launchedCtas`: those that the launch gives a multiprocessor; 0 where that
  /// is not known.
  /// `acquires`: bulk copies wait for readers at mbarriers, not at barriers of
  /// the step.
  CopiesAhead(mlir::scf::ForOp loop, const target::Target &target,
              unsigned launchedCtas, bool acquires);

  bool hasCopies() const { return !copies.empty(); }

  /// Has bulk copies not wait for readers at mbarriers after all.
  void releaseByBarriers() { acquires = false; }

  /// Why the loop cannot be pipelined; nothing where it can. Changes nothing.
  std::optional<llvm::StringRef> findObstacle();

  struct Depth {
    unsigned stages = 1;
    /// Products go on while the next iteration starts.
    bool defersProducts = false;
    /// Products run a stage behind what makes their operands (LateProducts).
    bool hasLateProducts = false;
    /// Copies start behind the wait for the products of the iteration before,
    /// whose tiles they overwrite; or else with the iteration, and tiles have a
    /// buffer more than stages.
    bool copiesBehindProducts = false;
  };

  /// Up to `wanted` stages whose tiles find room: two if they can be had at
  /// all, more as long as a multiprocessor runs as many CTAs, enough of them,
  /// or all that it is given, or fewer with more tiles on their way in sum.
  /// One: none do. `moreBytes`: what pipelines in the loop take beyond what
  /// `budget` knows. Where products are deferred a buffer more saves a barrier,
  /// but not at the price of copies that run less than two iterations ahead
  /// (f16 products of 4096^3 on an H200: with three buffers 272 us and 212,
  /// with four 208 and 214). `mayBeLate`: products may be.
  Depth findDepth(unsigned wanted, const SharedMemoryBudget &budget,
                  int64_t moreBytes, bool mayBeLate);

  /// Bytes of shared memory that live in the loop beside its tiles, at most.
  int64_t countBytesBeside(const SharedMemoryBudget &budget);

  /// Has numbers that the body loads, one at a time, come by copies too, for
  /// which `findDepth` has left room. A register is loaded an iteration ahead
  /// at most, since handing it on waits for it: Gated DeltaNet's chunks of 16
  /// tokens stood a seventh of their time there, on an H200. Bytes of one
  /// buffer of each.
  int64_t copyNumbers();

  /// Bytes of the buffers that tiles have beyond one each, and of all.
  int64_t countBytesBeyond(Depth depth) const;
  int64_t countBytes(Depth depth) const {
    return countBytesBeyond(depth) + getTileBytes();
  }

  /// Has the asynchronous proxy bring what it can (BulkCopies.h), before
  /// `schedule`; says how many tiles that are. Copies that late products alone
  /// read have an mbarrier of their own.
  unsigned useBulkCopies(Depth depth);

  /// The loop as it is now.
  mlir::scf::ForOp getLoop() const { return loop; }

  /// Copies of iteration i + stages - 1 start when those of iteration i that
  /// are read first have come and been seen by all warps: the tiles that they
  /// overwrite were read in the iteration before, so that one barrier serves
  /// both; of products that are deferred, in the one before that. Copies behind
  /// products start while those of iteration i are computed, behind a barrier
  /// of their own. Gives the loop, which may be made anew.
  mlir::scf::ForOp schedule(Depth depth);

private:
  /// Copies that are waited for together.
  struct Group {
    llvm::SmallVector<AsyncCopyOp> copies;
    /// The first op that reads one of them; null where none does.
    mlir::Operation *reader;
    AsyncCommitOp commit = {};
    AsyncWaitOp wait = {};
  };

  /// Copies of the asynchronous proxy that come by one mbarrier.
  struct Bulk {
    BulkGroup group;
    /// Whether late products alone read them, so that they start a stage later.
    bool isDelayed;
  };

  int64_t getTileBytes() const;
  int64_t countBytesOfTwo(const SharedMemoryBudget &budget, int64_t moreBytes);
  Occupancy getOccupancy(unsigned moreRegisters);
  bool mayHave(const LateProducts &late, unsigned stages, int64_t sharedBytes);
  llvm::SmallVector<AsyncCopyOp> findDelayed(const LateProducts &late) const;
  int64_t countLongerBytes(const LateProducts &late) const;
  llvm::SmallVector<mlir::Value> listTiles() const;
  llvm::SmallVector<tt::LoadOp> findNumbers() const;
  unsigned countEnough(const Occupancy &occupancy, unsigned warps,
                       int64_t sharedBytes) const;
  bool hasFewMultiplyAdds();
  unsigned countBuffers(unsigned wanted, const SharedMemoryBudget &budget,
                        int64_t moreBytes);
  bool ownsGroups();
  int countStagesBefore();
  mlir::Operation *findReader(AsyncCopyOp copy);
  void findEarly(llvm::ArrayRef<AsyncCopyOp> delayed);
  llvm::SmallVector<Group> formGroups(llvm::ArrayRef<AsyncCopyOp> delayed);
  void close(Group &group);
  int scheduleBulkCopies(int order);
  int scheduleCopies(llvm::ArrayRef<Group> groups, int order);
  int scheduleEarly(EarlyOps &own, int order);
  int scheduleLoads(int order);
  int scheduleOthers(int stage, int order, mlir::Operation *last = nullptr);
  bool readsMeanwhile(mlir::Operation *product);
  bool isReadBehind(AsyncCopyOp copy, mlir::Operation *product);
  mlir::Operation *findLeadingProduct(Depth depth);
  int scheduleLeadingProduct(mlir::Operation *product, int stage, int order);

  mlir::scf::ForOp loop;
  const target::Target &target;
  unsigned launchedCtas;
  bool acquires;
  llvm::SmallVector<AsyncCopyOp> copies;
  /// Those of the asynchronous proxy.
  llvm::SmallVector<Bulk, 2> bulk;
  /// Copies, small loads, and what they need.
  EarlyOps early;
  /// The stage of the copies.
  int first = 0;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_COPIESAHEAD_H
