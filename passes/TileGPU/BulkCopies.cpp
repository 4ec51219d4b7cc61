// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/BulkCopies.h"

#include "dialects/Interfaces/AxisRules.h"
#include "dialects/Layout/WarpLocal.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/TileGPU/BoxTiles.h"
#include "passes/TileGPU/DeadLoopValues.h"
#include "passes/TileGPU/LoopMemory.h"
#include "passes/TileGPU/LoopSchedule.h"
#include "passes/TileGPU/SharedTile.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

//===----------------------------------------------------------------------===//
// Which copies
//===----------------------------------------------------------------------===//

namespace {
/// A copy, and the box that it brings.
struct BoxCopy {
  AsyncCopyOp copy;
  /// Of the tile, as the copy lays it out.
  MemDescType type;
  StridedBox box;
  /// What rounds the tile to tf32, in its place, each op behind its users: the
  /// copy itself can do that.
  SmallVector<Operation *> rounding;
  /// Whether threads may have written what it copies.
  bool isWritten;

  TypedValue<MemDescType> getTile() const {
    return AsyncCopyOp(copy).getDestination();
  }
};
} // namespace

static SharedNvmmaAttr getEncoding(AsyncCopyOp copy) {
  return dyn_cast<SharedNvmmaAttr>(
      copy.getDestination().getType().getEncoding());
}

/// Whether bulk copies can lay the tile out as it is, and a product reads it.
static bool isForProduct(AsyncCopyOp copy) {
  SharedNvmmaAttr encoding = getEncoding(copy);
  return encoding && encoding.getSwizzleBytes() && !encoding.getFp4Padded() &&
         encoding.getElementBits() <= 32 && encoding.getElementBits() >= 8 &&
         llvm::any_of(listUsers(copy.getDestination()),
                      [](Operation *user) { return isa<WgmmaOp>(user); });
}

/// Whether threads alone read the tile, as a whole: their loads take any
/// layout.
static bool isForThreads(AsyncCopyOp copy) {
  auto tile = copy.getDestination().getDefiningOp<LocalAllocOp>();
  return tile && !tile.getSource() &&
         llvm::all_of(tile->getUsers(), [](Operation *user) {
           return isa<AsyncCopyOp, LocalLoadOp>(user);
         });
}

/// Whether each warp copies what it alone reads.
static bool isReadersOwn(AsyncCopyOp copy) {
  auto layoutOf = [](Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    return cast<RegisterLayoutInterface>(type.getEncoding())
        .toLinearLayout(type.getShape());
  };
  layout::LinearLayout writers = layoutOf(copy.getPointers());
  return llvm::all_of(copy.getDestination().getUsers(), [&](Operation *user) {
    auto load = dyn_cast<LocalLoadOp>(user);
    return !load || layout::staysWithinWarps(writers, layoutOf(load));
  });
}

/// The types that the tile may have to be brought by a bulk copy.
static SmallVector<MemDescType> listTypes(AsyncCopyOp copy) {
  MemDescType type = copy.getDestination().getType();
  if (isForProduct(copy))
    return {type};
  SmallVector<MemDescType> types;
  if (isForThreads(copy))
    for (unsigned inner = type.getRank(); inner-- > 0;)
      if (MemDescType arranged =
              arrangeForBoxes(type.getShape(), type.getElementType(), inner))
        types.push_back(arranged);
  return types;
}

/// The ops that round the copied tile to tf32 where it is, each behind its
/// users; none where it stays as it is.
static SmallVector<Operation *> findRounding(AsyncCopyOp copy) {
  for (Operation *user : copy.getDestination().getUsers()) {
    auto store = dyn_cast<LocalStoreOp>(user);
    if (!store)
      continue;
    // Of f32 there and back again.
    Operation *extension = store.getSource().getDefiningOp();
    if (!extension || extension->getNumOperands() != 1 ||
        !getElementTypeOrSelf(extension->getOperand(0)).isTF32())
      continue;
    Operation *rounding = extension->getOperand(0).getDefiningOp();
    auto load = rounding && rounding->getNumOperands() == 1
                    ? rounding->getOperand(0).getDefiningOp<LocalLoadOp>()
                    : LocalLoadOp();
    if (load && load.getSource() == copy.getDestination())
      return {store, extension, rounding, load};
  }
  return {};
}

