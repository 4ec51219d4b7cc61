// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/SharedTile.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

Value tilegpu::createSharedTile(OpBuilder &builder, Location location,
                                Value source, const LinearLayout &shared) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<Axis> dimensions;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    dimensions.push_back(Axis::coordinate(dim));
  auto encoding = SharedLinearAttr::get(builder.getContext(),
                                        shared.reorderOutputs(dimensions));
  auto descriptor = MemDescType::get(builder.getContext(), type.getShape(),
                                     type.getElementType(), encoding,
                                     /*buffers=*/1, /*isMutable=*/true);
  Value memory = LocalAllocOp::create(builder, location, descriptor,
                                      /*source=*/Value(),
                                      /*offset=*/IntegerAttr());
  LocalStoreOp::create(builder, location, source, memory);
  return memory;
}
