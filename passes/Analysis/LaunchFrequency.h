// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often each block of a kernel runs in one program of a launch.
//
// In: a body as a graph of blocks, and the values of one program
// (LaunchValues.h). Out: trips of its loops, runs of its blocks. A loop's trips
// are found by asking its exits in which iteration they would be taken, its
// carried values growing by the same step each time; one that cannot be asked
// makes 16, what may be skipped runs half as often, and a program that may end
// early does not.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_LAUNCHFREQUENCY_H
#define TILEWRIGHT_PASSES_ANALYSIS_LAUNCHFREQUENCY_H

#include "mlir/Analysis/CFGLoopInfo.h"
#include "passes/Analysis/LaunchValues.h"

#include <memory>

namespace tilewright {

/// The loops of a body, which all programs share.
class LoopGraph {
public:
  explicit LoopGraph(mlir::Region &body);

  /// Each block before those that it leads to, but for the ways back of loops.
  llvm::ArrayRef<mlir::Block *> getOrder() const { return order; }
  /// The innermost loop around `block`; null outside of loops.
  mlir::CFGLoop *getLoop(mlir::Block *block) const;
  /// Whether `block` is the header of a loop.
  bool isHeader(mlir::Block *block) const;

private:
  std::unique_ptr<mlir::CFGLoopInfo> loops;
  llvm::SmallVector<mlir::Block *> order;
};

class LaunchFrequency {
public:
  /// Sets the values that loops carry in `values` to those of the iteration in
  /// the middle.
  LaunchFrequency(const LoopGraph &graph, LaunchValues &values);

  /// Runs of `block` in the program.
  double get(mlir::Block *block) const { return runs.lookup(block); }
  /// Iterations of `loop` each time that it is entered, and how often it is.
  double getTrips(mlir::CFGLoop *loop) const;
  double getEntries(mlir::CFGLoop *loop) const;
  /// Whether the trips are known, or taken for 16.
  bool isKnown(mlir::CFGLoop *loop) const;
  /// Whether it is surely the same in all programs.
  bool isUniform() const { return uniform; }
  /// Values as they are in iteration `iteration` of `loop`, in the middle of
  /// those around it; none of the loops in it is known.
  LaunchValues getValues(mlir::CFGLoop *loop, int64_t iteration) const;

private:
  struct LoopState {
    /// Carried values in the first and in the second iteration.
    llvm::SmallVector<
        std::pair<mlir::Value, std::pair<LaunchValue, LaunchValue>>>
        carried;
    /// Of these the conditions, and what the way back passes for them. They do
    /// not grow: each is what the iteration before passes.
    llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> conditions;
    double entries = 0;
    int64_t trips = 0;
    bool isKnown = false;
  };

  void enter(mlir::CFGLoop *loop, double entries);
  std::optional<int64_t> findExit(const LoopState &state, mlir::CFGLoop *loop,
                                  mlir::Block *block);
  LaunchValues advance(const LoopState &state, mlir::CFGLoop *loop,
                       int64_t iteration) const;
  LaunchValues getValues(const LoopState &state, mlir::CFGLoop *loop,
                         int64_t iteration) const;
  void leave(mlir::Block *block);

  const LoopGraph &graph;
  LaunchValues &values;
  bool uniform = true;
  llvm::DenseMap<mlir::Block *, double> runs;
  llvm::DenseMap<mlir::CFGLoop *, std::unique_ptr<LoopState>> states;
};

} // namespace tilewright

#endif // TILEWRIGHT_PASSES_ANALYSIS_LAUNCHFREQUENCY_H
