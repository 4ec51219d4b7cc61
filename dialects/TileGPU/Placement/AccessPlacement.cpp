// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placement of accesses to global memory: they want coalescing.

#include "dialects/Interfaces/AxisRules.h"
#include "dialects/Layout/F2.h"
#include "dialects/Layout/WarpLocal.h"
#include "dialects/TileGPU/Placement/Models.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
namespace f2 = layout::f2;

/// Elements along `dim` that one access may take together.
static unsigned getVectorElements(const GlobalAccess &access, unsigned dim,
                                  const PlacementContext &context) {
  return axis::getVectorElements(
      access.pointers.getType(), context.lookupAxisInfo(access.pointers),
      access.mask ? std::optional(context.lookupAxisInfo(access.mask))
                  : std::nullopt,
      dim, access.masked);
}

/// Whether an atomic takes as much as a load does: floats where the target sums
/// vectors of them, which is what atomics of floats are used for. Others take a
/// word each.
static bool takesVectors(const GlobalAccess &access, Type pointee,
                         const PlacementContext &context) {
  if (!access.isAtomic)
    return true;
  return isa<FloatType>(pointee) && getMemoryBits(pointee) <= 32 &&
         context.target.has(target::Capability::VectorAtomics);
}

/// Whether addresses, of elements of `bytes`, are known to be in different
/// sectors along `dim`, or far enough apart: a stride that is divisible by 16,
/// which is what launchers say of integers, is not 1.
static bool areApart(const AxisInfo &info, unsigned dim, unsigned bytes) {
  return info.contiguity[dim] == 1 &&
         info.spacing[dim] >= std::min(32u, 16 * bytes);
}

/// The dimensions of an access, that in which addresses run first. Equal ones
/// stay row-major: where no stride is known, the last dimension's is most often
/// 1.
static SmallVector<unsigned> getOrder(Value pointers,
                                      const PlacementContext &context) {
  auto type = cast<RankedTensorType>(pointers.getType());
  SmallVector<unsigned> order(
      llvm::reverse(llvm::seq<unsigned>(0, type.getRank())));
  unsigned bytes = axis::getStep(type);
  if (const AxisInfo *info = context.lookupAxisInfo(pointers))
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::tuple(info->contiguity[a], !areApart(*info, a, bytes), a) >
             std::tuple(info->contiguity[b], !areApart(*info, b, bytes), b);
    });
  return order;
}

/// Which dimension warps are spread along first.
enum class WarpsAlong : uint8_t { Fastest, Slowest };

/// The blocked layout under which an access is coalesced: threads along the
/// first dimension of `order`, each with as many elements as are proven
/// consecutive and aligned, up to its share of the tile or to `leastBits`.
static BlockedAttr getCoalescedLayout(const GlobalAccess &access,
                                      ArrayRef<unsigned> order,
                                      const PlacementContext &context,
                                      unsigned leastBits = 0,
                                      WarpsAlong along = WarpsAlong::Fastest) {
  Value pointers = access.pointers;
  auto type = cast<RankedTensorType>(pointers.getType());
  Type pointee = cast<tt::PointerType>(type.getElementType()).getPointeeType();
  // Where each takes a word, neighbours belong in neighbouring lanes.
  unsigned widestBits = takesVectors(access, pointee, context) ? 128 : 32;
  ArrayRef<int64_t> shape = type.getShape();
  int64_t perThread = std::max<int64_t>(
      {1, type.getNumElements() / (32 * int64_t(context.numWarps)),
       leastBits / getMemoryBits(pointee)});
  int64_t widest = std::max(1u, widestBits / getMemoryBits(pointee));
  int64_t elements =
      std::min<int64_t>({int64_t(getVectorElements(access, order[0], context)),
                         perThread, widest, shape[order[0]]});
  SmallVector<int64_t> left(shape);
  SmallVector<unsigned> held(shape.size(), 1);
  held[order[0]] = elements;
  left[order[0]] /= elements;
  SmallVector<unsigned> threads = spreadUnits(32, left, order);
  SmallVector<unsigned> warpOrder(order);
  if (along == WarpsAlong::Slowest)
    std::reverse(warpOrder.begin(), warpOrder.end());
  SmallVector<unsigned> warps = spreadUnits(context.numWarps, left, warpOrder);
  return BlockedAttr::get(type.getContext(), held, threads, warps, order);
}

