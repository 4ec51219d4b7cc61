// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What layouts cost: conversions between them, and ops under them.
//
// All prices are those of one warp, in half cycles of a multiprocessor (see
// target::InstructionPrices); warps do the same, so that their number cancels
// out. Prices compare layouts of one op: what does not depend on the layout may
// be missing.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTPRICES_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTPRICES_H

#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/Triton/MemoryAccess.h"
#include "passes/TileToTileGPU/AxisAnalysis.h"
#include "passes/TileToTileGPU/DotChoice.h"

namespace tilewright::tilegpu {

class LayoutPrices {
public:
  LayoutPrices(const target::Target &target, const AxisAnalysis &axes)
      : target(target), rules(getConversionRules(target)), axes(axes) {}

  /// Converting a tensor of `type` (its encoding does not count).
  uint64_t ofConversion(mlir::RankedTensorType type,
                        RegisterLayoutInterface source,
                        RegisterLayoutInterface destination);
  /// `op`, whose first tensor (result, or else operand) is held under `layout`;
  /// tt.reduce: whose source is.
  uint64_t ofOp(mlir::Operation *op, RegisterLayoutInterface layout);
  /// A dot computed as `choice` says.
  uint64_t ofDot(tt::DotOp dot, const DotChoice &choice);

private:
  uint64_t ofAccess(const tt::MemoryAccess &access,
                    RegisterLayoutInterface layout);
  uint64_t ofReduction(tt::ReduceOp op, RegisterLayoutInterface layout);
  uint64_t ofScan(tt::ScanOp op, RegisterLayoutInterface layout);
  /// countRegisters, which is asked again for every user of a chain of free
  /// ops.
  unsigned getRegisters(mlir::RankedTensorType type,
                        RegisterLayoutInterface layout);
  /// The map of `layout` for `type` as bases: equal maps are equal attributes.
  mlir::Attribute intern(mlir::RankedTensorType type,
                         RegisterLayoutInterface layout);

  const target::Target &target;
  layout::ConversionRules rules;
  const AxisAnalysis &axes;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, mlir::Attribute>
      interned;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, unsigned> registers;
  llvm::DenseMap<std::tuple<mlir::Attribute, mlir::Attribute, unsigned>,
                 uint64_t>
      conversions;
};

/// Registers of a thread that holds a tensor of `type` under `layout`.
unsigned countRegisters(mlir::RankedTensorType type,
                        RegisterLayoutInterface layout);

/// Whether an op is as cheap for one element as moving it: it may be computed
/// again rather than converted.
bool isCheap(mlir::Operation *op);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTPRICES_H
