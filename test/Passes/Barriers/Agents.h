// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of agents that do not know of each other.

#ifndef TILEWRIGHT_TEST_PASSES_BARRIERS_AGENTS_H
#define TILEWRIGHT_TEST_PASSES_BARRIERS_AGENTS_H

#include "test/Passes/Barriers/Findings.h"

namespace tilewright::test {

/// Follows what agents know of one access: it marks one execution of it, lets
/// knowledge of that go from the agent to whoever waits for it, and looks for a
/// conflicting access of an agent that knows nothing of it. A bulk copy is done
/// at any time, and then whoever waits for its phase knows: until then nobody
/// does, also not the agent that has started it.
std::optional<Finding> findUnknownAccess(tilegpu::WarpSpecializeOp op,
                                         const Counting &counting,
                                         TouchList &touches);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_PASSES_BARRIERS_AGENTS_H