/// Whether what is known of no address along `dim` (of any, if none is given)
/// is known of none because the addresses are made of tiles that are loaded: a
/// look-up. Looks at so many ops, at most.
static bool isLookUp(Value value, std::optional<unsigned> dim,
                     unsigned &opsLeft) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!type || !op || opsLeft == 0 || (dim && type.getDimSize(*dim) == 1))
    return false;
  --opsLeft;
  if (getGlobalAccess(op))
    return true;
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
    if (dim)
      dim = *dim - (*dim > unsigned(expand.getAxis()) ? 1 : 0);
  } else if (isa<tt::ReshapeOp>(op)) {
    dim.reset();
  } else if (!isa<tt::BroadcastOp>(op) && !isElementwise(op)) {
    return false;
  }
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isLookUp(operand, dim, opsLeft);
  });
}

static bool isLookUp(const GlobalAccess &access, unsigned dim) {
  unsigned opsLeft = 64;
  return !access.isWrite && isLookUp(access.pointers, dim, opsLeft);
}

AccessCount tilegpu::countAccess(const GlobalAccess &access,
                                 RegisterLayoutInterface layout,
                                 const PlacementContext &context) {
  Value pointers = access.pointers;
  RankedTensorType type = cast<RankedTensorType>(pointers.getType());
  LinearLayout map = layout.toLinearLayout(type.getShape());
  unsigned rank = type.getRank();
  unsigned fastest = getOrder(pointers, context).front();
  const AxisInfo *info = context.lookupAxisInfo(pointers);
  SmallVector<unsigned> sameSector(rank, 0);
  Type pointee = cast<tt::PointerType>(type.getElementType()).getPointeeType();
  unsigned bytes = std::max(1u, getMemoryBits(pointee) / 8);
  int64_t perSector = std::max<int64_t>(1, 32 / bytes);
  if (info)
    for (unsigned dim = 0; dim < rank; ++dim)
      sameSector[dim] = llvm::Log2_64(std::max(
          info->constancy[dim], std::min(info->contiguity[dim], perSector)));
  bool isUnknown = !info || (info->contiguity[fastest] == 1 &&
                             !areApart(*info, fastest, bytes));
  bool isAnywhere = isUnknown && isLookUp(access, fastest);
  // Where no stride is known, that of the first one is taken to be 1.
  if (isUnknown && !isAnywhere)
    sameSector[fastest] =
        std::max<unsigned>(sameSector[fastest], llvm::Log2_64(perSector));
  // Registers that run along the fastest dimension form vectors.
  unsigned vectorBits = 0;
  Axis along = Axis::coordinate(fastest);
  unsigned limit =
      takesVectors(access, pointee, context)
          ? llvm::Log2_32(getVectorElements(access, fastest, context))
          : 0;
  auto reaches = [&](unsigned position) {
    for (unsigned bit = 0; bit < map.inputBits(Axis::Register); ++bit)
      if (map.column(Axis::Register, bit) ==
          uint64_t(1) << (map.outputOffset(along) + position))
        return true;
    return false;
  };
  while (vectorBits < limit && vectorBits < map.outputBits(along) &&
         reaches(vectorBits))
    ++vectorBits;
  // Sectors that the lanes of one access touch, and elements.
  f2::Span sectors, elements;
  uint64_t apart = 0;
  for (unsigned dim = 0; dim < rank; ++dim) {
    Axis axis = Axis::coordinate(dim);
    uint64_t mask = (uint64_t(1) << map.outputBits(axis)) - 1;
    apart |= (mask >> sameSector[dim] << sameSector[dim])
             << map.outputOffset(axis);
  }
  auto add = [&](uint64_t column) {
    elements.add(column);
    sectors.add(column & apart);
  };
  for (unsigned bit = 0; bit < map.inputBits(Axis::Lane); ++bit)
    add(map.column(Axis::Lane, bit));
  for (unsigned position = 0; position < vectorBits; ++position)
    add(uint64_t(1) << (map.outputOffset(along) + position));
  uint64_t accesses = uint64_t(1)
                      << (map.inputBits(Axis::Register) -
                          std::min(vectorBits, map.inputBits(Axis::Register)));
  // Which lane looks up which element says nothing of where it is.
  uint64_t touched = uint64_t(1) << sectors.dimension();
  if (isAnywhere)
    touched = std::max<uint64_t>(1, (uint64_t(1) << elements.dimension()) /
                                        perSector);
  bool fillsSectors = (uint64_t(bytes) << elements.dimension()) >= 32 * touched;
  return {accesses, touched, 1u << vectorBits, fillsSectors};
}

