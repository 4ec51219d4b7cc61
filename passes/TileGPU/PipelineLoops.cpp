// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands loops by the schedules that stand on their ops: stages of several
// iterations run in one step, and tiles that live from stage to stage get as
// many buffers as iterations have them.

#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/TileGPU/LoopGuards.h"
#include "passes/TileGPU/LoopSchedule.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/TileReleases.h"

#include <map>

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PIPELINELOOPS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Gives the tiles of a loop's body as many buffers as its schedule asks for,
/// outside of the loop, and has each iteration use the next one.
class Buffering {
public:
  Buffering(scf::ForOp loop, IRRewriter &rewriter)
      : loop(loop), rewriter(rewriter) {}

  /// The loop, which is made anew. `allocations` become those of its buffers.
  scf::ForOp run(llvm::SmallDenseSet<Value> &allocations) {
    llvm::MapVector<Operation *, unsigned> tiles;
    for (auto allocation : loop.getBody()->getOps<LocalAllocOp>())
      // What one step makes and reads keeps its place, and shares its bytes.
      if (!allocation.getSource() && livesAcrossSteps(allocation, loop))
        tiles[allocation] = countBuffers(allocation, loop);
    for (auto copy : loop.getBody()->getOps<BulkCopyOp>())
      if (findAcquire(copy))
        joinRing(getRing(copy), tiles);
    for (auto [allocation, buffers] : tiles)
      allocations.insert(buffer(cast<LocalAllocOp>(allocation), buffers));
    return loop;
  }

private:
  /// Who may fill one of the tiles may fill all.
  static void joinRing(ArrayRef<LocalAllocOp> ring,
                       llvm::MapVector<Operation *, unsigned> &tiles) {
    unsigned most = 1;
    for (LocalAllocOp allocation : ring)
      most = std::max(most, tiles.lookup(allocation));
    for (LocalAllocOp allocation : ring)
      tiles[allocation] = most;
  }

