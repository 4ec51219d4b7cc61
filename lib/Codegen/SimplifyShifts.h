// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_SIMPLIFYSHIFTS_H
#define TILEWRIGHT_LIB_CODEGEN_SIMPLIFYSHIFTS_H

#include "llvm/IR/PassManager.h"

namespace tilewright::codegen {

/// Has shifts to the right computed of no more than the bits that are left, so
/// that shifts of neighbours that differ in others are the same one.
///
/// A tile's rows by `index // 256` are shifts of indices that a thread's
/// elements share but for low bits. InstCombine demands bits of values with one
/// use alone, and these have several: masks, columns. (256 elements a thread,
/// one row for eight of them: 248 shifts and 744 products by strides become 31
/// and 93.) To be run behind InstCombine, before GVN.
struct SimplifyShifts : llvm::PassInfoMixin<SimplifyShifts> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_SIMPLIFYSHIFTS_H
