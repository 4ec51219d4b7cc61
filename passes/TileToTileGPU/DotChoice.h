// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a dot is computed on a target: by which matrix instruction and under
// which layouts, or by multiply-adds, and then why.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_DOTCHOICE_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_DOTCHOICE_H

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

/// How a dot is computed.
struct DotChoice {
  /// The matrix instruction, or null: multiply-adds by each thread.
  const target::MatrixInstruction *instruction = nullptr;
  RegisterLayoutInterface result;
  /// The operands' layouts; null where they may have any.
  RegisterLayoutInterface lhs, rhs;
  /// The layout of the instruction's own accumulator, and whether that is the
  /// transposed result: D^T = B^T A^T.
  MmaAttr accumulator;
  bool isTransposed = false;
  /// Where there is no instruction: why, and what would have one.
  std::string reason;
};

/// The ways that `target` has for `dot` with `numWarps` warps, the one that
/// shares the operands' loads best first: by the best matrix instruction with
/// its warps shared out differently, transposed or not, or else by
/// multiply-adds. At least one.
llvm::SmallVector<DotChoice>
listDotChoices(tt::DotOp dot, const target::Target &target, unsigned numWarps);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_DOTCHOICE_H