static uint64_t getAccessPrice(const GlobalAccess &access,
                               RegisterLayoutInterface layout,
                               const PlacementContext &context) {
  const target::InstructionPrices &prices = context.target.prices;
  AccessCount count = countAccess(access, layout, context);
  unsigned ofSector = !access.isWrite || context.hasProducts
                          ? prices.globalSector
                      : count.fillsSectors ? prices.writtenSector
                                           : prices.partlyWrittenSector;
  return count.instructions * (prices.globalAccess + ofSector * count.sectors);
}

/// Whether cp.async may carry the load out: it moves whole elements of 8 bits
/// and more, and no load is volatile that way.
static bool isAsyncLoad(Operation *op, const PlacementContext &context) {
  auto load = dyn_cast<tt::LoadOp>(op);
  if (!load || load.mustReread() ||
      !context.target.has(target::Capability::CpAsync))
    return false;
  unsigned bits = getMemoryBits(getElementTypeOrSelf(load.getType()));
  return bits <= 64 && llvm::isPowerOf2_32(bits);
}

/// The access of a copy in the load's place.
static GlobalAccess getCopyAccess(Operation *op) {
  GlobalAccess access = *getGlobalAccess(op);
  auto load = cast<tt::LoadOp>(op);
  if (!load.getOther() || isZero(load.getOther()))
    access.masked = MaskedVectors::Prefixes;
  return access;
}

/// Whether shared memory has room for the whole tile. A larger one is loaded to
/// registers, from which conversions take it to others in rounds.
static bool fitsSharedMemory(RankedTensorType tile,
                             const PlacementContext &context) {
  return tile.getNumElements() * getMemoryBits(tile.getElementType()) / 8 <=
         int64_t(context.target.sharedMemoryLimit);
}

/// Whether each load of the loop, which has so many stages, gives a thread one
/// element, or one register where copies would be no further ahead than loads
/// into registers are, an iteration: of 256 elements of f16 four warps would
/// copy a word a thread, by more instructions than loads take (an iteration of
/// a causal convolution in two stages: 89 for 71).
static bool loadsLittle(LoopLikeOpInterface loop, unsigned stages,
                        const PlacementContext &context) {
  int64_t threads = int64_t(context.numWarps) * target::Target::warpSize;
  int64_t leastBits = stages > 2 ? 0 : 32;
  auto isLittle = [&](tt::LoadOp load) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    int64_t bits = getMemoryBits(getElementTypeOrSelf(load.getType()));
    return !type ||
           type.getNumElements() * bits <= threads * std::max(bits, leastBits);
  };
  return !loop->walk([&](tt::LoadOp load) {
                return WalkResult(success(isLittle(load)));
              })
              .wasInterrupted();
}

/// Whether `op` reduces what the lanes of a warp hold, as tiles of its shape
/// are loaded by `loop`, a few registers a thread.
static bool reducesWithinWarps(Operation *op, LoopLikeOpInterface loop,
                               const PlacementContext &context) {
  constexpr unsigned mostRegisters = 16;
  auto reduce = dyn_cast<tt::ReduceOp>(op);
  auto type = reduce
                  ? dyn_cast<RankedTensorType>(reduce.getOperand(0).getType())
                  : RankedTensorType();
  if (!type)
    return false;
  bool isLoaded = false;
  WalkResult across = loop->walk([&](tt::LoadOp load) -> WalkResult {
    auto tile = dyn_cast<RankedTensorType>(load.getType());
    if (!tile || tile.getShape() != type.getShape())
      return WalkResult::advance();
    GlobalAccess access = *getGlobalAccess(load);
    LinearLayout map =
        getCoalescedLayout(access, getOrder(access.pointers, context), context)
            .toLinearLayout(type.getShape());
    isLoaded = true;
    bool isWithin =
        !map.reaches(Axis::Warp, Axis::coordinate(reduce.getAxis()));
    bool isSmall = (getMemoryBits(tile.getElementType())
                    << map.inputBits(Axis::Register)) <= 32 * mostRegisters;
    return WalkResult(success(isWithin && isSmall));
  });
  return isLoaded && !across.wasInterrupted();
}

/// Whether a copy in the place of the load would be waited for where it is, in
/// a branch of the loop: what may come before that has been moved there. Of
/// more registers than these it spares some all the same.
static bool isWaitedFor(Operation *op, LoopLikeOpInterface loop,
                        const PlacementContext &context) {
  constexpr int64_t mostRegisters = 64;
  RankedTensorType type = getFirstTensor(op);
  int64_t bits =
      type.getNumElements() * int64_t(getMemoryBits(type.getElementType()));
  return op->getParentOp() != loop.getOperation() &&
         bits <= 32 * mostRegisters * 32 * int64_t(context.numWarps);
}

