// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of strided tensors as tiles in shared memory, and the maps by which the
// asynchronous proxy copies them there and back. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_BOXTILES_H
#define TILEWRIGHT_PASSES_TILEGPU_BOXTILES_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Analysis/StridedBoxes.h"

namespace tilewright::tilegpu {

/// A tile in shared memory, mutable and of one buffer, where dimension `inner`
/// is contiguous, in the widest atoms that it has bytes for, all of whose rows
/// it has; null where bulk copies know no such tile.
MemDescType arrangeForBoxes(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                            unsigned inner);

/// The map by which boxes like `box` are copied to or from tiles of `tile`, at
/// the function's begin, as its operands are arguments and constants, or in
/// front of what the box says, where the kernel makes it. `element`:
/// the type that copies convert to, that of the tile or tf32.
mlir::Value createTensorMap(mlir::FunctionOpInterface function,
                            mlir::Location location, const StridedBox &box,
                            MemDescType tile, mlir::Type element);

/// Where the box begins, a coordinate for each dimension, for ops at the
/// builder's place (StridedBoxes::isKnownAt).
llvm::SmallVector<mlir::Value> createCoordinates(mlir::OpBuilder &builder,
                                                 mlir::Location location,
                                                 const StridedBoxes &boxes,
                                                 const StridedBox &box);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_BOXTILES_H
