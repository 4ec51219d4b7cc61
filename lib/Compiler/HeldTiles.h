// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of a program hold while they work together at an op.
//
// In: tile IR, before tiles have layouts. Out: bits, counted from below: what
// is elementwise counts as what it is computed of, if that is at hand, and what
// is computed of scalars counts nothing.

#ifndef TILEWRIGHT_LIB_COMPILER_HELDTILES_H
#define TILEWRIGHT_LIB_COMPILER_HELDTILES_H

#include "mlir/IR/Operation.h"

namespace tilewright::compiler {

/// Bits of the tiles that are there before `op` and that something needs behind
/// it together with its results, and of what the loops around it carry, or take
/// from outside in each iteration.
uint64_t countBitsHeldAcross(mlir::Operation *op);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_HELDTILES_H
