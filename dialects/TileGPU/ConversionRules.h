// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a target's row says to the planner of conversions.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_CONVERSIONRULES_H
#define TILEWRIGHT_DIALECTS_TILEGPU_CONVERSIONRULES_H

#include "dialects/Layout/ConversionPlan.h"
#include "dialects/Target/Target.h"

namespace tilewright::tilegpu {

/// The means that `target` has for conversions, and their prices.
layout::ConversionRules getConversionRules(const target::Target &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_CONVERSIONRULES_H
