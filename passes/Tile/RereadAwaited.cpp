// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that only another program can end, by what it writes: their loads read
// memory in each iteration.

#include "dialects/Triton/Triton.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_REREADAWAITED
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

/// Whether `value` follows from what is defined outside of `loop` and from
/// memory alone.
static bool isOfMemory(Value value, scf::WhileOp loop) {
  auto isInLoop = [&](Block *block) {
    return loop->isAncestor(block->getParentOp());
  };
  if (!isInLoop(value.getParentBlock()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *each) { return isInLoop(each->getBlock()); };
  if (failed(getBackwardSlice(op, &slice, options)))
    return false;
  return llvm::all_of(slice, [&](Operation *each) {
    return each->getNumRegions() == 0 &&
           llvm::none_of(each->getOperands(), [&](Value operand) {
             return isa<BlockArgument>(operand) &&
                    isInLoop(operand.getParentBlock());
           });
  });
}

/// Whether the loop carries the same values from iteration to iteration, but
/// for what it has read.
static bool waitsForMemory(scf::WhileOp loop) {
  for (auto [argument, next] : llvm::zip_equal(
           loop.getBeforeArguments(), loop.getYieldOp().getOperands())) {
    if (auto passed = dyn_cast<BlockArgument>(next);
        passed && passed.getOwner() == loop.getAfterBody())
      next = loop.getConditionOp().getArgs()[passed.getArgNumber()];
    if (next != argument && !isOfMemory(next, loop))
      return false;
  }
  return true;
}

namespace {

struct RereadAwaited : tile::impl::RereadAwaitedBase<RereadAwaited> {
  void runOnOperation() override {
    getOperation().walk([](scf::WhileOp loop) {
      if (waitsForMemory(loop))
        loop.walk([](tt::LoadOp load) {
          if (!load.mustReread())
            load.setIsVolatile(true);
        });
    });
  }
};

} // namespace
