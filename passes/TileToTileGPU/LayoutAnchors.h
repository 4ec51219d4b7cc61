// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts that ops ask for by themselves: memory accesses want coalescing,
// dots a matrix instruction.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTANCHORS_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTANCHORS_H

#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "passes/TileToTileGPU/AxisAnalysis.h"

namespace tilewright::tilegpu {

/// A blocked layout in row-major order with one element a thread at a time:
/// what a tensor gets that nothing else decides.
BlockedAttr getDefaultLayout(mlir::MLIRContext *context,
                             llvm::ArrayRef<int64_t> shape, unsigned numWarps);

/// The blocked layout under which an access through `pointers` is coalesced:
/// threads along the dimension in which addresses run, each with as many
/// elements (at most `widestBits` together) as are proven consecutive and
/// aligned.
BlockedAttr getCoalescedLayout(mlir::Value pointers, mlir::Value mask,
                               const AxisAnalysis &axes, unsigned numWarps,
                               unsigned widestBits = 128);

/// True if a warp's store of `type` (an element type and a layout) fills whole
/// 32-byte sectors, where consecutive elements run along `dim`.
bool fillsSectors(mlir::RankedTensorType type, RegisterLayoutInterface layout,
                  unsigned dim);

/// How a dot is computed.
struct DotChoice {
  /// The matrix instruction, or null: multiply-adds by each thread.
  const target::MatrixInstruction *instruction = nullptr;
  RegisterLayoutInterface result;
  RegisterLayoutInterface lhs, rhs;
  /// Element type in which the operands enter, where they must be converted.
  mlir::Type operandType;
  /// Where there is no instruction: why.
  std::string reason;
};

/// The best way that `target` has for `dot` with `numWarps` warps. Total: every
/// dot has one.
DotChoice chooseDot(tt::DotOp dot, const target::Target &target,
                    unsigned numWarps);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_LAYOUTANCHORS_H
