// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/ConversionRules.h"

using namespace tilewright;
using target::Capability;

layout::ConversionRules
tilegpu::getConversionRules(const target::Target &target) {
  const target::InstructionPrices &prices = target.prices;
  return {{target.has(Capability::LdMatrix), target.has(Capability::StMatrix)},
          prices.arithmetic,
          prices.shuffle,
          prices.sharedAccess,
          prices.sharedWavefront,
          prices.barrier,
          prices.warpBarrier};
}
