// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how each layout conversion moves its data, and makes those through
// shared memory explicit.

#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/ConversionRemarks.h"
#include "passes/TileGPU/LoopTiles.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/SharedTile.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PLANCONVERSIONS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::ConversionPlan;
using layout::LinearLayout;

namespace {

/// Diagnoses what a conversion between `source` and `result` cannot be made
/// for.
LogicalResult verifyConversion(ConvertLayoutOp op, const LinearLayout &source,
                               const LinearLayout &result) {
  for (Axis axis : {Axis(Axis::Lane), Axis(Axis::Warp)})
    if (source.inputBits(axis) != result.inputBits(axis))
      return op.emitOpError("expects source and result of as many ")
             << axis.name() << "s, but got " << (1u << source.inputBits(axis))
             << " and " << (1u << result.inputBits(axis));
  return success();
}

/// Diagnoses a conversion that has no plan.
LogicalResult diagnoseUnplanned(ConvertLayoutOp op, int64_t freeBytes) {
  auto type = cast<RankedTensorType>(op.getType());
  unsigned bits = getMemoryBits(type.getElementType());
  if (bits <= 64 && llvm::isPowerOf2_32(bits))
    return op.emitError("expects shared memory for the layout conversion of ")
           << type << ", but the tiles that live beside it leave " << freeBytes
           << " bytes; use smaller tiles or fewer stages";
  return op.emitOpError("expects elements of 8, 16, 32 or 64 bits in shared "
                        "memory, but got ")
         << type.getElementType();
}

/// Rewrites the conversion as a store and a load under `shared`; gives the
/// memory.
Value lowerToShared(ConvertLayoutOp op, const LinearLayout &shared) {
  IRRewriter rewriter(op);
  Value memory =
      createSharedTile(rewriter, op.getLoc(), op.getSource(), shared);
  rewriter.replaceOpWithNewOp<LocalLoadOp>(op, op.getType(), memory,
                                           /*token=*/Value());
  return memory;
}

/// Rewrites the conversion as one in rounds.
void lowerToRounds(ConvertLayoutOp op, const layout::RoundsPlan &plan) {
  IRRewriter rewriter(op);
  auto type = cast<RankedTensorType>(op.getType());
  auto encoding = SharedLinearAttr::get(op.getContext(), plan.shared);
  int64_t elements = type.getNumElements() >> plan.functionals.size();
  auto descriptor =
      MemDescType::get(op.getContext(), elements, type.getElementType(),
                       encoding, /*buffers=*/1, /*isMutable=*/true);
  Value scratch = LocalAllocOp::create(rewriter, op.getLoc(), descriptor,
                                       /*source=*/Value(),
                                       /*offset=*/IntegerAttr());
  SmallVector<int64_t> functionals(plan.functionals.begin(),
                                   plan.functionals.end());
  rewriter.replaceOpWithNewOp<ConvertInRoundsOp>(
      op, type, op.getSource(), scratch,
      rewriter.getDenseI64ArrayAttr(functionals));
}

//===----------------------------------------------------------------------===//
// Tiles that several conversions read
//===----------------------------------------------------------------------===//

/// The conversions of a function in their order, and what they have stored: a
/// later conversion of the same tensor may load from there.
class StoredTiles {
public:
  StoredTiles(FunctionOpInterface function, const target::Target &target)
      : budget(function, target) {
    // Memory of one conversion does not live where another one's does, so that
    // what is free at each of them is asked before any is planned.
    function.walk([&](ConvertLayoutOp op) {
      tiles.push_back({op, op.getSource(), op->getBlock(),
                       countTileBytes(op.getType()), budget.getFreeBytes(op),
                       Value()});
    });
  }

  size_t size() const { return tiles.size(); }
  /// The conversion, as long as it has not been rewritten.
  ConvertLayoutOp getOp(size_t index) const { return tiles[index].op; }
  int64_t getFreeBytes(size_t index) const { return tiles[index].freeBytes; }
  void insert(size_t index, Value memory) { tiles[index].memory = memory; }

  /// Memory in the block of conversion `index` that holds its source, if the
  /// conversions in between leave room for it; or null.
  Value lookup(size_t index) const {
    const Tile &tile = tiles[index];
    for (size_t earlier = index; earlier-- > 0;) {
      const Tile &other = tiles[earlier];
      if (other.memory && other.source == tile.source &&
          other.block == tile.block)
        return other.memory;
      if (other.bytes + tile.bytes > other.freeBytes)
        return {};
    }
    return {};
  }