/// Whether a copy in the place of the load would be on its way while iterations
/// before are computed, and a load to registers would not. A loop of one stage
/// has none; of streaming loops several iterations are unrolled, by
/// tilegpu-unroll-streaming-loops or by CUDA's assembler, so that loads to
/// registers are: products of a matrix and a vector, in tiles of 32 elements,
/// take 0.4 of the time of those by copies on an H100. And loads of little are
/// issued ahead themselves, without a barrier in each iteration.
static bool mayOverlap(Operation *op, const PlacementContext &context) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  unsigned stages = loop ? tt::getWantedStages(loop, context.numStages) : 1;
  auto alsoStreams = [&](Operation *other) {
    return reducesWithinWarps(other, loop, context);
  };
  return stages > 1 && !isWaitedFor(op, loop, context) &&
         isAsyncLoad(op, context) && !tt::isStreaming(loop, alsoStreams) &&
         !loadsLittle(loop, stages, context);
}

/// Whether a copy in the place of the load, which nothing hides, would be
/// waited for before other loads are issued: CUDA's assembler moves the wait
/// ahead (a backward pass of token shifts: 12 of 32 loads were issued by then).
static bool delaysLoads(Operation *op, const PlacementContext &context) {
  return !context.hasProducts && !mayOverlap(op, context) &&
         llvm::any_of(*op->getBlock(), [&](Operation &other) {
           return &other != op && isa<tt::LoadOp>(other) &&
                  isa<RankedTensorType>(other.getResult(0).getType());
         });
}

/// What one copy moves at least; of narrower ones each takes a register.
static constexpr unsigned leastCopyBits = 32;

/// The layout under which threads copy to shared memory: of a small tile only
/// some of them do.
static BlockedAttr getCopyLayout(const GlobalAccess &access,
                                 const PlacementContext &context) {
  return getCoalescedLayout(access, getOrder(access.pointers, context), context,
                            leastCopyBits);
}

/// Elements that one copy by threads under `layout`, a coalesced one, takes:
/// those side by side in the dimension that is contiguous in global memory.
static unsigned getCopyElements(BlockedAttr layout, RankedTensorType type) {
  LinearLayout map = layout.toLinearLayout(type.getShape());
  return 1u << map.contiguousBits(Axis::Register,
                                  Axis::coordinate(layout.getOrder().front()));
}

/// The layout under which each warp copies what it reads itself, so that it
/// need not wait for the others; none where that takes other vectors, or more
/// sectors, than copies under `coalesced` do.
static RegisterLayoutInterface
getOwnCopyLayout(const GlobalAccess &access, BlockedAttr coalesced,
                 RegisterLayoutInterface readers,
                 const PlacementContext &context) {
  auto type = cast<RankedTensorType>(access.pointers.getType());
  SmallVector<Axis> order = llvm::map_to_vector(
      coalesced.getOrder(), [](unsigned dim) { return Axis::coordinate(dim); });
  std::optional<LinearLayout> map = layout::coalesceWithinWarps(
      readers.toLinearLayout(type.getShape()), order,
      llvm::Log2_32(getCopyElements(coalesced, type)));
  if (!map)
    return {};
  auto own = LinearAttr::get(type.getContext(), inDimensionOrder(*map));
  return getAccessPrice(access, own, context) <=
                 getAccessPrice(access, coalesced, context)
             ? own
             : RegisterLayoutInterface();
}

namespace {
struct AccessModel : PlacementModel<AccessModel> {
  SmallVector<Implementation>
  listImplementations(Operation *op, const PlacementContext &context) const {
    GlobalAccess access = *getGlobalAccess(op);
    SmallVector<unsigned> order = getOrder(access.pointers, context);
    BlockedAttr coalesced = getCoalescedLayout(access, order, context);
    SmallVector<Implementation> offers = {implementUniformly(op, coalesced)};
    // Without vectors a thread that has elements of fewer rows computes fewer
    // addresses, masks and quotients.
    if (coalesced.getElements()[order.front()] == 1)
      if (BlockedAttr rowsApart = getCoalescedLayout(
              access, order, context, /*leastBits=*/0, WarpsAlong::Slowest);
          rowsApart != coalesced)
        offers.push_back(implementUniformly(op, rowsApart));
    // Where addresses are apart in all dimensions, others decide.
    const AxisInfo *info = context.lookupAxisInfo(access.pointers);
    if (info && areApart(*info, order.front(),
                         axis::getStep(access.pointers.getType())))
      for (unsigned dim = 1; dim < order.size(); ++dim) {
        std::rotate(order.begin(), order.begin() + 1, order.end());
        offers.push_back(
            implementUniformly(op, getCoalescedLayout(access, order, context)));
      }
    // Its addresses are to be where copies want them.
    if (mayOverlap(op, context))
      if (BlockedAttr copied = getCopyLayout(getCopyAccess(op), context);
          copied != coalesced)
        offers.push_back(implementUniformly(op, copied));
    return offers;
  }

