// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that only tests run (Passes.td says which).

#ifndef TILEWRIGHT_TEST_PASSES_PASSES_H
#define TILEWRIGHT_TEST_PASSES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tilewright::test {

/// What `--test-miscompile` does.
enum class Mistake { Subtract, Unmask, Remove };

#define GEN_PASS_DECL
#include "test/Passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "test/Passes/Passes.h.inc"

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_PASSES_PASSES_H
