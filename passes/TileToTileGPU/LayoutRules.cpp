// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/LayoutRules.h"

#include "dialects/Layout/ScanSteps.h"
#include "dialects/TileGPU/ShapeMaps.h"
#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

bool tilegpu::hasUniformLayout(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp,
             tt::AddPtrOp, tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp,
             tt::FpToFpOp, tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp,
             tt::MulhiUIOp, tt::ElementwiseInlineAsmOp, tt::ExternElementwiseOp,
             tt::ScanOp>(op);
}

/// True for layouts that describe one shape alone.
static bool isBases(RegisterLayoutInterface layout) {
  if (auto slice = dyn_cast<SliceAttr>(layout))
    return isBases(slice.getParent());
  if (auto operand = dyn_cast<DotOperandAttr>(layout))
    return isBases(operand.getParent());
  return isa<LinearAttr>(layout);
}

RegisterLayoutInterface
tilegpu::nameLayout(const LinearLayout &map, ArrayRef<int64_t> shape,
                    ArrayRef<RegisterLayoutInterface> candidates,
                    MLIRContext *context) {
  for (RegisterLayoutInterface candidate : candidates)
    if (candidate.getRank() == shape.size() && !isBases(candidate) &&
        candidate.toLinearLayout(shape) == map)
      return candidate;
  return LinearAttr::get(context, map);
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The coordinates of `map` in the order dim0, dim1, …, as encodings have them.
static LinearLayout inDimensionOrder(const LinearLayout &map) {
  std::vector<Axis> order;
  for (unsigned dim = 0; dim < map.outputs().size(); ++dim)
    order.push_back(Axis::coordinate(dim));
  return map.reorderOutputs(order);
}

RegisterLayoutInterface
tilegpu::inferSourceLayout(Operation *op, RegisterLayoutInterface result) {
  Value source = op->getOperand(0);
  LinearLayout map =
      inDimensionOrder(result.toLinearLayout(shapeOf(op->getResult(0)))
                           .compose(getResultToSourceMap(op))
                           .removeZeroBits(Axis::Register));
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

RegisterLayoutInterface
tilegpu::inferResultLayout(Operation *op, RegisterLayoutInterface source) {
  if (isa<tt::BroadcastOp>(op))
    return {};
  ArrayRef<int64_t> resultShape = shapeOf(op->getResult(0));
  LinearLayout sourceMap = source.toLinearLayout(shapeOf(op->getOperand(0)));
  if (isa<tt::JoinOp>(op)) {
    // The two sources are the lowest register bit.
    Axis last = Axis::coordinate(resultShape.size() - 1);
    LinearLayout pair = LinearLayout::identity(Axis::Register, last, 1);
    return nameLayout(inDimensionOrder(pair * sourceMap), resultShape, {},
                      op->getContext());
  }
  std::optional<LinearLayout> inverse = getResultToSourceMap(op).invert();
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

RegisterLayoutInterface
tilegpu::proposeResultLayout(Operation *op, RegisterLayoutInterface source) {
  if (isa<tt::BroadcastOp>(op))
    return isBases(source) ? RegisterLayoutInterface() : source;
  return inferResultLayout(op, source);
}

RegisterLayoutInterface tilegpu::transposeLayout(RegisterLayoutInterface layout,
                                                 ArrayRef<int64_t> shape) {
  LinearLayout map = layout.toLinearLayout(shape);
  SmallVector<unsigned> from =
      llvm::to_vector(llvm::seq<unsigned>(0, shape.size()));
  std::swap(from[shape.size() - 1], from[shape.size() - 2]);
  std::vector<AxisBits> outputs;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    outputs.push_back(
        {Axis::coordinate(dim), map.outputBits(Axis::coordinate(from[dim]))});
  std::vector<uint64_t> columns;
  for (const AxisBits &input : map.inputs())
    for (unsigned bit = 0; bit < input.bits; ++bit) {
      uint64_t column = 0;
      unsigned shift = 0;
      for (unsigned dim = 0; dim < shape.size(); ++dim) {
        column |= map.basis(input.axis, bit, Axis::coordinate(from[dim]))
                  << shift;
        shift += outputs[dim].bits;
      }
      columns.push_back(column);
    }
  return LinearAttr::get(
      layout.getContext(),
      LinearLayout(map.inputs(), std::move(outputs), std::move(columns)));
}

bool tilegpu::canJoin(RegisterLayoutInterface layout, ArrayRef<int64_t> shape) {
  LinearLayout map = layout.toLinearLayout(shape);
  Axis last = Axis::coordinate(shape.size() - 1);
  for (Axis input : {Axis(Axis::Lane), Axis(Axis::Warp)})
    for (unsigned bit = 0; bit < map.inputBits(input); ++bit)
      if (map.basis(input, bit, last))
        return false;
  return true;
}

RegisterLayoutInterface
tilegpu::inferSplitSource(RankedTensorType resultType,
                          RegisterLayoutInterface result) {
  Axis last = Axis::coordinate(resultType.getRank());
  LinearLayout pair = LinearLayout::identity(Axis::Register, last, 1);
  LinearLayout map =
      inDimensionOrder(pair * result.toLinearLayout(resultType.getShape()));
  return LinearAttr::get(resultType.getContext(), map);
}

RegisterLayoutInterface
tilegpu::inferSplitResult(RankedTensorType sourceType,
                          RegisterLayoutInterface source) {
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

RegisterLayoutInterface tilegpu::makeScannable(RegisterLayoutInterface layout,
                                               ArrayRef<int64_t> shape,
                                               unsigned axis) {
  LinearLayout map = layout.toLinearLayout(shape);
  Axis coordinate = Axis::coordinate(axis);
  // Warp bits that reach the axis become registers; their warps hold copies.
  std::vector<uint64_t> registers, lanes, warps;
  for (unsigned bit = 0; bit < map.inputBits(Axis::Register); ++bit)
    registers.push_back(map.column(Axis::Register, bit));
  for (unsigned bit = 0; bit < map.inputBits(Axis::Lane); ++bit)
    lanes.push_back(map.column(Axis::Lane, bit));
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
