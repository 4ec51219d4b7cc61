// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/LoopSchedule.h"

#include "dialects/TileGPU/SharedAccess.h"
#include "dialects/Triton/Triton.h"
#include "passes/Analysis/LiveRanges.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

std::optional<ScheduledTime> tilegpu::getScheduledTime(Operation *op) {
  auto times =
      op->getAttrOfType<DenseI32ArrayAttr>(TileGPUDialect::scheduleAttrName);
  if (!times)
    return std::nullopt;
  return ScheduledTime{times[0], times[1]};
}

void tilegpu::setScheduledTime(Operation *op, ScheduledTime time) {
  op->setAttr(
      TileGPUDialect::scheduleAttrName,
      DenseI32ArrayAttr::get(op->getContext(), {time.stage, time.order}));
}

bool tilegpu::isScheduled(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->without_terminator(), [](Operation &op) {
    return getScheduledTime(&op).has_value();
  });
}

unsigned tilegpu::getMostStages(scf::ForOp loop, unsigned numStages) {
  uint64_t stages = tt::getWantedStages(loop, numStages);
  std::optional<APInt> trips = loop.getStaticTripCount();
  return trips ? std::min(stages, trips->getLimitedValue()) : stages;
}

int tilegpu::getLastStage(scf::ForOp loop) {
  int last = 0;
  for (Operation &op : loop.getBody()->without_terminator())
    last = std::max(last, getScheduledTime(&op)->stage);
  return last;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::pair<Operation *, int> tilegpu::findSource(Value value, scf::ForOp loop) {
  int distance = 0;
  // An argument may be yielded as another.
  for (size_t step = 0; step <= loop.getNumRegionIterArgs(); ++step) {
    if (Operation *op = value.getDefiningOp())
      return {op->getParentRegion() == &loop.getRegion() ? op : nullptr,
              distance};
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner() != loop.getBody() ||
        argument == loop.getInductionVar())
      break;
    value = loop.getTiedLoopYieldedValue(argument)->get();
    ++distance;
  }
  return {nullptr, 0};
}

scf::ForOp tilegpu::getOutermostLoop(scf::ForOp loop) {
  while (auto outer = dyn_cast<scf::ForOp>(loop->getParentOp()))
    loop = outer;
  return loop;
}

scf::ForOp tilegpu::takeLoop(scf::ForOp loop, ValueRange inits) {
  OpBuilder builder(loop);
  auto made = scf::ForOp::create(
      builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), inits, /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.getRegion().takeBody(loop.getRegion());
  return made;
}

unsigned
tilegpu::addCarried(scf::ForOp &loop, RewriterBase &rewriter, Value init,
                    llvm::function_ref<Value(OpBuilder &, Value)> next) {
  unsigned number = loop.getNumRegionIterArgs();
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, init, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>{next(builder, arguments.front())};
      }));
  return number;
}

static SmallVector<Operation *> listOps(scf::ForOp loop) {
  SmallVector<Operation *> ops;
  for (Operation &op : loop.getBody()->without_terminator())
    ops.push_back(&op);
  return ops;
}

void tilegpu::dropSchedule(scf::ForOp loop) {
  SmallVector<Operation *> ops = listOps(loop);
  // Those of one time run as they stand.
  llvm::stable_sort(ops, [](Operation *a, Operation *b) {
    return *getScheduledTime(a) < *getScheduledTime(b);
  });
  for (Operation *op : ops) {
    op->moveBefore(loop.getBody()->getTerminator());
    op->removeAttr(TileGPUDialect::scheduleAttrName);
  }
}

void tilegpu::normalizeSchedule(scf::ForOp loop) {
  int first = getLastStage(loop), last = first;
  for (Operation *op : listOps(loop))
    first = std::min(first, getScheduledTime(op)->stage);
  if (first == last)
    return dropSchedule(loop);
  for (Operation *op : listOps(loop))
    setScheduledTime(
        op, {getScheduledTime(op)->stage - first, getScheduledTime(op)->order});
}

/// The op of the loop's body that is `op` or has it in a region.
static Operation *getBodyOp(Operation *op, scf::ForOp loop) {
  return loop.getBody()->findAncestorOpInBlock(*op);
}

