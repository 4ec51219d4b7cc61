// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes that the asynchronous proxy may not see.

#ifndef TILEWRIGHT_TEST_PASSES_BARRIERS_PROXYFENCES_H
#define TILEWRIGHT_TEST_PASSES_BARRIERS_PROXYFENCES_H

#include "test/Passes/Barriers/Findings.h"

namespace tilewright::test {

/// Follows each write of threads, or of their copies, to the products that read
/// it, and the bulk copies that write over it, through the other proxy: on the
/// way there must be a fence, and behind it a barrier of all warps, which of a
/// single one is its own.
std::optional<Finding> findMissingFence(mlir::FunctionOpInterface function,
                                        TouchList &touches);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_PASSES_BARRIERS_PROXYFENCES_H
