// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/TimeEstimate.h"

#include "dialects/TileGPU/Agents.h"
#include "passes/Analysis/AxisAnalysis.h"
#include "passes/Analysis/GlobalTraffic.h"
#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/RegisterPressure.h"
#include "passes/Analysis/ScheduleLatency.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// The powers by which times join: usually, and where warps wait for nobody, so
/// that one uses what another does not. (947 configurations of 40 products of
/// few rows on an H200: the one estimated best takes 1.051 of the best one's
/// time, 1.072 where free warps are not told from others.)
static constexpr double usualPower = 4, freePower = 8;

namespace {

/// Estimates one launch of one kernel.
class Estimator {
public:
  Estimator(FunctionOpInterface function, const Launch &launch,
            const target::Target &target, const target::Device &device)
      : function(function), launch(launch), target(target), device(device),
        axes(function) {}

  std::optional<TimeEstimate> run();

private:
  PlacementContext getContext(Region &body);
  /// What the ops of all agents do.
  void countWork();
  unsigned countTileRegisters(Region &body);
  bool fillOccupancy();
  /// What is known of a body that some warps run.
  struct Agent {
    Agent(Estimator &of, Region &body)
        : context(of.getContext(body)), graph(body), sample(graph, of.launch),
          traffic(graph, sample, of.launch,
                  int64_t(of.estimate.ctasPerMultiprocessor) *
                      of.device.multiprocessors,
                  context.lookupAxisInfo) {}

    PlacementContext context;
    LoopGraph graph;
    ProgramSample sample;
    GlobalTraffic traffic;
    ScheduleLatency::Ops ops;
  };
  void addTraffic(ScheduledOp &op, Work &work, const Agent &agent, double runs);
  ScheduledOp schedule(Operation &op, const Agent &agent, double runs);
  unsigned countPaces(Block *block, const Agent &agent) const;
  bool isLockstep(ArrayRef<Block *> loop) const;
  bool takesTurns(ArrayRef<Block *> loop) const;
  double getBarrierDelay(Block *block, const Agent &agent) const;
  static void joinWaits(std::vector<ScheduledOp> &list);
  /// Adds what an agent does; agents run at the same time.
  void addAgent(Region &body);
  /// Buffers that one agent's copies fill and another one's loop reads.
  struct Ring {
    const ScheduledOp *copy;
    unsigned buffers;
    const Agent *reader;
    CFGLoop *loop;
  };
  void addRings();
  double getRingCycles(const Ring &ring, double iteration,
                       double stretch) const;
  double getWaitCycles(const Agent &agent, const ScheduleLatency &latency,
                       double stretch) const;
  void addLoops(const Agent &agent, const ScheduleLatency &latency);
  double getLongestCycles(const Agent &agent,
                          const ScheduleLatency &latency) const;
  void fillLatency(double stretch);
  /// Cycles of the multiprocessor that runs most CTAs.
  double getMultiprocessorCycles(const ResourceDemand &demand,
                                 double latency) const;
  double getPower() const { return hasFreeWarps ? freePower : usualPower; }
  double getOverlap() const;
  void fillBounds();

