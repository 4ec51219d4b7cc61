// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides a layout for every tensor of a function.
//
// In: a function on tensors without encodings, with its axis analysis and
// target. Out: for each tensor value either one layout, or "free": cheap enough
// to be computed again in whatever layout its users ask for. It changes no IR:
// the pass AssignLayouts applies the answer.
//
// Values that come together (the initial value, argument, yielded value and
// result of a loop; the arguments of a block) are one merge with one layout.
// Layouts start at anchors (loads, dots) and flow forward to a fixpoint; an op
// of several operands takes the layout of the operand that carries most data;
// merges that nothing reaches take what their users ask.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTASSIGNMENT_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTASSIGNMENT_H

#include "passes/TileToTileGPU/DotChoice.h"
#include "passes/TileToTileGPU/LayoutAnchors.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::tilegpu {

class LayoutAssignment {
public:
  LayoutAssignment(tt::FuncOp function, const AxisAnalysis &axes,
                   const target::Target &target, unsigned numWarps);

  /// The layout of a tensor value, or null where it is free.
  RegisterLayoutInterface lookup(mlir::Value value) const;
  /// True if the value is computed anew in each layout that is asked for.
  bool isFree(mlir::Value value) const;
  /// How a dot of the function is computed.
  const DotChoice &getDotChoice(tt::DotOp dot) const;
  const target::Target &getTarget() const { return target; }
  /// The layout under which a memory access is coalesced.
  RegisterLayoutInterface getAccessLayout(mlir::Operation *op) const;

private:
  /// Values that must have one layout: `members` are block arguments and
  /// results, `incoming` the values that flow into them.
  struct Merge {
    llvm::SmallVector<mlir::Value> members;
    llvm::SmallVector<mlir::Value> incoming;
  };
  /// What is known of a value: nothing yet, free, or a layout.
  struct Label {
    RegisterLayoutInterface layout;
    /// Bytes of memory or arithmetic behind the value: who wins.
    int64_t weight = 0;
    bool free = false;
    bool known() const { return free || layout; }
  };

  void collectMerges();
  void addMerge(Merge merge);
  void propagate();
  bool propagateThrough(mlir::Operation *op, bool acceptUnknown);
  bool propagateMerges();
  Label labelUniform(mlir::Operation *op, bool acceptUnknown);
  Label labelRenaming(mlir::Operation *op);
  bool labelReduction(tt::ReduceOp op);
  bool labelSplit(tt::SplitOp op);
  Label labelScan(tt::ScanOp op);
  Label labelGather(tt::GatherOp op);
  bool setLabel(mlir::Value value, Label label);
  void settleOneUnknown();
  RegisterLayoutInterface findDemand(mlir::Value value);
  RegisterLayoutInterface getDefault(mlir::Value value) const;
  Label labelOf(mlir::Value value) const;

  tt::FuncOp function;
  const AxisAnalysis &axes;
  const target::Target &target;
  unsigned numWarps;
  llvm::DenseMap<mlir::Value, Label> labels;
  llvm::SmallVector<Merge> merges;
  llvm::DenseMap<mlir::Value, unsigned> mergeOf;
  llvm::DenseMap<mlir::Operation *, DotChoice> dots;
  llvm::DenseMap<mlir::Operation *, RegisterLayoutInterface> accesses;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTASSIGNMENT_H