/// The first wait of the body: bulk copies start before it, those behind it
/// too.
static AsyncWaitOp findFirstWait(scf::ForOp loop) {
  for (auto wait : loop.getBody()->getOps<AsyncWaitOp>())
    return wait;
  return {};
}

/// Whether there are no integers for which a launch would refuse the box: what
/// threads read is not worth that.
static bool takesAllIntegers(const StridedBox &box) {
  return box.nonNegative.empty() &&
         llvm::none_of(
             ArrayRef(box.dimensions).drop_back(),
             [](const BoxDimension &of) { return bool(of.stride.value); });
}

namespace {
/// The boxes that copies of a loop bring.
class BoxSearch {
public:
  /// `inAgent`: warps of their own are to copy.
  BoxSearch(scf::ForOp loop, StridedBoxes &boxes, bool inAgent)
      : loop(loop), boxes(boxes), inAgent(inAgent),
        writes(loop->getParentOfType<FunctionOpInterface>()),
        wait(findFirstWait(loop)) {}

  std::optional<BoxCopy> find(AsyncCopyOp copy) {
    // As a map does, outside of its tensor.
    if (!copy.fillsWithZeros())
      return std::nullopt;
    // Its readers would wait for warps of their own where they wait for nobody:
    // W4A16 of 256 rows took 58.0 us for 55.8 on an H200.
    if (inAgent && isForThreads(copy) && isReadersOwn(copy))
      return std::nullopt;
    bool isWritten = writes.mayReach({copy.getPointers()});
    for (MemDescType type : listTypes(copy)) {
      auto order = cast<SharedNvmmaAttr>(type.getEncoding()).getOrder();
      std::optional<StridedBox> box;
      if (!isWritten)
        box = findOfLaunch(copy, order);
      if (!box)
        box = findOfKernel(copy, order);
      if (box && boxes.isKnownAt(wait, *box))
        return BoxCopy{copy, type, std::move(*box), findRounding(copy),
                       isWritten};
    }
    return std::nullopt;
  }

private:
  /// Of what threads do not write: that the proxy would see behind a fence
  /// alone.
  std::optional<StridedBox> findOfLaunch(AsyncCopyOp copy,
                                         ArrayRef<unsigned> order) {
    std::optional<StridedBox> box =
        boxes.find(copy.getPointers(), copy.getMask(), order);
    return box && (isForProduct(copy) || takesAllIntegers(*box)) ? box
                                                                 : std::nullopt;
  }

  /// Threads make the map that copies by it.
  std::optional<StridedBox> findOfKernel(AsyncCopyOp copy,
                                         ArrayRef<unsigned> order) {
    if (inAgent || !copy->hasAttr(axis::describedAttrName) ||
        !isForProduct(copy) || LoopWrites(loop).mayReach({copy.getPointers()}))
      return std::nullopt;
    return boxes.findDescribed(copy.getPointers(), copy.getMask(), order, loop);
  }

  scf::ForOp loop;
  StridedBoxes &boxes;
  bool inAgent;
  LoopWrites writes;
  AsyncWaitOp wait;
};
} // namespace

