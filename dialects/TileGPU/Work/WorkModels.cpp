// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of ops that do not work element by element: accesses to shared
// memory, conversions, products, and what goes along an axis.

#include "dialects/Layout/F2.h"
#include "dialects/Tile/Tile.h"
#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/Dequantization.h"
#include "dialects/TileGPU/MatrixFragments.h"
#include "dialects/TileGPU/TileAccess.h"
#include "dialects/TileGPU/Work/Work.h"
#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static unsigned countRegisters(Value tensor) {
  return tilegpu::countRegisters(tensorType(tensor),
                                 getRegisterLayout(tensor.getType()));
}

namespace {
/// The base of models, each of which has `Work count(Op, context)`.
template <typename Model, typename Op>
struct WorkModel : WorkOpInterface::ExternalModel<Model, Op> {
  Work getWork(Operation *op, const PlacementContext &context) const {
    return Model::count(cast<Op>(op), context);
  }
};

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// A load of `tensor` from a tile of `descriptor`, or a store.
Work countTileAccess(RankedTensorType tensor, MemDescType descriptor,
                     bool isStore, const target::Target &target) {
  Work work;
  std::optional<TileAccess> access = TileAccess::get(tensor, descriptor);
  if (!access)
    return work;
  layout::VectorAccess vectors = access->getVectors();
  auto matrices = isStore ? access->getMatrixStores(vectors, target)
                          : access->getMatrixLoads(vectors, target);
  work.sharedAccesses =
      matrices ? matrices->instructions() : vectors.instructions();
  if (matrices)
    work.wavefronts = layout::wavefronts(*matrices, access->elementBits);
  else if (isStore && access->padding.empty())
    work.wavefronts =
        layout::wavefronts(access->registers, access->shared,
                           access->elementBits, vectors.vectorElements,
                           /*ownersOnly=*/true);
  else
    work.wavefronts = access->countWavefronts(vectors);
  if (!isStore)
    work.chain.sharedLoads = 1;
  return work;
}

struct LoadModel : WorkModel<LoadModel, LocalLoadOp> {
  static Work count(LocalLoadOp op, const PlacementContext &context) {
    return countTileAccess(tensorType(op.getResult()), op.getSource().getType(),
                           /*isStore=*/false, context.target);
  }
};

struct StoreModel : WorkModel<StoreModel, LocalStoreOp> {
  static Work count(LocalStoreOp op, const PlacementContext &context) {
    return countTileAccess(tensorType(op.getSource()),
                           op.getDestination().getType(),
                           /*isStore=*/true, context.target);
  }
};

struct AllocModel : WorkModel<AllocModel, LocalAllocOp> {
  static Work count(LocalAllocOp op, const PlacementContext &context) {
    return op.getSource()
               ? countTileAccess(tensorType(op.getSource()), op.getType(),
                                 /*isStore=*/true, context.target)
               : Work();
  }
};

/// The wavefronts of 32 lanes that go where they will: the fullest of 32 banks
/// gets 3.5 of 32 words in the mean.
constexpr double scatteredWavefronts = 3.5;

struct GatherModel : WorkModel<GatherModel, LocalGatherOp> {
  static Work count(LocalGatherOp op, const PlacementContext &) {
    Work work;
    work.sharedAccesses = countRegisters(op.getResult());
    work.wavefronts = work.sharedAccesses * scatteredWavefronts;
    work.integer = 2 * work.sharedAccesses;
    work.chain = {.arithmetic = 2, .sharedLoads = 1};
    return work;
  }
};

struct CountModel : WorkModel<CountModel, LocalCountOp> {
  static Work count(LocalCountOp op, const PlacementContext &) {
    Work work;
    work.sharedAccesses = countRegisters(op.getElements());
    work.wavefronts = work.sharedAccesses * scatteredWavefronts;
    work.integer = 2 * work.sharedAccesses;
    return work;
  }
};

/// Views of descriptors: an address.
template <typename Op>
struct AddressModel : WorkModel<AddressModel<Op>, Op> {
  static Work count(Op, const PlacementContext &) {
    return {.integer = 1, .chain = {.arithmetic = 1}};
  }
};

//===----------------------------------------------------------------------===//
// Copies and barriers
//===----------------------------------------------------------------------===//

struct CopyModel : WorkModel<CopyModel, AsyncCopyOp> {
  static Work count(AsyncCopyOp op, const PlacementContext &context) {
    RankedTensorType type = tensorType(op.getPointers());
    AccessCount count =
        countAccess(*getGlobalAccess(op), getRegisterLayout(type), context);
    unsigned bits = op.getDestination().getType().getElementBits();
    Work work;
    work.globalAccesses = count.instructions;
    work.sectors = count.instructions * count.sectors;
    work.wavefronts = count.instructions *
                      std::max(1., count.vectorElements * bits * 32 / 1024.);
    work.order = Work::Order::Copy;
    return work;
  }
};

/// One thread starts the copies: an instruction for each atom of the boxes, and
/// one that makes them a group. Nobody computes addresses, and no wavefront is
/// the warps'.
static Work countBoxes(TypeRange maps, const PlacementContext &context) {
  double boxes = 0, bytes = 0;
  for (Type type : maps) {
    auto map = cast<TensorMapType>(type);
    boxes +=
        map.getBox().back() * map.getElementBits() / 8. / map.getSwizzleBytes();
    bytes += map.getBoxBytes();
  }
  Work work;
  work.integer = 2 + boxes;
  // One warp of all.
  work.globalAccesses = boxes / context.numWarps;
  work.sectors = bytes / 32. / context.numWarps;
  return work;
}

struct BulkCopyModel : WorkModel<BulkCopyModel, BulkCopyOp> {
  static Work count(BulkCopyOp op, const PlacementContext &context) {
    Work work = countBoxes(op.getMaps().getTypes(), context);
    work.order = Work::Order::CopyGroup;
    return work;
  }
};

/// Nobody waits for what it writes.
struct BulkStoreModel : WorkModel<BulkStoreModel, BulkStoreOp> {
  static Work count(BulkStoreOp op, const PlacementContext &context) {
    return countBoxes(TypeRange(op->getOperandTypes()).slice(1, 1), context);
  }
};

struct BulkStoreWaitModel : WorkModel<BulkStoreWaitModel, BulkStoreWaitOp> {
  static Work count(BulkStoreWaitOp, const PlacementContext &) {
    return {.integer = 1};
  }
};

/// The host makes it, or a warp: each of the fields, and three times it waits
/// for global memory (a copy there, and fences).
struct TensorMapModel : WorkModel<TensorMapModel, TensorMapOp> {
  static Work count(TensorMapOp op, const PlacementContext &) {
    if (!op.getStaging())
      return {};
    double fields = 6 + 4. * op.getType().getRank();
    return {.integer = fields,
            .sharedAccesses = fields,
            .globalAccesses = 2,
            .wavefronts = fields,
            .sectors = 8,
            .chain = {.globalLoads = 3}};
  }
};

template <typename Op>
struct MbarrierModel : WorkModel<MbarrierModel<Op>, Op> {
  static Work count(Op, const PlacementContext &) { return {.integer = 2}; }
};

struct MbarrierWaitModel : WorkModel<MbarrierWaitModel, MbarrierWaitOp> {
  static Work count(MbarrierWaitOp op, const PlacementContext &) {
    return {.integer = 2,
            .order = Work::Order::AwaitGroups,
            .pending = op.getPending()};
  }
};

struct CommitModel : WorkModel<CommitModel, AsyncCommitOp> {
  static Work count(AsyncCommitOp, const PlacementContext &) {
    return {.integer = 1, .order = Work::Order::CloseGroup};
  }
};

struct WaitModel : WorkModel<WaitModel, AsyncWaitOp> {
  static Work count(AsyncWaitOp op, const PlacementContext &) {
    return {.integer = 1,
            .order = Work::Order::AwaitGroups,
            .pending = op.getPending()};
  }
};

/// A barrier of a cluster takes some 200 cycles, as many as so many loads from
/// shared memory that depend on each other: an estimate, which is not measured.
constexpr unsigned clusterBarrierLoads = 7;

struct BarrierModel : WorkModel<BarrierModel, BarrierOp> {
  static Work count(BarrierOp op, const PlacementContext &context) {
    if (op.getCluster())
      return {.integer = 2,
              .chain = {.sharedLoads = clusterBarrierLoads},
              .order = Work::Order::Barrier};
    return {.integer = 1,
            .order = op.getWarp() || context.numWarps == 1
                         ? Work::Order::WarpBarrier
                         : Work::Order::Barrier};
  }
};

template <typename Op>
struct NamedBarrierModel : WorkModel<NamedBarrierModel<Op>, Op> {
  static Work count(Op, const PlacementContext &) {
    return {.integer = 1, .order = Work::Order::Barrier};
  }
};

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Stores of all parts of `source`, by vectors of 16 bytes. That the memory of
/// other CTAs takes half as many bytes in a cycle as the CTA's own is an
/// estimate, which is not measured.
static Work countStoreParts(RankedTensorType source, unsigned ctas) {
  double bytes = 4. * getMemoryBits(source.getElementType()) *
                 tilegpu::countRegisters(source, getRegisterLayout(source));
  return {.integer = 2. * ctas,
          .sharedAccesses = std::max(1., bytes / 512),
          .wavefronts = 2 * std::max(1., bytes / 128)};
}

struct StorePartsModel : WorkModel<StorePartsModel, StorePartsOp> {
  static Work count(StorePartsOp op, const PlacementContext &) {
    return countStoreParts(tensorType(op.getSource()),
                           op.getDestination().getType().getBuffers());
  }
};

/// Two barriers of the cluster, the stores between them, and as many loads as
/// additions.
struct ReduceScatterModel
    : WorkModel<ReduceScatterModel, tile::ReduceScatterOp> {
  static Work count(tile::ReduceScatterOp op, const PlacementContext &) {
    RankedTensorType source = tensorType(op.getSource());
    Work work = countStoreParts(source, op.getPrograms());
    double registers = countRegisters(op.getSource());
    (isa<FloatType>(source.getElementType()) ? work.floating : work.integer) +=
        registers;
    work.wavefronts += work.wavefronts / 2;
    work.sharedAccesses *= 2;
    work.chain = {.arithmetic = unsigned(op.getPrograms()),
                  .sharedLoads = 2 * clusterBarrierLoads + 1};
    work.order = Work::Order::Barrier;
    return work;
  }
};

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

struct ConvertModel : WorkModel<ConvertModel, ConvertLayoutOp> {
  static Work count(ConvertLayoutOp op, const PlacementContext &context) {
    RankedTensorType from = tensorType(op.getSource());
    RankedTensorType to = tensorType(op.getResult());
    LinearLayout source = toLinearLayout(from), result = toLinearLayout(to);
    unsigned bits = getMemoryBits(to.getElementType());
    Work work;
    std::optional<layout::ConversionPlan> plan =
        spellPlanOf(op, source, result, bits, context.target);
    if (!plan)
      return work;
    if (plan->transpositions)
      work.shuffles = plan->transpositions->words.size();
    if (plan->shuffles) {
      work.shuffles = plan->shuffles->countShuffles();
      work.integer = plan->shuffles->countSelects();
      work.chain.arithmetic = 2;
    }
    work.chain.shuffles = work.shuffles ? 1 : 0;
    return work;
  }
};

/// Each round is a store and a load, between barriers.
struct RoundsModel : WorkModel<RoundsModel, ConvertInRoundsOp> {
  static Work count(ConvertInRoundsOp op, const PlacementContext &) {
    RankedTensorType type = tensorType(op.getResult());
    double words = countRegisters(op.getSource()) *
                   std::max(1., getMemoryBits(type.getElementType()) / 32.);
    unsigned rounds = 1u << op.getFunctionals().size();
    Work work;
    work.sharedAccesses = work.wavefronts = 2 * words;
    work.integer = 2 * rounds;
    work.chain.sharedLoads = 2 * rounds;
    work.order = Work::Order::Barrier;
    return work;
  }
};

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// How many tiles of instructions a thread has along `dim`, each of which has
/// one or two of its registers there.
static double countTilesAlong(RankedTensorType result, unsigned dim,
                              unsigned instructionSize) {
  LinearLayout map = toLinearLayout(result);
  Axis axis = Axis::coordinate(dim);
  double size = 1;
  for (unsigned bit = 0; bit < map.inputBits(Axis::Register); ++bit)
    if (map.basis(Axis::Register, bit, axis) >= instructionSize)
      size *= 2;
  return size;
}

struct MmaModel : WorkModel<MmaModel, MmaOp> {
  static Work count(MmaOp op, const PlacementContext &context) {
    ArrayRef<int32_t> shape = op.getInstruction();
    RankedTensorType result = tensorType(op.getResult());
    double elements = countWarpElements(result.getShape(),
                                        cast<MmaAttr>(result.getEncoding()));
    int64_t steps =
        llvm::divideCeil(tensorType(op.getLhs()).getShape().back(), shape[2]);
    Work work;
    work.matrixType = getMatrixType(tensorType(op.getLhs()).getElementType());
    double tile = shape[0] * shape[1];
    // Volta's instruction is of four quad pairs, each with a tile.
    if (shape[2] == 4 && work.matrixType == target::ElementType::F16)
      tile *= 4;
    // Rows, or columns, that are alike are made once.
    unsigned rank = result.getRank();
    if (isSplatConstant(op.getAccumulator()) && isSplatConstant(op.getLhs()))
      elements /= countTilesAlong(result, rank - 2, shape[0]);
    else if (isSplatConstant(op.getAccumulator()) &&
             isSplatConstant(op.getRhs()))
      elements /= countTilesAlong(result, rank - 1, shape[1]);
    work.matrices = elements / tile * steps;
    work.multiplyAdds = elements * steps * shape[2];
    work.chain.matrix = steps;
    if (context.target.multipliesAsF16(work.matrixType)) {
      // Each has half the depth, and two elements are converted together.
      work.matrices *= 2;
      work.chain.matrix *= 2;
      work.integer =
          (countRegisters(op.getLhs()) + countRegisters(op.getRhs())) / 2.;
      work.chain.arithmetic = 1;
    }
    return work;
  }
};

/// Warp groups, each of which starts its own products when it has all that they
/// take of registers (`wgmma.fence`), and waits for the whole of them.
unsigned countWarpGroups(const PlacementContext &context) {
  constexpr unsigned warpsOfGroup = 4;
  return std::max(1u, context.numWarps / warpsOfGroup);
}

/// It reads what lies in shared memory by itself, once for the four warps.
/// Instructions that bring the descriptors of one `wgmma` to uniform registers
/// (of 28 in the SASS of a loop of simple GLA: 162 moves and additions).
static constexpr double descriptorInstructions = 5;

struct WgmmaModel : WorkModel<WgmmaModel, WgmmaOp> {
  static Work count(WgmmaOp op, const PlacementContext &context) {
    RankedTensorType type = op.getResult().getType().getTensor();
    auto layout = cast<WgmmaAttr>(type.getEncoding());
    MemDescType rhs = op.getRhs().getType();
    auto lhs = dyn_cast<MemDescType>(op.getLhs().getType());
    // Rows of a step are 32 bytes.
    double depth = rhs.getShape()[rhs.getRank() - 2];
    double rowBytes = depth * rhs.getElementBits() / 8;
    double steps = std::max(1., rowBytes / 32);
    double elements = 32. * tilegpu::countRegisters(type, layout);
    double tiles = 4 * elements / (64. * layout.getN());
    Work work;
    work.matrices = tiles * steps;
    work.integer = descriptorInstructions * work.matrices;
    work.multiplyAdds = elements * depth;
    work.matrixType = getMatrixType(rhs.getElementType());
    work.isAsynchronous = true;
    work.holdsWarps = !lhs;
    work.parts = countWarpGroups(context);
    work.wavefronts =
        tiles * ((lhs ? 64 : 0) + layout.getN()) * rowBytes / 128 / 4;
    work.chain.matrix = steps;
    return work;
  }
};

/// A product that is still on its way holds nobody up.
struct WgmmaWaitModel : WorkModel<WgmmaWaitModel, WgmmaWaitOp> {
  static Work count(WgmmaWaitOp op, const PlacementContext &context) {
    return {.integer = 1,
            .isAsynchronous = isa<PendingType>(op.getResult().getType()),
            .parts = countWarpGroups(context)};
  }
};

/// What threads have stored, the asynchronous proxy sees.
struct ProxyFenceModel : WorkModel<ProxyFenceModel, ProxyFenceOp> {
  static Work count(ProxyFenceOp, const PlacementContext &) {
    Work work;
    work.integer = 1;
    work.order = Work::Order::ProxyFence;
    return work;
  }
};

/// Registers are named anew.
struct PendModel : WorkModel<PendModel, PendOp> {
  static Work count(PendOp, const PlacementContext &) { return {}; }
};

struct MultiplyAddModel : WorkModel<MultiplyAddModel, MultiplyAddOp> {
  static Work count(MultiplyAddOp op, const PlacementContext &) {
    Type element = tensorType(op.getResult()).getElementType();
    int64_t depth = op.getLhs().getType().getShape().back();
    double products = double(countRegisters(op.getResult())) * depth;
    Work work;
    double &unit = element.isF64()           ? work.doubles
                   : isa<FloatType>(element) ? work.floating
                                             : work.integer;
    unit = products;
    for (const SharedOperand &operand : op.getSharedOperands()) {
      auto tile = cast<MemDescType>(operand.descriptor.getType());
      double elements =
          operand.registers.map
              ? double(uint64_t(1)
                       << operand.registers.map->inputBits(Axis::Register))
              : double(tile.getNumElements());
      double accesses = std::max(1., elements * tile.getElementBits() / 128);
      work.sharedAccesses += accesses;
      // Lanes of a warp have a few rows, or columns, between them.
      work.wavefronts += 2 * accesses;
    }
    work.chain = {.arithmetic = unsigned(depth), .sharedLoads = 2};
    return work;
  }
};

struct DequantizeModel : WorkModel<DequantizeModel, tile::DequantizeOp> {
  static Work count(tile::DequantizeOp op, const PlacementContext &context) {
    double numbers = countRegisters(op.getResult());
    DequantizeInstructions each = countDequantize(op, context.target);
    Work work;
    work.integer = each.integer * numbers;
    work.floating = each.floating * numbers;
    work.shuffles = each.shuffles * numbers;
    work.chain = {.arithmetic = 5, .shuffles = work.shuffles != 0 ? 1u : 0u};
    return work;
  }
};

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

/// What a thread and its warp hold of a tensor along an axis.
struct AxisShare {
  AxisShare(Value tensor, unsigned dim) {
    LinearLayout map = toLinearLayout(tensorType(tensor));
    Axis axis = Axis::coordinate(dim);
    registerBits = countBits(map, Axis::Register, axis);
    registers = uint64_t(1) << map.inputBits(Axis::Register);
    rows = registers / double(uint64_t(1) << registerBits);
    laneBits = countBits(map, Axis::Lane, axis);
  }
  static unsigned countBits(const LinearLayout &map, Axis input, Axis axis) {
    layout::f2::Span span;
    for (unsigned bit = 0; bit < map.inputBits(input); ++bit)
      span.add(map.basis(input, bit, axis));
    return span.dimension();
  }

