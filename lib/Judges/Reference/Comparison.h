// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two runs left the same in memory, and whether two functions do: a
// function before and after a pass, with the same inputs.

#ifndef TILEWRIGHT_LIB_JUDGES_REFERENCE_COMPARISON_H
#define TILEWRIGHT_LIB_JUDGES_REFERENCE_COMPARISON_H

#include "lib/Judges/Reference/Reference.h"

namespace tilewright::reference {

/// How far floats may be apart: |expected - actual| <= absolute + relative *
/// |expected|. NaNs are alike, and infinities of one sign. Zero asks for the
/// same number; -0 is 0. Integers and pointers must be the same.
struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;
};

/// Diagnoses, at `location`, the first element of each buffer that differs by
/// more than the tolerance, or that the memories do not have buffers of the
/// same types and sizes.
mlir::LogicalResult compareMemories(mlir::Location location,
                                    const ReferenceMemory &expected,
                                    const ReferenceMemory &actual,
                                    Tolerance tolerance = {});

/// Runs both functions, each on its own copy of `memory`, and compares what
/// they leave; a difference is diagnosed at `after`. Both runs have one set of
/// options, and so the same undefined elements: where a pass may choose others
/// the result must not depend on them.
mlir::LogicalResult compareFunctions(tt::FuncOp before, tt::FuncOp after,
                                     mlir::ArrayRef<Argument> arguments,
                                     Grid grid, const ReferenceMemory &memory,
                                     Tolerance tolerance = {},
                                     const Options &options = {});

} // namespace tilewright::reference

#endif // TILEWRIGHT_LIB_JUDGES_REFERENCE_COMPARISON_H
