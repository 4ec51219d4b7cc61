// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/RegisterMaps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

MLIR_DEFINE_EXPLICIT_TYPE_ID(tilewright::tilegpu::RegisterMaps)

const LinearLayout &RegisterMaps::get(RankedTensorType type,
                                      RegisterLayoutInterface layout) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<LinearLayout> &known = maps[{layout, type}];
  if (!known)
    known =
        std::make_unique<LinearLayout>(layout.toLinearLayout(type.getShape()));
  return *known;
}

const LinearLayout &tilegpu::getRegisterMap(RankedTensorType type,
                                            RegisterLayoutInterface layout) {
  auto *dialect = type.getContext()->getLoadedDialect<TileGPUDialect>();
  return dialect->getRegisteredInterface<RegisterMaps>()->get(type, layout);
}