/// Diagnoses tiles that an iteration hands to the next: how many of them there
/// are is for the schedule to say.
static LogicalResult verifyTiles(scf::ForOp loop) {
  for (auto allocation : loop.getBody()->getOps<LocalAllocOp>()) {
    for (Operation *user : listUsers(allocation))
      if (user->hasTrait<OpTrait::IsTerminator>())
        return allocation.emitOpError(
                   "expects to be used by ops of the loop, which has a "
                   "schedule, but got one that passes it on: ")
               << user->getName();
  }
  return success();
}

LogicalResult tilegpu::verifySchedule(scf::ForOp loop) {
  Block *body = loop.getBody();
  for (Operation &op : body->without_terminator()) {
    std::optional<ScheduledTime> time = getScheduledTime(&op);
    if (!time)
      return op.emitOpError("expects the attribute ")
             << TileGPUDialect::scheduleAttrName
             << ", which other ops of the loop have, but got none";
    Operation *late = nullptr;
    forEachUse(&op, [&](Value value) {
      auto [source, distance] = findSource(value, loop);
      // Allocations happen at no time: their bytes are there.
      bool isGiven = source && source != &op && !isa<LocalAllocOp>(source);
      std::optional<ScheduledTime> given =
          isGiven ? getScheduledTime(source) : std::nullopt;
      if (!given)
        return;
      // Ops of one time run as they stand.
      ScheduledTime there = {given->stage - distance, given->order};
      if (there > *time || (there == *time && !source->isBeforeInBlock(&op)))
        late = source;
    });
    if (!late)
      continue;
    InFlightDiagnostic diagnostic =
        op.emitOpError("expects to run after what gives its operand, but got "
                       "stage ")
        << time->stage << ", order " << time->order;
    diagnostic.attachNote(late->getLoc())
        << "which is given in stage " << getScheduledTime(late)->stage
        << ", order " << getScheduledTime(late)->order;
    return diagnostic;
  }
  return verifyTiles(loop);
}

//===----------------------------------------------------------------------===//
// Buffers and groups
//===----------------------------------------------------------------------===//

/// How often an op that runs at `at` of each iteration does so after `begin`,
/// and before `end`, of one and the same iteration.
static int countBetween(ScheduledTime at, ScheduledTime begin,
                        ScheduledTime end) {
  return std::max(0, end.stage - begin.stage + (at.order < end.order ? 1 : 0) -
                         (at.order <= begin.order ? 1 : 0));
}

/// When what `op` does to tiles is done: then, or, of asynchronous products, at
/// the first wait in the body that takes them.
static ScheduledTime getEndTime(Operation *op, scf::ForOp loop) {
  ScheduledTime begin = *getScheduledTime(getBodyOp(op, loop));
  auto starter = dyn_cast<AsyncStepOpInterface>(op);
  if (!starter || starter.getAsyncStep().work != AsyncWork::Products ||
      op->getBlock() != loop.getBody())
    return begin;
  // A wait comes by once in each step, and leaves the last groups in flight.
  std::optional<ScheduledTime> first;
  for (auto wait : loop.getBody()->getOps<WgmmaWaitOp>()) {
    ScheduledTime end = *getScheduledTime(wait);
    for (;; ++end.stage) {
      unsigned closed = 0;
      for (auto other : loop.getBody()->getOps<WgmmaOp>())
        closed += countBetween(*getScheduledTime(other), begin, end);
      if (end > begin && closed >= wait.getPending())
        break;
    }
    first = first ? std::min(*first, end) : end;
  }
  return first.value_or(begin);
}

/// When the first and the last of its users run; none where nothing uses it.
static std::optional<std::pair<ScheduledTime, ScheduledTime>>
findTimes(LocalAllocOp allocation, scf::ForOp loop) {
  SmallVector<Operation *> users = listUsers(allocation);
  if (users.empty())
    return std::nullopt;
  auto begins = llvm::map_range(users, [&](Operation *user) {
    return *getScheduledTime(getBodyOp(user, loop));
  });
  auto ends = llvm::map_range(
      users, [&](Operation *user) { return getEndTime(user, loop); });
  return std::pair(*llvm::min_element(begins), *llvm::max_element(ends));
}

bool tilegpu::livesAcrossSteps(LocalAllocOp allocation, scf::ForOp loop) {
  auto times = findTimes(allocation, loop);
  if (!times)
    return false;
  return times->first.stage != getLastStage(loop);
}