  /// A tile behind conversion `index`, in its block, to which its source is
  /// stored for others, products by warp groups, if there is room for it from
  /// the conversion on; or null.
  LocalAllocOp lookupOperand(size_t index) const {
    ConvertLayoutOp op = getOp(index);
    // Another one than that at the start where that was a conversion too.
    for (Operation *user : op.getSource().getUsers()) {
      auto operand = dyn_cast<LocalAllocOp>(user);
      if (operand && operand->getBlock() == op->getBlock() &&
          op->isBeforeInBlock(operand) && hasRoom(operand, op))
        return operand;
    }
    return {};
  }

  /// Has the tile, which that has found, stand before conversion `index`.
  void advance(LocalAllocOp operand, size_t index) {
    operand->moveBefore(getOp(index));
    advancedBytes += operand.getType().getSizeInBytes();
  }

private:
  /// Whether the tile may live from `place` on, before it in its block, beside
  /// what does, what is converted, and others that have come earlier. What is
  /// behind a conversion that is being planned is as it was at the start.
  bool hasRoom(LocalAllocOp tile, Operation *place) const {
    int64_t own = tile.getType().getSizeInBytes() + advancedBytes;
    for (Operation *op = place; op != tile; op = op->getNextNode()) {
      WalkResult result = op->walk([&](Operation *inner) {
        auto conversion = dyn_cast<ConvertLayoutOp>(inner);
        int64_t bytes = conversion ? countTileBytes(conversion.getType()) : 0;
        return WalkResult(success(bytes + own <= budget.getFreeBytes(inner)));
      });
      if (result.wasInterrupted())
        return false;
    }
    return true;
  }

  struct Tile {
    ConvertLayoutOp op;
    Value source;
    Block *block;
    int64_t bytes, freeBytes;
    Value memory;
  };
  SharedMemoryBudget budget;
  SmallVector<Tile> tiles;
  /// Of tiles that have come to stand earlier than `budget` knows.
  int64_t advancedBytes = 0;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct PlanConversions : tilegpu::impl::PlanConversionsBase<PlanConversions> {
  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && failed(plan(function, *target)))
        return signalPassFailure();
  }

private:
  static LogicalResult plan(FunctionOpInterface function,
                            const target::Target &target) {
    StoredTiles tiles(function, target);
    for (size_t index = 0; index < tiles.size(); ++index)
      if (failed(plan(tiles, index, target)))
        return failure();
    return success();
  }

  static LogicalResult plan(StoredTiles &tiles, size_t index,
                            const target::Target &target) {
    ConvertLayoutOp op = tiles.getOp(index);
    int64_t freeBytes = tiles.getFreeBytes(index);
    auto resultType = cast<RankedTensorType>(op.getType());
    LinearLayout source =
        toLinearLayout(cast<RankedTensorType>(op.getSource().getType()));
    LinearLayout result = toLinearLayout(resultType);
    if (failed(verifyConversion(op, source, result)))
      return failure();
    unsigned bits = getMemoryBits(resultType.getElementType());
    std::vector<ConversionPlan> plans =
        listPlansOf(op, source, result, bits, target, freeBytes);
    if (plans.empty()) {
      assert(layout::classifyConversion(source, result) &&
             "a register layout holds every element");
      return diagnoseUnplanned(op, freeBytes);
    }
    Value memory = tiles.lookup(index);
    LocalAllocOp operand = memory ? LocalAllocOp() : tiles.lookupOperand(index);
    if (operand)
      memory = operand;
    if (memory && plans.front().means == layout::Means::Shared) {
      ConversionPlan load = layout::planLoadOf(
          cast<MemDescType>(memory.getType()).toLinearLayout(), source, result,
          bits, getConversionRules(target));
      if (load.price <= plans.front().price)
        plans.insert(plans.begin(), std::move(load));
    }
    remarkOnConversion(op, plans, freeBytes);
    const ConversionPlan &plan = plans.front();
    if (plan.isStored) {
      if (operand)
        tiles.advance(operand, index);
      IRRewriter rewriter(op);
      rewriter.replaceOpWithNewOp<LocalLoadOp>(op, op.getType(), memory,
                                               /*token=*/Value());
    } else if (plan.means == layout::Means::Shared) {
      tiles.insert(index, lowerToShared(op, plan.shared->shared));
    } else if (plan.means == layout::Means::Rounds) {
      lowerToRounds(op, *plan.rounds);
    } else {
      StringRef means = layout::meansName(plan.means);
      op->setAttr(meansAttrName, StringAttr::get(op.getContext(), means));
    }
    return success();
  }
};

} // namespace
