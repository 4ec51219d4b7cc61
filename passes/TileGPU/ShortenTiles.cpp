// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the tiles that live at one op exceed shared memory, stores those that
// threads have in registers anew before each of their readers. A tile is stored
// where it is made, once for all readers, which costs least as long as there is
// room for it all the time; this pass gives that up for the tiles that are
// merely held at the fullest op, the largest first. A program whose products
// have two operands each then needs room for two of them, however many products
// it has.

#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/SharedAccess.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_SHORTENTILES
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// A tile that threads store once, from registers.
struct StoredTile {
  LocalAllocOp allocation;
  /// What stores it; null where the allocation does.
  LocalStoreOp store;
  SmallVector<Operation *> views, readers;
};

/// The tiles of a function, as long as too many of them live at an op.
class Shortening {
public:
  Shortening(FunctionOpInterface function, const target::Target &target)
      : function(function), target(target), dominance(function) {}
  /// Whether there was anything to shorten at an op that has no room.
  bool shortenOne();

private:
  Operation *findFullest(const SharedLiveness &liveness);
  bool hasRoom(ConvertLayoutOp conversion,
               const SharedLiveness &liveness) const;
  std::optional<StoredTile> match(LocalAllocOp allocation,
                                  Operation *fullest) const;
  Value storeFor(OpBuilder &builder, const StoredTile &tile, Value operand);
  void storeBeforeReaders(const StoredTile &tile);

  FunctionOpInterface function;
  const target::Target &target;
  DominanceInfo dominance;
  /// Allocations right before their one reader: they get no shorter.
  llvm::SmallPtrSet<Operation *, 8> shortened;
};

struct ShortenTiles : tilegpu::impl::ShortenTilesBase<ShortenTiles> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const target::Target *target = requireTarget(module);
    if (!target)
      return signalPassFailure();
    for (auto function : module.getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      Shortening shortening(function, *target);
      while (shortening.shortenOne()) {
      }
    }
  }
};

} // namespace

/// Whether some way to carry out the conversion finds the shared memory that it
/// takes.
bool Shortening::hasRoom(ConvertLayoutOp conversion,
                         const SharedLiveness &liveness) const {
  auto from = cast<RankedTensorType>(conversion.getSource().getType());
  auto to = cast<RankedTensorType>(conversion.getType());
  unsigned bits = getMemoryBits(to.getElementType());
  auto isPlanned = [&](int64_t freeBytes) {
    return !listPlansOf(conversion, toLinearLayout(from), toLinearLayout(to),
                        bits, target, freeBytes)
                .empty();
  };
  int64_t taken = liveness.getLiveBytes(conversion);
  return isPlanned(std::max<int64_t>(0, target.sharedMemoryLimit - taken)) ||
         !isPlanned(target.sharedMemoryLimit);
}

/// The op at which the tiles take more than there is, or leave a conversion too
/// little; null where there is none.
Operation *Shortening::findFullest(const SharedLiveness &liveness) {
  if (liveness.getPeakBytes() > target.sharedMemoryLimit)
    return liveness.getPeak();
  Operation *fullest = nullptr;
  function.walk([&](ConvertLayoutOp conversion) {
    // Elsewhere none can be short of room.
    if (4 * liveness.getLiveBytes(conversion) < target.sharedMemoryLimit ||
        hasRoom(conversion, liveness))
      return WalkResult::advance();
    fullest = conversion;
    return WalkResult::interrupt();
  });
  return fullest;
}

