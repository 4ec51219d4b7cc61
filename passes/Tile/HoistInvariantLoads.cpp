// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves loads of the same numbers in each iteration out of loops that write
// nothing, with what is computed of them: MLIR's own motion leaves loads where
// they are. What a loop loads that may have no iteration is loaded under the
// condition that it has one.

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "passes/Tile/LoopUtils.h"
#include "passes/Tile/MaskedLoads.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_HOISTINVARIANTLOADS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Registers of a thread that tiles may take that a loop no longer loads.
static constexpr uint64_t mostRegisters = 32;

/// Bits of a thread's share of the value, at least.
static uint64_t countBits(Type type, unsigned threads) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = getElementTypeOrSelf(type);
  uint64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  uint64_t count = tensor ? tensor.getNumElements() : 1;
  return bits * llvm::divideCeil(count, threads);
}

/// Whether the loop has an iteration, said before `place`, which is in front of
/// it; null where it has one in any case.
static Value getCondition(scf::ForOp loop, Operation *place,
                          RewriterBase &rewriter) {
  if (std::optional<APInt> trips = loop.getStaticTripCount();
      trips && !trips->isZero())
    return {};
  rewriter.setInsertionPoint(place);
  return arith::CmpIOp::create(rewriter, loop.getLoc(),
                               loop.getUnsignedCmp()
                                   ? arith::CmpIPredicate::ult
                                   : arith::CmpIPredicate::slt,
                               loop.getLowerBound(), loop.getUpperBound());
}

/// Moves what may be moved out of `loop`, which writes nothing.
static void hoist(scf::ForOp loop, unsigned threads, IRRewriter &rewriter) {
  uint64_t left = 32 * mostRegisters;
  std::optional<Value> condition;
  moveLoopInvariantCode(
      loop.getLoopRegions(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [&](Operation *op, Region *) {
        if (op->getParentOp() != loop || op->getNumRegions())
          return false;
        if (!getPlainLoad(op))
          return isMemoryEffectFree(op) && isSpeculatable(op) &&
                 !mayDivideByZero(op);
        uint64_t bits = countBits(op->getResult(0).getType(), threads);
        if (bits > left)
          return false;
        left -= bits;
        return true;
      },
      [&](Operation *op, Region *) {
        loop.moveOutOfLoop(op);
        tt::LoadOp load = getPlainLoad(op);
        if (!load)
          return;
        if (!condition)
          condition = getCondition(loop, load, rewriter);
        if (*condition)
          addCondition(load, *condition, rewriter);
      });
}

namespace {
struct HoistInvariantLoads
    : tile::impl::HoistInvariantLoadsBase<HoistInvariantLoads> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Inner loops first: what leaves them may leave those around them.
    getOperation().walk([&](scf::ForOp loop) {
      if (!writesMemory(loop))
        hoist(loop, numWarps * target::Target::warpSize, rewriter);
    });
  }
};
} // namespace
