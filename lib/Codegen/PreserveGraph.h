// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_PRESERVEGRAPH_H
#define TILEWRIGHT_LIB_CODEGEN_PRESERVEGRAPH_H

#include "llvm/IR/Analysis.h"

namespace tilewright::codegen {

/// What is still known of a function behind a pass that changes instructions,
/// if it does, and no branches.
inline llvm::PreservedAnalyses preserveGraph(bool hasChanged) {
  if (!hasChanged)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_PRESERVEGRAPH_H
