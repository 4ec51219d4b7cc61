// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/HighPressureLoops.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/Analysis/RegisterPressure.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static unsigned countRegistersOf(Value tensor, RegisterLayoutInterface layout) {
  return countTileRegisters(cast<RankedTensorType>(tensor.getType()), layout);
}

namespace {
/// What one loop holds.
struct LoopTiles {
  /// Registers of the tiles that it carries, and those that it uses and leaves
  /// as they are.
  unsigned carried = 0, invariant = 0;
  /// Those that the operands of one product take besides, at most.
  unsigned operands = 0;
  /// The tiles from outside, in the layouts that are asked for.
  llvm::SmallDenseSet<std::pair<Value, Attribute>> outside;
};
} // namespace

static void visitLoopsAround(Operation *op,
                             llvm::function_ref<void(Operation *)> visit) {
  for (; op; op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      visit(op);
}

static bool isInside(Value value, Operation *loop) {
  return loop->isAncestor(value.getParentRegion()->getParentOp());
}

llvm::SmallDenseSet<Operation *>
tilegpu::findHighPressureLoops(LayoutDecisions &decisions,
                               ArrayRef<unsigned> chosen, unsigned limit) {
  llvm::MapVector<Operation *, LoopTiles> loops;
  for (auto [decision, option] : llvm::zip_equal(decisions.get(), chosen)) {
    for (Value value : decision.values)
      if (auto argument = dyn_cast<BlockArgument>(value);
          argument && !decision.op &&
          isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp()))
        loops[argument.getOwner()->getParentOp()].carried += countRegistersOf(
            value, decisions.getValueLayout(decision, option, value));
    if (!decision.op)
      continue;
    llvm::SmallDenseMap<Operation *, unsigned> operands;
    for (OpOperand *operand : decision.operands) {
      RegisterLayoutInterface layout =
          decisions.getOperandLayout(decision, option, *operand);
      if (!layout)
        continue;
      bool isFactor =
          isa<tt::DotOp>(decision.op) && operand->getOperandNumber() < 2;
      decisions.visitSources(
          operand->get(), layout,
          [&](Value source, RegisterLayoutInterface wanted) {
            unsigned registers = countRegistersOf(source, wanted);
            visitLoopsAround(decision.op, [&](Operation *loop) {
              LoopTiles &tiles = loops[loop];
              if (isInside(source, loop))
                operands[loop] += isFactor ? registers : 0;
              else if (tiles.outside.insert({source, wanted}).second)
                tiles.invariant += registers;
            });
          },
          [](Operation *, RegisterLayoutInterface) {});
    }
    for (auto [loop, registers] : operands)
      loops[loop].operands = std::max(loops[loop].operands, registers);
  }
  llvm::SmallDenseSet<Operation *> highPressureLoops;
  for (const auto &[loop, tiles] : loops) {
    unsigned sum = tiles.invariant + tiles.operands;
    // What loops around it carry lives on meanwhile.
    visitLoopsAround(
        loop, [&](Operation *around) { sum += loops.lookup(around).carried; });
    if (sum > limit)
      highPressureLoops.insert(loop);
  }
  return highPressureLoops;
}
