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
          prices.warpBarrier,
          target.sharedMemoryLimit};
}

/// The means that stand on `op`.
static std::optional<layout::Means> getMeans(mlir::Operation *op) {
  auto name = op->getAttrOfType<mlir::StringAttr>(tilegpu::meansAttrName);
  return name ? layout::meansOfName(name.getValue()) : std::nullopt;
}

std::vector<layout::ConversionPlan>
tilegpu::listPlansOf(mlir::Operation *op, const layout::LinearLayout &source,
                     const layout::LinearLayout &result, unsigned elementBits,
                     const target::Target &target, uint64_t freeBytes) {
  layout::ConversionRules rules = getConversionRules(target);
  rules.sharedBytes = freeBytes;
  std::vector<layout::ConversionPlan> plans =
      layout::listConversionPlans(source, result, elementBits, rules);
  if (std::optional<layout::Means> means = getMeans(op))
    if (std::optional<layout::ConversionPlan> plan = layout::planConversionBy(
            *means, source, result, elementBits, rules))
      plans.insert(plans.begin(), std::move(*plan));
  return plans;
}

std::optional<layout::ConversionPlan>
tilegpu::spellPlanOf(mlir::Operation *op, const layout::LinearLayout &source,
                     const layout::LinearLayout &result, unsigned elementBits,
                     const target::Target &target) {
  std::optional<layout::Means> means = getMeans(op);
  if (!means)
    return std::nullopt;
  std::optional<layout::ConversionPlan> plan = layout::planConversionBy(
      *means, source, result, elementBits, getConversionRules(target));
  return plan && !plan->shared && !plan->rounds ? plan : std::nullopt;
}
