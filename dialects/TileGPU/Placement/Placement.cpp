// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all placements share, the placement of elementwise ops, and which op has
// which model.

#include "dialects/TileGPU/Placement/Placement.h"

#include "dialects/Layout/SharedLayout.h"
#include "dialects/TileGPU/Placement/Models.h"
#include "dialects/TileGPU/RegisterMaps.h"
#include "dialects/Triton/Triton.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;

#include "dialects/TileGPU/Placement/PlacementOpInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// Tensors and layouts
//===----------------------------------------------------------------------===//

RankedTensorType tilegpu::getFirstTensor(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getResultTypes()), TypeRange(op->getOperandTypes())})
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        return tensor;
  return {};
}

Implementation tilegpu::implementUniformly(Operation *op,
                                           RegisterLayoutInterface layout) {
  auto place = [&](Type type) {
    return isa<RankedTensorType>(type) ? Placement(layout) : Placement();
  };
  Implementation implementation;
  implementation.layout = layout;
  llvm::append_range(implementation.operands,
                     llvm::map_range(op->getOperandTypes(), place));
  llvm::append_range(implementation.results,
                     llvm::map_range(op->getResultTypes(), place));
  return implementation;
}

SmallVector<unsigned> tilegpu::spreadUnits(unsigned count,
                                           SmallVectorImpl<int64_t> &left,
                                           ArrayRef<unsigned> order) {
  SmallVector<unsigned> units(left.size(), 1);
  for (unsigned dim : order) {
    unsigned taken = std::min<int64_t>(count, left[dim]);
    units[dim] = taken;
    left[dim] /= taken;
    count /= taken;
  }
  units[order.back()] *= count;
  return units;
}

BlockedAttr tilegpu::getDefaultLayout(MLIRContext *context,
                                      ArrayRef<int64_t> shape,
                                      unsigned numWarps) {
  SmallVector<unsigned> order(
      llvm::reverse(llvm::seq<unsigned>(0, shape.size())));
  SmallVector<unsigned> elements(shape.size(), 1);
  SmallVector<int64_t> left(shape);
  SmallVector<unsigned> threads = spreadUnits(32, left, order);
  SmallVector<unsigned> warps = spreadUnits(numWarps, left, order);
  return BlockedAttr::get(context, elements, threads, warps, order);
}

/// Contiguous is the dimension along which a writer has most elements side by
/// side, so that it stores (or copies) them together.
static SharedLayoutInterface
arrangeForDescriptor(RankedTensorType type, RegisterLayoutInterface writers,
                     const layout::DescriptorOperand &operand) {
  layout::LinearLayout map = writers.toLinearLayout(type.getShape());
  auto countTogether = [&](unsigned dim) {
    return map.contiguousBits(Axis::Register, Axis::coordinate(dim));
  };
  unsigned dims[] = {operand.kDim, operand.rowDim};
  if (countTogether(dims[1]) > countTogether(dims[0]))
    std::swap(dims[0], dims[1]);
  for (unsigned inner : dims)
    if (SharedLayoutInterface arrangement =
            arrangeForDescriptor(type, operand, inner))
      return arrangement;
  llvm_unreachable("an operand has 32 bytes of K and 8 rows at the least");
}

SharedLayoutInterface
tilegpu::arrangeForDescriptor(RankedTensorType type,
                              const layout::DescriptorOperand &operand,
                              unsigned inner) {
  SmallVector<unsigned> shape = llvm::map_to_vector(
      type.getShape(), [](int64_t size) { return layout::log2Exact(size); });
  std::optional<layout::TensorCopyTile> tile =
      layout::chooseDescriptorTile(shape, operand, inner);
  if (!tile)
    return {};
  return SharedNvmmaAttr::get(type.getContext(), tile->swizzleBytes,
                              tile->elementBits,
                              layout::orderFrom(inner, shape.size()),
                              /*fp4Padded=*/false);
}

SharedLayoutInterface tilegpu::planSharedTile(RankedTensorType type,
                                              RegisterLayoutInterface writers,
                                              const SharedPlacement &demand,
                                              const target::Target &target,
                                              unsigned copyElements) {
  if (demand.descriptor)
    return ::arrangeForDescriptor(type, writers, *demand.descriptor);
  ArrayRef<int64_t> shape = type.getShape();
  layout::SharedPlan plan = layout::planShared(
      writers.toLinearLayout(shape), demand.readers.toLinearLayout(shape),
      getMemoryBits(type.getElementType()),
      {demand.isForMatrixLoads && target.has(target::Capability::LdMatrix),
       target.has(target::Capability::StMatrix), copyElements});
  SmallVector<Axis> dimensions;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    dimensions.push_back(Axis::coordinate(dim));
  return SharedLinearAttr::get(type.getContext(),
                               plan.shared.reorderOutputs(dimensions));
}

unsigned tilegpu::countRegisters(RankedTensorType type,
                                 RegisterLayoutInterface layout) {
  return 1u << getRegisterMap(type, layout).inputBits(Axis::Register);
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

uint64_t tilegpu::getElementwisePrice(Operation *op,
                                      RegisterLayoutInterface layout,
                                      const target::InstructionPrices &prices) {
  ElementCost cost = getElementCost(op);
  return uint64_t(countRegisters(getFirstTensor(op), layout)) *
         (cost.arithmetic * prices.arithmetic + cost.special * prices.special);
}

namespace {
/// All tensors under one layout: elementwise ops, and what makes tiles of
/// scalars.
struct UniformModel : PlacementModel<UniformModel> {
  std::optional<Implementation>
  implementUnder(Operation *op, RegisterLayoutInterface layout) const {
    return implementUniformly(op, layout);
  }
  uint64_t getPrice(Operation *op, const Implementation &implementation,
                    const PlacementContext &context) const {
    return getElementwisePrice(op, implementation.layout,
                               context.target.prices);
  }
};
} // namespace

/// Whether all ops of this name place their tensors alike.
static bool isUniform(RegisteredOperationName name) {
  return name.hasTrait<OpTrait::Elementwise>() ||
         name.hasTrait<ElementwiseOnTiles>() ||
         name.hasTrait<OpTrait::ConstantLike>();
}

void tilegpu::attachPlacementModels(MLIRContext &context) {
  attachPlacement<UniformModel, tt::MakeRangeOp, tt::SplatOp>(context);
  attachSplitPlacement(context);
  attachAxisPlacement(context);
  attachDotPlacement(context);
  attachDequantizePlacement(context);
  attachClusterPlacement(context);
  for (StringRef dialect : {"tt", "arith", "math", "ub"})
    for (RegisteredOperationName name : getRegisteredOps(context, dialect)) {
      if (name.hasInterface<PlacementOpInterface>())
        continue;
      if (name.hasInterface<CoordinateMapOpInterface>())
        attachViewPlacement(name);
      else if (name.hasInterface<GlobalAccessOpInterface>())
        attachAccessPlacement(name);
      else if (isUniform(name))
        name.attachInterface<UniformModel>();
    }
}
