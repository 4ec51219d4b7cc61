// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/Placement/TransposedDots.h"

#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

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
  return LinearAttr::get(
      layout.getContext(),
      LinearLayout::fromBases(map.inputs(), std::move(outputs),
                              [&](Axis input, unsigned bit, Axis output) {
                                return map.basis(
                                    input, bit,
                                    Axis::coordinate(from[output.dimension()]));
                              }));
}

Value tilegpu::transposeInRegisters(OpBuilder &builder, Value value,
                                    RegisterLayoutInterface layout) {
  RankedTensorType type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<int32_t> order =
      llvm::to_vector(llvm::seq<int32_t>(0, shape.size()));
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return tt::TransOp::create(
      builder, value.getLoc(),
      RankedTensorType::get(shape, type.getElementType(), layout), value,
      order);
}

/// The encoding of a tile whose dimension d was dimension from[d].
static SharedLayoutInterface transposeEncoding(SharedNvmmaAttr source,
                                               ArrayRef<int32_t> from) {
  SmallVector<unsigned> order;
  for (unsigned dim : source.getOrder())
    order.push_back(llvm::find(from, int32_t(dim)) - from.begin());
  return SharedNvmmaAttr::get(source.getContext(), source.getSwizzleBytes(),
                              source.getElementBits(), order,
                              source.getFp4Padded());
}

Value tilegpu::transposeTile(OpBuilder &builder, Location location, Value tile,
                             ArrayRef<int32_t> from) {
  auto source = cast<MemDescType>(tile.getType());
  SmallVector<int64_t> shape;
  for (int32_t dim : from)
    shape.push_back(source.getShape()[dim]);
  auto type = MemDescType::get(
      source.getContext(), shape, source.getElementType(),
      transposeEncoding(cast<SharedNvmmaAttr>(source.getEncoding()), from),
      source.getBuffers(), source.getIsMutable());
  return MemDescTransOp::create(builder, location, type, tile, from);
}