  std::optional<Implementation>
  implementUnder(Operation *op, RegisterLayoutInterface layout) const {
    return implementUniformly(op, layout);
  }

  /// By cp.async, which writes a wavefront for each 128 bytes of a warp; what
  /// it spares is the store, and the registers on the way.
  std::optional<Implementation>
  implementInSharedMemory(Operation *op, unsigned,
                          const SharedPlacement &demand,
                          const PlacementContext &context) const {
    if (!isAsyncLoad(op, context) ||
        !fitsSharedMemory(getFirstTensor(op), context))
      return std::nullopt;
    GlobalAccess access = getCopyAccess(op);
    BlockedAttr layout = getCopyLayout(access, context);
    RankedTensorType type = getFirstTensor(op);
    unsigned elements = getCopyElements(layout, type);
    if (elements * getMemoryBits(type.getElementType()) < leastCopyBits)
      return std::nullopt;
    // What lies side by side in global memory must do so in the tile.
    if (demand.descriptor && !arrangeForDescriptor(type, *demand.descriptor,
                                                   layout.getOrder().front()))
      return std::nullopt;
    RegisterLayoutInterface copied = layout;
    if (auto own = context.ownReaders.find(op); own != context.ownReaders.end())
      copied = demand.readers == own->second
                   ? getOwnCopyLayout(access, layout, demand.readers, context)
                   : RegisterLayoutInterface();
    if (!copied)
      return std::nullopt;
    Implementation implementation = implementUniformly(op, copied);
    // How the tile is arranged is computed if it comes to that.
    implementation.results[0] = demand;
    implementation.plan = Builder(op).getI32IntegerAttr(elements);
    return implementation;
  }

  uint64_t getPrice(Operation *op, const Implementation &implementation,
                    const PlacementContext &context) const {
    GlobalAccess access =
        implementation.replacesOp() ? getCopyAccess(op) : *getGlobalAccess(op);
    RegisterLayoutInterface layout = implementation.layout;
    uint64_t price = getAccessPrice(access, layout, context);
    if (!implementation.replacesOp())
      return mayOverlap(op, context)
                 ? price + context.target.prices.globalLatency
                 : price;
    if (delaysLoads(op, context))
      price += context.target.prices.globalLatency;
    RankedTensorType type = getFirstTensor(op);
    uint64_t bytes = uint64_t(countRegisters(type, layout)) *
                     getMemoryBits(type.getElementType()) / 8 * 32;
    return price +
           llvm::divideCeil(bytes, 128) * context.target.prices.sharedWavefront;
  }

  SmallVector<Value> realize(Operation *op, ValueRange operands,
                             const Implementation &implementation,
                             const PlacementContext &context) const {
    auto load = cast<tt::LoadOp>(op);
    auto type = cast<RankedTensorType>(load.getType());
    OpBuilder builder(op);
    Location location = op->getLoc();
    SharedLayoutInterface arrangement = planSharedTile(
        type, implementation.layout, *implementation.results[0].getTile(),
        context.target, cast<IntegerAttr>(implementation.plan).getInt());
    auto descriptor = MemDescType::get(op->getContext(), type.getShape(),
                                       type.getElementType(), arrangement,
                                       /*buffers=*/1, /*isMutable=*/true);
    Value tile = LocalAllocOp::create(builder, location, descriptor,
                                      /*source=*/Value(),
                                      /*offset=*/IntegerAttr());
    Value mask = load.getMask() ? operands[1] : Value();
    Value other = load.getOther() ? operands.back() : Value();
    auto copy =
        AsyncCopyOp::create(builder, location, operands[0], tile, mask, other);
    if (Attribute described = load->getAttr(axis::describedAttrName))
      copy->setAttr(axis::describedAttrName, described);
    return {tile};
  }
};
} // namespace

void tilegpu::attachAccessPlacement(RegisteredOperationName name) {
  name.attachInterface<AccessModel>();
}
