// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations tile IR has.

#ifndef TILEWRIGHT_PASSES_TILE_TILEIROPS_H
#define TILEWRIGHT_PASSES_TILE_TILEIROPS_H

#include "mlir/IR/OperationSupport.h"

namespace tilewright::tile {

/// The dialects that tile IR is made of.
llvm::ArrayRef<llvm::StringLiteral> getTileIRDialects();

/// Whether operations of a name, which is of one of these dialects, are refused
/// by tile-verify-ir because nothing lowers them. Each is a gap to be closed,
/// not a rule.
bool lacksLowering(mlir::OperationName name);

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_TILEIROPS_H
