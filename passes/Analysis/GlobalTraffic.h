// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of global memory a launch moves between the L2 and memory.
//
// In: a kernel as a graph of blocks, and a launch. Out: for each access the
// bytes of a program, and what part of them other programs touch too. Programs
// that read what others read find it in the L2, as long as it fits: addresses
// are computed for some programs, always the same ones, and how many of these
// differ tells how many there are in all.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_GLOBALTRAFFIC_H
#define TILEWRIGHT_PASSES_ANALYSIS_GLOBALTRAFFIC_H

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "passes/Analysis/LaunchFrequency.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright {

/// Some programs of a launch.
class ProgramSample {
public:
  ProgramSample(const LoopGraph &graph, const Launch &launch);

  struct Program {
    std::unique_ptr<LaunchValues> values;
    std::unique_ptr<LaunchFrequency> frequency;
  };
  llvm::ArrayRef<Program> getPrograms() const { return programs; }

  /// Mean runs of `block` in a program, mean trips of `loop` where it is
  /// entered.
  double getRuns(mlir::Block *block) const;
  double getTrips(mlir::CFGLoop *loop) const;
  /// Whether the trips are known in all of them.
  bool isKnown(mlir::CFGLoop *loop) const;

private:
  std::vector<Program> programs;
};

/// What an access moves in a program, in the mean.
struct AccessTraffic {
  /// Bytes of different addresses.
  double bytes = 0;
  /// Of these, each program's share of what all programs together touch; and of
  /// what those do that run at the same time.
  double sharedByAll = 0, sharedByConcurrent = 0;
  /// Bytes that the program asks the L2 for, for each byte: less where some
  /// come with what programs of its cluster ask for, more where rows begin
  /// inside of lines.
  double askedShare = 1;
  /// Another access of the program, before this one, reads the same.
  bool isRepeated = false;
  /// Of bytes that a loop before this one has read, each program's share.
  double again = 0;
  /// Iterations in which the mask lets an element through, of all.
  double activeShare = 1;
  /// How much longer memory takes than for bytes in whole lines.
  double lineCost = 1;
};

class GlobalTraffic {
public:
  /// `concurrent`: programs that run at the same time. `lookupAxisInfo` may
  /// give null.
  GlobalTraffic(
      const LoopGraph &graph, const ProgramSample &sample, const Launch &launch,
      int64_t concurrent,
      llvm::function_ref<const AxisInfo *(mlir::Value)> lookupAxisInfo);

  /// Null where `op` makes no access.
  const AccessTraffic *lookup(mlir::Operation *op) const {
    auto found = accesses.find(op);
    return found == accesses.end() ? nullptr : &found->second;
  }
  /// Bytes to and from memory, of a program in the mean, beside an L2 of
  /// `l2Bytes`.
  double getMemoryBytes(mlir::Operation *op, uint64_t l2Bytes) const;
  double getMemoryBytes(uint64_t l2Bytes) const;

private:
  int64_t programs;
  llvm::MapVector<mlir::Operation *, AccessTraffic> accesses;
  /// Bytes that all programs together touch, and those that run at the same
  /// time.
  double footprint = 0, concurrentFootprint = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_PASSES_ANALYSIS_GLOBALTRAFFIC_H
