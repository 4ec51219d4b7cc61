// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a kernel that fails smaller. Comes in: a kernel, a question. Goes out:
// a kernel for which the answer is still yes.

#ifndef TILEWRIGHT_TEST_RANDOM_REDUCE_H
#define TILEWRIGHT_TEST_RANDOM_REDUCE_H

#include "test/Random/KernelCase.h"

#include <functional>

namespace tilewright::fuzz {

/// Takes stores away, replaces results of operations by their operands or by
/// constants, and drops what is then unused, as long as `stillFails` says yes.
/// The launch stays as it is.
KernelCase
reduceCase(const KernelCase &kernel,
           const std::function<bool(const KernelCase &)> &stillFails);

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_RANDOM_REDUCE_H
