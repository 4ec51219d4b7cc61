// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits for products by warp groups, where their sums are needed. Private to
// this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_DELAYEDWAITS_H
#define TILEWRIGHT_PASSES_TILEGPU_DELAYEDWAITS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// In a loop of several products has each wait stand before what needs the sums
/// and no earlier, and stores of what was made of sums stand behind the product
/// that follows, under which they run. Waits stay in their iteration, before
/// the next product, and before what writes a tile that theirs reads. (Where
/// two products of a chain are in flight, CUDA's assembler (13.0) puts a wait
/// of its own between them: C7517.)
void delayWaits(mlir::scf::ForOp loop);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_DELAYEDWAITS_H
