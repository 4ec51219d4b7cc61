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
/// that it is to be done by where that can do it, whatever it costs. Tests ask
/// with it for what is dearer.
inline constexpr llvm::StringLiteral meansAttrName = "tilegpu.means";

/// The means that `target` has for conversions, and their prices.
layout::ConversionRules getConversionRules(const target::Target &target);

/// The plan of a conversion between these layouts: by the means that `op` asks
/// for, or the cheapest one; without shared memory where `inWarps`. None as of
/// planConversion and planConversionInWarps.
std::optional<layout::ConversionPlan>
planConversionOf(mlir::Operation *op, const layout::LinearLayout &source,
                 const layout::LinearLayout &result, unsigned elementBits,
                 const target::Target &target, bool inWarps = false);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_CONVERSIONRULES_H