static std::vector<BoxCopy> findBoxes(scf::ForOp loop,
                                      ArrayRef<AsyncCopyOp> copies,
                                      StridedBoxes &boxes, bool inAgent) {
  BoxSearch search(loop, boxes, inAgent);
  std::vector<BoxCopy> found;
  for (AsyncCopyOp copy : copies)
    if (std::optional<BoxCopy> of = search.find(copy))
      found.push_back(std::move(*of));
  return found;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// An mbarrier of the body: made at its begin, by `builder`, and undone at its
/// end.
static Value createBarrier(OpBuilder &builder, Location location,
                           int32_t arrivals) {
  Value barrier = createSharedWords(builder, location, 1, builder.getI64Type());
  MbarrierInitOp::create(builder, location, barrier, arrivals);
  OpBuilder end(builder.getInsertionBlock()->getTerminator());
  MbarrierInvalOp::create(end, location, barrier);
  return barrier;
}

static BulkGroup createGroup(scf::ForOp loop, ArrayRef<BoxCopy> copies,
                             const StridedBoxes &boxes, bool acquires) {
  auto function = loop->getParentOfType<FunctionOpInterface>();
  Location location = copies.front().copy->getLoc();
  OpBuilder builder(loop.getBody(), loop.getBody()->begin());
  Value barrier = createBarrier(builder, location, /*arrivals=*/1), released;
  if (acquires)
    released = createBarrier(builder, location, lookupNumWarps(loop));
  Operation *wait = findFirstWait(loop);
  builder.setInsertionPoint(wait);
  SmallVector<Value> maps, coordinates, destinations;
  for (const BoxCopy &of : copies) {
    Operation *tile = of.getTile().getDefiningOp();
    if (tile && tile->getBlock() == loop.getBody() &&
        wait->isBeforeInBlock(tile))
      tile->moveBefore(wait);
    of.getTile().setType(of.type);
    Type element =
        of.rounding.empty() ? of.type.getElementType() : builder.getTF32Type();
    Location place = of.copy->getLoc();
    maps.push_back(createTensorMap(function, place, of.box, of.type, element));
    destinations.push_back(of.getTile());
    llvm::append_range(coordinates,
                       createCoordinates(builder, place, boxes, of.box));
  }
  BulkGroup group;
  if (acquires)
    group.acquire = MbarrierWaitOp::create(builder, location, released,
                                           /*pending=*/0, /*before=*/true);
  group.copy = BulkCopyOp::create(builder, location, maps, coordinates,
                                  destinations, barrier, /*predicate=*/Value());
  group.wait =
      MbarrierWaitOp::create(builder, location, barrier, /*pending=*/0);
  return group;
}

/// Has the asynchronous proxy see what threads have written before the loop,
/// where that may be what it copies by maps that the kernel makes.
static void passWritesToProxy(scf::ForOp loop, ArrayRef<BoxCopy> copies) {
  if (llvm::none_of(copies, [](const BoxCopy &of) { return of.isWritten; }))
    return;
  OpBuilder builder(loop);
  ProxyFenceOp::create(builder, loop.getLoc(), /*global=*/true);
  BarrierOp::create(builder, loop.getLoc(), /*warp=*/false, /*shared=*/false);
}

/// Takes `token` from what closes its group, and the group where nothing else
/// is in it.
static void leaveGroup(Value token) {
  for (Operation *user : llvm::make_early_inc_range(token.getUsers())) {
    llvm::BitVector operands(user->getNumOperands());
    for (OpOperand &operand : user->getOpOperands())
      operands[operand.getOperandNumber()] = operand.get() == token;
    user->eraseOperands(operands);
    if (user->getNumOperands() != 0)
      continue;
    for (Value result : user->getResults())
      leaveGroup(result);
    user->erase();
  }
}

std::optional<BulkGroup> tilegpu::replaceByBulkCopies(
    scf::ForOp &loop, SmallVectorImpl<AsyncCopyOp> &copies, bool acquires) {
  if (llvm::all_of(copies,
                   [](AsyncCopyOp copy) { return listTypes(copy).empty(); }))
    return std::nullopt;
  AxisAnalysis axes(loop->getParentOfType<FunctionOpInterface>());
  StridedBoxes boxes(axes);
  std::vector<BoxCopy> found = findBoxes(loop, copies, boxes, acquires);
  if (found.empty())
    return std::nullopt;
  passWritesToProxy(loop, found);
  BulkGroup group = createGroup(loop, found, boxes, acquires);
  for (BoxCopy &of : found) {
    llvm::erase(copies, of.copy);
    leaveGroup(of.copy.getToken());
    of.copy->erase();
    for (Operation *op : of.rounding)
      op->erase();
  }
  loop = dropDeadValues(loop);
  return group;
}
