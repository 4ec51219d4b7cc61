// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What checks of barriers find, and what they ask of asynchronous work.

#ifndef TILEWRIGHT_TEST_PASSES_BARRIERS_FINDINGS_H
#define TILEWRIGHT_TEST_PASSES_BARRIERS_FINDINGS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "test/Passes/Barriers/Touches.h"

namespace tilewright::test {

/// A conflict that a path leaves unordered.
struct Finding {
  mlir::Operation *first, *second;
  enum { Barrier, WarpBarrier, Wait, Fence, TooLong } missing;
};

/// Groups behind which the work is that `op` starts, or -1 where it starts
/// none: a copy's group is still open, a product is one.
int startGroups(mlir::Operation *op);

/// The groups behind `op`, of the work that `first` has started; -1 where `op`
/// has waited for it.
int countGroups(mlir::Operation *first, mlir::Operation *op, int groups);

/// Whether `touch` is of an mbarrier.
bool isOfBarrier(const Touch &touch);

/// The regions that one set of warps runs each.
std::vector<mlir::Region *> listRegions(mlir::FunctionOpInterface function);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_PASSES_BARRIERS_FINDINGS_H
