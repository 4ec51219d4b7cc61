// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/LoopBuffers.h"

#include "passes/TileGPU/LoopSchedule.h"
#include "passes/TileGPU/TileReleases.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// Gives the tiles of a loop's body as many buffers as its schedule asks for,
/// outside of the loop, and has each iteration use the next one.
class Buffering {
public:
  Buffering(scf::ForOp loop, IRRewriter &rewriter)
      : loop(loop), rewriter(rewriter) {}

  /// The loop, which is made anew.
  scf::ForOp run() {
    llvm::MapVector<Operation *, unsigned> tiles;
    for (auto allocation : loop.getBody()->getOps<LocalAllocOp>())
      // What one step makes and reads keeps its place, and shares its bytes.
      if (!allocation.getSource() && livesAcrossSteps(allocation, loop))
        tiles[allocation] = countBuffers(allocation, loop);
    for (auto copy : loop.getBody()->getOps<BulkCopyOp>())
      if (findAcquire(copy))
        joinRing(getRing(copy), tiles);
    for (auto [allocation, buffers] : tiles)
      buffer(cast<LocalAllocOp>(allocation), buffers);
    goOnBehindLoop();
    loop->setAttr(TileGPUDialect::bufferedAttrName, rewriter.getUnitAttr());
    return loop;
  }

private:
  /// Who may fill one of the tiles may fill all.
  void joinRing(ArrayRef<LocalAllocOp> ring,
                llvm::MapVector<Operation *, unsigned> &tiles) {
    unsigned most = 1;
    for (LocalAllocOp allocation : ring)
      most = std::max(most, tiles.lookup(allocation));
    for (LocalAllocOp allocation : ring) {
      tiles[allocation] = most;
      inRings.insert(allocation);
    }
    buffersOfRings.insert(most);
  }

  /// Where buffers of the allocation begin to live: those of rings in front of
  /// all loops around this one.
  Operation *findHome(LocalAllocOp allocation) const {
    return inRings.contains(allocation) ? getOutermostLoop(loop) : loop;
  }

  void buffer(LocalAllocOp allocation, unsigned buffers) {
    MemDescType type = allocation.getType();
    auto all = MemDescType::get(type.getContext(), type.getShape(),
                                type.getElementType(), type.getEncoding(),
                                buffers, type.getIsMutable());
    Operation *home = findHome(allocation);
    rewriter.setInsertionPoint(home);
    auto memory = LocalAllocOp::create(rewriter, allocation.getLoc(), all,
                                       Value(), IntegerAttr());
    memory->setAttr(TileGPUDialect::bufferedAttrName, rewriter.getUnitAttr());
    hoistBarriers(allocation, memory, home);
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
  }

  void setPhase(MbarrierWaitOp wait, int stage, unsigned buffers) {
    wait.getPhaseMutable().assign(getPhase(stage, buffers));
    // Whoever is done with a buffer has waited for what was in it.
    if (wait.getBefore())
      wait.setPending(buffers - 1);
  }

  /// Has `arrive` arrive at the mbarrier of the iteration before its own;
  /// behind the loop nobody would, and the next run's copies wait for it.
  void releasePrevious(MbarrierArriveOp arrive, Value memory, MemDescType type,
                       unsigned buffers) {
    ScheduledTime time = *getScheduledTime(arrive);
    Value number = getNumber(time.stage, buffers);
    rewriter.setInsertionPoint(arrive);
    SmallVector<Operation *, 4> made;
    arrive.getBarrierMutable().assign(viewBefore(number, memory, type, made));
    arrive.setPrevious(false);
    for (Operation *op : made)
      setScheduledTime(op, {time.stage, firstOrder});
    unsigned flag = cast<BlockArgument>(arrive.getPredicate()).getArgNumber() -
                    loop.getNumInductionVars();
    lastReleases.push_back({memory, type, flag});
  }

  /// The buffer before that of `number`; `made`: what computes it.
  Value viewBefore(Value number, Value memory, MemDescType type,
                   SmallVectorImpl<Operation *> &made) {
    Location location = loop.getLoc();
    unsigned buffers = cast<MemDescType>(memory.getType()).getBuffers();
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
    made.append({isFirst.getDefiningOp(), less.getDefiningOp(),
                 before.getDefiningOp(), view.getOperation()});
    return view;
  }

