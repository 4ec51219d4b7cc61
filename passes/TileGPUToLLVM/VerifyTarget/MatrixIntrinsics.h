// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's names for the rows of the targets' table of matrix instructions.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_VERIFYTARGET_MATRIXINTRINSICS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_VERIFYTARGET_MATRIXINTRINSICS_H

#include "dialects/Target/Target.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilewright::tilegpu {

/// What the name of every `mma.sync` intrinsic begins with.
inline constexpr llvm::StringLiteral matrixIntrinsicPrefix = "llvm.nvvm.mma.";

/// The intrinsic of a synchronous instruction (IntrinsicsNVVM.td,
/// MMA_SIGNATURE): row-major A, column-major B.
std::string matrixIntrinsicName(const target::MatrixInstruction &instruction);

/// The row, of any target, that the intrinsic `name` stands for, or null.
const target::MatrixInstruction *findMatrixIntrinsic(llvm::StringRef name);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_VERIFYTARGET_MATRIXINTRINSICS_H
