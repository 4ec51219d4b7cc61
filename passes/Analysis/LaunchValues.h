// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What integers and addresses are in one program of a launch.
//
// In: a function of tilegpu IR as a graph of blocks, a grid, one program of it,
// values of scalar arguments. Out: of an integer, or a tile of them, the range
// that its elements lie in; of a pointer, or a tile of them, what it was
// computed from and how many bytes behind that its first element is. Values
// are computed when they are asked for, by the ops' own rules
// (InferIntRangeInterface and the interfaces of dialects/Interfaces); of a loop
// they are those of the iteration that was set, or else of the first.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_LAUNCHVALUES_H
#define TILEWRIGHT_PASSES_ANALYSIS_LAUNCHVALUES_H

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/DenseMap.h"

#include <array>

namespace tilewright {

/// A launch of a kernel, as far as it is known.
struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  /// Of integer arguments, by the number of the argument; where there is none,
  /// or the number is beyond the end, the value is not known.
  llvm::SmallVector<std::optional<int64_t>> arguments;

  int64_t countPrograms() const { return grid[0] * grid[1] * grid[2]; }
};

/// What is known of a value: one of the two, or nothing.
struct LaunchValue {
  /// Of integers.
  std::optional<mlir::ConstantIntRanges> range = std::nullopt;
  /// Of pointers: an argument, or what else an address begins at, and the bytes
  /// from there to the first element.
  mlir::Value base = {};
  int64_t offset = 0;
  /// It is the same in all programs.
  bool isUniform = true;

  /// The one integer that it is.
  std::optional<int64_t> getConstant() const;
  /// What it is `count` steps on, each of which goes from `first` to `second`.
  static LaunchValue advance(const LaunchValue &first,
                             const LaunchValue &second, int64_t count);
};

class LaunchValues {
public:
  /// Of program number `program` of `launch`, counted along x first.
  /// What is the same in all programs is taken from `shared`, another program
  /// of the launch that is in the same iterations and lives as long, where it
  /// is known there.
  LaunchValues(const Launch &launch, int64_t program,
               const LaunchValues *shared = nullptr);
  /// Of the same program in an iteration of `loop` that is set here; `outer`,
  /// which lives as long, knows what is computed outside of it.
  LaunchValues(LaunchValues &outer, const mlir::CFGLoop *loop);

  const LaunchValue &get(mlir::Value value);
  /// From now on, and for what has not been asked for yet.
  void set(mlir::Value value, LaunchValue known) { values[value] = known; }
  /// The successor that the terminator of `block` takes; null where it is not
  /// known.
  mlir::Block *getSuccessor(mlir::Block *block);
  /// Whether that is surely the same in all programs.
  bool isBranchUniform(mlir::Block *block);

private:
  LaunchValue compute(mlir::Value value);
  LaunchValue computeArgument(mlir::BlockArgument argument);
  LaunchValue computeResult(mlir::OpResult result);
  LaunchValue inferRange(mlir::OpResult result);

  const Launch *launch;
  const LaunchValues *shared = nullptr;
  LaunchValues *outer = nullptr;
  const mlir::CFGLoop *loop = nullptr;
  std::array<int64_t, 3> program;
  llvm::DenseMap<mlir::Value, LaunchValue> values;
};

/// What `predecessor` passes to `argument` of a block that it branches to, or
/// null.
mlir::Value getPassed(mlir::Block *predecessor, mlir::BlockArgument argument);

} // namespace tilewright

#endif // TILEWRIGHT_PASSES_ANALYSIS_LAUNCHVALUES_H
