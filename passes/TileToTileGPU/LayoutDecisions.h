// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has to be decided to give every tensor of a function a layout.
//
// In: a function on tensors without encodings. Out: decisions, each with the
// implementations that it may take: where its operands and results are then. A
// decision is an op that computes, loads or stores tensors, or a merge: values
// that come together (the initial value, argument, yielded value and result of
// a loop; the arguments of a block) and so have one layout. Other values are
// free: cheap enough to be computed again in whatever layout is asked for
// (splats, ranges, index arithmetic, broadcasts).
//
// Options start at the ops that ask for implementations by themselves
// (coalesced accesses, dots) and spread over the graph, nearest first, along
// results and operands. What they are and cost the ops say
// (PlacementOpInterface).

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTDECISIONS_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTDECISIONS_H

#include "dialects/TileGPU/Placement/Placement.h"
#include "dialects/Triton/Triton.h"
#include "passes/Analysis/BlockFrequency.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <random>

namespace tilewright::tilegpu {

/// Whether `op` is a pure elementwise op that costs no more than moving its
/// elements, so that it may run again in another layout.
bool isCheapElementwise(mlir::Operation *op);

/// One decision.
struct LayoutDecision {
  /// The op; null for a merge.
  mlir::Operation *op = nullptr;
  /// The values that it gives a layout: results, or members of the merge.
  llvm::SmallVector<mlir::Value> values;
  /// What flows in: the op's tensors, or what enters the merge.
  llvm::SmallVector<mlir::OpOperand *> operands;
  /// What there is to choose from. Of a merge only the layout counts.
  llvm::SmallVector<Implementation> options;
};

class LayoutDecisions {
public:
  LayoutDecisions(tt::FuncOp function, const PlacementContext &context);

  /// Adds random layouts to the options, for tests.
  void addRandomOptions(std::mt19937_64 &random);

  llvm::ArrayRef<LayoutDecision> get() const { return decisions; }
  /// Has `option` of a merge say `layout`, another encoding of the same map.
  void renameMerge(unsigned decision, unsigned option,
                   RegisterLayoutInterface layout) {
    assert(!decisions[decision].op && "an op's encodings are its own");
    decisions[decision].options[option].layout = layout;
  }
  const PlacementContext &getContext() const { return context; }
  /// The decision about a value, or about an op without tensor results; none
  /// where it is free or takes any layout.
  std::optional<unsigned> lookup(mlir::Value value) const;
  std::optional<unsigned> lookup(mlir::Operation *op) const;
  /// The merge that an operand flows into.
  std::optional<unsigned> lookupMerge(mlir::OpOperand &operand) const;
  bool isFree(mlir::Value value) const { return freeValues.contains(value); }
  /// The layout in which `value` is made where it is free and nobody wants it
  /// in registers.
  RegisterLayoutInterface getDefaultLayout(mlir::Value value) const;

  /// Where `value`, one of the decision's, is under `option`.
  Placement getValuePlacement(const LayoutDecision &decision, unsigned option,
                              mlir::Value value) const;
  /// Its layout in registers; null where it is elsewhere.
  RegisterLayoutInterface getValueLayout(const LayoutDecision &decision,
                                         unsigned option,
                                         mlir::Value value) const {
    return getValuePlacement(decision, option, value).getRegisters();
  }
  /// Where `operand` must be under `option`.
  Placement getOperandPlacement(const LayoutDecision &decision, unsigned option,
                                mlir::OpOperand &operand) const;
  /// Its layout in registers; null where it need not be there.
  RegisterLayoutInterface getOperandLayout(const LayoutDecision &decision,
                                           unsigned option,
                                           mlir::OpOperand &operand) const;
  /// The implementation of `op` under its own layout `layout`; null where it
  /// has none.
  const Implementation *implement(mlir::Operation *op,
                                  RegisterLayoutInterface layout);

  /// Looks through the free ops behind `value` that would be computed under
  /// `layout`: calls `decided` for each value with a decision and `computed`
  /// for each op, with the layout in which it is wanted.
  void visitSources(
      mlir::Value value, RegisterLayoutInterface layout,
      llvm::function_ref<void(mlir::Value, RegisterLayoutInterface)> decided,
      llvm::function_ref<void(mlir::Operation *, RegisterLayoutInterface)>
          computed);

  /// The same, but what `seen` holds was visited before, and is not again.
  using SeenValues = llvm::DenseSet<std::pair<mlir::Value, mlir::Attribute>>;
  void visitNewSources(
      mlir::Value value, RegisterLayoutInterface layout, SeenValues &seen,
      llvm::function_ref<void(mlir::Value, RegisterLayoutInterface)> decided,
      llvm::function_ref<void(mlir::Operation *, RegisterLayoutInterface)>
          computed);

  /// How often `block` runs, roughly (BlockFrequency::get).
  uint64_t getWeight(mlir::Block *block) const { return frequency.get(block); }

private:
  void collectMerges();
  void addMerge(LayoutDecision merge);
  void collectOps();
  void markFree(mlir::Operation *op);
  void addListed();
  void spread();
  void spreadBackward(unsigned decision, unsigned option);
  void spreadForward(mlir::Value value, RegisterLayoutInterface layout);
  void addOption(unsigned decision, RegisterLayoutInterface layout);
  void addShared(mlir::Value value, const SharedPlacement &demand);
  void addCopy(mlir::Value value, RegisterLayoutInterface wanted);
  std::optional<Implementation>
  implementInSharedMemory(mlir::Value value,
                          const SharedPlacement &demand) const;
  bool isKnown(const LayoutDecision &decision,
               RegisterLayoutInterface layout) const;
  void propose(mlir::Value value, RegisterLayoutInterface layout);
  RegisterLayoutInterface makeDefault(const LayoutDecision &decision) const;
  mlir::RankedTensorType getType(const LayoutDecision &decision) const;

  tt::FuncOp function;
  BlockFrequency frequency;
  PlacementContext context;
  std::vector<LayoutDecision> decisions;
  llvm::DenseMap<mlir::Value, unsigned> decisionOfValue;
  llvm::DenseMap<mlir::Operation *, unsigned> decisionOfOp;
  llvm::DenseMap<mlir::OpOperand *, unsigned> mergeOfOperand;
  llvm::DenseSet<mlir::Value> freeValues;
  /// Free values that come of scalars alone.
  llvm::DenseSet<mlir::Value> madeOfScalars;
  /// Options whose neighbours have not been offered theirs.
  llvm::SmallVector<std::pair<unsigned, unsigned>> pending;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Attribute>,
                 std::unique_ptr<Implementation>>
      implementations;
  /// Values with the layouts that were proposed for what is behind them: once
  /// more changes nothing.
  SeenValues proposed;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTDECISIONS_H
