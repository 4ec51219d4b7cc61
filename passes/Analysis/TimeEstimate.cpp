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
  SmallVector<std::pair<Value, unsigned>>
  findStreamed(Region &body, const PlacementContext &context);
  unsigned countTileRegisters(Region &body);
  bool fillOccupancy();
  /// Adds what an agent does; agents run at the same time.
  void addAgent(Region &body);
  ScheduledOp schedule(Operation &op, const PlacementContext &context,
                       const GlobalTraffic &traffic, double runs);
  void addLoops(const LoopGraph &graph, const ScheduleLatency &latency,
                const ProgramSample &sample, const ScheduleLatency::Ops &ops);
  /// Cycles of the multiprocessor that runs most CTAs.
  double getMultiprocessorCycles(const ResourceDemand &demand,
                                 double latency) const;
  void fillBounds();

  FunctionOpInterface function;
  const Launch &launch;
  const target::Target &target;
  const target::Device &device;
  AxisAnalysis axes;
  TimeEstimate estimate;
  /// The latency of the longest program, for one of the mean.
  double longest = 1;
};

} // namespace

//===----------------------------------------------------------------------===//
// A CTA
//===----------------------------------------------------------------------===//

/// Operands that a product takes step by step along K: of those loaded for it
/// alone a thread holds two steps at a time, not all.
SmallVector<std::pair<Value, unsigned>>
Estimator::findStreamed(Region &body, const PlacementContext &context) {
  SmallVector<std::pair<Value, unsigned>> streamed;
  body.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *load = operand.getDefiningOp();
      if (!load || !operand.hasOneUse() || load->getBlock() != op->getBlock() ||
          !getWork(load, context).chain.sharedLoads)
        continue;
      unsigned steps = getWork(op, context).chain.matrix;
      if (steps > 2)
        streamed.push_back({operand, steps});
    }
  });
  return streamed;
}

/// Registers of a thread that hold tiles where most of them live.
unsigned Estimator::countTileRegisters(Region &body) {
  TileRegisters registers;
  RegisterPressure pressure(body, registers);
  auto streamed = findStreamed(body, getContext(body));
  unsigned most = 0;
  for (Block &block : body)
    for (Operation &op : block) {
      unsigned here = pressure.getAt(&op);
      for (auto [value, steps] : streamed)
        if (pressure.isHeldAt(value, &op) || *value.user_begin() == &op) {
          unsigned all = registers.count(value);
          here -= std::min(here, all - 2 * all / steps);
        }
      most = std::max(most, here);
    }
  return most;
}

PlacementContext Estimator::getContext(Region &body) {
  return {target, lookupNumWarps(&body.front().front()),
          [&](Value value) { return axes.lookup(value); }};
}

bool Estimator::fillOccupancy() {
  const target::Target *limits =
      target::lookupForDevice(device.computeCapability);
  unsigned tiles = 0;
  for (Region *body : getAgentRegions(function))
    tiles = std::max(tiles, countTileRegisters(*body));
  Occupancy occupancy(limits ? *limits : target, lookupNumWarps(function),
                      estimateRegisters(tiles));
  auto shared =
      function->getAttrOfType<IntegerAttr>(TileGPUDialect::sharedBytesAttrName);
  estimate.sharedBytes = shared ? shared.getInt() : 0;
  estimate.registers = occupancy.getRegisters();
  estimate.warps = lookupNumWarps(function);
  estimate.ctasPerMultiprocessor = occupancy.countCtas(estimate.sharedBytes);
  return estimate.ctasPerMultiprocessor != 0 && estimate.warps != 0;
}

ScheduledOp Estimator::schedule(Operation &op, const PlacementContext &context,
                                const GlobalTraffic &traffic, double runs) {
  Work work = getWork(&op, context);
  ScheduledOp scheduled = {&op};
  bool missShare = false;
  if (const AccessTraffic *access = traffic.lookup(&op)) {
    work.sectors *= access->activeShare;
    double bytes = work.sectors * 32 * context.numWarps * runs;
    double missed = traffic.getMemoryBytes(&op, device.l2Bytes);
    // Programs ask for the same bytes at about the same time: who finds them on
    // their way waits as long as the first.
    missShare = missed > 0.01 * bytes;
    estimate.l2Bytes += bytes * launch.countPrograms();
    estimate.memoryBytes += missed * launch.countPrograms();
  }
  estimate.work.add(work, context.numWarps * runs);
  scheduled.order = work.order;
  scheduled.pending = work.pending;
  if (work.order == Work::Order::Copy)
    work.chain.globalLoads = 1;
  if (work.chain.matrix)
    scheduled.parts = work.chain.matrix;
  scheduled.latency = getChainLatency(work, device.latencies, missShare);
  scheduled.accessesMemory = work.sharedAccesses || work.globalAccesses ||
                             work.order != Work::Order::Nothing;
  scheduled.demand = ResourceDemand(work, device, context.numWarps);
  return scheduled;
}