  Value buffer(LocalAllocOp allocation, unsigned buffers) {
    MemDescType type = allocation.getType();
    auto all = MemDescType::get(type.getContext(), type.getShape(),
                                type.getElementType(), type.getEncoding(),
                                buffers, type.getIsMutable());
    rewriter.setInsertionPoint(loop);
    Value memory = LocalAllocOp::create(rewriter, allocation.getLoc(), all,
                                        Value(), IntegerAttr());
    hoistBarriers(allocation, memory);
    // Each stage counts for itself, so that no number goes from one to the
    // next.
    llvm::MapVector<int, SmallVector<OpOperand *>> usesByStage;
    SmallVector<MbarrierArriveOp> ofPrevious;
    for (OpOperand &use : allocation->getUses()) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      auto arrive = dyn_cast<MbarrierArriveOp>(user);
      if (arrive && arrive.getPrevious())
        ofPrevious.push_back(arrive);
      else
        usesByStage[getScheduledTime(user)->stage].push_back(&use);
    }
    for (MbarrierArriveOp arrive : ofPrevious)
      releasePrevious(arrive, memory, type, buffers);
    for (auto &[stage, uses] : usesByStage) {
      Value view = memory;
      if (buffers > 1)
        view = createView(memory, type, stage, buffers, allocation);
      for (OpOperand *use : uses) {
        use->set(view);
        if (auto wait = dyn_cast<MbarrierWaitOp>(use->getOwner()))
          setPhase(wait, stage, buffers);
      }
    }
    rewriter.eraseOp(allocation);
    return memory;
  }

  void setPhase(MbarrierWaitOp wait, int stage, unsigned buffers) {
    wait.getPhaseMutable().assign(getPhase(stage, buffers));
    // Whoever is done with a buffer has waited for what was in it.
    if (wait.getBefore())
      wait.setPending(buffers - 1);
  }

  /// Has `arrive` arrive at the mbarrier of the iteration before its own.
  void releasePrevious(MbarrierArriveOp arrive, Value memory, MemDescType type,
                       unsigned buffers) {
    Location location = arrive.getLoc();
    ScheduledTime time = *getScheduledTime(arrive);
    Value number = getNumber(time.stage, buffers);
    rewriter.setInsertionPoint(arrive);
    auto constant = [&](int64_t value) -> Value {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(loop);
      return arith::ConstantIntOp::create(rewriter, location, value, 32);
    };
    Value isFirst = arith::CmpIOp::create(
        rewriter, location, arith::CmpIPredicate::eq, number, constant(0));
    Value less = arith::SubIOp::create(rewriter, location, number, constant(1));
    Value before = arith::SelectOp::create(rewriter, location, isFirst,
                                           constant(buffers - 1), less);
    auto view =
        MemDescIndexOp::create(rewriter, location, type, memory, before);
    for (Operation *op : {isFirst.getDefiningOp(), less.getDefiningOp(),
                          before.getDefiningOp(), view.getOperation()})
      setScheduledTime(op, {time.stage, firstOrder});
    arrive.getBarrierMutable().assign(view);
    arrive.setPrevious(false);
  }

  /// Mbarriers of all iterations are made before the loop, and undone behind
  /// it; between, each has a phase whenever its turn comes.
  void hoistBarriers(LocalAllocOp allocation, Value memory) {
    for (OpOperand &use : llvm::make_early_inc_range(allocation->getUses())) {
      Operation *user = use.getOwner();
      if (isa<MbarrierInitOp>(user))
        user->moveBefore(loop);
      else if (isa<MbarrierInvalOp>(user))
        user->moveAfter(loop);
      else
        continue;
      user->removeAttr(TileGPUDialect::scheduleAttrName);
      use.set(memory);
    }
  }

  /// The iteration's buffer, for ops of `stage`.
  Value createView(Value memory, MemDescType type, int stage, unsigned buffers,
                   LocalAllocOp allocation) {
    Value number = getNumber(stage, buffers);
    rewriter.setInsertionPoint(allocation);
    auto view = MemDescIndexOp::create(rewriter, allocation.getLoc(), type,
                                       memory, number);
    setScheduledTime(view, {stage, firstOrder});
    return view;
  }

  /// The number of the iteration modulo `buffers`: carried, and counted up in
  /// `stage`.
  Value getNumber(int stage, unsigned buffers) {
    auto [known, isNew] =
        numbers.try_emplace({stage, buffers}, loop.getNumRegionIterArgs());
    if (!isNew)
      return loop.getRegionIterArg(known->second);
    Location location = loop.getLoc();
    rewriter.setInsertionPoint(loop);
    Value zero = arith::ConstantIntOp::create(rewriter, location, 0, 32);
    Value one = arith::ConstantIntOp::create(rewriter, location, 1, 32);
    Value end = arith::ConstantIntOp::create(rewriter, location, buffers, 32);
    auto countUp = [&](OpBuilder &builder, Value number) -> Value {
      Value next = arith::AddIOp::create(builder, location, number, one);
      Value isEnd = arith::CmpIOp::create(builder, location,
                                          arith::CmpIPredicate::eq, next, end);
      Value wrapped =
          arith::SelectOp::create(builder, location, isEnd, zero, next);
      for (Value value : {next, isEnd, wrapped})
        setScheduledTime(value.getDefiningOp(), {stage, firstOrder});
      return wrapped;
    };
    addCarried(loop, rewriter, zero, countUp);
    return loop.getRegionIterArg(known->second);
  }

  /// How often the numbers of buffers have begun anew, modulo 2: likewise.
  Value getPhase(int stage, unsigned buffers) {
    auto [known, isNew] =
        phases.try_emplace({stage, buffers}, loop.getNumRegionIterArgs());
    if (!isNew)
      return loop.getRegionIterArg(known->second);
    (void)getNumber(stage, buffers);
    unsigned number = numbers[{stage, buffers}];
    known->second = loop.getNumRegionIterArgs();
    Location location = loop.getLoc();
    rewriter.setInsertionPoint(loop);
    Value zero = arith::ConstantIntOp::create(rewriter, location, 0, 32);
    Value one = arith::ConstantIntOp::create(rewriter, location, 1, 32);
    Value last =
        arith::ConstantIntOp::create(rewriter, location, buffers - 1, 32);
    auto turn = [&](OpBuilder &builder, Value phase) -> Value {
      Block *body = cast<BlockArgument>(phase).getOwner();
      Value buffer = body->getArgument(number + loop.getNumInductionVars());
      Value isLast = arith::CmpIOp::create(
          builder, location, arith::CmpIPredicate::eq, buffer, last);
      Value other = arith::XOrIOp::create(builder, location, phase, one);
      Value next =
          arith::SelectOp::create(builder, location, isLast, other, phase);
      for (Value value : {isLast, other, next})
        setScheduledTime(value.getDefiningOp(), {stage, firstOrder});
      return next;
    };
    addCarried(loop, rewriter, zero, turn);
    return loop.getRegionIterArg(known->second);
  }

  /// Before all others of its stage.
  static constexpr int firstOrder = -1;

  scf::ForOp loop;
  IRRewriter &rewriter;
  /// By stage and number of buffers: which argument of the loop has the number.
  std::map<std::pair<int, unsigned>, unsigned> numbers, phases;
};

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

