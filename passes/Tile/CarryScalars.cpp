// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of integers to all of whose elements a loop adds the same number are
// what they begin with plus one number that the loop carries: positions of
// keys, say, which would take a register of each element through the loop.

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/Tile/Passes.h"
#include "passes/Tile/TileBuilder.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_CARRYSCALARS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// The number that all elements of `tile` are, made at the builder's place if
/// it is a constant; null where they differ.
static Value getNumber(OpBuilder &builder, Value tile) {
  if (auto splat = tile.getDefiningOp<tt::SplatOp>())
    return splat.getSrc();
  DenseElementsAttr elements;
  if (!matchPattern(tile, m_Constant(&elements)) || !elements.isSplat())
    return {};
  return arith::ConstantOp::create(builder, tile.getLoc(),
                                   elements.getSplatValue<TypedAttr>());
}

/// What each iteration adds to all elements of `carried`, whose value for the
/// next one is `next`; null where it does something else.
static Value getStep(OpBuilder &builder, BlockArgument carried, Value next) {
  auto sum = next.getDefiningOp<arith::AddIOp>();
  if (!sum || !llvm::is_contained(sum->getOperands(), carried))
    return {};
  return getNumber(builder,
                   sum.getLhs() == carried ? sum.getRhs() : sum.getLhs());
}

static Value add(OpBuilder &builder, Location location, Value tile,
                 Value number) {
  TileBuilder tiles(builder, location);
  return arith::AddIOp::create(tiles.builder, tile,
                               tiles.splat(number, getShape(tile)));
}

/// Has the loop carry a number in the place of its carried value `index`, if
/// that is such a tile; the loop as it is then.
static scf::ForOp carryNumber(IRRewriter &rewriter, scf::ForOp loop,
                              unsigned index) {
  BlockArgument carried = loop.getRegionIterArg(index);
  auto type = dyn_cast<RankedTensorType>(carried.getType());
  if (!type || !type.getElementType().isInteger())
    return loop;
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  Value step = getStep(rewriter, carried, loop.getYieldedValues()[index]);
  if (!step)
    return loop;
  Location location = carried.getLoc();
  rewriter.setInsertionPoint(loop);
  Value zero = arith::ConstantOp::create(
      rewriter, location, rewriter.getZeroAttr(type.getElementType()));
  Value first = loop.getInitArgs()[index];
  auto addStep = [&](OpBuilder &builder, Location at,
                     ArrayRef<BlockArgument> distance) -> SmallVector<Value> {
    return {arith::AddIOp::create(builder, at, distance.front(), step)};
  };
  FailureOr<LoopLikeOpInterface> made = loop.replaceWithAdditionalYields(
      rewriter, zero, /*replaceInitOperandUsesInLoop=*/false, addStep);
  if (failed(made))
    return loop;
  auto next = cast<scf::ForOp>(made->getOperation());
  carried = next.getRegionIterArg(index);
  rewriter.setInsertionPointToStart(next.getBody());
  rewriter.replaceAllUsesWith(
      carried, add(rewriter, location, first, next.getRegionIterArgs().back()));
  // Nothing takes it now but the next iteration.
  next.getBody()->getTerminator()->setOperand(index, carried);
  rewriter.setInsertionPointAfter(next);
  Value result = next.getResult(index);
  if (!result.use_empty())
    rewriter.replaceAllUsesWith(
        result, add(rewriter, location, first, next.getResults().back()));
  return next;
}

namespace {
struct CarryScalars : tile::impl::CarryScalarsBase<CarryScalars> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      for (unsigned index = 0, end = loop.getNumRegionIterArgs(); index < end;
           ++index)
        loop = carryNumber(rewriter, loop, index);
  }
};
} // namespace
