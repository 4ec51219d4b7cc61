// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a target's row says to the planner of conversions.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_CONVERSIONRULES_H
#define TILEWRIGHT_DIALECTS_TILEGPU_CONVERSIONRULES_H

#include "dialects/Layout/ConversionPlan.h"
#include "dialects/Target/Target.h"
#include "mlir/IR/Operation.h"

namespace tilewright::tilegpu {

/// A string attribute of tilegpu.convert_layout: the means (layout::meansName)
/// that it is done by. tilegpu-plan-conversions chooses it and writes it here,
/// and follows what it finds here, whatever that costs, if it can be done:
/// tests ask so for what is dearer.
inline constexpr llvm::StringLiteral meansAttrName = "tilegpu.means";

/// The means that `target` has for conversions, and their prices.
layout::ConversionRules getConversionRules(const target::Target &target);

/// The plans of the conversion `op` between these layouts, with `freeBytes` of
/// shared memory: the one by the means that it asks for first, if that can do
/// it, and then the cheapest first.
std::vector<layout::ConversionPlan>
listPlansOf(mlir::Operation *op, const layout::LinearLayout &source,
            const layout::LinearLayout &result, unsigned elementBits,
            const target::Target &target, uint64_t freeBytes);

/// The plan of `op`, a conversion that is still there after planning, by the
/// means that stand on it; none where there are none, or where they do not do
/// without shared memory.
std::optional<layout::ConversionPlan>
spellPlanOf(mlir::Operation *op, const layout::LinearLayout &source,
            const layout::LinearLayout &result, unsigned elementBits,
            const target::Target &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_CONVERSIONRULES_H
