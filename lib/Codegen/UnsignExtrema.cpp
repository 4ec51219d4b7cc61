// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/UnsignExtrema.h"

#include "lib/Codegen/PreserveGraph.h"

#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace tilewright;

PreservedAnalyses codegen::UnsignExtrema::run(Function &function,
                                              FunctionAnalysisManager &) {
  const SimplifyQuery query(function.getDataLayout());
  bool hasChanged = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *extremum = dyn_cast<MinMaxIntrinsic>(&instruction);
    if (!extremum || !extremum->isSigned() ||
        !isKnownNonNegative(extremum->getLHS(), query) ||
        !isKnownNonNegative(extremum->getRHS(), query))
      continue;
    bool isMaximum = extremum->getIntrinsicID() == Intrinsic::smax;
    IRBuilder<> builder(extremum);
    extremum->replaceAllUsesWith(builder.CreateBinaryIntrinsic(
        isMaximum ? Intrinsic::umax : Intrinsic::umin, extremum->getLHS(),
        extremum->getRHS()));
    extremum->eraseFromParent();
    hasChanged = true;
  }
  return preserveGraph(hasChanged);
}
