// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops keep the units of a multiprocessor busy for: enough to compare with
// a latency.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_WORKESTIMATE_H
#define TILEWRIGHT_PASSES_ANALYSIS_WORKESTIMATE_H

#include "dialects/Target/Target.h"
#include "mlir/IR/Operation.h"

namespace tilewright::tilegpu {

/// Half cycles that the arithmetic and the matrix units take for one warp's
/// part of `op` and what is in it, by target::InstructionPrices. Accesses to
/// memory and conversions count nothing; loops count once.
uint64_t estimateWork(mlir::Operation *op, const target::Target &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_WORKESTIMATE_H
