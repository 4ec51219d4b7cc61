// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many warps run a program: as many as the options say, or more where the
// sums of a product, or what is held across a reduction, would not fit into the
// registers of so few.
//
// In: verified tile IR, whose meaning is the same for every number of warps.
// Out: the number, which artifacts tell launchers.

#ifndef TILEWRIGHT_LIB_COMPILER_WARPCOUNT_H
#define TILEWRIGHT_LIB_COMPILER_WARPCOUNT_H

#include "dialects/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::compiler {

/// `asked`, doubled until the threads of a CTA have registers for the sums of
/// each product of `module` for which any number of warps has them, and for
/// those that its loop carries for others (attention's, under its scores).
/// Where there are no products, until they have registers for what they hold
/// across each reduction and scan: gradients of an RMS norm of 4096 columns by
/// one warp spilled 1,240 bytes, and took 258 us for 43 by two (H200). With a
/// remark at the op that needs the most. `asked` where inline assembly may
/// depend on the number of threads.
unsigned chooseWarps(mlir::ModuleOp module, const target::Target &target,
                     unsigned asked);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_WARPCOUNT_H
