// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What conversions between register layouts cost.
//
// Prices are those of one warp, in half cycles of a multiprocessor (see
// target::InstructionPrices); warps do the same, so that their number cancels
// out. Ops have prices of their own (PlacementOpInterface).

#ifndef TILEWRIGHT_PASSES_ANALYSIS_CONVERSIONPRICES_H
#define TILEWRIGHT_PASSES_ANALYSIS_CONVERSIONPRICES_H

#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/TileGPU.h"

namespace tilewright::tilegpu {

class ConversionPrices {
public:
  explicit ConversionPrices(const target::Target &target)
      : rules(getConversionRules(target)) {}

  /// Converting a tensor of `type` (its encoding does not count).
  uint64_t get(mlir::RankedTensorType type, RegisterLayoutInterface source,
               RegisterLayoutInterface destination);

private:
  /// The map of `layout` for `type` as bases: equal maps are equal attributes.
  mlir::Attribute intern(mlir::RankedTensorType type,
                         RegisterLayoutInterface layout);

  layout::ConversionRules rules;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, mlir::Attribute>
      interned;
  llvm::DenseMap<std::tuple<mlir::Attribute, mlir::Attribute, unsigned>,
                 uint64_t>
      conversions;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_CONVERSIONPRICES_H
