// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a value lives, and what an op uses.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_LIVERANGES_H
#define TILEWRIGHT_PASSES_ANALYSIS_LIVERANGES_H

#include "mlir/IR/Operation.h"

namespace tilewright::tilegpu {

/// Ops of one block, both ends included.
struct LiveRange {
  mlir::Operation *first;
  mlir::Operation *last;
};

/// The ranges of ops at which `value` lives, one for each block of its region
/// that it lives in: from its definition (a block argument's: the block's first
/// op) or the block's first op, to the last op that uses it, itself or by an op
/// of its regions, or to the terminator if the value lives on behind it.
llvm::SmallVector<LiveRange> getLiveRanges(mlir::Value value);

/// Calls `visit` with each value that `op` or what is in it uses.
void forEachUse(mlir::Operation *op,
                llvm::function_ref<void(mlir::Value)> visit);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_LIVERANGES_H
