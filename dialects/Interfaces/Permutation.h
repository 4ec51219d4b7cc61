// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views that permute dimensions.

#ifndef TILEWRIGHT_DIALECTS_INTERFACES_PERMUTATION_H
#define TILEWRIGHT_DIALECTS_INTERFACES_PERMUTATION_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace tilewright {

/// Of a view that only permutes dimensions, of which none has one element:
/// which one of the source each of the result's is. None for other ops.
std::optional<llvm::SmallVector<int32_t>> getPermutation(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECTS_INTERFACES_PERMUTATION_H
