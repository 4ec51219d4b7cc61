// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_DIALECTS_INTERFACES_LOOPCARRIED_H
#define TILEWRIGHT_DIALECTS_INTERFACES_LOOPCARRIED_H

#include "mlir/IR/Operation.h"

namespace tilewright {

/// Whether `op`, of a loop's own body, computes from floats that the iteration
/// before gave, directly or through ops there: it cannot begin before that one
/// is done. What is loaded is of this iteration, also by a pointer that the
/// loop advances. False where `op` is in no loop's own body.
bool usesLoopCarriedFloats(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECTS_INTERFACES_LOOPCARRIED_H
