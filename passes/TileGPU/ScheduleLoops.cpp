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
// Memory
//===----------------------------------------------------------------------===//

bool isPointer(Value value) {
  return isa<tt::PointerType>(getElementTypeOrSelf(value.getType()));
}

/// What `pointers` were computed from in one step; null where that is none, or
/// several.
Value findStep(Value pointers) {
  if (auto argument = dyn_cast<BlockArgument>(pointers)) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return init ? init->get() : Value();
  }
  Operation *op = pointers.getDefiningOp();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    OpOperand *init = loop.getTiedLoopInit(cast<OpResult>(pointers));
    return init ? init->get() : Value();
  }
  auto sources = llvm::make_filter_range(op->getOperands(), isPointer);
  return isPure(op) && llvm::hasSingleElement(sources) ? *sources.begin()
                                                       : Value();
}

/// The kernel's argument that a pointer, or a tile of them, was computed from;
/// null where that is not known.
Value findBase(Value pointers) {
  SmallPtrSet<Value, 8> seen;
  while (pointers && seen.insert(pointers).second) {
    auto argument = dyn_cast<BlockArgument>(pointers);
    if (argument &&
        isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      return argument;
    pointers = findStep(pointers);
  }
  return {};
}

/// Whether `loop` may change, before a later iteration reads it, what the
/// pointers `reads` point at: it writes through the same argument of the
/// kernel, or synchronises with other programs. Arguments are taken to point at
/// memory of their own.
bool mayWrite(scf::ForOp loop, ArrayRef<Value> reads) {
  SmallVector<Value> bases = llvm::map_to_vector(reads, findBase);
  bool isUnknown = llvm::is_contained(bases, Value());
  WalkResult result = loop.walk([&](Operation *op) {
    if (auto barrier = dyn_cast<BarrierOp>(op))
      return barrier.getShared() ? WalkResult::advance()
                                 : WalkResult::interrupt();
    std::optional<GlobalAccess> access = getGlobalAccess(op);
    if (access && (access->isWrite || access->isAtomic)) {
      Value base = findBase(access->pointers);
      return !base || isUnknown || llvm::is_contained(bases, base)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    }
    // Inline assembly, for one, may do anything.
    bool isOwn = access || isa<tilegpu::TileGPUDialect>(op->getDialect());
    return !isOwn && hasEffect<MemoryEffects::Write>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// One loop
//===----------------------------------------------------------------------===//

class LoopScheduler {
public:
  /// `freeBytes`: of shared memory, beside what lives through the loop.
  LoopScheduler(scf::ForOp loop, int64_t freeBytes)
      : loop(loop), freeBytes(freeBytes) {
    for (auto copy : loop.getBody()->getOps<AsyncCopyOp>())
      copies.push_back(copy);
  }

  bool hasCopies() const { return !copies.empty(); }

  /// Why the loop cannot be pipelined; nothing where it can. Changes nothing.
  std::optional<StringRef> findObstacle() {
    SmallVector<Value> reads;
    for (AsyncCopyOp copy : copies) {
      auto allocation = copy.getDestination().getDefiningOp<LocalAllocOp>();
      if (!allocation || allocation->getBlock() != loop.getBody())
        return "a tile that it copies to is not its own";
      reads.push_back(copy.getPointers());
      early.insert(copy);
    }
    for (size_t next = 0; next < early.size(); ++next)
      if (!addSources(early[next], reads))
        return "what it copies depends on what it has computed of copies "
               "before";
    if (mayWrite(loop, reads))
      return "it may write what a later iteration reads";
    return std::nullopt;
  }

  /// The most stages, up to `wanted`, whose tiles find room: two if they can be
  /// had at all, more as long as a multiprocessor runs as many CTAs. 1: none
  /// do.
  unsigned countStages(unsigned wanted, const target::Target &target) {
    int64_t tiles = 0, converted = 0;
    for (AsyncCopyOp copy : copies)
      tiles +=
          cast<MemDescType>(copy.getDestination().getType()).getBufferBytes();
    // Conversions beside the tiles want room as well.
    loop.walk([&](ConvertLayoutOp op) {
      auto type = cast<RankedTensorType>(op.getType());
      converted =
          std::max(converted, type.getNumElements() *
                                  getMemoryBits(type.getElementType()) / 8);
    });
    int64_t ofTwo = target.sharedMemoryLimit - freeBytes + 2 * tiles;
    if (ofTwo + converted > target.sharedMemoryLimit)
      return 1;
    TileRegisters registers;
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
  /// in the iteration before, so that one barrier serves both.
  void schedule(unsigned stages) {
    cloneSharedOps();
    AsyncWaitOp wait = mergeGroups();
    int last = stages - 1, order = 0;
    setScheduledTime(wait, {last, order++});
    for (Operation &op : loop.getBody()->without_terminator())
      if (early.contains(&op))
        setScheduledTime(&op, {0, order++});
    for (Operation &op : loop.getBody()->without_terminator())
      if (!early.contains(&op) && &op != wait)
        setScheduledTime(&op, {last, order++});
  }

private:
  /// Adds the ops of the body that `op` needs; false where one of them may not
  /// run early.
  bool addSources(Operation *op, SmallVectorImpl<Value> &reads) {
    for (Value operand : op->getOperands()) {
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && argument.getOwner() == loop.getBody() &&
          argument != loop.getInductionVar())
        operand = loop.getTiedLoopYieldedValue(argument)->get();
      Operation *source = operand.getDefiningOp();
      if (!source || source->getBlock() != loop.getBody() ||
          isa<LocalAllocOp>(source) || early.contains(source))
        continue;
      std::optional<GlobalAccess> access = getGlobalAccess(source);
      if (access && hasSingleEffect<MemoryEffects::Read>(source))
        reads.push_back(access->pointers);
      else if (!isPure(source) || source->getNumRegions() != 0)
        return false;
      early.insert(source);
    }
    return true;
  }

  /// What is needed early and late alike is computed twice, if that is cheap to
  /// say: nothing is held from stage to stage.
  void cloneSharedOps() {
    SmallVector<Operation *> ops;
    for (Operation &op : loop.getBody()->without_terminator())
      if (early.contains(&op) && isPure(&op))
        ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops)) {
      auto isLate = [&](OpOperand &use) {
        Operation *user =
            loop.getBody()->findAncestorOpInBlock(*use.getOwner());
        return user && !early.contains(user) &&
               !user->hasTrait<OpTrait::IsTerminator>();
      };
      if (llvm::none_of(op->getUses(), isLate))
        continue;
      Operation *clone = OpBuilder(op).clone(*op);
      for (auto [result, copy] :
           llvm::zip_equal(op->getResults(), clone->getResults()))
        result.replaceUsesWithIf(copy, isLate);
    }
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
    early.insert(commit);
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
  int64_t freeBytes;
  SmallVector<AsyncCopyOp> copies;
  /// Copies, and what they need, in the body.
  llvm::SmallSetVector<Operation *, 16> early;
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
    return own ? std::max<int64_t>(1, own.getInt()) : numStages.getValue();
  }

  void schedule(scf::ForOp loop, const SharedMemoryBudget &budget,
                const target::Target &target) {
    unsigned wanted = getStages(loop);
    LoopScheduler scheduler(
        loop, budget.getFreeBytes(loop.getBody()->getTerminator()));
    if (wanted < 2 || !scheduler.hasCopies())
      return;
    if (std::optional<StringRef> obstacle = scheduler.findObstacle())
      return remarkOn(loop, /*isPassed=*/false,
                      "iterations of this loop do not overlap: " + *obstacle);
    unsigned stages = scheduler.countStages(wanted, target);
    if (stages < wanted)
      remarkOn(loop, /*isPassed=*/false,
               "this loop has " + Twine(stages) + " stages where " +
                   Twine(wanted) +
                   " are asked for: tiles of more would leave a multiprocessor "
                   "fewer programs, or find no room in shared memory");
    if (stages < 2)
      return;
    if (stages == wanted)
      remarkOn(loop, /*isPassed=*/true,
               "this loop is a software pipeline of " + Twine(stages) +
                   " stages");
    scheduler.schedule(stages);
  }
};

} // namespace