  double registers, rows;
  unsigned registerBits, laneBits;
};

/// What combining two elements takes.
ElementCost getCombineCost(Region &region) {
  ElementCost sum = {0, 0};
  for (Operation &op : region.front().without_terminator()) {
    ElementCost cost = getElementCost(&op);
    sum.arithmetic += cost.arithmetic;
    sum.special += cost.special;
  }
  return sum;
}

/// `combines` elements combined in each of `steps`, which depend on each other,
/// and `shuffled` of them sent from lane to lane.
Work countCombines(Operation *op, double combines, double shuffled,
                   unsigned steps, unsigned laneSteps) {
  ElementCost cost = getCombineCost(op->getRegion(0));
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  Work work;
  double &unit = element.isF64()           ? work.doubles
                 : isa<FloatType>(element) ? work.floating
                                           : work.integer;
  unit = combines * cost.arithmetic;
  work.special = combines * cost.special;
  unsigned words = std::max(1u, getMemoryBits(element) / 32);
  work.shuffles = shuffled * words * op->getNumOperands();
  work.chain = {.arithmetic = steps * cost.arithmetic,
                .special = steps * cost.special,
                .shuffles = laneSteps};
  return work;
}

/// Registers first, then a tree over the lanes.
template <typename Op>
struct ReduceModel : WorkModel<ReduceModel<Op>, Op> {
  static Work count(Op op, const PlacementContext &) {
    AxisShare share(op->getOperand(0), op.getAxis());
    double tree = share.laneBits * share.rows;
    return countCombines(op, share.registers - share.rows + tree, tree,
                         share.registerBits + share.laneBits, share.laneBits);
  }
};

struct ScanModel : WorkModel<ScanModel, tt::ScanOp> {
  static Work count(tt::ScanOp op, const PlacementContext &) {
    AxisShare share(op->getOperand(0), op.getAxis());
    double tree = share.laneBits * share.rows;
    return countCombines(op, 2 * share.registers + tree, tree,
                         (1u << share.registerBits) + share.laneBits,
                         share.laneBits);
  }
};

/// The region once for each element.
struct MapModel : WorkModel<MapModel, tt::MapElementwiseOp> {
  static Work count(tt::MapElementwiseOp op, const PlacementContext &) {
    double elements = countRegisters(op->getOperand(0));
    Work work;
    op->walk([&](Operation *inner) {
      if (inner == op)
        return;
      ElementCost cost = getElementCost(inner);
      work.floating += elements * cost.arithmetic;
      work.special += elements * cost.special;
      work.chain.arithmetic += cost.arithmetic;
    });
    return work;
  }
};

template <typename Model, typename Op>
void attach(MLIRContext &context) {
  RegisteredOperationName::lookup(Op::getOperationName(), &context)
      ->template attachInterface<Model>();
}

} // namespace

