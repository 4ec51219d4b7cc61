// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many programs a persistent kernel is launched with: its loop over tiles
// begins at the program's number and steps by their count.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_GRIDSTRIDE_H
#define TILEWRIGHT_PASSES_ANALYSIS_GRIDSTRIDE_H

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <optional>

namespace tilewright {

/// The programs of a launch, as the step of a loop around `op` tells, if that
/// is a constant. None where no loop around it is over tiles, or where programs
/// are told apart in other dimensions too.
std::optional<int64_t> findGridStride(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_PASSES_ANALYSIS_GRIDSTRIDE_H
