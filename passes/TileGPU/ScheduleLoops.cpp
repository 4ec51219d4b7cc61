// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says when the ops of a loop run in its software pipeline: copies to shared
// memory and what they need run iterations ahead of what reads the tiles.

#include "dialects/Triton/Triton.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/RegisterPressure.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/DeferredProducts.h"
#include "passes/TileGPU/EarlyOps.h"
#include "passes/TileGPU/LoadsAhead.h"
#include "passes/TileGPU/LoopMemory.h"
#include "passes/TileGPU/LoopSchedule.h"
#include "passes/TileGPU/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_SCHEDULELOOPS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

//===----------------------------------------------------------------------===//
// One loop
//===----------------------------------------------------------------------===//

class LoopScheduler {
public:
  explicit LoopScheduler(scf::ForOp loop) : loop(loop), early(loop) {
    for (auto copy : loop.getBody()->getOps<AsyncCopyOp>())
      copies.push_back(copy);
  }

  bool hasCopies() const { return !copies.empty(); }

  /// Why the loop cannot be pipelined; nothing where it can. Changes nothing.
  std::optional<StringRef> findObstacle() {
    if (loop.getUnsignedCmp())
      return "it counts without a sign";
    if (!ownsGroups())
      return "it waits for other copies than its own, or in part of it";
    SmallVector<Value> reads;
    for (AsyncCopyOp copy : copies) {
      auto allocation = copy.getDestination().getDefiningOp<LocalAllocOp>();
      if (!allocation || allocation->getBlock() != loop.getBody())
        return "a tile that it copies to is not its own";
      reads.push_back(copy.getPointers());
    }
    for (AsyncCopyOp copy : copies)
      if (!early.add(copy, 0, reads))
        return "what it copies depends on what may not run ahead";
    if (LoopWrites(loop).mayReach(reads))
      return "it may write what a later iteration reads";
    return std::nullopt;
  }

  /// Bytes of one buffer of each tile that is copied to.
  int64_t getTileBytes() const {
    int64_t bytes = 0;
    for (AsyncCopyOp copy : copies)
      bytes += getBytes(copy);
    return bytes;
  }

  struct Depth {
    unsigned stages = 1;
    /// Products go on while the next iteration starts.
    bool defersProducts = false;
    /// Copies start behind the wait for the products of the iteration before,
    /// whose tiles they overwrite; or else with the iteration, and tiles have a
    /// buffer more than stages.
    bool copiesBehindProducts = false;

    unsigned countBuffers() const {
      return stages + (defersProducts && !copiesBehindProducts ? 1 : 0);
    }
  };

  /// Up to `wanted` stages for which there is room. Where products are deferred
  /// a buffer more saves a barrier, but not at the price of copies that run
  /// less than two iterations ahead (f16 products of 4096^3 on an H200: with
  /// three buffers 272 us and 212, with four 208 and 214).
  Depth findDepth(unsigned wanted, const SharedMemoryBudget &budget,
                  int64_t moreBytes, const target::Target &target) {
    SmallVector<Value> tiles =
        llvm::map_to_vector(copies, [](AsyncCopyOp copy) -> Value {
          return copy.getDestination();
        });
    bool canDefer = canDeferProducts(loop, tiles);
    unsigned buffers =
        countBuffers(wanted + (canDefer ? 1 : 0), budget, moreBytes, target);
    if (canDefer && buffers > 3)
      return {buffers - 1, true, false};
    unsigned stages = std::min(buffers, wanted);
    return {stages, canDefer && stages == 3, true};
  }

  /// The most buffers, up to `wanted`, for which there is room: two if they can
  /// be had at all, more as long as a multiprocessor runs as many CTAs. 1: none
  /// can. `moreBytes`: what pipelines in the loop take beyond what `budget`
  /// knows.
  unsigned countBuffers(unsigned wanted, const SharedMemoryBudget &budget,
                        int64_t moreBytes, const target::Target &target) {
    int64_t tiles = getTileBytes(), converted = 0;
    TileRegisters registers;
    // Conversions beside the tiles want room as well.
    loop.walk([&](ConvertLayoutOp op) {
      if (registers.getRenamed(op))
        return;
      auto type = cast<RankedTensorType>(op.getType());
      converted =
          std::max(converted, type.getNumElements() *
                                  getMemoryBits(type.getElementType()) / 8);
    });
    int64_t ofTwo = countBytesBeside(budget) + moreBytes + 2 * tiles;
    if (ofTwo + converted > target.sharedMemoryLimit)
      return 1;
    Occupancy occupancy(
        target, lookupNumWarps(loop),
        estimateRegisters(
            RegisterPressure(loop.getRegion(), registers).getMost()));
    int64_t most = std::min(occupancy.getBytesOfSameCount(ofTwo),
                            target.sharedMemoryLimit - converted);
    return std::min<int64_t>(wanted, 2 + (most - ofTwo) / tiles);
  }

