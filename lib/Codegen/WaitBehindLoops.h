// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_WAITBEHINDLOOPS_H
#define TILEWRIGHT_LIB_CODEGEN_WAITBEHINDLOOPS_H

#include "llvm/IR/PassManager.h"

namespace tilewright::codegen {

/// Waits for the products of a warp group where a loop that leaves them in
/// flight is left, if the block that waits for them has other predecessors too:
/// those that skip the loop, as rotated loops have them.
///
/// There the registers of both are merged, which CUDA's assembler takes for
/// reading accumulators in flight: it then waits behind each product of the
/// loop (C7514; a product by groups took 1.6 of its time).
struct WaitBehindLoops : llvm::PassInfoMixin<WaitBehindLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_WAITBEHINDLOOPS_H
