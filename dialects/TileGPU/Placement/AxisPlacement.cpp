// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placement of ops that work along an axis: reductions, scans, gathers,
// histograms.

#include "dialects/Interfaces/LoopCarried.h"
#include "dialects/Layout/F2.h"
#include "dialects/Layout/ScanSteps.h"
#include "dialects/TileGPU/Placement/Models.h"
#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;
namespace f2 = layout::f2;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Lane or warp bits that reach coordinate `axis`.
static unsigned countBitsAlong(const LinearLayout &map, Axis input, Axis axis) {
  f2::Span span;
  for (unsigned bit = 0; bit < map.inputBits(input); ++bit)
    span.add(map.basis(input, bit, axis));
  return span.dimension();
}

namespace {
/// What a thread and its warp hold of a tensor along an axis.
struct AxisShare {
  /// Registers of a thread, and how many differ beside the axis.
  uint64_t registers, rows;
  /// Bits of the lane and of the warp that reach the axis.
  unsigned laneBits, warpBits;

  AxisShare(Value tensor, RegisterLayoutInterface layout, unsigned dim)
      : AxisShare(layout.toLinearLayout(tensorType(tensor).getShape()), dim) {}

  AxisShare(const LinearLayout &map, unsigned dim) {
    Axis axis = Axis::coordinate(dim);
    registers = uint64_t(1) << map.inputBits(Axis::Register);
    rows = registers >> countBitsAlong(map, Axis::Register, axis);
    laneBits = countBitsAlong(map, Axis::Lane, axis);
    warpBits = countBitsAlong(map, Axis::Warp, axis);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static uint64_t getReductionPrice(tt::ReduceOp op,
                                  RegisterLayoutInterface layout,
                                  const target::InstructionPrices &prices) {
  AxisShare share(op->getOperand(0), layout, op.getAxis());
  uint64_t operands = op->getNumOperands();
  uint64_t combine =
      prices.arithmetic *
      std::max<size_t>(1, op->getRegion(0).front().getOperations().size() - 1);
  uint64_t price =
      share.registers * combine +
      share.laneBits * share.rows * (operands * prices.shuffle + combine);
  if (share.warpBits)
    price +=
        2 * prices.barrier + operands * 2 * share.rows *
                                 (prices.sharedAccess + prices.sharedWavefront);
  return price;
}

/// The most elements side by side that a thread takes of a row: as many of 2
/// bytes as one access has.
static constexpr int64_t mostTogether = 8;

/// The most elements of a row that a thread has: what is computed of each
/// column, as the other operand of a comparison, takes as many registers.
static constexpr int64_t mostOfRow = 64;

/// The layout that reduces rows of the last dimension by the fewest shuffles: a
/// thread has all of its elements in one row, or so many of each, and its warp
/// as many rows as that leaves. Null where a row takes all lanes.
static BlockedAttr getRowLayout(RankedTensorType type, unsigned axis,
                                unsigned numWarps) {
  unsigned rank = type.getRank();
  int64_t threads = int64_t(numWarps) * target::Target::warpSize;
  int64_t held = type.getNumElements() / threads;
  int64_t row = type.getDimSize(axis);
  if (axis + 1 != rank || held < 2)
    return {};
  int64_t lanes = std::max<int64_t>(1, row / std::min(held, mostOfRow));
  if (lanes >= target::Target::warpSize)
    return {};
  SmallVector<unsigned> order(llvm::reverse(llvm::seq<unsigned>(0, rank)));
  SmallVector<int64_t> left(type.getShape());
  left[axis] = 1;
  SmallVector<unsigned> elements(rank, 1);
  elements[axis] = std::min({held, row, mostTogether});
  SmallVector<unsigned> lanesAlong =
      spreadUnits(target::Target::warpSize / lanes, left, order);
  lanesAlong[axis] = lanes;
  SmallVector<unsigned> warps = spreadUnits(numWarps, left, order);
  return BlockedAttr::get(type.getContext(), elements, lanesAlong, warps,
                          order);
}

/// Whether shuffles are most of what the reduction waits for: an iteration
/// reduces what the one before gave, and loads no tile as large, or loads
/// nothing; code without a loop makes far more elements than it loads, as where
/// each one of a tile meets each of another. What is loaded is better read as
/// it lies in memory.
static bool awaitsShuffles(tt::ReduceOp op) {
  Operation *loop = op->getParentOfType<LoopLikeOpInterface>();
  Operation *scope =
      loop ? loop : op->getParentOfType<FunctionOpInterface>().getOperation();
  int64_t largest = 0;
  scope->walk([&](Operation *inner) {
    if (std::optional<GlobalAccess> access = getGlobalAccess(inner);
        access && !access->isWrite)
      if (auto tile = dyn_cast<RankedTensorType>(access->pointers.getType()))
        largest = std::max(largest, tile.getNumElements());
  });
  int64_t elements = tensorType(op->getOperand(0)).getNumElements();
  constexpr int64_t farMore = 32;
  if (!loop)
    return largest * farMore <= elements;
  return largest == 0 || (largest < elements && usesLoopCarriedFloats(op));
}

namespace {
/// The own layout is the source's; results are slices of it.
struct ReduceModel : PlacementModel<ReduceModel> {
  RankedTensorType getPlacedType(Operation *op) const {
    return tensorType(op->getOperand(0));
  }

  SmallVector<Implementation>
  listImplementations(Operation *op, const PlacementContext &context) const {
    auto reduction = cast<tt::ReduceOp>(op);
    BlockedAttr rows = awaitsShuffles(reduction)
                           ? getRowLayout(getPlacedType(op),
                                          reduction.getAxis(), context.numWarps)
                           : nullptr;
    if (!rows)
      return {};
    return {*implementUnder(op, rows)};
  }

  std::optional<Implementation>
  implementUnder(Operation *op, RegisterLayoutInterface layout) const {
    Implementation implementation = implementUniformly(op, layout);
    unsigned axis = cast<tt::ReduceOp>(op).getAxis();
    for (Placement &result : implementation.results)
      if (!result.isAnywhere())
        result = RegisterLayoutInterface(
            SliceAttr::get(op->getContext(), axis, layout));
    return implementation;
  }

  RegisterLayoutInterface
  proposeForResult(Operation *op, unsigned,
                   RegisterLayoutInterface wanted) const {
    auto slice = dyn_cast<SliceAttr>(wanted);
    if (slice && slice.getDim() == cast<tt::ReduceOp>(op).getAxis() &&
        slice.getParent().getRank() == getPlacedType(op).getRank() &&
        !isa<LinearAttr>(slice.getParent()))
      return slice.getParent();
    return {};
  }

  uint64_t getPrice(Operation *op, const Implementation &implementation,
                    const PlacementContext &context) const {
    return getReductionPrice(cast<tt::ReduceOp>(op), implementation.layout,
                             context.target.prices);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

std::vector<uint64_t> tilegpu::listColumns(const LinearLayout &map,
                                           Axis input) {
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < map.inputBits(input); ++bit)
    columns.push_back(map.column(input, bit));
  return columns;
}

/// The bits of a column of `map` that are coordinate `axis`.
static uint64_t getBitsOf(const LinearLayout &map, Axis axis) {
  return ((uint64_t(1) << map.outputBits(axis)) - 1) << map.outputOffset(axis);
}

/// How many of a thread's registers' bits reach the axis, whose bits these are,
/// above the lowest bit that a lane has of it.
static unsigned countAboveLanes(ArrayRef<uint64_t> registers,
                                ArrayRef<uint64_t> lanes, uint64_t axisBits) {
  uint64_t lowestLane = ~uint64_t(0);
  for (uint64_t column : lanes)
    if (column & axisBits)
      lowestLane = std::min(lowestLane, column & axisBits);
  return llvm::count_if(registers, [&](uint64_t column) {
    return (column & axisBits) > lowestLane;
  });
}

/// Deals the bits of `axis` anew among the registers and lanes that hold one
/// each: the lowest to registers. A thread then holds neighbours, which are one
/// block for the scan through lanes. Two blocks of one of `sources` stay: a
/// second scan of it costs no more than loads of neighbours that lie apart.
static void gatherNeighbours(MutableArrayRef<uint64_t> registers,
                             MutableArrayRef<uint64_t> lanes,
                             const LinearLayout &map, Axis axis,
                             unsigned sources) {
  uint64_t bits = getBitsOf(map, axis);
  SmallVector<uint64_t *> places;
  SmallVector<uint64_t> columns;
  for (MutableArrayRef<uint64_t> each : {registers, lanes})
    for (uint64_t &column : each)
      if (llvm::isPowerOf2_64(column) && (column & bits) &&
          !llvm::is_contained(columns, column)) {
        places.push_back(&column);
        columns.push_back(column);
      }
  if (columns.size() != map.outputBits(axis))
    return;
  if (countAboveLanes(registers, lanes, bits) < (sources == 1 ? 2 : 1))
    return;
  llvm::sort(columns);
  for (auto [place, column] : llvm::zip_equal(places, columns))
    *place = column;
}

/// Gives warps that hold copies rows of their own, those of the highest
/// register bits without a part in `axisBits`, as far as there are any: copies
/// take each thread as many times the registers and the instructions of a scan.
/// What converts to and from its layout goes through shared memory either way.
static void dealRows(std::vector<uint64_t> &registers,
                     MutableArrayRef<uint64_t> warps, uint64_t axisBits) {
  for (uint64_t &warp : warps) {
    if (warp)
      continue;
    auto highest = registers.end();
    for (auto it = registers.begin(); it != registers.end(); ++it)
      if (*it && !(*it & axisBits) &&
          (highest == registers.end() || *highest < *it))
        highest = it;
    if (highest == registers.end())
      return;
    warp = *highest;
    registers.erase(highest);
  }
}

/// `layout` without the bits of `axis` in the warp index, or unchanged: what a
/// scan along `axis` takes. Warps then have rows of their own, or hold copies
/// where there are too few. Null where the axis is mixed among registers and
/// lanes in a way that a scan does not take.
static RegisterLayoutInterface makeScannable(RegisterLayoutInterface layout,
                                             ArrayRef<int64_t> shape,
                                             unsigned axis, unsigned sources) {
  LinearLayout map = layout.toLinearLayout(shape);
  Axis coordinate = Axis::coordinate(axis);
  // Warp bits that reach the axis become registers.
  std::vector<uint64_t> registers = listColumns(map, Axis::Register);
  std::vector<uint64_t> lanes = listColumns(map, Axis::Lane), warps;
  for (unsigned bit = 0; bit < map.inputBits(Axis::Warp); ++bit) {
    uint64_t column = map.column(Axis::Warp, bit);
    bool crosses = map.basis(Axis::Warp, bit, coordinate) != 0;
    warps.push_back(crosses ? 0 : column);
    if (crosses)
      registers.push_back(column);
  }
  if (registers.size() == map.inputBits(Axis::Register))
    return layout::findScanSteps(map, coordinate).obstacle.empty()
               ? layout
               : RegisterLayoutInterface();
  gatherNeighbours(registers, lanes, map, coordinate, sources);
  dealRows(registers, warps, getBitsOf(map, coordinate));
  std::vector<AxisBits> inputs = {{Axis::Register, (unsigned)registers.size()},
                                  {Axis::Lane, (unsigned)lanes.size()},
                                  {Axis::Warp, (unsigned)warps.size()}};
  std::vector<uint64_t> columns = registers;
  columns.insert(columns.end(), lanes.begin(), lanes.end());
  columns.insert(columns.end(), warps.begin(), warps.end());
  LinearLayout changed(inputs, map.outputs(), columns);
  if (!layout::findScanSteps(changed, coordinate).obstacle.empty())
    return {};
  return LinearAttr::get(layout.getContext(), changed);
}

static uint64_t getScanPrice(tt::ScanOp op, RegisterLayoutInterface layout,
                             const target::InstructionPrices &prices) {
  LinearLayout map = layout.toLinearLayout(getFirstTensor(op).getShape());
  AxisShare share(map, op.getAxis());
  // Those of each row that a thread holds with other lanes' between them: each
  // is scanned through lanes by itself.
  uint64_t blocks =
      uint64_t(1) << countAboveLanes(
          listColumns(map, Axis::Register), listColumns(map, Axis::Lane),
          getBitsOf(map, Axis::coordinate(op.getAxis())));
  return op->getNumOperands() * (2 * share.registers * prices.arithmetic +
                                 share.laneBits * share.rows * blocks *
                                     (prices.shuffle + 2 * prices.arithmetic));
}

namespace {
struct ScanModel : PlacementModel<ScanModel> {
  std::optional<Implementation>
  implementUnder(Operation *op, RegisterLayoutInterface layout) const {
    RegisterLayoutInterface changed =
        makeScannable(layout, getFirstTensor(op).getShape(),
                      cast<tt::ScanOp>(op).getAxis(), op->getNumOperands());
    if (!changed)
      return std::nullopt;
    return implementUniformly(op, changed);
  }

  uint64_t getPrice(Operation *op, const Implementation &implementation,
                    const PlacementContext &context) const {
    return getScanPrice(cast<tt::ScanOp>(op), implementation.layout,
                        context.target.prices);
  }
};

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// The result is under the layout of the indices. The source is read from
/// memory, or shuffled, so that it may be under any.
struct GatherModel : PlacementModel<GatherModel> {
  std::optional<Implementation>
  implementUnder(Operation *op, RegisterLayoutInterface layout) const {
    Implementation implementation = implementUniformly(op, layout);
    implementation.operands[getSource(op).getOperandNumber()] = Placement();
    return implementation;
  }

  RegisterLayoutInterface
  proposeForOperand(Operation *op, OpOperand &operand,
                    RegisterLayoutInterface held) const {
    return &operand == &getSource(op) ? RegisterLayoutInterface() : held;
  }

  uint64_t getPrice(Operation *op, const Implementation &implementation,
                    const PlacementContext &context) const {
    return getElementwisePrice(op, implementation.layout,
                               context.target.prices);
  }

private:
  static OpOperand &getSource(Operation *op) {
    return cast<tt::GatherOp>(op).getSrcMutable();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Histograms
//===----------------------------------------------------------------------===//

namespace {
/// The source may be under any layout. The bins are read from shared memory, by
/// default into the layout that tiles of their shape have.
struct HistogramModel : PlacementModel<HistogramModel> {
  RankedTensorType getPlacedType(Operation *op) const {
    return tensorType(op->getOperand(0));
  }

  std::optional<Implementation>
  implementUnder(Operation *op, RegisterLayoutInterface layout) const {
    Implementation implementation = implementUniformly(op, layout);
    LinearLayout map = layout.toLinearLayout(getPlacedType(op).getShape());
    implementation.results[0] =
        RegisterLayoutInterface(tilegpu::getDefaultLayout(
            op->getContext(), tensorType(op->getResult(0)).getShape(),
            1u << map.inputBits(Axis::Warp)));
    return implementation;
  }

  RegisterLayoutInterface proposeForResult(Operation *, unsigned,
                                           RegisterLayoutInterface) const {
    return {};
  }

  uint64_t getPrice(Operation *op, const Implementation &implementation,
                    const PlacementContext &context) const {
    const target::InstructionPrices &prices = context.target.prices;
    AxisShare share(op->getOperand(0), implementation.layout, /*dim=*/0);
    return 2 * prices.barrier +
           share.registers * (prices.sharedAccess + prices.sharedWavefront);
  }
};
} // namespace

void tilegpu::attachAxisPlacement(MLIRContext &context) {
  attachPlacement<HistogramModel, tt::HistogramOp>(context);
  attachPlacement<ReduceModel, tt::ReduceOp>(context);
  attachPlacement<ScanModel, tt::ScanOp>(context);
  attachPlacement<GatherModel, tt::GatherOp>(context);
}
