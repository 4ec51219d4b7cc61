// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes what a branch of a loop loads for products out of it, under a mask, so
// that it can be on its way while iterations before are computed: attention
// over the blocks that a map names loads keys and values behind the branch that
// asks the map. The products stay in the branch.

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Tile/LoopUtils.h"
#include "passes/Tile/MaskedLoads.h"
#include "passes/Tile/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_HOISTBRANCHLOADS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static bool hasProducts(Block *block) {
  return block &&
         llvm::any_of(*block, llvm::IsaPred<tt::DotOp, tt::DotScaledOp>);
}

static bool hasLoads(Block *block) {
  return block && llvm::any_of(*block, llvm::IsaPred<tt::LoadOp>);
}

/// The loads of `block`, up to what may write memory, and what they need that
/// is cheap, in order.
static SmallVector<Operation *> findLoads(Block *block) {
  llvm::SetVector<Operation *> movable;
  for (Operation &op : block->without_terminator()) {
    if (writesMemory(&op))
      break;
    bool hasOperands = llvm::all_of(op.getOperands(), [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return !source || source->getBlock() != block || movable.contains(source);
    });
    if (hasOperands && (getPlainLoad(&op) || isCheap(&op)))
      movable.insert(&op);
  }
  llvm::SmallDenseSet<Operation *> needed;
  for (Operation *op : llvm::reverse(movable.getArrayRef()))
    if (getPlainLoad(op) || llvm::any_of(op->getUsers(), [&](Operation *user) {
          return needed.contains(user);
        }))
      needed.insert(op);
  movable.remove_if([&](Operation *op) { return !needed.contains(op); });
  return movable.takeVector();
}

namespace {

struct HoistBranchLoads : tile::impl::HoistBranchLoadsBase<HoistBranchLoads> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](scf::IfOp branch) {
      auto loop = dyn_cast<scf::ForOp>(branch->getParentOp());
      if (!loop || tt::getWantedStages(loop, numStages) < 2)
        return;
      Block *taken = branch.thenBlock(), *other = branch.elseBlock();
      if (!hasProducts(taken))
        std::swap(taken, other);
      if (!hasProducts(taken) || hasProducts(other) || hasLoads(other))
        return;
      if (SmallVector<Operation *> loads = findLoads(taken); !loads.empty())
        moveBefore(branch, loads, getConditionOf(branch, taken, rewriter),
                   rewriter);
    });
  }
};

} // namespace
