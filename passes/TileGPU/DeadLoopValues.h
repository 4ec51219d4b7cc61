// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a loop that nothing is done with. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_DEADLOOPVALUES_H
#define TILEWRIGHT_PASSES_TILEGPU_DEADLOOPVALUES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// The loop, made anew, without values that it carries for nothing, those that
/// only compute themselves included, and without pure ops of its body whose
/// results nothing uses.
mlir::scf::ForOp dropDeadValues(mlir::scf::ForOp loop);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_DEADLOOPVALUES_H
