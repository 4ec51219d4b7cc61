// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/SharedTile.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

MemDescType tilegpu::getSharedTileType(RankedTensorType type,
                                       const LinearLayout &shared) {
  SmallVector<Axis> dimensions;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    dimensions.push_back(Axis::coordinate(dim));
  auto encoding = SharedLinearAttr::get(type.getContext(),
                                        shared.reorderOutputs(dimensions));
  return MemDescType::get(type.getContext(), type.getShape(),
                          type.getElementType(), encoding, /*buffers=*/1,
                          /*isMutable=*/true);
}

Value tilegpu::createSharedTile(OpBuilder &builder, Location location,
                                Value source, const LinearLayout &shared) {
  Value memory = LocalAllocOp::create(
      builder, location,
      getSharedTileType(cast<RankedTensorType>(source.getType()), shared),
      /*source=*/Value(), /*offset=*/IntegerAttr());
  LocalStoreOp::create(builder, location, source, memory);
  return memory;
}

Value tilegpu::createSharedWords(OpBuilder &builder, Location location,
                                 int64_t count, Type element) {
  MLIRContext *context = builder.getContext();
  auto encoding = SharedSwizzledAttr::get(context, /*vector=*/1, /*perPhase=*/1,
                                          /*maxPhase=*/1, /*order=*/{0});
  auto type = MemDescType::get(context, {count}, element,
                               cast<SharedLayoutInterface>(Attribute(encoding)),
                               /*buffers=*/1, /*isMutable=*/true);
  return LocalAllocOp::create(builder, location, type, /*source=*/Value(),
                              /*offset=*/IntegerAttr());
}
