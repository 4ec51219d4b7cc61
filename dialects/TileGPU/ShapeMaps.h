// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that only rename coordinates, as linear maps: which source element each
// result element is.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_SHAPEMAPS_H
#define TILEWRIGHT_DIALECTS_TILEGPU_SHAPEMAPS_H

#include "dialects/Layout/LinearLayout.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tilewright::tilegpu {

/// True for the ops that getResultToSourceMap knows: tt.expand_dims,
/// tt.broadcast, tt.trans, tt.reshape and tt.join.
bool isRenaming(mlir::Operation *op);

/// The map from coordinates of the result to coordinates of the source (of
/// every source, for tt.join): result[c] = source[map(c)].
layout::LinearLayout getResultToSourceMap(mlir::Operation *op);

/// The map of tt.split: result 0 at c is the source at (c, 0).
layout::LinearLayout getSplitMap(mlir::RankedTensorType resultType);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_SHAPEMAPS_H
