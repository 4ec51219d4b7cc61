// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a CTA takes that has a multiprocessor for itself: what the schedule
// leaves exposed of latencies.
//
// In: a body as a graph of blocks, in the order in which it is to run; the
// work of its ops. Out: cycles, in all and for an iteration of each loop. An op
// begins when the first parts of its operands are there and ends after their
// last; accesses to memory keep their order around barriers and waits, copies
// go on until they are waited for, and an iteration begins when everything of
// the one before has begun. Of a loop some iterations are followed; the others
// take what the last of those took.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_SCHEDULELATENCY_H
#define TILEWRIGHT_PASSES_ANALYSIS_SCHEDULELATENCY_H

#include "passes/Analysis/LaunchFrequency.h"
#include "passes/Analysis/ResourceDemand.h"

namespace tilewright::tilegpu {

/// An op as the schedule sees it: what all warps of the CTA do, and the latency
/// of its results.
struct ScheduledOp {
  mlir::Operation *op;
  ResourceDemand demand = {};
  double latency = 0;
  /// What loads from global memory add to it when nothing else goes on.
  double globalLatency = 0;
  /// In how many parts it takes tiles that are computed for it: the steps of a
  /// product along K.
  double parts = 16;
  /// The product that takes the result step by step, beside those of other
  /// ops, as it is loaded; null where there is none.
  mlir::Operation *streamsTo = nullptr;
  /// Who issues it goes on before it is done: `wgmma`.
  bool isAsynchronous = false;
  /// Cycles of its last step, with which whoever issues it goes on; none: it
  /// goes on at once.
  std::optional<double> lastStep = std::nullopt;
  /// Of a wait for what others have issued and go on without: how many of the
  /// last it leaves on their way.
  std::optional<unsigned> leaves = std::nullopt;
  bool accessesMemory = false;
  Work::Order order = Work::Order::Nothing;
  unsigned pending = 0;
  /// A group of copies is closed while they are on their way.
  bool closesEarly = false;
};

class ScheduleLatency {
public:
  using Ops = llvm::DenseMap<mlir::Block *, std::vector<ScheduledOp>>;

  /// Global latencies are `stretch` times as long as alone. `getRuns`: of a
  /// block in a program; `getTrips`: of a loop.
  ScheduleLatency(const LoopGraph &graph, const Ops &ops,
                  const target::Latencies &latencies, double stretch,
                  llvm::function_ref<double(mlir::Block *)> getRuns,
                  llvm::function_ref<double(mlir::CFGLoop *)> getTrips);

  /// Of the whole body.
  double getCycles() const { return total; }
  /// Of an iteration of `loop` in its steady state; 0 where it is not reached.
  double getIterationCycles(mlir::CFGLoop *loop) const {
    return iterations.lookup(loop);
  }

private:
  /// When the first part of a value is there, and the last.
  struct Ready {
    double first = 0, last = 0;
  };
  struct Clock;

  void runLevel(mlir::CFGLoop *level, Clock &clock);
  void runLoop(mlir::CFGLoop *loop, Clock &clock);
  void runBlock(mlir::Block *block, Clock &clock);
  void runOp(const ScheduledOp &op, Clock &clock);
  double claim(const ScheduledOp &op, double start, Clock &clock);
  void order(const ScheduledOp &op, double issued, double latency,
             Clock &clock);
  void await(const ScheduledOp &op, Clock &clock);
  void passArguments(mlir::Block *block, mlir::CFGLoop *loop, bool isFirst,
                     Clock &clock);

  const LoopGraph &graph;
  const Ops &ops;
  const target::Latencies &latencies;
  double stretch;
  llvm::function_ref<double(mlir::Block *)> getRuns;
  llvm::function_ref<double(mlir::CFGLoop *)> getTrips;
  llvm::DenseMap<mlir::CFGLoop *, double> iterations;
  double total = 0;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_SCHEDULELATENCY_H