  /// Copies of iteration i + stages - 1 start when those of iteration i have
  /// come and been seen by all warps: the tiles that they overwrite were read
  /// in the iteration before, so that one barrier serves both; of products that
  /// are deferred, in the one before that. Copies behind products start while
  /// those of iteration i are computed, behind a barrier of their own. Gives the
  /// loop, which may be made anew.
  scf::ForOp schedule(Depth depth) {
    early.cloneForLaterStages(depth.stages - 1);
    AsyncWaitOp wait = mergeGroups();
    // The loop is another one then; ops of its body are those that they were.
    if (depth.defersProducts)
      loop = deferProducts(loop);
    int last = depth.stages - 1, order = 0;
    setScheduledTime(wait, {last, order++});
    bool isBehind = depth.defersProducts && depth.copiesBehindProducts;
    if (!isBehind)
      order = scheduleEarlyOps(order);
    for (Operation &op : loop.getBody()->without_terminator())
      if (!early.getStage(&op) && &op != wait)
        setScheduledTime(&op, {last, order++});
    if (isBehind)
      scheduleEarlyOps(order);
    return loop;
  }

private:
  /// Gives the order behind the last of them.
  int scheduleEarlyOps(int order) {
    for (Operation &op : loop.getBody()->without_terminator())
      if (early.getStage(&op))
        setScheduledTime(&op, {0, order++});
    return order;
  }

  static int64_t getBytes(AsyncCopyOp copy) {
    return cast<MemDescType>(copy.getDestination().getType()).getBufferBytes();
  }

  /// The most bytes of other tiles that live somewhere in the loop.
  int64_t countBytesBeside(const SharedMemoryBudget &budget) {
    int64_t most = 0;
    for (Operation &op : *loop.getBody()) {
      int64_t own = 0;
      for (AsyncCopyOp copy : copies)
        if (isLive(copy.getDestination(), &op))
          own += getBytes(copy);
      op.walk([&](Operation *inner) {
        most = std::max(most,
                        budget.getLimit() - budget.getFreeBytes(inner) - own);
      });
    }
    return most;
  }

  /// Whether the tile is allocated and has uses at `op` of the body or behind.
  bool isLive(Value tile, Operation *op) {
    Operation *allocation = tile.getDefiningOp();
    return (op == allocation || allocation->isBeforeInBlock(op)) &&
           llvm::any_of(tile.getUsers(), [&](Operation *user) {
             Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
             return here == op || op->isBeforeInBlock(here);
           });
  }

  /// Whether the groups that the body waits for are of its own copies, and
  /// waited for in the body itself.
  bool ownsGroups() {
    auto waits = loop.getBody()->getOps<AsyncWaitOp>();
    if (waits.empty())
      return false;
    for (AsyncWaitOp wait : waits)
      for (Value token : wait.getTokens()) {
        auto group = token.getDefiningOp<AsyncCommitOp>();
        if (!group || group->getBlock() != loop.getBody())
          return false;
      }
    for (auto group : loop.getBody()->getOps<AsyncCommitOp>())
      for (Operation *user : group->getUsers())
        if (!isa<AsyncWaitOp>(user) || user->getBlock() != loop.getBody())
          return false;
    return true;
  }

  /// Makes all copies of an iteration one group, which one wait takes where the
  /// first of their tiles is read.
  AsyncWaitOp mergeGroups() {
    SmallVector<AsyncWaitOp> waits(loop.getBody()->getOps<AsyncWaitOp>());
    SmallVector<AsyncCommitOp> commits(loop.getBody()->getOps<AsyncCommitOp>());
    OpBuilder builder(waits.front());
    SmallVector<Value> tokens = llvm::map_to_vector(
        copies, [](AsyncCopyOp copy) -> Value { return copy.getToken(); });
    builder.setInsertionPointAfter(copies.back());
    auto commit = AsyncCommitOp::create(builder, loop.getLoc(), tokens);
    SmallVector<Value> reads;
    early.add(commit, 0, reads);
    builder.setInsertionPoint(commit->isBeforeInBlock(waits.front())
                                  ? waits.front().getOperation()
                                  : commit->getNextNode());
    auto wait = AsyncWaitOp::create(builder, loop.getLoc(),
                                    commit->getResults(), /*pending=*/0);
    for (AsyncWaitOp old : waits)
      old.erase();
    for (AsyncCommitOp old : commits)
      old.erase();
    return wait;
  }

