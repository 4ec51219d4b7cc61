// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axis analysis: what is known of integers and pointers along each dimension of
// a tile.
//
// In: functions of `tt`, `arith`, `scf` and `cf` ops, on plain tensors or on
// tensors with layouts. Out: for each integer or pointer its contiguity,
// divisibility and constancy (AxisInfo), and from these the widest vector that
// an access may use. It changes no IR, and chooses no layout.
// The assumptions that its claims rest on are in AxisInfo.h; what is known of
// an op's results the op itself says (AxisInfoOpInterface).

#ifndef TILEWRIGHT_PASSES_ANALYSIS_AXISANALYSIS_H
#define TILEWRIGHT_PASSES_ANALYSIS_AXISANALYSIS_H

#include "dialects/Interfaces/AxisInfo.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::tilegpu {

/// The axis information of every integer and pointer below an operation: a
/// forward data flow, optimistic around loops. Usable with getAnalysis<>.
class AxisAnalysis {
public:
  /// Analyses all functions in `root`, which may be one function itself.
  explicit AxisAnalysis(mlir::Operation *root);

  /// What is known of `value`; null if it is neither an integer of at most 64
  /// bits, a pointer to scalars, nor a tile of them, or if it is never
  /// computed. The pointer is valid as long as the analysis.
  const AxisInfo *lookup(mlir::Value value) const;

  /// The largest power of two of elements along dimension `dim` that one access
  /// through `pointers` may take together: their addresses are consecutive, and
  /// aligned to their total size, which is at most 16 bytes; and `mask` (null:
  /// no mask) leaves out what may be. 1 where nothing is known.
  unsigned getVectorElements(mlir::Value pointers, mlir::Value mask,
                             unsigned dim,
                             MaskedVectors masked = MaskedVectors::Whole) const;

  /// For each function its name, then one line for each block argument and op
  /// result that lookup knows, in the order of the ops.
  void print(llvm::raw_ostream &os) const;

private:
  mlir::Operation *root;
  llvm::DenseMap<mlir::Value, AxisInfo> infos;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_AXISANALYSIS_H
