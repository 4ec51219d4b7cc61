// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which matrix instruction of a target computes a dot, and what its sums take.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_DOTINSTRUCTIONS_H
#define TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_DOTINSTRUCTIONS_H

#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"

namespace tilewright::tilegpu {

/// The types and the depth of a dot.
struct DotTypes {
  mlir::Type lhs, rhs, accumulator;
  /// f32 operands may be rounded to tf32.
  bool allowsTf32 = false;
  int64_t k = 1;
};

/// Those of `dot`; its inputPrecision says whether tf32 is allowed.
DotTypes getDotTypes(tt::DotOp dot);

/// The instruction of `target` that computes a dot of these types best: the one
/// with most multiply-adds of which K is a multiple, or else the one with the
/// smallest K, which zeros fill up. Null where the types have none.
const target::MatrixInstruction *
findDotInstruction(const target::Target &target, const DotTypes &types);

/// Registers of each thread of `numWarps` warps that hold the sums of dots.
int64_t countSumRegisters(llvm::ArrayRef<mlir::RankedTensorType> results,
                          unsigned numWarps);

/// Whether a thread has those, besides the ones that it needs for other things.
bool hasRegistersForSums(llvm::ArrayRef<mlir::RankedTensorType> results,
                         unsigned numWarps, const target::Target &target);

/// Why `target` has no instruction for the dot, and what would have one.
std::string explainMissingInstruction(const DotTypes &types,
                                      const target::Target &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_DOTINSTRUCTIONS_H
