// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to have a tensor in another place: under another layout, in
// shared memory, or back in registers.
//
// Prices are those of one warp, in half cycles of a multiprocessor (see
// target::InstructionPrices); warps do the same, so that their number cancels
// out. Ops have prices of their own (PlacementOpInterface).

#ifndef TILEWRIGHT_PASSES_ANALYSIS_CONVERSIONPRICES_H
#define TILEWRIGHT_PASSES_ANALYSIS_CONVERSIONPRICES_H

#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/Placement/Placement.h"

namespace tilewright::tilegpu {

class ConversionPrices {
public:
  explicit ConversionPrices(const target::Target &target)
      : target(target), rules(getConversionRules(target)) {}

  /// Having a tensor of `type` (its encoding does not count), which is at
  /// `source`, at `destination`.
  uint64_t get(mlir::RankedTensorType type, const Placement &source,
               const Placement &destination);

private:
  uint64_t ofConversion(mlir::RankedTensorType type,
                        RegisterLayoutInterface source,
                        RegisterLayoutInterface destination);
  /// Threads under `writers` (null: others have) store the tensor, those under
  /// `readers` load it.
  uint64_t throughMemory(mlir::RankedTensorType type,
                         RegisterLayoutInterface writers,
                         RegisterLayoutInterface readers);
  /// Threads under `writers` store the tensor, and who asks for `demand` reads
  /// it; or others have stored it so.
  uint64_t intoMemory(mlir::RankedTensorType type,
                      RegisterLayoutInterface writers,
                      const SharedPlacement &demand);
  uint64_t fromMemory(mlir::RankedTensorType type,
                      const SharedPlacement &demand);
  /// The map of `layout` for `type` as bases: equal maps are equal attributes.
  LinearAttr intern(mlir::RankedTensorType type,
                    RegisterLayoutInterface layout);

  const target::Target &target;
  layout::ConversionRules rules;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, LinearAttr> interned;
  /// By the maps on both sides and the bits of an element; `ways` are those
  /// through memory, `stores` those into a given arrangement there.
  llvm::DenseMap<std::tuple<mlir::Attribute, mlir::Attribute, unsigned>,
                 uint64_t>
      conversions, ways, stores;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_CONVERSIONPRICES_H
