// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by warp groups under the arithmetic of the next iteration. Private
// to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_LATEPRODUCTS_H
#define TILEWRIGHT_PASSES_TILEGPU_LATEPRODUCTS_H

#include "passes/TileGPU/EarlyOps.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// The products of a loop that may run a stage behind the arithmetic that makes
/// their operands: of attention, O += P V while the next scores are on their
/// way to be P. What they read is in tiles of the body's copies, in tiles that
/// the loop leaves as they are, or in registers, which go from one step to the
/// next; their sums are needed by the next iteration at the earliest, and by no
/// product that makes their operands there.
class LateProducts {
public:
  /// `early`: the copies of the body, and what they need. Changes nothing.
  LateProducts(mlir::scf::ForOp loop, const EarlyOps &early);

  /// Whether no product may be late, or none would have anything to hide.
  bool empty() const { return products.empty(); }

  /// The tiles of copies that late products read.
  llvm::SetVector<mlir::Value> findTiles() const;
  /// Whether nothing else reads `tile`, of a copy, so that it may come a stage
  /// later.
  bool isAllThatReads(mlir::Value tile) const;

  /// Registers of a thread that hold operands of late products while those of
  /// the next iteration are made.
  unsigned countHeldRegisters() const;

  /// Gives the ops that are not early their times, from `order` on: late
  /// products and what takes their sums in stage `last`, all else in the stage
  /// before. In a step: the products that wait for no other; the late ones of
  /// the iteration before; the copies, by `scheduleCopies`, which counts
  /// `order` up; the arithmetic, which takes the former products and runs under
  /// the latter; the wait for these; what takes their sums. Ops that have a
  /// time keep it.
  void schedule(int last, int &order,
                llvm::function_ref<void()> scheduleCopies);

private:
  /// A late product.
  struct Product {
    WgmmaOp wgmma;
    /// The product, and what gives it its sums and views of its tiles.
    llvm::SetVector<mlir::Operation *> issued = {};
    /// Its wait, and all that takes its sums within the iteration.
    llvm::SetVector<mlir::Operation *> behind = {};
    /// What it reads of the iteration's own values in registers, and what makes
    /// that behind the wait for the product of the iteration before.
    mlir::Value operand = {};
    llvm::SetVector<mlir::Operation *> narrowing = {};
  };
  using OpSet = llvm::SetVector<mlir::Operation *>;

  bool mayRunAhead(mlir::Operation *op) const;
  std::optional<Product> match(WgmmaOp wgmma) const;
  bool findIssued(Product &product) const;
  bool findNarrowing(Product &product) const;
  bool findMemory(mlir::Value descriptor, Product &product) const;
  bool findBehind(Product &product) const;
  bool isLate(mlir::Operation *op) const;
  OpSet findNeeding(const Product &product) const;
  bool isIndependent(const Product &product) const;
  void keepIndependent();
  OpSet findFirst() const;
  void separateIssued();
  void addFeeding(const OpSet &needing, OpSet &issued) const;

  mlir::scf::ForOp loop;
  mlir::Block *body;
  const EarlyOps &early;
  llvm::SmallVector<Product> products;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_LATEPRODUCTS_H
