// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides where every tensor of a function is, and how every op is carried out.
//
// In: a function on tensors without encodings, with its axis analysis and
// target. Out: the option of each decision (LayoutDecisions.h) under which the
// ops and the ways between their placements cost least, all together, weighted
// by how often they run (ConversionPrices.h, ChoiceProblem.h). It changes no
// IR: the pass AssignLayouts applies the answer. Given a seed, for tests, it
// takes options at random, and some that nobody asked for among them.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTASSIGNMENT_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTASSIGNMENT_H

#include "passes/Analysis/ConversionPrices.h"
#include "passes/TileToTileGPU/ChoiceProblem.h"
#include "passes/TileToTileGPU/LayoutDecisions.h"

namespace tilewright::tilegpu {

class LayoutAssignment {
public:
  LayoutAssignment(tt::FuncOp function, const PlacementContext &context,
                   std::optional<uint64_t> seed = std::nullopt);

  /// Where a tensor value is; anywhere where it is free.
  Placement getPlacement(mlir::Value value) const;
  /// Its layout in registers; null where it is free, or elsewhere.
  RegisterLayoutInterface lookup(mlir::Value value) const {
    return getPlacement(value).getRegisters();
  }
  /// True if the value is computed anew in each layout that is asked for.
  bool isFree(mlir::Value value) const { return decisions.isFree(value); }
  /// Where `operand` must be.
  Placement getOperandPlacement(mlir::OpOperand &operand);
  /// Whether it costs less to rematerialize a value under `layout` from its
  /// op's operands than to convert it.
  bool isRematerialized(mlir::Value value, RegisterLayoutInterface layout);
  /// The layout of the merge that `operand` flows into; null where it flows
  /// into none.
  RegisterLayoutInterface getMergeLayout(mlir::OpOperand &operand) const;
  /// How `op` is carried out; null where nothing was to be decided.
  const Implementation *getImplementation(mlir::Operation *op) const;
  LayoutDecisions &getDecisions() { return decisions; }

private:
  /// What gives a value in a layout that is not its own.
  struct Way {
    uint64_t price = 0;
    bool rematerializes = false;
  };

  uint64_t priceOf(mlir::Operation *op, const Implementation &implementation);
  /// `source` under `layout`, which decision `user` reads where it has
  /// `option`. It is made once for all who read it.
  struct Conversion {
    mlir::Value source;
    RegisterLayoutInterface layout;
    unsigned user, option;
    uint64_t weight;
  };
  /// What one operand of a decision adds to the sum.
  struct OperandPrices {
    explicit OperandPrices(unsigned options) : computing(options, 0) {}
    /// Source decision -> a price for each pair of options, this decision's
    /// fastest: tiles in shared memory.
    llvm::MapVector<unsigned, std::vector<uint64_t>> edges;
    llvm::SmallVector<Conversion> conversions;
    /// What free ops on the way cost, for each option, and what reloads do.
    std::vector<uint64_t> computing;
  };
  void priceOperand(unsigned index, unsigned option, mlir::OpOperand &operand,
                    OperandPrices &operandPrices);
  void addEdge(mlir::Value source, mlir::Operation *user,
               const SharedPlacement &tile, unsigned option,
               OperandPrices &operandPrices);
  void addConversions(mlir::Value source,
                      llvm::ArrayRef<Conversion> conversions,
                      ChoiceProblem &problem);
  void solve();
  std::vector<unsigned> findCheapest();
  void nameMerges();
  void pickAtRandom(uint64_t seed);
  Way findWay(mlir::Value value, RegisterLayoutInterface layout,
              unsigned depth);
  std::optional<uint64_t> priceRematerializing(mlir::Value value,
                                               RegisterLayoutInterface layout,
                                               unsigned depth);
  uint64_t getDistance(mlir::Value source, mlir::Operation *user) const;
  uint64_t priceReloading(mlir::Value source, mlir::Operation *user,
                          RegisterLayoutInterface wanted) const;

  const target::Target &target;
  /// Registers of a thread that may hold tiles.
  unsigned registers;
  LayoutDecisions decisions;
  ConversionPrices prices;
  /// What ops cost; `decisions` keeps their implementations where they are.
  llvm::DenseMap<const Implementation *, uint64_t> opPrices;
  /// Loops in which not all tiles from outside can be held in registers.
  llvm::SmallDenseSet<mlir::Operation *> highPressureLoops;
  /// The option of each decision.
  std::vector<unsigned> chosen;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, Way> ways;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTASSIGNMENT_H
