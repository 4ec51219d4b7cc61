// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/BoxTiles.h"

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/TileGPU/SharedTile.h"

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
  if (box.knownAt)
    builder.setInsertionPoint(box.knownAt);
  auto create = [&](const MapNumber &number) -> Value {
    if (number.value)
      return number.value;
    return arith::ConstantIntOp::create(builder, location, number.constant, 64);
  };
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes, strides;
  SmallVector<int32_t> signedDims;
  for (const BoxDimension &dimension : box.dimensions) {
    if (dimension.isSigned)
      signedDims.push_back(shape.size());
    shape.push_back(dimension.box);
    sizes.push_back(create(dimension.size));
    if (shape.size() < box.dimensions.size())
      strides.push_back(create(dimension.stride));
  }
  auto encoding = cast<SharedNvmmaAttr>(tile.getEncoding());
  auto type = TensorMapType::get(function.getContext(), shape, element,
                                 encoding.getSwizzleBytes());
  Value staging;
  if (box.knownAt)
    staging = createSharedWords(
        builder, location, TensorMapOp::stagingBytes / 4, builder.getI32Type());
  return TensorMapOp::create(builder, location, type, box.base, sizes, strides,
                             box.nonNegative, staging, /*scratch=*/Value(),
                             signedDims);
}

/// The coordinate of the base in a signed dimension, at the builder's place.
static Value createBias(OpBuilder &builder, Location location,
                        const MapNumber &stride, int64_t elementBytes) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto create = [&](int64_t value, Type type) -> Value {
    return arith::ConstantOp::create(builder, location, type,
                                     builder.getIntegerAttr(type, value));
  };
  if (!stride.value)
    return create(TensorMapOp::getCoordinateBias(stride.constant, elementBytes),
                  i32);
  Value divisor = stride.value;
  if (divisor.getType() != i64)
    divisor = arith::ExtSIOp::create(builder, location, i64, divisor);
  divisor = arith::MaxSIOp::create(
      builder, location, divisor,
      create(TensorMapOp::getLeastStride(elementBytes), i64));
  Value bias = arith::DivUIOp::create(builder, location,
                                      create(TensorMapOp::reach, i64), divisor);
  return arith::TruncIOp::create(builder, location, i32, bias);
}

SmallVector<Value> tilegpu::createCoordinates(OpBuilder &builder,
                                              Location location,
                                              const StridedBoxes &boxes,
                                              const StridedBox &box) {
  auto pointer = cast<tt::PointerType>(box.base.getType());
  int64_t elementBytes = getMemoryBits(pointer.getPointeeType()) / 8;
  Value base = box.base;
  auto first = OpBuilder::atBlockBegin(base.getParentBlock());
  return llvm::map_to_vector(box.dimensions, [&](const BoxDimension &of) {
    Value begin = boxes.create(builder, location, of.begin);
    if (!of.isSigned)
      return begin;
    Value bias = createBias(first, location, of.stride, elementBytes);
    return Value(arith::AddIOp::create(builder, location, begin, bias));
  });
}
