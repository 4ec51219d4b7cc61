// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which arithmetic on 64 bits is done on 32. It changes no IR. Private to this
// folder.

#ifndef TILEWRIGHT_PASSES_TILE_NARROWINGPLAN_H
#define TILEWRIGHT_PASSES_TILE_NARROWINGPLAN_H

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Analysis/IntegerRanges.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright::tile {

/// Whether the type is i64 or a tile of i64.
bool isWideInteger(mlir::Type type);

/// Whether `op` is the same integers on more bits; null is not.
bool isExtension(mlir::Operation *op);

/// i32, or the tile of i32 with the shape of `wide`.
mlir::Type getNarrowType(mlir::Type wide);

/// min(max(difference, zero), limit), where difference is lhs - rhs, as signed
/// numbers, where zero is 0 and the limit a constant: how far a block reaches
/// into a tensor.
struct ClampedDifference {
  mlir::Value difference, lhs, rhs, zero, limit;
};

/// What `op` computes, if it is such a minimum.
std::optional<ClampedDifference> matchClampedDifference(mlir::Operation *op);

/// The ops of a function that are to work on 32 bits: those whose 64-bit form
/// gives the same numbers, as their ranges prove, and takes more instructions.
///
/// Arithmetic is always worth it, extensions of its results included. An op
/// that only moves elements takes no instructions: it is narrowed where others
/// need it so, and stays as it is beside that.
class NarrowingPlan {
public:
  /// Both must outlive the plan.
  NarrowingPlan(mlir::Operation *root, const IntegerRanges &ranges);

  /// The ops to rewrite, in the order of the IR: comparisons, conversions to
  /// floats, tt.addptr and loops in place, others by an op of another type.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return chosenInOrder; }

  /// The difference by which `op` is done instead of by its own kind, or null.
  const ClampedDifference *getClampedDifference(mlir::Operation *op) const {
    auto it = clamped.find(op);
    return it == clamped.end() ? nullptr : &it->second;
  }

  /// Whether the upper bound of a chosen loop may be less than 32 bits hold,
  /// and has to be taken for the lower one then.
  bool needsClampedBound(mlir::scf::ForOp loop) const {
    return clampedLoops.contains(loop);
  }

  /// Whether users that need 64 bits keep the op as it is, instead of taking an
  /// extension of the narrow result.
  static bool keepsWideForm(mlir::Operation *op);

  /// What the ranges prove of `op`, a sum, a difference, a product or a shift.
  mlir::arith::IntegerOverflowFlags
  getOverflowFlags(mlir::Operation *op) const {
    return flags.lookup(op);
  }

private:
  void classify(mlir::Operation *op);
  bool meets(mlir::Operation *op, const Narrowing &conditions) const;
  bool isNarrowable(mlir::Operation *op) const;
  bool isInPlaceChoice(mlir::Operation *op, const Narrowing &conditions) const;
  mlir::arith::IntegerOverflowFlags
  inferOverflowFlags(mlir::Operation *op) const;
  bool isExtended(mlir::Value value) const;
  bool isLoopNarrowable(mlir::scf::ForOp loop) const;
  void chooseLoop(mlir::scf::ForOp loop);
  void choose(mlir::Operation *op);
  void want(mlir::Operation *op);
  bool fits(mlir::Value value) const;
  bool isNonNegative(mlir::Value value) const;
  bool isBelow(mlir::Value amount, uint64_t bound) const;
  mlir::Value getMoved(mlir::Value value) const;

  const IntegerRanges &ranges;
  /// Ops whose result on 32 bits is right.
  llvm::DenseSet<mlir::Operation *> narrowable;
  llvm::DenseMap<mlir::Operation *, ClampedDifference> clamped;
  llvm::DenseSet<mlir::Operation *> clampedLoops;
  /// The induction variables of the loops that will count on 32 bits.
  llvm::DenseSet<mlir::Value> narrowIndices;
  /// Of the result of an op that moves elements: what it moves.
  llvm::DenseMap<mlir::Value, mlir::Value> moved;
  llvm::DenseMap<mlir::Operation *, mlir::arith::IntegerOverflowFlags> flags;
  /// Values that a chosen op needs on 32 bits.
  llvm::DenseSet<mlir::Value> wanted;
  llvm::SmallVector<mlir::Operation *> chosenInOrder;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_NARROWINGPLAN_H
