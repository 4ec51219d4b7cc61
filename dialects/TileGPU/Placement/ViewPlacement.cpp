// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placement of ops that rearrange elements: where no element changes its
// thread.
//
// A layout that follows from another keeps a name (blocked, slice, ...) where
// one fits, and is given by its bases otherwise.

#include "dialects/Interfaces/Permutation.h"
#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/TileGPU/Placement/Models.h"
#include "dialects/TileGPU/Placement/TransposedDots.h"
#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

//===----------------------------------------------------------------------===//
// Views and joins
//===----------------------------------------------------------------------===//

/// True for layouts that describe one shape alone.
static bool isBases(RegisterLayoutInterface layout) {
  if (auto slice = dyn_cast<SliceAttr>(layout))
    return isBases(slice.getParent());
  if (auto operand = dyn_cast<DotOperandAttr>(layout))
    return isBases(operand.getParent());
  return isa<LinearAttr>(layout);
}

/// `map` under one of the names in `candidates` that has just this map for
/// `shape`, or as bases.
static RegisterLayoutInterface
nameLayout(const LinearLayout &map, ArrayRef<int64_t> shape,
           ArrayRef<RegisterLayoutInterface> candidates, MLIRContext *context) {
  for (RegisterLayoutInterface candidate : candidates)
    if (candidate.getRank() == shape.size() && !isBases(candidate) &&
        candidate.toLinearLayout(shape) == map)
      return candidate;
  return LinearAttr::get(context, map);
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

LinearLayout tilegpu::inDimensionOrder(const LinearLayout &map) {
  std::vector<Axis> order;
  for (unsigned dim = 0; dim < map.outputs().size(); ++dim)
    order.push_back(Axis::coordinate(dim));
  return map.reorderOutputs(order);
}

LinearLayout tilegpu::inferSource(const LinearLayout &result,
                                  const LinearLayout &map) {
  return inDimensionOrder(result.compose(map).removeZeroBits(Axis::Register));
}

static LinearLayout getMap(Operation *op) {
  return cast<CoordinateMapOpInterface>(op).getCoordinateMap();
}

/// The layout that the source of a view needs so that the result under `result`
/// moves no element.
static RegisterLayoutInterface
inferSourceLayout(Operation *op, RegisterLayoutInterface result) {
  Value source = op->getOperand(0);
  LinearLayout map =
      inferSource(result.toLinearLayout(shapeOf(op->getResult(0))), getMap(op));
  SmallVector<RegisterLayoutInterface> candidates = {result};
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
    candidates = {cast<RegisterLayoutInterface>(
        SliceAttr::get(op->getContext(), expand.getAxis(), result))};
  if (auto trans = dyn_cast<tt::TransOp>(op))
    if (auto blocked = dyn_cast<BlockedAttr>(result)) {
      // Result dimension d is source dimension order[d].
      unsigned rank = blocked.getRank();
      SmallVector<unsigned> elements(rank), threads(rank), warps(rank), order;
      ArrayRef<int32_t> from = trans.getOrder();
      for (unsigned dim = 0; dim < rank; ++dim) {
        elements[from[dim]] = blocked.getElements()[dim];
        threads[from[dim]] = blocked.getThreads()[dim];
        warps[from[dim]] = blocked.getWarps()[dim];
      }
      for (unsigned dim : blocked.getOrder())
        order.push_back(from[dim]);
      candidates = {cast<RegisterLayoutInterface>(
          BlockedAttr::get(op->getContext(), elements, threads, warps, order))};
    }
  return nameLayout(map, shapeOf(source), candidates, op->getContext());
}

/// The layout that the result of a view gets from a source under `source`
/// without moving an element. Null where the source alone does not say (the
/// result is larger).
static RegisterLayoutInterface
inferResultLayout(Operation *op, RegisterLayoutInterface source) {
  ArrayRef<int64_t> resultShape = shapeOf(op->getResult(0));
  LinearLayout sourceMap = source.toLinearLayout(shapeOf(op->getOperand(0)));
  if (!isView(op)) {
    // The two sources are the lowest register bit.
    Axis last = Axis::coordinate(resultShape.size() - 1);
    LinearLayout pair = LinearLayout::identity(Axis::Register, last, 1);
    return nameLayout(inDimensionOrder(pair * sourceMap), resultShape, {},
                      op->getContext());
  }
  std::optional<LinearLayout> inverse = getMap(op).invert();
  if (!inverse)
    return {};
  LinearLayout map = inDimensionOrder(sourceMap.compose(*inverse));
  SmallVector<RegisterLayoutInterface> candidates = {source};
  if (auto slice = dyn_cast<SliceAttr>(source))
    candidates.push_back(slice.getParent());
  if (auto trans = dyn_cast<tt::TransOp>(op))
    if (auto blocked = dyn_cast<BlockedAttr>(source)) {
      SmallVector<unsigned> elements, threads, warps, order, position;
      position.resize(blocked.getRank());
      for (auto [dim, from] : llvm::enumerate(trans.getOrder())) {
        elements.push_back(blocked.getElements()[from]);
        threads.push_back(blocked.getThreads()[from]);
        warps.push_back(blocked.getWarps()[from]);
        position[from] = dim;
      }
      for (unsigned dim : blocked.getOrder())
        order.push_back(position[dim]);
      candidates.push_back(cast<RegisterLayoutInterface>(
          BlockedAttr::get(op->getContext(), elements, threads, warps, order)));
    }
  return nameLayout(map, resultShape, candidates, op->getContext());
}

/// Whether each thread holds both halves of the last dimension.
static bool isPairInThreads(RegisterLayoutInterface layout,
                            ArrayRef<int64_t> shape) {
  LinearLayout map = layout.toLinearLayout(shape);
  Axis last = Axis::coordinate(shape.size() - 1);
  for (Axis input : {Axis(Axis::Lane), Axis(Axis::Warp)})
    for (unsigned bit = 0; bit < map.inputBits(input); ++bit)
      if (map.basis(input, bit, last))
        return false;
  return true;
}

namespace {
struct ViewModel : PlacementModel<ViewModel> {
  std::optional<Implementation>
  implementUnder(Operation *op, RegisterLayoutInterface layout) const {
    if (!isView(op) && !isPairInThreads(layout, shapeOf(op->getResult(0))))
      return std::nullopt;
    RegisterLayoutInterface source = inferSourceLayout(op, layout);
    return Implementation{
        layout,
        SmallVector<Placement, 3>(op->getNumOperands(), source),
        {layout},
        {}};
  }

  RegisterLayoutInterface
  proposeForOperand(Operation *op, OpOperand &,
                    RegisterLayoutInterface held) const {
    if (RegisterLayoutInterface result = inferResultLayout(op, held))
      return result;
    // Broadcast: what describes every shape describes the result's.
    return isBases(held) ? RegisterLayoutInterface() : held;
  }

  RegisterLayoutInterface getDefaultLayout(Operation *op,
                                           unsigned numWarps) const {
    if (isView(op))
      return tilegpu::getDefaultLayout(op->getContext(),
                                       shapeOf(op->getResult(0)), numWarps);
    return inferResultLayout(
        op, tilegpu::getDefaultLayout(op->getContext(),
                                      shapeOf(op->getOperand(0)), numWarps));
  }

  /// The transposition of a tile that a descriptor reads is a tile that another
  /// one reads.
  std::optional<Implementation>
  implementInSharedMemory(Operation *op, unsigned,
                          const SharedPlacement &demand,
                          const PlacementContext &context) const {
    std::optional<SmallVector<int32_t>> from = getPermutation(op);
    if (!from || !demand.descriptor)
      return std::nullopt;
    SharedPlacement source = demand;
    source.descriptor->rowDim = (*from)[demand.descriptor->rowDim];
    source.descriptor->kDim = (*from)[demand.descriptor->kDim];
    return Implementation{
        getDefaultLayout(op, context.numWarps), {source}, {demand}, {}};
  }

  uint64_t getPrice(Operation *, const Implementation &,
                    const PlacementContext &) const {
    return 0;
  }

  SmallVector<Value> realize(Operation *op, ValueRange operands,
                             const Implementation &,
                             const PlacementContext &) const {
    OpBuilder builder(op);
    return {
        transposeTile(builder, op->getLoc(), operands[0], *getPermutation(op))};
  }
};
} // namespace

void tilegpu::attachViewPlacement(RegisteredOperationName name) {
  name.attachInterface<ViewModel>();
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

/// The halves are the registers' highest bit: what makes two neighbours at a
/// time makes them of one half.
static RegisterLayoutInterface
inferSplitSource(RankedTensorType resultType, RegisterLayoutInterface result) {
  Axis last = Axis::coordinate(resultType.getRank());
  LinearLayout pair = LinearLayout::identity(Axis::Register, last, 1);
  LinearLayout map =
      inDimensionOrder(result.toLinearLayout(resultType.getShape()) * pair);
  return LinearAttr::get(resultType.getContext(), map);
}

/// Null where the two halves lie in different threads.
static RegisterLayoutInterface
inferSplitResult(RankedTensorType sourceType, RegisterLayoutInterface source) {
  LinearLayout map = source.toLinearLayout(sourceType.getShape());
  Axis last = Axis::coordinate(sourceType.getRank() - 1);
  unsigned found = 0;
  for (const AxisBits &input : map.inputs())
    for (unsigned bit = 0; bit < input.bits; ++bit)
      if (map.basis(input.axis, bit, last)) {
        bool alone = map.column(input.axis, bit) ==
                     uint64_t(1) << map.outputOffset(last);
        if (!(input.axis == Axis(Axis::Register)) || !alone)
          return {};
        ++found;
      }
  if (found != 1)
    return {};
  return LinearAttr::get(
      sourceType.getContext(),
      inDimensionOrder(map.removeOutput(last).removeZeroBits(Axis::Register)));
}

namespace {
struct SplitModel : PlacementModel<SplitModel> {
  std::optional<Implementation>
  implementUnder(Operation *op, RegisterLayoutInterface layout) const {
    return Implementation{layout,
                          {inferSplitSource(getFirstTensor(op), layout)},
                          {layout, layout},
                          {}};
  }

  RegisterLayoutInterface
  proposeForOperand(Operation *op, OpOperand &operand,
                    RegisterLayoutInterface held) const {
    return inferSplitResult(cast<RankedTensorType>(operand.get().getType()),
                            held);
  }

  uint64_t getPrice(Operation *, const Implementation &,
                    const PlacementContext &) const {
    return 0;
  }
};
} // namespace

void tilegpu::attachSplitPlacement(MLIRContext &context) {
  attachPlacement<SplitModel, tt::SplitOp>(context);
}