  FunctionOpInterface function;
  const Launch &launch;
  const target::Target &target;
  const target::Device &device;
  AxisAnalysis axes;
  llvm::DenseMap<Operation *, Work> works;
  llvm::DenseSet<Value> streams;
  std::vector<std::unique_ptr<Agent>> agents;
  std::vector<Ring> rings;
  TimeEstimate estimate;
  /// The latency of the longest program, for one of the mean.
  double longest = 1;
  /// Warps of a CTA that compute: of its largest agent.
  unsigned busyWarps = 1;
  /// Parts of a CTA's warps that do not wait for each other in its loops, and
  /// whether these are single warps.
  unsigned paces = 1;
  bool hasFreeWarps = false;
  /// Bytes to and from memory, more where they lie in parts of lines.
  double wholeLineBytes = 0;
  /// Cycles that the L2 takes for all bytes.
  double l2Cycles = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// A CTA
//===----------------------------------------------------------------------===//

/// Registers of a thread that hold tiles where most of them live.
unsigned Estimator::countTileRegisters(Region &body) {
  TileRegisters registers;
  RegisterPressure pressure(body, registers);
  SmallVector<StreamedTile> streamed = findStreamedTiles(body, target);
  for (const StreamedTile &tile : streamed)
    streams.insert(tile.value);
  return pressure.getMostStreaming(streamed, registers);
}

PlacementContext Estimator::getContext(Region &body) {
  return {target, lookupNumWarps(&body.front().front()), /*numStages=*/1,
          /*hasProducts=*/false,
          [&](Value value) { return axes.lookup(value); }};
}

void Estimator::countWork() {
  for (Region *body : getAgentRegions(function)) {
    PlacementContext context = getContext(*body);
    for (Operation &op : body->getOps())
      works.try_emplace(&op, getWork(&op, context));
  }
}

bool Estimator::fillOccupancy() {
  const target::Target *limits =
      target::lookupForDevice(device.computeCapability);
  unsigned tiles = 0;
  for (Region *body : getAgentRegions(function))
    tiles = std::max(tiles, countTileRegisters(*body));
  Occupancy occupancy(function, limits ? *limits : target,
                      estimateRegisters(tiles));
  auto shared =
      function->getAttrOfType<IntegerAttr>(TileGPUDialect::sharedBytesAttrName);
  estimate.sharedBytes = shared ? shared.getInt() : 0;
  estimate.registers = occupancy.getRegisters();
  estimate.warps = lookupNumWarps(function);
  estimate.ctasPerMultiprocessor = occupancy.countCtas(estimate.sharedBytes);
  return estimate.ctasPerMultiprocessor != 0 && estimate.warps != 0;
}

/// Adds the bytes of an access, and what they take, to the op that makes it.
void Estimator::addTraffic(ScheduledOp &op, Work &work, const Agent &agent,
                           double runs) {
  const AccessTraffic &access = *agent.traffic.lookup(op.op);
  work.sectors *= access.activeShare;
  double bytes = work.sectors * 32 * agent.context.numWarps * runs;
  double missed = agent.traffic.getMemoryBytes(op.op, device.l2Bytes);
  // As long as the CTAs of a multiprocessor find their bytes in its L1.
  bool isInL1 = access.isRepeated &&
                bytes * estimate.ctasPerMultiprocessor <= device.l1Bytes;
  if (isInL1) {
    work.sectors = 0;
  } else {
    double asked = bytes * access.askedShare * launch.countPrograms();
    estimate.l2Bytes += asked;
    l2Cycles += asked / (work.order == Work::Order::CopyGroup
                             ? device.l2BytesPerCycleOfBulkCopies
                             : device.l2BytesPerCycle);
    estimate.memoryBytes += missed * launch.countPrograms();
    wholeLineBytes += missed * access.lineCost * launch.countPrograms();
  }
  // Programs ask for the same bytes at about the same time: who finds them on
  // their way waits as long as the first.
  if (work.chain.globalLoads || Work::startsCopies(work.order))
    op.globalLatency = isInL1                  ? device.latencies.l1
                       : missed > 0.01 * bytes ? device.latencies.memory
                                               : device.latencies.l2;
  if (work.order == Work::Order::CopyGroup)
    op.globalLatency += device.latencies.bulkCopy;
}

static std::optional<unsigned> findLeftProducts(Operation *op) {
  auto step = dyn_cast<AsyncStepOpInterface>(op);
  if (!step || step.getAsyncStep().work != AsyncWork::Products)
    return std::nullopt;
  return step.getAsyncStep().leaves;
}

ScheduledOp Estimator::schedule(Operation &op, const Agent &agent,
                                double runs) {
  Work work = works.at(&op);
  ScheduledOp scheduled = {&op};
  estimate.work.add(work, agent.context.numWarps * runs);
  if (Work::startsCopies(work.order))
    estimate.copies.add(work, agent.context.numWarps * runs);
  if (agent.traffic.lookup(&op))
    addTraffic(scheduled, work, agent, runs);
  scheduled.order = work.order;
  scheduled.pending = work.pending;
  scheduled.isAsynchronous = work.isAsynchronous;
  scheduled.leaves = findLeftProducts(&op);
  if (work.chain.matrix)
    scheduled.parts = work.chain.matrix;
  if (work.parts)
    scheduled.parts = work.parts;
  if (op.getNumResults() == 1 && streams.contains(op.getResult(0)))
    scheduled.streamsTo = *op.user_begin();
  scheduled.latency = getChainLatency(work, device.latencies);
  if (work.isAsynchronous)
    scheduled.latency += device.latencies.productGroup;
  scheduled.accessesMemory = work.sharedAccesses || work.globalAccesses ||
                             work.order != Work::Order::Nothing;
  scheduled.demand = ResourceDemand(work, device, agent.context.numWarps);
  return scheduled;
}

/// The blocks of the outermost loop around `block`; none outside of loops.
static ArrayRef<Block *> getLoopBlocks(Block *block, const LoopGraph &graph) {
  CFGLoop *loop = graph.getLoop(block);
  while (loop && loop->getParentLoop())
    loop = loop->getParentLoop();
  return loop ? loop->getBlocks() : ArrayRef<Block *>();
}

static bool anyOf(ArrayRef<Block *> blocks,
                  llvm::function_ref<bool(Operation &)> is) {
  return llvm::any_of(blocks,
                      [&](Block *block) { return llvm::any_of(*block, is); });
}

static bool isBarrier(const Work &work) {
  return work.order == Work::Order::Barrier;
}

static constexpr unsigned groupWarps = 4;

/// How many parts of the agent's warps run the block each at its own pace, in a
/// loop where no barrier has them meet: warp groups of an agent beside others,
/// else single warps.
unsigned Estimator::countPaces(Block *block, const Agent &agent) const {
  ArrayRef<Block *> blocks = getLoopBlocks(block, agent.graph);
  if (blocks.empty() ||
      anyOf(blocks, [&](Operation &op) { return isBarrier(works.at(&op)); }))
    return 1;
  unsigned together = hasAgents(function) ? groupWarps : 1;
  return std::max(1u, agent.context.numWarps / together);
}

/// Cycles by which a barrier delays warp groups whose products hold them while
/// others are on their way (late products), where one of them starts bulk
/// copies behind it: the others go ahead, and all wait for it at the next one.
/// (Attention by tiles of 128 x 128 and 128 x 64, 4096 tokens, on an H200: so
/// 374 and 403 us, by warps of their own 317 and 353, where 264, 275, 251 and
/// 281 are estimated without this.)
static constexpr double lockstepCycles = 400;

/// Cycles by which each barrier delays warp groups that multiply, where they
/// meet more than once an iteration: they take turns at the matrix units, so
/// that one of them comes late to every barrier. (Scans of retention, simple
/// GLA, GLA and KDA on an H200, 48 configurations: with this the logarithms of
/// measured for estimated times spread by 0.087, without by 0.095, and the code
/// of retention that is estimated best takes 107 us for 158.)
static constexpr double turnCycles = 100;

/// Whether the loop's barriers take `lockstepCycles`.
bool Estimator::isLockstep(ArrayRef<Block *> loop) const {
  auto hasStep = [&](llvm::function_ref<bool(const AsyncStep &)> is) {
    return anyOf(loop, [&](Operation &op) {
      auto step = dyn_cast<AsyncStepOpInterface>(op);
      return step && is(step.getAsyncStep());
    });
  };
  return hasStep([](const AsyncStep &step) {
           return step.work == AsyncWork::BulkCopies && step.starts;
         }) &&
         hasStep([](const AsyncStep &step) {
           return step.work == AsyncWork::Products &&
                  step.leaves.value_or(0) > 0;
         }) &&
         anyOf(loop, [&](Operation &op) { return works.at(&op).holdsWarps; });
}

/// Whether they take `turnCycles`.
bool Estimator::takesTurns(ArrayRef<Block *> loop) const {
  size_t barriers = 0;
  for (Block *block : loop)
    barriers += llvm::count_if(
        *block, [&](Operation &op) { return isBarrier(works.at(&op)); });
  return barriers > 1 &&
         anyOf(loop, [](Operation &op) { return isa<WgmmaOp>(op); });
}

/// What a barrier of the block takes besides the latency of one that all warps
/// reach together.
double Estimator::getBarrierDelay(Block *block, const Agent &agent) const {
  if (agent.context.numWarps < 2 * groupWarps)
    return 0;
  ArrayRef<Block *> loop = getLoopBlocks(block, agent.graph);
  return (isLockstep(loop) ? lockstepCycles : 0) +
         (takesTurns(loop) ? turnCycles : 0);
}

/// Makes of an op of `warps` warps what one of `paces` groups of them does.
static void shareAmong(unsigned paces, double warps, ScheduledOp &op) {
  ResourceDemand own;
  own.add(op.demand, 1. / paces);
  op.demand = own.ofFewWarps(warps / paces);
  op.parts = std::max(1., op.parts / paces);
}

void Estimator::addAgent(Region &body) {
  agents.push_back(std::make_unique<Agent>(*this, body));
  Agent &agent = *agents.back();
  if (!hasAgents(function) || body.getParentOp() != function)
    busyWarps = std::max(busyWarps, unsigned(agent.context.numWarps));
  for (Block *block : agent.graph.getOrder()) {
    double runs = agent.sample.getRuns(block);
    std::vector<ScheduledOp> &list = agent.ops[block];
    unsigned count = countPaces(block, agent);
    paces = std::max(paces, count);
    bool isFree = count > 1 && !hasAgents(function);
    hasFreeWarps |= isFree;
    for (Operation &op : *block) {
      list.push_back(schedule(op, agent, runs));
      estimate.demand.add(list.back().demand, runs);
      shareAmong(count, agent.context.numWarps, list.back());
      list.back().closesEarly =
          isFree && list.back().order == Work::Order::CloseGroup;
      const Work &work = works.at(&op);
      if (isBarrier(work))
        list.back().latency += getBarrierDelay(block, agent);
      if (work.holdsWarps)
        list.back().lastStep = list.back().demand[Resource::Matrix] /
                               std::max(1., double(work.chain.matrix));
    }
    joinWaits(list);
  }
}

/// A wait that leaves products on their way, and behind it one for these with
/// no product started between: CUDA's assembler (13.0) moves the second one up
/// to the first (late products, docs/Hopper.md).
void Estimator::joinWaits(std::vector<ScheduledOp> &list) {
  ScheduledOp *first = nullptr;
  for (ScheduledOp &op : list) {
    if (op.leaves) {
      if (first)
        first->leaves = std::min(*first->leaves, *op.leaves);
      first = &op;
    } else if (op.isAsynchronous) {
      first = nullptr;
    }
  }
}

void Estimator::addRings() {
  auto findReader = [&](Value memory, const Agent &writer) -> Ring {
    for (Operation *user : listUsers(memory))
      for (const auto &agent : agents)
        if (agent.get() != &writer && agent->ops.count(user->getBlock()))
          if (CFGLoop *loop = agent->graph.getLoop(user->getBlock()))
            return {nullptr, 0, agent.get(), loop};
    return {};
  };
  for (const auto &agent : agents)
    for (Block *block : agent->graph.getOrder())
      for (const ScheduledOp &op : agent->ops.at(block)) {
        if (!Work::startsCopies(op.order) || !agent->graph.getLoop(block))
          continue;
        for (Value operand : op.op->getOperands()) {
          if (!isa<MemDescType>(operand.getType()))
            continue;
          Value memory = findMemory(operand);
          Ring ring = findReader(memory, *agent);
          ring.copy = &op;
          ring.buffers = cast<MemDescType>(memory.getType()).getBuffers();
          if (ring.reader)
            rings.push_back(ring);
        }
      }
}

/// Cycles from one iteration of the reader, which takes `iteration` of them by
/// itself, to the next: a buffer is filled, told of, read and handed back
/// before it is filled again. What products read that an iteration leaves on
/// their way is handed back in the next one.
double Estimator::getRingCycles(const Ring &ring, double iteration,
                                double stretch) const {
  double copy = ring.copy->latency + stretch * ring.copy->globalLatency +
                ring.copy->demand[Resource::Sectors];
  std::optional<unsigned> left;
  for (Block *block : ring.loop->getBlocks())
    for (const ScheduledOp &op : ring.reader->ops.at(block))
      if (std::optional<unsigned> here = findLeftProducts(op.op))
        left = std::min(*here, left.value_or(*here));
  unsigned held = left.value_or(0) > 0 ? 2 : 1;
  return (copy + 2 * device.latencies.barrier + held * iteration) /
         ring.buffers;
}

/// The latency of a CTA, that of its slowest agent, and the loops of all, with
/// global latencies `stretch` times as long as alone.
void Estimator::fillLatency(double stretch) {
  estimate.latency = 0;
  estimate.loops.clear();
  longest = 1;
  for (const auto &each : agents) {
    const Agent &agent = *each;
    ScheduleLatency latency(
        agent.graph, agent.ops, device.latencies, stretch,
        [&](Block *block) { return agent.sample.getRuns(block); },
        [&](CFGLoop *loop) { return agent.sample.getTrips(loop); });
    addLoops(agent, latency);
    double cycles =
        latency.getCycles() + getWaitCycles(agent, latency, stretch);
    if (cycles <= estimate.latency)
      continue;
    estimate.latency = cycles;
    longest = getLongestCycles(agent, latency) / latency.getCycles();
  }
}

/// Cycles in which the agent waits for others to fill buffers.
double Estimator::getWaitCycles(const Agent &agent,
                                const ScheduleLatency &latency,
                                double stretch) const {
  llvm::MapVector<CFGLoop *, double> waits;
  for (const Ring &ring : rings) {
    if (ring.reader != &agent)
      continue;
    double iteration = latency.getIterationCycles(ring.loop);
    // Buffers are filled further while the loop around does something else.
    double trips = agent.sample.getTrips(ring.loop), between = iteration;
    if (CFGLoop *outer = ring.loop->getParentLoop(); outer && trips > 0)
      between = std::max(between, latency.getIterationCycles(outer) / trips);
    double &wait = waits[ring.loop];
    wait = std::max(wait, getRingCycles(ring, iteration, stretch) - between);
  }
  double cycles = 0;
  for (auto [loop, wait] : waits)
    cycles += wait * agent.sample.getRuns(loop->getHeader());
  return cycles;
}

/// Of the programs that are followed the longest, by its outermost loops.
double Estimator::getLongestCycles(const Agent &agent,
                                   const ScheduleLatency &latency) const {
  double most = latency.getCycles();
  for (const ProgramSample::Program &program : agent.sample.getPrograms()) {
    double cycles = latency.getCycles();
    for (Block *block : agent.graph.getOrder()) {
      CFGLoop *loop = agent.graph.getLoop(block);
      if (agent.graph.isHeader(block) && !loop->getParentLoop())
        cycles +=
            (program.frequency->getTrips(loop) - agent.sample.getTrips(loop)) *
            latency.getIterationCycles(loop);
    }
    most = std::max(most, cycles);
  }
  return most;
}

void Estimator::addLoops(const Agent &agent, const ScheduleLatency &latency) {
  for (Block *header : agent.graph.getOrder()) {
    if (!agent.graph.isHeader(header))
      continue;
    CFGLoop *loop = agent.graph.getLoop(header);
    double iterations = agent.sample.getRuns(header);
    ResourceDemand demand;
    for (Block *block : agent.graph.getOrder())
      if (iterations && loop->contains(block))
        for (const ScheduledOp &op : agent.ops.at(block))
          demand.add(op.demand, agent.sample.getRuns(block) / iterations);
    estimate.loops.push_back(
        {header->getTerminator()->getLoc(), loop->getLoopDepth(),
         agent.sample.getTrips(loop), agent.sample.isKnown(loop),
         std::max(latency.getIterationCycles(loop), demand.getMostCycles()),
         demand});
  }
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

/// What resources take together that are used at the same time by who must wait
/// for one to use the next: more than the longest, the more so the more others
/// are as long. With four that are equal, 1.4 times each: so does the product
/// of 4096^3 on an H200, whose units, shared memory, L2 and latency are alike.
static double join(ArrayRef<double> times, double power = usualPower) {
  double sum = 0;
  for (double time : times)
    sum += std::pow(time, power);
  return std::pow(sum, 1 / power);
}

/// The power by which memory's time joins that of a multiprocessor. Programs
/// without a loop ask for all that they read at once, so that memory works
/// under the arithmetic of other CTAs alone: of one CTA at a time the two add
/// up. (Layer norm of rows of 16384 columns, each a tile, on an H200: 113 us,
/// of which memory takes 62.)
double Estimator::getOverlap() const {
  return estimate.loops.empty()
             ? std::min(usualPower, double(estimate.ctasPerMultiprocessor))
             : getPower();
}

/// So many CTAs one after the other, and those that are left at the end, of
/// which fewer hide each other's latency.
double Estimator::getMultiprocessorCycles(const ResourceDemand &demand,
                                          double latency) const {
  double ctas = std::ceil(double(launch.countPrograms()) /
                          device.countMultiprocessors(lookupCluster(function)));
  double together = std::min<double>(estimate.ctasPerMultiprocessor, ctas);
  double full = std::floor(ctas / together) * together, rest = ctas - full;
  auto take = [&](double count, double overlap) {
    ResourceDemand busy = demand.ofFewWarps(overlap * busyWarps);
    if (latency == 0)
      return count * busy.getMostCycles();
    SmallVector<double> times(busy.cycles.begin(), busy.cycles.end());
    times.push_back(latency / overlap);
    // Alone, a CTA takes what its schedule takes, one group behind the other
    // at most.
    return count * std::max(busy.getMostCycles(),
                            std::min(join(times, getPower()), paces * latency));
  };
  return take(full, together) + (rest ? take(rest, rest) : 0);
}

void Estimator::fillBounds() {
  double toMicroseconds = 1 / device.cyclesPerMicrosecond();
  auto set = [&](Bound bound, double cycles) {
    estimate.bounds[unsigned(bound)] = cycles * toMicroseconds;
  };
  double latency = estimate.latency + device.ctaCycles;
  set(Bound::Resource, getMultiprocessorCycles(estimate.demand, 0));
  set(Bound::Latency, getMultiprocessorCycles({}, latency));
  set(Bound::L2, l2Cycles);
  set(Bound::Memory, wholeLineBytes / device.memoryBytesPerCycle());
  double launching = launch.countPrograms() / device.launchedCtasPerMicrosecond;
  double beginning = device.launchMicroseconds +
                     device.clusterMicroseconds(lookupCluster(function));
  estimate.bounds[unsigned(Bound::Launch)] = beginning + launching;
  // The longest program may begin last.
  double busiest = std::max(getMultiprocessorCycles(estimate.demand, latency),
                            estimate.latency * longest + device.ctaCycles);
  estimate.microseconds =
      beginning + join({busiest * toMicroseconds,
                        join({estimate.getBound(Bound::L2),
                              estimate.getBound(Bound::Memory)}),
                        launching},
                       getOverlap());
}

std::optional<TimeEstimate> Estimator::run() {
  countWork();
  if (!fillOccupancy())
    return std::nullopt;
  for (Region *body : getAgentRegions(function))
    addAgent(*body);
  addRings();
  fillLatency(1);
  int64_t places = int64_t(estimate.ctasPerMultiprocessor) *
                   device.countMultiprocessors(lookupCluster(function));
  estimate.waves = double(launch.countPrograms()) / places;
  estimate.resource = estimate.demand.getMost();
  fillBounds();
  // Who is behind others waits for them: as long again where there is no end of
  // requests.
  double load =
      std::max(estimate.getBound(Bound::L2), estimate.getBound(Bound::Memory)) /
      estimate.microseconds;
  fillLatency(1 + load);
  fillBounds();
  estimate.bound =
      Bound(std::max_element(estimate.bounds.begin(), estimate.bounds.end()) -
            estimate.bounds.begin());
  return estimate;
}

std::optional<TimeEstimate>
tilegpu::estimateTime(FunctionOpInterface function, const Launch &launch,
                      const target::Target &target,
                      const target::Device &device) {
  if (function.isExternal())
    return std::nullopt;
  return Estimator(function, launch, target, device).run();
}

StringRef tilegpu::describeBound(const TimeEstimate &estimate) {
  switch (estimate.bound) {
  case Bound::Resource:
    return getResourceName(estimate.resource);
  case Bound::Latency:
    return "latency";
  case Bound::L2:
    return "L2";
  case Bound::Memory:
    return "memory";
  case Bound::Launch:
    return "the launch";
  }
  llvm_unreachable("every bound has a name");
}
