// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a conversion between two register layouts has to move.
//
// In: two layouts of one tensor. Out: how far data has to travel, and from
// where each destination fetches. It chooses no instructions and prices
// nothing.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_CONVERSION_H
#define TILEWRIGHT_DIALECTS_LAYOUT_CONVERSION_H

#include "dialects/Layout/LinearLayout.h"

namespace tilewright::layout {

/// How far a conversion moves data, ascending. A level includes what the levels
/// before it may do.
enum class Movement {
  Identity,  ///< nothing moves
  Registers, ///< a renaming of registers, the same in every thread
  Selects, ///< a thread holds what it needs, in a register that depends on its
           ///< lane or warp
  Lanes,   ///< between the lanes of a warp
  Warps    ///< between warps
};

/// The conversion of one register layout into another.
struct Conversion {
  Movement movement;
  /// Destination (register, lane, warp) -> source (register, lane, warp) that
  /// holds the same element; where the source holds copies, the nearest one:
  /// bits of lane and warp are carried over where that serves, then registers
  /// of the same thread are preferred, then lanes of the same warp. Up to
  /// Selects lane and warp pass through unchanged; at Lanes the warp does.
  LinearLayout map;
  /// Up to Registers: the source register of each destination register. Empty
  /// above.
  std::vector<unsigned> registers;
};

/// Classifies the conversion from `source` to `destination`: inputs register,
/// lane and warp (in this order, as many lanes and warps on both sides),
/// outputs the same coordinates of the same sizes, in any order. None where the
/// source lacks an element of the destination.
std::optional<Conversion> classifyConversion(const LinearLayout &source,
                                             const LinearLayout &destination);

/// Whether the bits of `input` stand for the same coordinates in both. Outputs
/// as above.
bool haveSameBases(const LinearLayout &a, const LinearLayout &b, Axis input);

/// Whether lanes and warps stand for the same coordinates in both, so that each
/// thread holds the same elements, in whichever registers. Outputs as above.
bool haveSameThreads(const LinearLayout &a, const LinearLayout &b);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_CONVERSION_H
