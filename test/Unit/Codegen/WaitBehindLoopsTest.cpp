// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where products that a loop leaves in flight are waited for.

#include "lib/Codegen/WaitBehindLoops.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

/// The names of the blocks that wait, in a function that branches as `entry`
/// says, to a loop or around it.
static std::string findWaits(const std::string &entry,
                             const std::string &sums) {
  SMDiagnostic error;
  LLVMContext context;
  std::unique_ptr<Module> module = parseAssemblyString(
      "define float @f(i1 %skips, i1 %again) {\nentry:\n" + entry +
          "loop:\n"
          "%sum = phi float [ 0.0, %entry ], [ %next, %loop ]\n"
          "%next = call float asm sideeffect \"wgmma.mma_async {$0};\", "
          "\"=f,0\"(float %sum)\n"
          "br i1 %again, label %loop, label %behind\n"
          "behind:\n" +
          sums +
          "%done = call float asm sideeffect "
          "\"wgmma.wait_group.sync.aligned 0;\", \"=f,0\"(float %all)\n"
          "ret float %done\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  Function &function = *module->getFunction("f");
  FunctionAnalysisManager analyses;
  PassBuilder().registerFunctionAnalyses(analyses);
  codegen::WaitBehindLoops().run(function, analyses);
  EXPECT_FALSE(verifyFunction(function, &errs()));
  std::string names;
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block)
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand());
            assembly && assembly->getAsmString().contains("wait_group"))
          names += (block.getName() + " ").str();
  return names;
}

TEST(WaitBehindLoops, WhereTheLoopMayBeSkipped) {
  EXPECT_EQ(findWaits("br i1 %skips, label %behind, label %loop\n",
                      "%all = phi float [ 0.0, %entry ], [ %next, %loop ]\n"),
            "loop.behind_crit_edge behind ");
}

TEST(WaitBehindLoops, NotWhereNothingIsMerged) {
  EXPECT_EQ(
      findWaits("br label %loop\n", "%all = phi float [ %next, %loop ]\n"),
      "behind ");
}

TEST(WaitBehindLoops, NotForProductsOfTheBlockItself) {
  EXPECT_EQ(findWaits("br i1 %skips, label %behind, label %loop\n",
                      "%from = phi float [ 0.0, %entry ], [ %next, %loop ]\n"
                      "%all = call float asm sideeffect "
                      "\"wgmma.mma_async {$0};\", \"=f,0\"(float %from)\n"),
            "behind ");
}
