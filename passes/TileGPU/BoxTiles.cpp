// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/BoxTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

MemDescType tilegpu::arrangeForBoxes(ArrayRef<int64_t> shape, Type element,
                                     unsigned inner) {
  constexpr int64_t narrowest = 32, widest = 128;
  // Where a box may begin (PTX ISA, "cp.async.bulk.tensor").
  constexpr int64_t boxAlignment = 128;
  unsigned bits = getMemoryBits(element), rank = shape.size();
  int64_t bytes = llvm::product_of(shape) * bits / 8;
  int64_t innerBytes = shape[inner] * bits / 8;
  // Each buffer of a loop has to begin where the swizzle does, and each box of
  // the tile, one for each atom along `inner`, where boxes may.
  int64_t swizzle =
      std::min({innerBytes, bytes / SharedNvmmaAttr::patternRows, widest});
  // Maps know no i1, which has a byte in memory.
  if (rank < 2 || swizzle < narrowest ||
      bytes / innerBytes * swizzle % boxAlignment != 0 ||
      !llvm::is_contained({8u, 16u, 32u}, bits) || element.isInteger(1))
    return {};
  MLIRContext *context = element.getContext();
  auto encoding = SharedNvmmaAttr::get(context, swizzle, bits,
                                       layout::orderFrom(inner, rank),
                                       /*fp4Padded=*/false);
  return MemDescType::get(context, shape, element,
                          cast<SharedLayoutInterface>(Attribute(encoding)),
                          /*buffers=*/1, /*isMutable=*/true);
}

Value tilegpu::createTensorMap(FunctionOpInterface function, Location location,
                               const StridedBox &box, MemDescType tile,
                               Type element) {
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(&function.getFunctionBody().front());
  auto create = [&](const LaunchNumber &number) -> Value {
    if (number.argument)
      return number.argument;
    return arith::ConstantIntOp::create(builder, location, number.constant, 64);
  };
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes, strides;
  for (const BoxDimension &dimension : box.dimensions) {
    shape.push_back(dimension.box);
    sizes.push_back(create(dimension.size));
    if (shape.size() < box.dimensions.size())
      strides.push_back(create(dimension.stride));
  }
  auto encoding = cast<SharedNvmmaAttr>(tile.getEncoding());
  auto type = TensorMapType::get(function.getContext(), shape, element,
                                 encoding.getSwizzleBytes());
  return TensorMapOp::create(builder, location, type, box.base, sizes, strides,
                             box.nonNegative);
}

SmallVector<Value> tilegpu::createCoordinates(OpBuilder &builder,
                                              Location location,
                                              const StridedBoxes &boxes,
                                              const StridedBox &box) {
  return llvm::map_to_vector(box.dimensions, [&](const BoxDimension &of) {
    return boxes.create(builder, location, of.begin);
  });
}
