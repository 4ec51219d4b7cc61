// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores of tiles that are boxes of strided tensors, and change threads on the
// way to memory, become bulk stores: by way of shared memory they go anyhow,
// and from there the asynchronous proxy takes them, while the threads go on.

#include "dialects/Target/Target.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/BoxTiles.h"
#include "passes/TileGPU/LoopMemory.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/UnconvertedTiles.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_BULKSTORES
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

//===----------------------------------------------------------------------===//
// Which stores
//===----------------------------------------------------------------------===//

namespace {
/// A store, and the box that it writes.
struct BoxStore {
  tt::StoreOp store;
  /// What its value was converted from.
  Attribute layout;
  /// Of the value in shared memory.
  MemDescType tile;
  StridedBox box;
  /// The outermost loop around it, of its agent; null outside of loops, and
  /// where shared memory has no room for the tile throughout.
  Operation *loop = nullptr;
};
} // namespace

/// Whether the loop around `store` multiplies in the same block. Its iterations
/// wait for such stores and for each other (states of chunks), and what is
/// stored is in shared memory for the next product anyhow: a tile of its own
/// would be one more to store, with a fence and two barriers.
static bool isBesideProducts(tt::StoreOp store) {
  return isa<LoopLikeOpInterface>(store->getParentOp()) &&
         !store->getBlock()->getOps<WgmmaOp>().empty();
}

/// Nothing where bulk stores cannot do what `store` does, or would not be
/// better.
static std::optional<BoxStore> findBox(tt::StoreOp store, StridedBoxes &boxes,
                                       const target::Target &target) {
  auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
  bool isPlain = store.getCache() == tt::CacheModifier::NONE &&
                 store.getEvict() == tt::EvictionPolicy::NORMAL &&
                 !isBesideProducts(store);
  Attribute layout = type && isPlain
                         ? findUnconvertedLayout(store.getValue(), target)
                         : Attribute();
  if (!layout)
    return std::nullopt;
  for (unsigned inner = type.getRank(); inner-- > 0;) {
    MemDescType tile =
        arrangeForBoxes(type.getShape(), type.getElementType(), inner);
    if (!tile)
      continue;
    auto box = boxes.find(store.getPtr(), store.getMask(),
                          cast<SharedNvmmaAttr>(tile.getEncoding()).getOrder());
    if (box && boxes.isKnownAt(store, *box) &&
        boxes.canStore(*box, tile.getElementBits() / 8))
      return BoxStore{store, layout, tile, std::move(*box)};
  }
  return std::nullopt;
}

/// Whether two boxes of one tensor have no element in common: in a dimension
/// they begin further apart than they are wide.
static bool areApart(const StridedBox &a, const StridedBox &b) {
  if (a.dimensions.size() != b.dimensions.size())
    return false;
  bool isApart = false;
  for (auto [of, other] : llvm::zip_equal(a.dimensions, b.dimensions)) {
    if (of.stride != other.stride || of.box != other.box)
      return false;
    std::optional<int64_t> distance = (of.begin - other.begin).getConstant();
    isApart |= distance && std::abs(*distance) >= of.box;
  }
  return isApart;
}

/// Whether what `of` writes in an iteration no other of the stores writes in
/// it, as far as they are of one tensor: the proxy's writes are in no order.
static bool isApartFromOthers(const BoxStore &of, ArrayRef<BoxStore> stores) {
  return llvm::all_of(stores, [&](const BoxStore &other) {
    bool isOther = other.box.base == of.box.base && other.store != of.store;
    return !isOther || (other.store->getBlock() == of.store->getBlock() &&
                        areApart(other.box, of.box));
  });
}

/// The integers that must not be negative for the bulk copies of the function:
/// of no others a launch is asked it for the sake of stores.
static llvm::SmallPtrSet<Value, 4>
collectNonNegative(FunctionOpInterface function) {
  llvm::SmallPtrSet<Value, 4> numbers;
  function.walk(
      [&](TensorMapOp map) { numbers.insert_range(map.getNonNegative()); });
  return numbers;
}

