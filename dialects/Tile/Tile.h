// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `tile`: tile ops beside Triton's.
//
// Comes in: text, or what kernel builders make. Goes out: verified ops on plain
// tensors. It knows no hardware.

#ifndef TILEWRIGHT_DIALECTS_TILE_TILE_H
#define TILEWRIGHT_DIALECTS_TILE_TILE_H

#include "dialects/Triton/Triton.h"

#include "dialects/Tile/TileDialect.h.inc"

#include "dialects/Tile/TileEnums.h.inc"

namespace tilewright::tile {
// What the definitions of the ops share with `tt`.
using tt::InputPrecision;
using tt::InputPrecisionAttr;
using tt::TileSizes;

/// What the programs of a cluster have of each other, as a resource of side
/// effects: ops that pass it on keep their order, and their number.
struct ClusterResource
    : public mlir::SideEffects::Resource::Base<ClusterResource> {
  llvm::StringRef getName() final { return "Cluster"; }
};

/// A unit attribute of the op that gives a condition (i1, a scalar), by which
/// whoever writes the kernel says that it holds nearly always: layouts and
/// estimates of time are for that case. It changes no result.
inline constexpr llvm::StringLiteral likelyAttrName = "tile.likely";

/// How many times a likely condition is asked for the one time that it does not
/// hold, as prices and estimates have it: a power of two.
inline constexpr unsigned likelyTimes = 64;

/// Whether `condition` is said to hold nearly always.
inline bool isLikely(mlir::Value condition) {
  mlir::Operation *op = condition.getDefiningOp();
  return op && op->hasAttr(likelyAttrName);
}
} // namespace tilewright::tile

#define GET_OP_CLASSES
#include "dialects/Tile/TileOps.h.inc"

#endif // TILEWRIGHT_DIALECTS_TILE_TILE_H
