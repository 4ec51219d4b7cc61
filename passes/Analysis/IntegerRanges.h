// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between which numbers the integers of tile IR lie: MLIR's range analysis,
// with rules for what `tt` makes and moves. Private to this folder.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_INTEGERRANGES_H
#define TILEWRIGHT_PASSES_ANALYSIS_INTEGERRANGES_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace tilewright::tile {

/// The ranges of all integers, and of all elements of integer tiles, below an
/// operation. Overflow wraps: no claim rests on its absence, but for the
/// induction variables of loops, which lie between their bounds (as scf.for
/// says). Program numbers are below the largest grid's size. What a loop
/// carries has any value once it changes, so the analysis takes a few rounds
/// whatever the loops.
class IntegerRanges {
public:
  /// Nothing is known where the analysis fails.
  explicit IntegerRanges(mlir::Operation *root);

  /// The range of an integer or of a tile's elements; null for other values,
  /// for those that are never computed and for those that are never defined.
  const mlir::ConstantIntRanges *lookup(mlir::Value value) const;

  /// Whether the value is known, and as a signed number within `bits` bits.
  bool fits(mlir::Value value, unsigned bits) const;

  /// Whether the value is known, and at least 0 as a signed number.
  bool isNonNegative(mlir::Value value) const;

private:
  mlir::DataFlowSolver solver;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_ANALYSIS_INTEGERRANGES_H
