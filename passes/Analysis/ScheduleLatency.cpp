// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/ScheduleLatency.h"

#include "dialects/TileGPU/TileGPU.h"

#include <deque>
#include <limits>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Iterations of a loop that are followed.
static constexpr unsigned followedIterations = 8;

/// The state of the CTA.
struct ScheduleLatency::Clock {
  /// Before this nothing of the current block begins; everything of it has
  /// begun.
  double begin = 0, issued = 0;
  /// Before this no access to memory begins; all accesses so far have begun,
  /// and those of the threads themselves.
  double fence = 0, accessed = 0;
  double touched = -std::numeric_limits<double>::infinity();
  /// When resources that take one op after the other are free again.
  std::array<double, resourceCount> free = {};
  /// The product that the last loads were for, and when the first of them
  /// began.
  Operation *stream = nullptr;
  double streamed = 0;
  /// When the copies are there that are in no group yet, and each group; and
  /// all that the threads have started themselves.
  double copies = 0, copied = 0;
  SmallVector<double> groups;
  /// When what is issued asynchronously is done.
  std::deque<double> products;
  DenseMap<Value, Ready> ready;
  /// Of iterations that are not followed.
  double skipped = 0;

  double now() const { return begin + skipped; }
};

ScheduleLatency::ScheduleLatency(const LoopGraph &graph, const Ops &ops,
                                 const target::Latencies &latencies,
                                 double stretch,
                                 llvm::function_ref<double(Block *)> getRuns,
                                 llvm::function_ref<double(CFGLoop *)> getTrips)
    : graph(graph), ops(ops), latencies(latencies), stretch(stretch),
      getRuns(getRuns), getTrips(getTrips) {
  Clock clock;
  runLevel(nullptr, clock);
  total = clock.now();
}

/// The blocks whose innermost loop is `level`, and the loops among them.
void ScheduleLatency::runLevel(CFGLoop *level, Clock &clock) {
  double all = getRuns(level ? level->getHeader() : graph.getOrder().front());
  for (Block *block : graph.getOrder()) {
    CFGLoop *loop = graph.getLoop(block);
    bool isInner = loop && loop != level && loop->getParentLoop() == level &&
                   loop->getHeader() == block;
    if (loop != level && !isInner)
      continue;
    if (isInner) {
      runLoop(loop, clock);
      continue;
    }
    // What may be skipped takes a part of its time.
    double share = all ? std::min(1., getRuns(block) / all) : 1;
    if (share == 0)
      continue;
    double before = clock.begin;
    if (!loop || loop->getHeader() != block)
      passArguments(block, loop, /*isFirst=*/true, clock);
    runBlock(block, clock);
    clock.begin = before + share * (clock.begin - before);
  }
}

void ScheduleLatency::runLoop(CFGLoop *loop, Clock &clock) {
  double trips = getTrips(loop);
  if (trips == 0)
    return;
  unsigned followed =
      std::clamp<double>(std::ceil(trips), 1, followedIterations);
  SmallVector<double> ends = {clock.now()};
  for (unsigned iteration = 0; iteration < followed; ++iteration) {
    passArguments(loop->getHeader(), loop, iteration == 0, clock);
    runLevel(loop, clock);
    ends.push_back(clock.now());
  }
  unsigned from = followed / 2;
  double steady = (ends.back() - ends[from]) / (followed - from);
  iterations[loop] = steady;
  // Fewer where fractions of an iteration are the mean.
  clock.skipped += (trips - followed) * steady;
}

/// Arguments are there when what is passed for them is.
void ScheduleLatency::passArguments(Block *block, CFGLoop *loop, bool isFirst,
                                    Clock &clock) {
  bool isHeader = loop && loop->getHeader() == block;
  SmallVector<std::pair<Value, Ready>> passed;
  for (BlockArgument argument : block->getArguments()) {
    Ready ready;
    for (Block *predecessor : block->getPredecessors()) {
      if (isHeader && loop->contains(predecessor) == isFirst)
        continue;
      if (Value value = getPassed(predecessor, argument)) {
        Ready known = clock.ready.lookup(value);
        ready = {std::max(ready.first, known.first),
                 std::max(ready.last, known.last)};
      }
    }
    passed.push_back({argument, ready});
  }
  for (const auto &[argument, ready] : passed)
    clock.ready[argument] = ready;
}

void ScheduleLatency::runBlock(Block *block, Clock &clock) {
  clock.issued = clock.begin;
  for (const ScheduledOp &op : ops.at(block))
    runOp(op, clock);
  clock.begin = clock.issued;
}

/// Ops on these resources keep their order; the others fill gaps.
static constexpr Resource inOrder[] = {Resource::Matrix, Resource::Shared,
                                       Resource::Sectors};

