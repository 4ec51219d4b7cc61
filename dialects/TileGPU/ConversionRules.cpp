// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/ConversionRules.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace tilewright;
using target::Capability;

layout::ConversionRules
tilegpu::getConversionRules(const target::Target &target) {
  const target::InstructionPrices &prices = target.prices;
  return {{target.has(Capability::LdMatrix), target.has(Capability::StMatrix)},
          target.has(Capability::MovMatrix),
          prices.arithmetic,
          prices.shuffle,
          prices.sharedAccess,
          prices.sharedWavefront,
          prices.barrier,
          prices.warpBarrier};
}

std::optional<layout::ConversionPlan> tilegpu::planConversionOf(
    mlir::Operation *op, const layout::LinearLayout &source,
    const layout::LinearLayout &result, unsigned elementBits,
    const target::Target &target, bool inWarps) {
  layout::ConversionRules rules = getConversionRules(target);
  if (auto name = op->getAttrOfType<mlir::StringAttr>(meansAttrName))
    if (std::optional<layout::Means> means = layout::meansOfName(
            std::string_view(name.getValue().data(), name.size())))
      if (std::optional<layout::ConversionPlan> plan = layout::planConversionBy(
              *means, source, result, elementBits, rules))
        if (!inWarps || plan->means != layout::Means::Shared)
          return plan;
  return inWarps
             ? layout::planConversionInWarps(source, result, elementBits, rules)
             : layout::planConversion(source, result, elementBits, rules);
}
