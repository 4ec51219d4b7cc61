// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_SINKCONVERSIONS_H
#define TILEWRIGHT_LIB_CODEGEN_SINKCONVERSIONS_H

#include "llvm/IR/PassManager.h"

namespace tilewright::codegen {

/// Widens halves right before they are used, if that is behind a square root or
/// a quotient of which CUDA's assembler makes branches. It schedules no
/// instruction across them, so that each half would take a register there,
/// where two can share one. (Of the 16384 weights of an RMS norm in 16 warps:
/// 72 registers for 90.)
struct SinkConversions : llvm::PassInfoMixin<SinkConversions> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_SINKCONVERSIONS_H
