// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/TimeEstimate.h"

#include "dialects/TileGPU/Agents.h"
#include "passes/Analysis/AxisAnalysis.h"
#include "passes/Analysis/GlobalTraffic.h"
#include "passes/Analysis/Occupancy.h"
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
  bool fillOccupancy();
  /// Adds what an agent does; agents run at the same time.
  void addAgent(Region &body);
  ScheduledOp schedule(Operation &op, const PlacementContext &context,
                       const GlobalTraffic &traffic, double runs);
  void addLoops(const LoopGraph &graph, const ScheduleLatency &latency,
                const ProgramSample &sample, const ScheduleLatency::Ops &ops);
  /// Cycles of the multiprocessor that runs most CTAs.
  double getMultiprocessorCycles(ResourceDemand demand, double latency) const;
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

bool Estimator::fillOccupancy() {
  const target::Target *limits =
      target::lookupForDevice(device.computeCapability);
  Occupancy occupancy(function, limits ? *limits : target);
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
  double missShare = 0;
  if (const AccessTraffic *access = traffic.lookup(&op)) {
    work.sectors *= access->activeShare;
    double bytes = work.sectors * 32 * context.numWarps * runs;
    double missed = traffic.getMemoryBytes(&op, device.l2Bytes);
    missShare = bytes ? std::min(1., missed / bytes) : 0;
    estimate.l2Bytes += bytes * launch.countPrograms();
    estimate.memoryBytes += missed * launch.countPrograms();
  }
  scheduled.order = work.order;
  scheduled.pending = work.pending;
  if (work.order == Work::Order::Copy)
    work.chain.globalLoads = 1;
  scheduled.latency = getChainLatency(work, device.latencies, missShare);
  scheduled.accessesMemory = work.sharedAccesses || work.globalAccesses ||
                             work.order != Work::Order::Nothing;
  scheduled.demand = ResourceDemand(work, device, context.numWarps);
  return scheduled;
}

void Estimator::addAgent(Region &body) {
  unsigned warps = lookupNumWarps(&body.front().front());
  PlacementContext context = {target, warps,
                              [&](Value value) { return axes.lookup(value); }};
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
      list.back().demand = list.back().demand.ofFewWarps(warps);
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

/// So many CTAs one after the other, and those that are left at the end, of
/// which fewer hide each other's latency.
double Estimator::getMultiprocessorCycles(ResourceDemand demand,
                                          double latency) const {
  double ctas =
      std::ceil(double(launch.countPrograms()) / device.multiprocessors);
  double together = std::min<double>(estimate.ctasPerMultiprocessor, ctas);
  double full = std::floor(ctas / together) * together, rest = ctas - full;
  auto take = [&](double count, double overlap) {
    double busy = demand.ofFewWarps(overlap * estimate.warps).getMostCycles();
    return count * std::max(busy, latency / overlap);
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
  // The longest program may begin last.
  set(Bound::Latency, std::max(getMultiprocessorCycles({}, latency),
                               estimate.latency * longest + device.ctaCycles));
  set(Bound::L2, estimate.l2Bytes / device.l2BytesPerCycle);
  set(Bound::Memory, estimate.memoryBytes / device.memoryBytesPerCycle());
  estimate.bounds[unsigned(Bound::Launch)] = device.launchMicroseconds;
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
  // A multiprocessor's CTAs that hide latency in turn with work.
  double cycles = getMultiprocessorCycles(estimate.demand,
                                          estimate.latency + device.ctaCycles);
  double rest = std::max(
      cycles / device.cyclesPerMicrosecond(),
      *std::max_element(estimate.bounds.begin(), estimate.bounds.end() - 1));
  unsigned most =
      std::max_element(estimate.bounds.begin(), estimate.bounds.end()) -
      estimate.bounds.begin();
  estimate.bound = Bound(most);
  estimate.microseconds = device.launchMicroseconds + rest;
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