/// The tile, if it is stored from registers in one place, was not shortened
/// yet, and `fullest` is no access of it.
std::optional<StoredTile> Shortening::match(LocalAllocOp allocation,
                                            Operation *fullest) const {
  if (allocation == fullest || shortened.contains(allocation) ||
      allocation.getType().getBuffers() != 1)
    return std::nullopt;
  StoredTile tile{allocation, {}, {}, {}};
  for (Operation *user : listUsers(allocation)) {
    bool isView =
        llvm::any_of(user->getResultTypes(), llvm::IsaPred<MemDescType>);
    auto store = dyn_cast<LocalStoreOp>(user);
    if (user == fullest || user->hasTrait<OpTrait::IsTerminator>() ||
        user->getNumRegions() ||
        (store && (tile.store || allocation.getSource())))
      return std::nullopt;
    if (store)
      tile.store = store;
    else
      (isView ? tile.views : tile.readers).push_back(user);
  }
  bool isStored = allocation.getSource() || tile.store;
  bool reads = llvm::all_of(tile.readers, [&](Operation *reader) {
    bool writes = llvm::any_of(
        listSharedEffects(reader),
        [](const SharedOperand &operand) { return operand.isWrite; });
    return !writes &&
           (!tile.store || dominance.properlyDominates(tile.store, reader));
  });
  bool areViews = llvm::all_of(tile.views, [](Operation *view) {
    return isPure(view) && view->getNumResults() == 1;
  });
  // A store through a view, or tokens that order accesses, stay as they are.
  bool isPlain = !tile.store || (tile.store.getDestination() == allocation &&
                                 tile.store->use_empty());
  if (!isStored || !reads || !areViews || !isPlain)
    return std::nullopt;
  return tile;
}

/// A tile for `reader` alone, by the name that it has in `operand`.
Value Shortening::storeFor(OpBuilder &builder, const StoredTile &tile,
                           Value operand) {
  IRMapping mapping;
  LocalAllocOp allocation = tile.allocation;
  LocalStoreOp store = tile.store;
  if (operand != allocation.getResult()) {
    Operation *view = operand.getDefiningOp();
    mapping.map(view->getOperand(0),
                storeFor(builder, tile, view->getOperand(0)));
    return builder.clone(*view, mapping)->getResult(0);
  }
  Operation *made = builder.clone(*allocation);
  shortened.insert(made);
  if (store) {
    mapping.map(allocation.getResult(), made->getResult(0));
    builder.clone(*store, mapping);
  }
  return made->getResult(0);
}

/// Stores the tile anew before each reader.
void Shortening::storeBeforeReaders(const StoredTile &tile) {
  LocalAllocOp allocation = tile.allocation;
  llvm::SmallDenseSet<Value> names = {allocation.getResult()};
  for (Operation *view : tile.views)
    names.insert(view->getResult(0));
  for (Operation *reader : tile.readers) {
    OpBuilder builder(reader);
    llvm::SmallDenseMap<Value, Value> made;
    for (OpOperand &operand : reader->getOpOperands()) {
      if (!names.contains(operand.get()))
        continue;
      Value &own = made[operand.get()];
      if (!own)
        own = storeFor(builder, tile, operand.get());
      operand.set(own);
    }
  }
  auto options =
      remark::RemarkOpts::name("stored-anew").category("shared-memory");
  remark::missed(allocation.getLoc(), options)
      << "a tile is stored anew before each of its readers: with all tiles "
         "held, shared memory has no room";
  for (Operation *view : llvm::reverse(tile.views))
    view->erase();
  if (LocalStoreOp store = tile.store)
    store.erase();
  allocation.erase();
}

bool Shortening::shortenOne() {
  SharedLiveness liveness(function);
  Operation *fullest = findFullest(liveness);
  if (!fullest)
    return false;
  std::optional<StoredTile> largest;
  for (unsigned number : liveness.getLiveAt(fullest)) {
    LocalAllocOp allocation = liveness.getAllocations()[number];
    if (largest && allocation.getType().getSizeInBytes() <=
                       largest->allocation.getType().getSizeInBytes())
      continue;
    if (std::optional<StoredTile> tile = match(allocation, fullest))
      largest = std::move(tile);
  }
  if (largest)
    storeBeforeReaders(*largest);
  return largest.has_value();
}
