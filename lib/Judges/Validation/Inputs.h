// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs for a kernel of which only the signature is known. Comes in: a kernel,
// numbers that choose. Goes out: memory, arguments and a grid, which may or may
// not be ones that the kernel is meant for: running it tells.

#ifndef TILEWRIGHT_LIB_JUDGES_VALIDATION_INPUTS_H
#define TILEWRIGHT_LIB_JUDGES_VALIDATION_INPUTS_H

#include "lib/Judges/Reference/Reference.h"

#include <optional>
#include <string>

namespace tilewright::validation {

/// All that a run of a kernel takes.
struct KernelInput {
  reference::ReferenceMemory memory;
  mlir::SmallVector<reference::Argument> arguments;
  reference::Grid grid;
  /// For people: "grid 2x1x1, x_ptr: 64 elements, n = 7".
  std::string description;
};

/// The first parameter for which no value can be made, and why; nothing where
/// makeInput gives an input.
std::optional<std::string> findUnsupportedParameter(tt::FuncOp kernel);

/// The name of a parameter in the source, or "argument N".
std::string getParameterName(tt::FuncOp kernel, unsigned index);

/// Makes an input: each pointer gets a buffer of `bufferElements` elements of
/// its own, each scalar a value that keeps its promise of `tt.divisibility`.
/// Floats are small integers, which every float type holds, so that sums of
/// them are exact in any order; with `fractions` they are in [-2, 2), rounded
/// to their types. The same `seed` and `attempt` choose the same scalars and
/// grid whatever the size of the buffers. Attempts go through small and large
/// scalars, and integers in memory that could be indices or any bits.
KernelInput makeInput(tt::FuncOp kernel, uint64_t seed, unsigned attempt,
                      int64_t bufferElements, bool fractions);

} // namespace tilewright::validation

#endif // TILEWRIGHT_LIB_JUDGES_VALIDATION_INPUTS_H