/// Has the op, which may begin at `start`, take the resources that are taken in
/// order; gives when it is done with them. Loads for one product take turns
/// with each other: all begin with the first.
double ScheduleLatency::claim(const ScheduledOp &op, double start,
                              Clock &clock) {
  // Who starts a copy goes on. Its bytes come one behind the other, and are
  // stored between what others do.
  if (Work::startsCopies(op.order)) {
    double &path = clock.free[unsigned(Resource::Sectors)];
    path = std::max(path, start) + op.demand[Resource::Sectors];
    return start + op.demand[Resource::Issue];
  }
  // What matrix units read by themselves comes between what warps access.
  auto takesInOrder = [&](Resource resource) {
    return op.demand[resource] &&
           (!op.isAsynchronous || resource == Resource::Matrix);
  };
  for (Resource resource : inOrder)
    if (takesInOrder(resource))
      start = std::max(start, clock.free[unsigned(resource)]);
  for (Resource resource : inOrder)
    if (takesInOrder(resource))
      clock.free[unsigned(resource)] = start + op.demand[resource];
  return start + op.demand.getMostCycles();
}

/// Whether `op` needs the operand: a branch passes on what is on its way, a
/// product adds to it in its turn, and groups may be closed before their copies
/// are there.
static bool isAwaited(const ScheduledOp &scheduled, Value operand) {
  Operation *op = scheduled.op;
  if (scheduled.closesEarly)
    return false;
  return !isa<PendingType>(operand.getType()) ||
         !(op->hasTrait<OpTrait::IsTerminator>() || isa<WgmmaOp>(op));
}

void ScheduleLatency::runOp(const ScheduledOp &op, Clock &clock) {
  if (op.leaves) {
    await(op, clock);
    return;
  }
  Ready operands;
  for (Value operand : op.op->getOperands()) {
    if (!isAwaited(op, operand))
      continue;
    Ready ready = clock.ready.lookup(operand);
    double part = (ready.last - ready.first) / op.parts;
    operands = {std::max(operands.first, ready.first + part),
                std::max(operands.last, ready.last)};
  }
  double busy = op.demand.getMostCycles();
  double latency = op.latency + stretch * op.globalLatency;
  if (busy == 0 && op.order == Work::Order::Nothing) {
    for (Value result : op.op->getResults())
      clock.ready[result] = operands;
    return;
  }
  double start = std::max(clock.begin, operands.first);
  if (op.accessesMemory)
    start = std::max(start, clock.fence);
  bool continues = op.streamsTo && op.streamsTo == clock.stream;
  double end = claim(op, start, clock);
  if (continues)
    start = std::max(start, clock.streamed);
  else if (!Work::startsCopies(op.order))
    start = end - busy;
  if (op.streamsTo && !continues)
    clock.streamed = start;
  if (op.accessesMemory)
    clock.stream = op.streamsTo;
  double done = std::max(end, operands.last);
  double issued = op.lastStep         ? done - *op.lastStep
                  : op.isAsynchronous ? start + op.demand[Resource::Issue]
                                      : done;
  clock.issued = std::max(clock.issued, issued);
  if (op.lastStep)
    clock.begin = std::max(clock.begin, issued);
  if (op.accessesMemory)
    clock.accessed = std::max(clock.accessed, issued);
  if (op.accessesMemory && !op.isAsynchronous &&
      op.order == Work::Order::Nothing)
    clock.touched = std::max(clock.touched, issued);
  order(op, issued, latency, clock);
  if (op.isAsynchronous)
    clock.products.push_back(done + latency);
  // Who waits for a product has all of it.
  for (Value result : op.op->getResults())
    clock.ready[result] = {(op.isAsynchronous ? done : start) + latency,
                           done + latency};
}

/// Who waits goes on when all but the last are done; what is still on its way
/// is there when it is.
void ScheduleLatency::await(const ScheduledOp &op, Clock &clock) {
  while (clock.products.size() > *op.leaves) {
    clock.issued = std::max(clock.issued, clock.products.front());
    clock.products.pop_front();
  }
  clock.accessed = std::max(clock.accessed, clock.issued);
  for (auto [operand, result] :
       llvm::zip(op.op->getOperands(), op.op->getResults()))
    clock.ready[result] = clock.ready.lookup(operand);
}

/// What waits for what beside values.
void ScheduleLatency::order(const ScheduledOp &op, double issued,
                            double latency, Clock &clock) {
  switch (op.order) {
  case Work::Order::Nothing:
    return;
  case Work::Order::WarpBarrier:
    clock.fence = std::max(clock.fence, clock.accessed);
    return;
  case Work::Order::Barrier:
    clock.fence =
        std::max(clock.fence, clock.accessed) + latencies.barrier + latency;
    break;
  case Work::Order::ProxyFence:
    // `MEMBAR.ALL.CTA` in SASS: for the thread's own copies too, whose bytes
    // nobody reads yet.
    clock.fence = std::max(
        {clock.fence, clock.touched + latencies.proxyFence, clock.copied});
    break;
  case Work::Order::Copy:
  case Work::Order::CopyGroup:
    clock.copies = std::max(clock.copies,
                            clock.free[unsigned(Resource::Sectors)] + latency);
    if (op.order == Work::Order::Copy) {
      clock.copied = std::max(clock.copied, clock.copies);
      return;
    }
    [[fallthrough]];
  case Work::Order::CloseGroup:
    clock.groups.push_back(clock.copies);
    clock.copies = 0;
    return;
  case Work::Order::AwaitGroups:
    if (clock.groups.size() > op.pending)
      for (double group : ArrayRef(clock.groups).drop_back(op.pending))
        clock.fence = std::max(clock.fence, group);
    break;
  }
  clock.issued = std::max(clock.issued, clock.fence);
}