  /// Mbarriers of all iterations are made before the loop, or those around it,
  /// and undone behind; between, each has a phase whenever its turn comes.
  static void hoistBarriers(LocalAllocOp allocation, Value memory,
                            Operation *home) {
    for (OpOperand &use : llvm::make_early_inc_range(allocation->getUses())) {
      Operation *user = use.getOwner();
      if (isa<MbarrierInitOp>(user))
        user->moveBefore(home);
      else if (isa<MbarrierInvalOp>(user))
        user->moveAfter(home);
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

  //===--- Loops around ---------------------------------------------------===//

  /// Has the rings of a loop inside of others go on from one of its runs to the
  /// next: each run begins where the last stage of the one before has ended.
  void goOnBehindLoop() {
    if (inRings.empty() || !isa<scf::ForOp>(loop->getParentOp()))
      return;
    int last = getLastStage(loop);
    for (unsigned buffers : buffersOfRings) {
      (void)getPhase(last, buffers);
      carryOn(buffers, numbers[{last, buffers}], phases[{last, buffers}]);
    }
    if (lastReleases.empty())
      return;
    rewriter.setInsertionPointAfter(findLastWait());
    for (auto [memory, type, flag] : lastReleases) {
      unsigned buffers = cast<MemDescType>(memory.getType()).getBuffers();
      SmallVector<Operation *, 4> made;
      Value view = viewBefore(loop.getResult(numbers[{last, buffers}]), memory,
                              type, made);
      MbarrierArriveOp::create(rewriter, loop.getLoc(), view,
                               loop.getResult(flag), /*previous=*/false);
    }
  }

  /// Has the loops around this one carry a number and a phase, which begin with
  /// 0 and go on with what it gives as results `number` and `phase`. All its
  /// stages begin with them.
  void carryOn(unsigned buffers, unsigned number, unsigned phase) {
    SmallVector<OpOperand *> begins[2];
    for (auto [known, begin] :
         {std::pair(&numbers, &begins[0]), std::pair(&phases, &begins[1])})
      for (auto [of, argument] : *known)
        if (of.second == buffers)
          begin->push_back(&loop.getInitArgsMutable()[argument]);
    SmallVector<Value> ends = {loop.getResult(number), loop.getResult(phase)};
    Operation *inner = loop;
    while (auto outer = dyn_cast<scf::ForOp>(inner->getParentOp())) {
      rewriter.setInsertionPoint(outer);
      Value zero =
          arith::ConstantIntOp::create(rewriter, outer.getLoc(), 0, 32);
      unsigned first = outer.getNumRegionIterArgs();
      outer = cast<scf::ForOp>(*outer.replaceWithAdditionalYields(
          rewriter, {zero, zero}, /*replaceInitOperandUsesInLoop=*/false,
          [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
            return ends;
          }));
      for (unsigned index : {0, 1}) {
        for (OpOperand *begin : begins[index])
          begin->set(outer.getRegionIterArg(first + index));
        begins[index] = {&outer.getInitArgsMutable()[first + index]};
        ends[index] = outer.getResult(first + index);
      }
      inner = outer;
    }
  }

  /// The last of the waits behind the loop for products that it leaves in
  /// flight; the loop where it leaves none.
  Operation *findLastWait() {
    Operation *last = loop;
    for (Value result : loop.getResults())
      if (isa<PendingType>(result.getType()))
        for (Operation *user : result.getUsers())
          if (user->getBlock() == loop->getBlock() &&
              last->isBeforeInBlock(user))
            last = user;
    return last;
  }

  /// Before all others of its stage.
  static constexpr int firstOrder = -1;

  scf::ForOp loop;
  IRRewriter &rewriter;
  /// By stage and number of buffers: which argument of the loop has the number.
  std::map<std::pair<int, unsigned>, unsigned> numbers, phases;
  /// Tiles that go round by mbarriers, and how many buffers they have.
  llvm::SmallPtrSet<Operation *, 8> inRings;
  llvm::SmallSetVector<unsigned, 2> buffersOfRings;
  /// Mbarriers at which iterations arrive for the ones before: memory, type of
  /// a buffer, and which argument says that there was one before.
  SmallVector<std::tuple<Value, MemDescType, unsigned>> lastReleases;
};

} // namespace

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

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

static void numberWaits(scf::ForOp loop) {
  // Waits know their groups by number: those of other iterations have no
  // tokens here.
  for (auto wait : loop.getBody()->getOps<AsyncWaitOp>()) {
    numberGroups(wait, loop, countPendingGroups);
    wait.getTokensMutable().clear();
  }
  for (auto wait : loop.getBody()->getOps<WgmmaWaitOp>())
    numberGroups(wait, loop, countPendingProducts);
  for (auto wait : loop.getBody()->getOps<MbarrierWaitOp>())
    wait.setPending(countPendingCopies(wait, loop));
}

//===----------------------------------------------------------------------===//
// Yielded values
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
static void renameYielded(scf::ForOp loop, RewriterBase &rewriter) {
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

scf::ForOp tilegpu::bufferTiles(scf::ForOp loop) {
  numberWaits(loop);
  IRRewriter rewriter(loop);
  addReleases(loop, rewriter);
  renameYielded(loop, rewriter);
  return Buffering(loop, rewriter).run();
}

bool tilegpu::isBuffered(scf::ForOp loop) {
  return loop->hasAttr(TileGPUDialect::bufferedAttrName);
}
