// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of attachUpstreamModels. Private to this folder.

#ifndef TILEWRIGHT_DIALECTS_INTERFACES_EXTERNALMODELS_H
#define TILEWRIGHT_DIALECTS_INTERFACES_EXTERNALMODELS_H

#include "mlir/IR/MLIRContext.h"

namespace tilewright {

/// AxisInfoOpInterface for every op of `arith`.
void attachArithAxisRules(mlir::MLIRContext &context);
/// ElementCostOpInterface for every op of `arith` and `math`.
void attachElementCosts(mlir::MLIRContext &context);
/// ValueMergeOpInterface for the loops and branches of `scf`.
void attachControlFlowMerges(mlir::MLIRContext &context);

/// NarrowingOpInterface for the arithmetic, comparisons and conversions of
/// integers of `arith`.
void attachNarrowing(mlir::MLIRContext &context);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECTS_INTERFACES_EXTERNALMODELS_H