unsigned tilegpu::countBuffers(LocalAllocOp allocation, scf::ForOp loop) {
  auto times = findTimes(allocation, loop);
  if (!times)
    return 1;
  // The next writer of a buffer comes when its last reader is done.
  auto [first, last] = *times;
  int distance = last.stage - first.stage;
  return std::max(1, distance + (first.order > last.order ? 0 : 1));
}

ScheduledTime tilegpu::getLastUse(LocalAllocOp allocation, scf::ForOp loop) {
  auto times = findTimes(allocation, loop);
  return times ? times->second : ScheduledTime();
}

/// How often an op that runs at `at` of each iteration has done so between
/// `begin` and `end` of the iteration of this number; of later ones it is as
/// often at least. In the first steps late stages do not run yet.
static int countStarted(ScheduledTime at, ScheduledTime begin,
                        ScheduledTime end, int iteration) {
  int firstStep = begin.stage + iteration, lastStep = end.stage + iteration;
  int count = 0;
  for (int step = std::max(firstStep, at.stage); step <= lastStep; ++step)
    if ((step > firstStep || at.order > begin.order) &&
        (step < lastStep || at.order < end.order))
      ++count;
  return count;
}

unsigned tilegpu::countPendingGroups(AsyncWaitOp wait, scf::ForOp loop,
                                     int iteration) {
  ScheduledTime end = *getScheduledTime(getBodyOp(wait, loop));
  std::optional<unsigned> pending;
  for (Value token : wait.getTokens()) {
    auto group = token.getDefiningOp<AsyncCommitOp>();
    if (!group || group->getBlock() != loop.getBody())
      return wait.getPending();
    ScheduledTime begin = *getScheduledTime(group);
    unsigned later = 0;
    for (auto other : loop.getBody()->getOps<AsyncCommitOp>())
      later += countStarted(*getScheduledTime(other), begin, end, iteration);
    pending = pending ? std::min(*pending, later) : later;
  }
  return pending.value_or(wait.getPending());
}

/// The product of a wait that gives its sums in the iteration that starts it;
/// null of others: what the next iteration or the loop's end waits for knows
/// its number.
static WgmmaOp findOwnProduct(WgmmaWaitOp wait, scf::ForOp loop) {
  auto product = wait.getProduct().getDefiningOp<WgmmaOp>();
  bool isOwn = product && product->getBlock() == loop.getBody() &&
               wait->getBlock() == loop.getBody() &&
               isa<RankedTensorType>(wait.getType());
  return isOwn ? product : WgmmaOp();
}

/// How many products start between two times.
static unsigned countStartedProducts(scf::ForOp loop, ScheduledTime begin,
                                     ScheduledTime end, int iteration) {
  unsigned count = 0;
  for (auto other : loop.getBody()->getOps<WgmmaOp>())
    count += countStarted(*getScheduledTime(other), begin, end, iteration);
  return count;
}

unsigned tilegpu::countPendingProducts(WgmmaWaitOp wait, scf::ForOp loop,
                                       int iteration) {
  WgmmaOp product = findOwnProduct(wait, loop);
  if (!product)
    return wait.getPending();
  ScheduledTime end = *getScheduledTime(wait);
  unsigned pending =
      countStartedProducts(loop, *getScheduledTime(product), end, iteration);
  // There are no more than another wait has left, and what started since.
  // CUDA's assembler does not see it, and would insert a wait of its own
  // (C7517).
  for (auto other : loop.getBody()->getOps<WgmmaWaitOp>()) {
    WgmmaOp own = findOwnProduct(other, loop);
    if (!own || other == wait)
      continue;
    ScheduledTime at = *getScheduledTime(other);
    unsigned left =
        countStartedProducts(loop, *getScheduledTime(own), at, iteration);
    at.stage = at.order < end.order ? end.stage : end.stage - 1;
    pending = std::min(pending,
                       left + countStartedProducts(loop, at, end, iteration));
  }
  return pending;
}

unsigned tilegpu::countPendingCopies(MbarrierWaitOp wait, scf::ForOp loop) {
  ScheduledTime end = *getScheduledTime(getBodyOp(wait, loop));
  unsigned pending = wait.getPending();
  for (auto copy : loop.getBody()->getOps<BulkCopyOp>()) {
    if (copy.getBarrier() != wait.getBarrier())
      continue;
    pending = 0;
    for (auto other : loop.getBody()->getOps<BulkCopyOp>())
      pending +=
          countBetween(*getScheduledTime(other), *getScheduledTime(copy), end);
  }
  return pending;
}