void tilegpu::attachWorkModels(MLIRContext &context) {
  attach<LoadModel, LocalLoadOp>(context);
  attach<StoreModel, LocalStoreOp>(context);
  attach<AllocModel, LocalAllocOp>(context);
  attach<GatherModel, LocalGatherOp>(context);
  attach<CountModel, LocalCountOp>(context);
  attach<AddressModel<MemDescIndexOp>, MemDescIndexOp>(context);
  attach<AddressModel<MemDescTransOp>, MemDescTransOp>(context);
  attach<CopyModel, AsyncCopyOp>(context);
  attach<CommitModel, AsyncCommitOp>(context);
  attach<TensorMapModel, TensorMapOp>(context);
  attach<BulkCopyModel, BulkCopyOp>(context);
  attach<BulkStoreModel, BulkStoreOp>(context);
  attach<BulkStoreWaitModel, BulkStoreWaitOp>(context);
  attach<MbarrierModel<MbarrierInitOp>, MbarrierInitOp>(context);
  attach<MbarrierModel<MbarrierInvalOp>, MbarrierInvalOp>(context);
  attach<MbarrierModel<MbarrierArriveOp>, MbarrierArriveOp>(context);
  attach<MbarrierWaitModel, MbarrierWaitOp>(context);
  attach<WaitModel, AsyncWaitOp>(context);
  attach<BarrierModel, BarrierOp>(context);
  attach<StorePartsModel, StorePartsOp>(context);
  attach<ReduceScatterModel, tile::ReduceScatterOp>(context);
  attach<NamedBarrierModel<BarrierArriveOp>, BarrierArriveOp>(context);
  attach<NamedBarrierModel<BarrierWaitOp>, BarrierWaitOp>(context);
  attach<ConvertModel, ConvertLayoutOp>(context);
  attach<RoundsModel, ConvertInRoundsOp>(context);
  attach<MmaModel, MmaOp>(context);
  attach<WgmmaModel, WgmmaOp>(context);
  attach<WgmmaWaitModel, WgmmaWaitOp>(context);
  attach<ProxyFenceModel, ProxyFenceOp>(context);
  attach<PendModel, PendOp>(context);
  attach<MultiplyAddModel, MultiplyAddOp>(context);
  attach<DequantizeModel, tile::DequantizeOp>(context);
  attach<ReduceModel<tt::ReduceOp>, tt::ReduceOp>(context);
  attach<ReduceModel<PartialReduceOp>, PartialReduceOp>(context);
  attach<ScanModel, tt::ScanOp>(context);
  attach<MapModel, tt::MapElementwiseOp>(context);
}
