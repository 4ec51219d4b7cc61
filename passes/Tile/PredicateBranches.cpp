// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If conversion: what a branch in a loop loads and computes of it is done under
// a mask, on either way, so that the load can run ahead like any other of the
// loop (`if i > 0: h = tl.load(p - step)`, a latency in each iteration). In
// functions that reductions and scans combine by, where all lanes take the same
// way, there may be no branches at all. And where a branch outside of loops
// chooses between a load and a constant, what masks leave out is the constant.

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Tile/MaskedLoads.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_PREDICATEBRANCHES
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// What branches may hold to be worth doing in vain: elements of a tile (16
/// bytes a thread of four warps, f16), so that copies ahead of the loop need
/// little memory; and ops, which are a few instructions each.
static constexpr int64_t mostElements = 1024;
static constexpr unsigned mostOps = 32;

static bool isSmall(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return !tile || tile.getNumElements() <= mostElements;
}

namespace {
struct Contents {
  unsigned ops = 0, loads = 0;
  /// Branches within, inner ones first.
  SmallVector<scf::IfOp> branches;
};
} // namespace

/// Adds what `branch`, and those in it, would do on either way; false where one
/// of its ops must not be done in vain.
static bool count(scf::IfOp branch, Contents &contents) {
  for (Block *block : {branch.thenBlock(), branch.elseBlock()})
    for (Operation &op : block->without_terminator()) {
      auto inner = dyn_cast<scf::IfOp>(op);
      bool isLoad(getPlainLoad(&op));
      if (!llvm::all_of(op.getResultTypes(), isSmall) ||
          !(isLoad || isCheap(&op) ||
            (inner && inner.getNumResults() && count(inner, contents))))
        return false;
      contents.loads += isLoad;
      ++contents.ops;
    }
  contents.branches.push_back(branch);
  return true;
}

/// Whether `op` combines elements by what its region computes of scalars.
static bool combines(Operation *op) {
  return !isa<RegionBranchOpInterface, FunctionOpInterface>(op) &&
         !isElementwise(op);
}

/// The constant that `value` is; null where it is none.
static TypedAttr getConstant(Value value) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant))
             ? dyn_cast<TypedAttr>(constant)
             : TypedAttr();
}

/// The load in `block` that gives `loaded`, if it may give `otherwise`, a
/// constant, where it is masked out.
static tt::LoadOp getLoadOr(Value otherwise, Value loaded, Block *block) {
  Operation *op = loaded.getDefiningOp();
  tt::LoadOp load =
      op && op->getBlock() == block ? getPlainLoad(op) : tt::LoadOp();
  TypedAttr constant = getConstant(otherwise);
  bool mayBe = load && constant &&
               (!load.getOther() || getConstant(load.getOther()) == constant);
  return mayBe ? load : tt::LoadOp();
}

/// The same for the result of `branch` that is `onTrue` or `onFalse`.
static tt::LoadOp getLoadOrConstant(scf::IfOp branch, Value onTrue,
                                    Value onFalse) {
  tt::LoadOp load = getLoadOr(onFalse, onTrue, branch.thenBlock());
  return load ? load : getLoadOr(onTrue, onFalse, branch.elseBlock());
}

/// Pairs of what `branch` gives where its condition is true, and is false.
static auto zipResults(scf::IfOp branch) {
  return llvm::zip_equal(branch.thenYield().getOperands(),
                         branch.elseYield().getOperands());
}

/// Whether `branch` does no more than choose tiles of any size, each a load or
/// a constant: as a mask that costs nothing. A merge of blocks holds the whole
/// tile in registers, and waits for it: with an operand of 128 x 32 elements
/// that eight warps would load step by step, Mamba 2's chunks take 88 registers
/// for 63.
static bool choosesLoads(scf::IfOp branch) {
  unsigned ops = 0;
  for (Block *block : {branch.thenBlock(), branch.elseBlock()})
    for (Operation &op : block->without_terminator()) {
      ++ops;
      bool isYielded =
          llvm::is_contained(op.getUsers(), block->getTerminator());
      if (!(getPlainLoad(&op) ? isYielded : isCheap(&op)))
        return false;
    }
  return ops <= mostOps &&
         llvm::all_of(branch.getResultTypes(),
                      llvm::IsaPred<RankedTensorType>) &&
         llvm::all_of(zipResults(branch), [&](auto values) {
           return getLoadOrConstant(branch, std::get<0>(values),
                                    std::get<1>(values));
         });
}

