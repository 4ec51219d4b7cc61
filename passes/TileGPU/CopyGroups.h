// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moving groups of copies by cp.async within a block takes. Private to
// this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_COPYGROUPS_H
#define TILEWRIGHT_PASSES_TILEGPU_COPYGROUPS_H

#include "mlir/IR/Block.h"

namespace tilewright::tilegpu {

/// Has each wait for groups of copies that were closed before it in the block
/// leave those in flight that were closed later: to be called once groups have
/// moved. What waits for groups of other blocks is left as it is.
void numberCopyWaits(mlir::Block &block);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_COPYGROUPS_H
