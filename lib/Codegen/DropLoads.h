// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_DROPLOADS_H
#define TILEWRIGHT_LIB_CODEGEN_DROPLOADS_H

#include "llvm/IR/PassManager.h"

namespace tilewright::codegen {

/// Replaces loads under a predicate that is known to be false, which are inline
/// PTX, by what their registers hold before: constants, mostly, that are then
/// computed with here.
///
/// CUDA's assembler drops such loads too, but behind its own simplification:
/// then 12.8 and 13.0 take `cvt.rn.f16x2.e4m3x2` of the upper half of such a
/// word, 0, for that of 8 (in SASS, `F2FP.F16.E4M3.UNPACK_B R29, 1.12e-44`).
struct DropLoads : llvm::PassInfoMixin<DropLoads> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_DROPLOADS_H
