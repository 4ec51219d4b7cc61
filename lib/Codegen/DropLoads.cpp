// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/DropLoads.h"

#include "lib/Codegen/InlineAccess.h"
#include "lib/Codegen/PreserveGraph.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;

/// What the results are where nothing is loaded.
static Value *makeInitial(const codegen::InlineAccess &load, CallInst &call) {
  auto get = [&](unsigned index, Type *type) {
    Value *value = load.initial[index];
    return value ? value : Constant::getNullValue(type);
  };
  auto *structure = dyn_cast<StructType>(call.getType());
  if (!structure)
    return get(0, call.getType());
  IRBuilder<> builder(&call);
  Value *all = PoisonValue::get(structure);
  for (unsigned index = 0; index < load.initial.size(); ++index)
    all = builder.CreateInsertValue(
        all, get(index, structure->getElementType(index)), index);
  return all;
}

PreservedAnalyses codegen::DropLoads::run(Function &function,
                                          FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    std::optional<codegen::InlineAccess> load;
    if (call)
      load = codegen::parseInlineAccess(*call);
    // Stores have no results.
    if (!load || load->initial.empty() || !load->predicate ||
        !match(load->predicate, m_Zero()))
      continue;
    call->replaceAllUsesWith(makeInitial(*load, *call));
    call->eraseFromParent();
    hasChanged = true;
  }
  return preserveGraph(hasChanged);
}
