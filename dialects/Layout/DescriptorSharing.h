// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles in shared memory that several matrix descriptors read.
//
// In: two operands. Out: whether one arrangement serves both.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_DESCRIPTORSHARING_H
#define TILEWRIGHT_DIALECTS_LAYOUT_DESCRIPTORSHARING_H

#include "dialects/Layout/MatrixDescriptor.h"

namespace tilewright::layout {

/// Whether chooseDescriptorTile arranges a tile of `shape` for both operands
/// alike, whichever dimension is contiguous: one tile then serves both.
bool shareDescriptorTile(ShapeBits shape, const DescriptorOperand &a,
                         const DescriptorOperand &b);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_DESCRIPTORSHARING_H
