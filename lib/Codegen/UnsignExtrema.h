// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_UNSIGNEXTREMA_H
#define TILEWRIGHT_LIB_CODEGEN_UNSIGNEXTREMA_H

#include "llvm/IR/PassManager.h"

namespace tilewright::codegen {

/// Makes maxima and minima of integers that are not negative unsigned ones.
/// LLVM knows what to do with those of extended numbers, and makes `or` and
/// `and` of those of booleans, which predicates are combined by as they are
/// computed. (Whether any element of a mask is set, as attention asks of each
/// tile of one: 1612 machine instructions for 1936.)
struct UnsignExtrema : llvm::PassInfoMixin<UnsignExtrema> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_UNSIGNEXTREMA_H
