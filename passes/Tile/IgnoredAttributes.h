// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that Triton's front end prints and that change nothing here.
// Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILE_IGNOREDATTRIBUTES_H
#define TILEWRIGHT_PASSES_TILE_IGNOREDATTRIBUTES_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::tile {

/// Remarks each op with a hint of Triton's, in an attribute that is not the
/// op's own, which is not made use of; each name once for an op.
void remarkIgnoredAttributes(mlir::ModuleOp module);

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_IGNOREDATTRIBUTES_H