/// When the first op of the body runs that takes what `argument` carries; the
/// first time of all where none does.
static ScheduledTime findFirstUse(BlockArgument argument, scf::ForOp loop) {
  std::optional<ScheduledTime> first;
  for (Operation *user : argument.getUsers()) {
    Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
    std::optional<ScheduledTime> time = getScheduledTime(here);
    if (time && (!first || *time < *first))
      first = time;
  }
  return first.value_or(ScheduledTime());
}

/// Has an op of the body give each value that is yielded as it was carried, so
/// that what is read iterations later goes from one to the next, or as it came
/// from outside, which MLIR's expansion does not expect.
void renameYielded(scf::ForOp loop, RewriterBase &rewriter) {
  Operation *yield = loop.getBody()->getTerminator();
  for (OpOperand &operand : yield->getOpOperands()) {
    Value value = operand.get();
    auto carried = dyn_cast<BlockArgument>(value);
    bool isCarried = carried && carried.getOwner() == loop.getBody();
    if (!isCarried && !loop.isDefinedOutsideOfLoop(value))
      continue;
    Operation *source = findSource(value, loop).first;
    ScheduledTime time;
    if (source)
      time = *getScheduledTime(source);
    else if (!isCarried)
      time =
          findFirstUse(loop.getRegionIterArg(operand.getOperandNumber()), loop);
    rewriter.setInsertionPoint(loop);
    Value yes = arith::ConstantIntOp::create(rewriter, loop.getLoc(), 1, 1);
    rewriter.setInsertionPointToStart(loop.getBody());
    auto same =
        arith::SelectOp::create(rewriter, loop.getLoc(), yes, value, value);
    setScheduledTime(same, time);
    operand.set(same);
  }
}

void getSchedule(scf::ForOp loop,
                 std::vector<std::pair<Operation *, unsigned>> &schedule) {
  // Of one order they run as they stand.
  SmallVector<std::tuple<int, size_t, Operation *>> ops;
  for (Operation &op : loop.getBody()->without_terminator())
    ops.emplace_back(getScheduledTime(&op)->order, ops.size(), &op);
  llvm::sort(ops);
  for (auto &[order, place, op] : ops)
    schedule.emplace_back(op, getScheduledTime(op)->stage);
}

