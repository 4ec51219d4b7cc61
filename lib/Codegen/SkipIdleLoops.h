// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_SKIPIDLELOOPS_H
#define TILEWRIGHT_LIB_CODEGEN_SKIPIDLELOOPS_H

#include "llvm/IR/PassManager.h"

namespace tilewright::codegen {

/// Has threads skip loops that do something in one thread alone: all that they
/// access, scalars, is under the predicate that a thread has a given number,
/// with a mask or without. Short ones with few iterations are to be unrolled.
///
/// CUDA's assembler makes a branch of each load under such a predicate, past
/// which it moves no other: one load is in flight at a time. Behind one branch
/// around all of them there are as many as registers, where it sees that loads
/// and stores are of different places.
struct SkipIdleLoops : llvm::PassInfoMixin<SkipIdleLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_SKIPIDLELOOPS_H
