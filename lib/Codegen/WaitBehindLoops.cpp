// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/WaitBehindLoops.h"

#include "lib/Codegen/InlineAccess.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace tilewright;

/// The instruction by which `block` waits for merged products, or none (""): a
/// wait behind products of its own is for those.
static StringRef findWait(const BasicBlock &block) {
  if (block.phis().empty())
    return {};
  for (const Instruction &instruction : block) {
    StringRef ptx = codegen::getInlinePtx(instruction);
    if (ptx.starts_with("wgmma."))
      return ptx.starts_with("wgmma.wait_group") ? ptx : StringRef();
  }
  return {};
}

static void addWait(BasicBlock &block, StringRef instruction) {
  IRBuilder<> builder(&block, block.getFirstInsertionPt());
  FunctionType *type = FunctionType::get(builder.getVoidTy(), false);
  CallInst *call =
      builder.CreateCall(type, InlineAsm::get(type, instruction, "~{memory}",
                                              /*hasSideEffects=*/true));
  call->setConvergent();
}

PreservedAnalyses
codegen::WaitBehindLoops::run(Function &function,
                              FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  struct Exit {
    BasicBlock *from, *to;
    StringRef wait;
  };
  SmallVector<Exit> exits;
  for (BasicBlock &block : function) {
    if (block.hasNPredecessors(1))
      continue;
    StringRef wait = findWait(block);
    if (wait.empty())
      continue;
    for (BasicBlock *predecessor : predecessors(&block))
      if (Loop *loop = loops.getLoopFor(predecessor))
        if (!loop->contains(&block))
          exits.push_back({predecessor, &block, wait});
  }
  for (const Exit &exit : exits)
    addWait(*SplitEdge(exit.from, exit.to), exit.wait);
  return exits.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