struct PipelineLoops : tilegpu::impl::PipelineLoopsBase<PipelineLoops> {
  void runOnOperation() override {
    // The outermost first: what is made around an inner loop has no time in
    // the one outside.
    while (scf::ForOp loop = findScheduledLoop())
      if (failed(verifySchedule(loop)) || failed(expand(loop)))
        return signalPassFailure();
    getOperation().walk([](Operation *op) {
      op->removeAttr(TileGPUDialect::scheduleAttrName);
    });
  }

private:
  scf::ForOp findScheduledLoop() {
    scf::ForOp found;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (!isScheduled(loop))
        return WalkResult::advance();
      found = loop;
      return WalkResult::interrupt();
    });
    return found;
  }

  /// Says how many groups the wait leaves: in the loop, where all stages run,
  /// and, beside it, before that.
  template <typename Wait>
  static void numberGroups(Wait wait, scf::ForOp loop,
                           unsigned (*count)(Wait, scf::ForOp, int)) {
    int stage = getScheduledTime(wait)->stage, last = getLastStage(loop);
    unsigned early = count(wait, loop, 0);
    wait.setPending(count(wait, loop, last - stage));
    if (stage != last)
      wait->setAttr(earlyPendingName,
                    Builder(wait.getContext()).getI32IntegerAttr(early));
  }
  static constexpr StringLiteral earlyPendingName = "early_pending";

  static LogicalResult diagnoseUnguarded(scf::ForOp loop) {
    return loop.emitOpError("expects ops of early stages that may be left out "
                            "by a mask, but got others");
  }

  static LogicalResult expand(scf::ForOp loop) {
    // Waits know their groups by number: those of other iterations have no
    // tokens here.
    bool hasGroups = !loop.getBody()->getOps<AsyncCommitOp>().empty();
    for (auto wait : loop.getBody()->getOps<AsyncWaitOp>()) {
      numberGroups(wait, loop, countPendingGroups);
      wait.getTokensMutable().clear();
    }
    for (auto wait : loop.getBody()->getOps<WgmmaWaitOp>())
      numberGroups(wait, loop, countPendingProducts);
    for (auto wait : loop.getBody()->getOps<MbarrierWaitOp>())
      wait.setPending(countPendingCopies(wait, loop));
    IRRewriter rewriter(loop);
    addReleases(loop, rewriter);
    renameYielded(loop, rewriter);
    llvm::SmallDenseSet<Value> buffers;
    loop = Buffering(loop, rewriter).run(buffers);
    bool isGuarded = mayOverflow(loop, getLastStage(loop));
    if (isGuarded && failed(guardByFlag(loop, buffers, rewriter)))
      return diagnoseUnguarded(loop);
    scf::PipeliningOption options;
    options.getScheduleFn = getSchedule;
    options.supportDynamicLoops = true;
    options.peelEpilogue = false;
    options.predicateFn = [&](RewriterBase &rewriter, Operation *op,
                              Value isThere) {
      return isGuarded ? op : guardOp(rewriter, op, isThere, buffers);
    };
    rewriter.setInsertionPoint(loop);
    options.annotateFn =
        [](Operation *op, scf::PipeliningOption::PipelinerPart part, unsigned) {
          op->removeAttr(TileGPUDialect::scheduleAttrName);
          Attribute early = op->removeAttr(earlyPendingName);
          if (early && part == scf::PipeliningOption::PipelinerPart::Prologue)
            op->setAttr("pending", early);
        };
    FailureOr<scf::ForOp> pipeline =
        scf::pipelineForLoop(rewriter, loop, options);
    if (failed(pipeline))
      return diagnoseUnguarded(loop);
    if (!hasGroups)
      return success();
    // The last steps' copies, of nothing, are on their way yet: their bytes are
    // free when they have come.
    rewriter.setInsertionPointAfter(*pipeline);
    AsyncWaitOp::create(rewriter, pipeline->getLoc(), ValueRange(),
                        /*pending=*/0);
    return success();
  }
};

} // namespace
