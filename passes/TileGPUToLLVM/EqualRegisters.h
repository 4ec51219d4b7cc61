// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of a thread that are known to hold the same number, so that it is
// computed once: the quotients of `row / 16` in 16 rows, the masks of `column <
// n` in the columns of a vector. LLVM sees the numbers, but not the axis
// information that says so. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_EQUALREGISTERS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_EQUALREGISTERS_H

#include "mlir/IR/Value.h"

#include <cstdint>

namespace tilewright::tilegpu {

class AxisAnalysis;

/// The bits of the register index of `tensor`, which has a layout, that make no
/// difference: whatever the thread, an element keeps its value when such a bit
/// is cleared, because both elements lie in one run of equal ones
/// (AxisInfo::constancy). 0 where nothing is known.
uint64_t getEqualBits(mlir::Value tensor, const AxisAnalysis &axes);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_EQUALREGISTERS_H
