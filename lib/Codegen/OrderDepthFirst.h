// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_ORDERDEPTHFIRST_H
#define TILEWRIGHT_LIB_CODEGEN_ORDERDEPTHFIRST_H

#include "llvm/IR/PassManager.h"

namespace tilewright::codegen {

/// Orders the instructions of blocks whose tiles do not fit a thread's
/// registers depth first.
///
/// The lowering computes op by op, each for all elements that a thread holds:
/// it loads all, computes all, and stores all. Of a tile with hundreds of
/// elements a thread, hundreds of registers live at a time, and the assembler,
/// which keeps to the order that it is given, spends its time on spilling them.
/// Here each store, and whatever else has effects, is computed right before it
/// is executed, element by element, so that of a tile only those elements live
/// that are needed further on. Loads are then moved ahead again, as many as
/// half of the registers take: memory is to be kept busy. Blocks that multiply
/// matrices stay as they are.
///
/// Only the order changes: no result does, nor what a thread does to memory in
/// which order, as far as others can tell (MemoryAccess.h).
struct OrderDepthFirst : llvm::PassInfoMixin<OrderDepthFirst> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_ORDERDEPTHFIRST_H
