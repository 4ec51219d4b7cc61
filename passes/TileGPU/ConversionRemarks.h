// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What users are told of a layout conversion. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_CONVERSIONREMARKS_H
#define TILEWRIGHT_PASSES_TILEGPU_CONVERSIONREMARKS_H

#include "dialects/Layout/ConversionPlan.h"
#include "dialects/TileGPU/TileGPU.h"

namespace tilewright::tilegpu {

/// Says that `op` is done by the first of `plans` (at least one), and what the
/// others would cost, as a remark whose parts have names: they are the columns
/// of the layout report. `freeBytes`: what the tiles beside it leave of shared
/// memory.
void remarkOnConversion(ConvertLayoutOp op,
                        llvm::ArrayRef<layout::ConversionPlan> plans,
                        int64_t freeBytes);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_CONVERSIONREMARKS_H