  scf::ForOp loop;
  SmallVector<AsyncCopyOp> copies;
  /// Copies, and what they need.
  EarlyOps early;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void remarkOn(scf::ForOp loop, bool isPassed, const Twine &text) {
  auto options =
      remark::RemarkOpts::name("software-pipeline")
          .category("loop")
          .function(loop->getParentOfType<FunctionOpInterface>().getName());
  if (isPassed)
    remark::passed(loop.getLoc(), options) << text.str();
  else
    remark::missed(loop.getLoc(), options) << text.str();
}

struct ScheduleLoops : tilegpu::impl::ScheduleLoopsBase<ScheduleLoops> {
  using ScheduleLoopsBase::ScheduleLoopsBase;

  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      moreBytes.clear();
      // Inner loops first: what they are given, those around them lack.
      function.walk([&](scf::ForOp loop) {
        if (!isScheduled(loop) && !loop->getParentOfType<WarpSpecializeOp>())
          schedule(loop, SharedMemoryBudget(function, *target), *target);
      });
    }
  }

private:
  /// What the loop itself asks for, or else the option.
  unsigned getStages(scf::ForOp loop) const {
    auto own = loop->getAttrOfType<IntegerAttr>(tt::numStagesAttrName);
    if (!own)
      return numStages;
    return own.getValue().isNegative()
               ? 1
               : own.getValue().getLimitedValue(maxStages);
  }

  void schedule(scf::ForOp loop, const SharedMemoryBudget &budget,
                const target::Target &target) {
    unsigned wanted = getStages(loop);
    if (wanted < 2)
      return;
    LoopScheduler scheduler(loop);
    if (!scheduler.hasCopies()) {
      if (!target.has(target::Capability::CpAsync))
        loadAhead(loop, wanted, budget, target);
      return;
    }
    if (std::optional<StringRef> obstacle = scheduler.findObstacle())
      return remarkOn(loop, /*isPassed=*/false,
                      "iterations of this loop do not overlap: " + *obstacle);
    int64_t inner = countInnerBytes(loop);
    LoopScheduler::Depth depth =
        scheduler.findDepth(wanted, budget, inner, target);
    unsigned stages = depth.stages;
    if (stages < 2)
      return remarkOn(loop, /*isPassed=*/false,
                      "iterations of this loop do not overlap: shared memory "
                      "has no room for its tiles twice");
    remarkOn(loop, /*isPassed=*/stages == wanted,
             stages == wanted
                 ? "this loop is a software pipeline of " + Twine(stages) +
                       " stages"
                 : "this loop has " + Twine(stages) + " stages where " +
                       Twine(wanted) +
                       " are asked for: tiles of more would leave a "
                       "multiprocessor fewer programs, or find no room in "
                       "shared memory");
    int64_t taken =
        inner + (depth.countBuffers() - 1) * scheduler.getTileBytes();
    moreBytes[scheduler.schedule(depth)] = taken;
  }

  /// `wanted` stages: loads of as many iterations less one are on their way.
  void loadAhead(scf::ForOp loop, unsigned wanted,
                 const SharedMemoryBudget &budget,
                 const target::Target &target) {
    LoadsAhead loads(loop, target, budget);
    if (!loads.hasLoads())
      return;
    if (std::optional<StringRef> obstacle = loads.findObstacle())
      return remarkOn(loop, /*isPassed=*/false,
                      "iterations of this loop do not overlap: " + *obstacle);
    int distance = loads.plan(wanted - 1);
    if (distance < 1)
      return remarkOn(loop, /*isPassed=*/false,
                      "iterations of this loop do not overlap: a thread has no "
                      "registers for what would be loaded ahead");
    std::string text =
        "loads of this loop are issued " + std::to_string(distance) + " of " +
        std::to_string(wanted - 1) + " iterations ahead, into registers";
    if (unsigned leftOut = loads.countLeftOut())
      text += ", but for " + std::to_string(leftOut) +
              " that a thread has no registers for";
    remarkOn(loop, distance + 1u == wanted && !loads.countLeftOut(), text);
    moreBytes[loop] = loads.schedule(distance);
  }

  /// What pipelines in the loop, of which one runs at a time, will take beyond
  /// what they take now.
  int64_t countInnerBytes(scf::ForOp loop) const {
    int64_t most = 0;
    for (auto [inner, bytes] : moreBytes)
      if (loop->isProperAncestor(inner))
        most = std::max(most, bytes);
    return most;
  }

  /// More than any GPU has room for.
  static constexpr unsigned maxStages = 1 << 16;
  /// By loop that has a schedule: bytes of its further buffers, and of those of
  /// the loops in it.
  llvm::MapVector<Operation *, int64_t> moreBytes;
};

} // namespace