/// The stores of the function that become bulk stores, in its order.
static std::vector<BoxStore> findStores(FunctionOpInterface function,
                                        StridedBoxes &boxes,
                                        const target::Target &target) {
  std::vector<BoxStore> found;
  llvm::SmallPtrSet<Value, 4> nonNegative = collectNonNegative(function);
  function.walk([&](tt::StoreOp store) {
    std::optional<BoxStore> of = findBox(store, boxes, target);
    if (of && llvm::all_of(of->box.nonNegative, [&](Value number) {
          return nonNegative.contains(number);
        }))
      found.push_back(std::move(*of));
  });
  // They are in no order with what threads write and read either. What is left
  // alone is an access by threads to the stores that remain.
  for (bool changed = true; std::exchange(changed, false);) {
    SmallVector<Operation *> all =
        llvm::map_to_vector(found, [](BoxStore &of) -> Operation * {
          return of.store.getOperation();
        });
    std::vector<BoxStore> kept;
    for (const BoxStore &of : found)
      if (isApartFromOthers(of, found) &&
          accessAlone(function, of.box.base, all))
        kept.push_back(of);
    changed = kept.size() != found.size();
    found = std::move(kept);
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Room for their tiles
//===----------------------------------------------------------------------===//

/// The outermost loop around `op` in the code of its agent; null where there is
/// none.
static Operation *findOutermostLoop(Operation *op) {
  Operation *outermost = nullptr;
  for (Operation *parent = op->getParentOp();
       !isa<FunctionOpInterface, WarpSpecializeOp>(parent);
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      outermost = parent;
  return outermost;
}

/// Sets the loops of stores, and drops those whose tiles would cost the
/// multiprocessor a CTA. A tile that lives throughout its loop is written by
/// one iteration while the asynchronous proxy reads what the one before has
/// left; one that lives from its store on is waited for behind it, and may have
/// bytes of tiles that do not live there.
static void chooseLoops(std::vector<BoxStore> &stores,
                        FunctionOpInterface function,
                        const target::Target &target) {
  SharedLiveness liveness(function);
  int64_t peak = liveness.getPeakBytes(), throughout = 0;
  int64_t budget = Occupancy(function, target).getBytesOfSameCount(peak);
  llvm::DenseMap<Block *, int64_t> inBlock;
  llvm::erase_if(stores, [&](BoxStore &of) {
    int64_t bytes = of.tile.getSizeInBytes();
    Operation *loop = findOutermostLoop(of.store);
    if (loop && peak + throughout + bytes <= budget) {
      throughout += bytes;
      of.loop = loop;
      return false;
    }
    int64_t &others = inBlock[of.store->getBlock()];
    int64_t live = liveness.getLiveBytes(of.store) + throughout + others;
    if (live + bytes > budget)
      return true;
    others += bytes;
    return false;
  });
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// How many of the stores before the one of this number may be in flight when
/// it starts: in its iteration they write elsewhere, and in the one before
/// those of other tensors do.
static unsigned countPending(ArrayRef<BoxStore> stores, unsigned number) {
  const BoxStore &own = stores[number];
  SmallVector<const BoxStore *> earlier, later;
  for (auto [other, of] : llvm::enumerate(stores)) {
    if (of.loop != own.loop || other == number)
      continue;
    // Of several blocks nobody knows in which order they run.
    if (of.store->getBlock() != own.store->getBlock())
      return 0;
    (other < number ? earlier : later).push_back(&of);
  }
  unsigned pending = earlier.size();
  for (const BoxStore *of : llvm::reverse(later)) {
    if (of->box.base == own.box.base)
      break;
    ++pending;
  }
  return pending;
}

namespace {
/// Writes the bulk stores of a function.
class StoreWriter {
public:
  StoreWriter(FunctionOpInterface function, const StridedBoxes &boxes)
      : function(function), boxes(boxes) {}

  void write(ArrayRef<BoxStore> stores) {
    SmallVector<unsigned> pending = llvm::map_to_vector(
        llvm::seq<unsigned>(0, stores.size()),
        [&](unsigned number) { return countPending(stores, number); });
    for (auto [of, left] : llvm::zip_equal(stores, pending))
      write(of, left);
    for (const BoxStore &of : stores)
      awaitReads(of);
    for (const BoxStore &of : stores)
      tt::StoreOp(of.store).erase();
    IRRewriter rewriter(function->getContext());
    (void)runRegionDCE(rewriter, function->getRegions());
  }

private:
  void write(const BoxStore &of, unsigned pending) {
    tt::StoreOp store = of.store;
    Location location = store.getLoc();
    OpBuilder builder(of.loop ? of.loop : store.getOperation());
    Value tile = LocalAllocOp::create(builder, location, of.tile, Value(),
                                      IntegerAttr());
    Value map = createTensorMap(function, location, of.box, of.tile,
                                of.tile.getElementType());
    builder.setInsertionPoint(store);
    if (of.loop)
      BulkStoreWaitOp::create(builder, location, pending, /*reads=*/false);
    UnconvertedTiles source(builder, of.layout);
    LocalStoreOp::create(builder, location, source.make(store.getValue()),
                         tile);
    BulkStoreOp::create(builder, location, tile, map,
                        createCoordinates(builder, location, boxes, of.box));
  }

  /// One wait for all stores of a loop, behind it; in a block, at its end,
  /// where the next iteration's come behind it, if there is one.
  void awaitReads(const BoxStore &of) {
    tt::StoreOp store = of.store;
    Operation *last = of.loop ? of.loop : store->getBlock()->getTerminator();
    if (!awaited.insert(last).second)
      return;
    OpBuilder builder(last);
    if (of.loop)
      builder.setInsertionPointAfter(last);
    bool mayRunAgain = !of.loop && findOutermostLoop(store);
    BulkStoreWaitOp::create(builder, store.getLoc(), /*pending=*/0,
                            /*reads=*/!mayRunAgain);
  }

  FunctionOpInterface function;
  const StridedBoxes &boxes;
  llvm::SmallPtrSet<Operation *, 4> awaited;
};

struct BulkStores : tilegpu::impl::BulkStoresBase<BulkStores> {
  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && hasBulkCopies(function))
        run(function, *target);
  }

private:
  static bool hasBulkCopies(FunctionOpInterface function) {
    return function->walk([](BulkCopyOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  static void run(FunctionOpInterface function, const target::Target &target) {
    AxisAnalysis axes(function);
    StridedBoxes boxes(axes);
    std::vector<BoxStore> stores = findStores(function, boxes, target);
    chooseLoops(stores, function, target);
    if (stores.empty())
      return;
    for (BoxStore &of : stores)
      remarkOn(of);
    StoreWriter(function, boxes).write(stores);
  }

  static void remarkOn(BoxStore &of) {
    auto options = remark::RemarkOpts::name("bulk-store").category("memory");
    remark::passed(of.store.getLoc(), options)
        << (Twine("a bulk store writes the tile") +
            (of.loop ? ", while the loop goes on" : ""))
               .str();
  }
};
} // namespace
