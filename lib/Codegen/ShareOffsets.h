// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_SHAREOFFSETS_H
#define TILEWRIGHT_LIB_CODEGEN_SHAREOFFSETS_H

#include "llvm/IR/PassManager.h"

namespace tilewright::codegen {

/// Has the addresses of a loop that lie equally far from several of the
/// kernel's arguments be computed as argument + distance, with one distance for
/// all of them.
///
/// Tiles of one shape are addressed in this way: a program's offset, a row's, a
/// column's. To be run before loop-invariant code is moved, which would add
/// what is invariant of the distance to each argument instead: two registers a
/// thread for each tensor throughout the loop, where the arguments themselves
/// are read from constant memory and the distance takes two for all.
struct ShareOffsets : llvm::PassInfoMixin<ShareOffsets> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_SHAREOFFSETS_H