void Estimator::addAgent(Region &body) {
  PlacementContext context = getContext(body);
  LoopGraph graph(body);
  ProgramSample sample(graph, launch);
  GlobalTraffic traffic(graph, sample, launch,
                        int64_t(estimate.ctasPerMultiprocessor) *
                            device.multiprocessors,
                        context.lookupAxisInfo);
  ScheduleLatency::Ops ops;
  for (Block *block : graph.getOrder()) {
    double runs = sample.getRuns(block);
    std::vector<ScheduledOp> &list = ops[block];
    for (Operation &op : *block) {
      list.push_back(schedule(op, context, traffic, runs));
      estimate.demand.add(list.back().demand, runs);
      list.back().demand = list.back().demand.ofFewWarps(context.numWarps);
    }
  }
  ScheduleLatency latency(
      graph, ops, device.latencies,
      [&](Block *block) { return sample.getRuns(block); },
      [&](CFGLoop *loop) { return sample.getTrips(loop); });
  addLoops(graph, latency, sample, ops);
  // Of the programs that are followed the longest, by its outermost loops.
  double most = latency.getCycles();
  for (const ProgramSample::Program &program : sample.getPrograms()) {
    double cycles = latency.getCycles();
    for (Block *block : graph.getOrder()) {
      CFGLoop *loop = graph.getLoop(block);
      if (graph.isHeader(block) && !loop->getParentLoop())
        cycles += (program.frequency->getTrips(loop) - sample.getTrips(loop)) *
                  latency.getIterationCycles(loop);
    }
    most = std::max(most, cycles);
  }
  if (latency.getCycles() > estimate.latency)
    longest = most / latency.getCycles();
  estimate.latency = std::max(estimate.latency, latency.getCycles());
}

void Estimator::addLoops(const LoopGraph &graph, const ScheduleLatency &latency,
                         const ProgramSample &sample,
                         const ScheduleLatency::Ops &ops) {
  for (Block *header : graph.getOrder()) {
    if (!graph.isHeader(header))
      continue;
    CFGLoop *loop = graph.getLoop(header);
    double trips = sample.getTrips(loop);
    double iterations = sample.getRuns(header);
    ResourceDemand demand;
    for (Block *block : graph.getOrder())
      if (iterations && loop->contains(block))
        for (const ScheduledOp &op : ops.at(block))
          demand.add(op.demand, sample.getRuns(block) / iterations);
    // The first op that says where it is from; the header's are the counter's.
    Location location = header->getTerminator()->getLoc();
    estimate.loops.push_back(
        {location, loop->getLoopDepth(), trips, sample.isKnown(loop),
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
static double join(ArrayRef<double> times) {
  double sum = 0;
  for (double time : times)
    sum += std::pow(time, 4);
  return std::pow(sum, 0.25);
}

/// So many CTAs one after the other, and those that are left at the end, of
/// which fewer hide each other's latency.
double Estimator::getMultiprocessorCycles(const ResourceDemand &demand,
                                          double latency) const {
  double ctas =
      std::ceil(double(launch.countPrograms()) / device.multiprocessors);
  double together = std::min<double>(estimate.ctasPerMultiprocessor, ctas);
  double full = std::floor(ctas / together) * together, rest = ctas - full;
  auto take = [&](double count, double overlap) {
    ResourceDemand busy = demand.ofFewWarps(overlap * estimate.warps);
    if (latency == 0)
      return count * busy.getMostCycles();
    SmallVector<double> times(busy.cycles.begin(), busy.cycles.end());
    times.push_back(latency / overlap);
    // Alone, a CTA takes what its schedule takes.
    return count *
           std::max(busy.getMostCycles(), std::min(join(times), latency));
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
  set(Bound::L2, estimate.l2Bytes / device.l2BytesPerCycle);
  set(Bound::Memory, estimate.memoryBytes / device.memoryBytesPerCycle());
  estimate.bounds[unsigned(Bound::Launch)] = device.launchMicroseconds;
  // The longest program may begin last.
  double busiest = std::max(getMultiprocessorCycles(estimate.demand, latency),
                            estimate.latency * longest + device.ctaCycles);
  estimate.microseconds =
      device.launchMicroseconds +
      join({busiest * toMicroseconds, estimate.getBound(Bound::L2),
            estimate.getBound(Bound::Memory)});
}

std::optional<TimeEstimate> Estimator::run() {
  if (!fillOccupancy())
    return std::nullopt;
  for (Region *body : getAgentRegions(function))
    addAgent(*body);
  int64_t places =
      int64_t(estimate.ctasPerMultiprocessor) * device.multiprocessors;
  estimate.waves = double(launch.countPrograms()) / places;
  estimate.resource = estimate.demand.getMost();
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