/// `branch` and those in it, inner ones first, where they can be done under
/// masks, and that is needed or loads something; else none.
static SmallVector<scf::IfOp> findPredicable(scf::IfOp branch) {
  Contents contents;
  Operation *parent = branch->getParentOp();
  bool isNeeded = combines(parent);
  if (branch.getNumResults() &&
      (isNeeded || isa<LoopLikeOpInterface>(parent)) &&
      count(branch, contents) &&
      (isNeeded || (contents.loads && contents.ops <= mostOps)))
    return contents.branches;
  if (branch.getNumResults() &&
      !branch->getParentOfType<LoopLikeOpInterface>() && choosesLoads(branch))
    return {branch};
  return {};
}

/// Diagnoses `op`, a loop or a branch that is left, where none may be.
static LogicalResult verifyLeft(Operation *op) {
  Operation *parent = op->getParentOp();
  if (!isa<RegionBranchOpInterface>(op) || !combines(parent))
    return success();
  return op->emitOpError("expects a region of ")
         << parent->getName()
         << " to compute without loops, and without branches that store or "
            "divide, but got this one; arith.select chooses between values";
}

/// Has the result that is `onTrue` or `onFalse` be what a load gives under its
/// mask; null where it takes a choice.
static Value chooseByMask(scf::IfOp branch, Value onTrue, Value onFalse,
                          IRRewriter &rewriter) {
  tt::LoadOp load = getLoadOrConstant(branch, onTrue, onFalse);
  if (!load)
    return {};
  if (!load.getOther()) {
    rewriter.setInsertionPoint(load);
    Value other = arith::ConstantOp::create(
        rewriter, load.getLoc(),
        getConstant(load.getResult() == onTrue ? onFalse : onTrue));
    rewriter.modifyOpInPlace(load,
                             [&] { load.getOtherMutable().assign(other); });
  }
  return load.getResult();
}

static SmallVector<Operation *> listOps(Block *block) {
  return llvm::map_to_vector(block->without_terminator(),
                             [](Operation &op) { return &op; });
}

static void predicate(scf::IfOp branch, IRRewriter &rewriter) {
  Location location = branch.getLoc();
  Value condition = branch.getCondition();
  SmallVector<Value> results;
  for (auto [onTrue, onFalse] : zipResults(branch))
    results.push_back(chooseByMask(branch, onTrue, onFalse, rewriter));
  Value opposite = getConditionOf(branch, branch.elseBlock(), rewriter);
  moveBefore(branch, listOps(branch.thenBlock()), condition, rewriter);
  moveBefore(branch, listOps(branch.elseBlock()), opposite, rewriter);
  rewriter.setInsertionPoint(branch);
  for (auto [result, values] : llvm::zip_equal(results, zipResults(branch)))
    if (!result)
      result =
          arith::SelectOp::create(rewriter, location, condition,
                                  std::get<0>(values), std::get<1>(values));
  rewriter.replaceOp(branch, results);
}

namespace {

struct PredicateBranches
    : tile::impl::PredicateBranchesBase<PredicateBranches> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> branches;
    getOperation().walk([&](scf::IfOp branch) {
      llvm::append_range(branches, findPredicable(branch));
    });
    IRRewriter rewriter(&getContext());
    for (scf::IfOp branch : branches)
      predicate(branch, rewriter);
    WalkResult left = getOperation().walk(
        [](Operation *op) { return WalkResult(verifyLeft(op)); });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
