// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/WidenBfloats.h"

#include "lib/Codegen/PreserveGraph.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;

/// The 32 bits that hold elements 2 `index` and 2 `index` + 1 of `vector`, of
/// bf16.
static Value *getWord(Value *vector, uint64_t index, IRBuilder<> &builder) {
  unsigned count =
      cast<FixedVectorType>(vector->getType())->getNumElements() / 2;
  Type *word = builder.getInt32Ty();
  if (count == 1)
    return builder.CreateBitCast(vector, word);
  auto *type = FixedVectorType::get(word, count);
  Value *words;
  if (!match(vector, m_BitCast(m_Value(words))) || words->getType() != type)
    words = builder.CreateBitCast(vector, type);
  Value *known = findScalarElement(words, index);
  return known ? known : builder.CreateExtractElement(words, index);
}

PreservedAnalyses codegen::WidenBfloats::run(Function &function,
                                             FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    Value *vector;
    uint64_t index;
    if (!match(&instruction,
               m_FPExt(m_ExtractElt(m_Value(vector), m_ConstantInt(index)))) ||
        !instruction.getType()->isFloatTy())
      continue;
    auto *type = dyn_cast<FixedVectorType>(vector->getType());
    if (!type || !type->getElementType()->isBFloatTy() ||
        type->getNumElements() % 2 != 0)
      continue;
    IRBuilder<> builder(&instruction);
    Value *word = getWord(vector, index / 2, builder);
    Value *bits = index % 2 == 0 ? builder.CreateShl(word, 16)
                                 : builder.CreateAnd(word, 0xffff0000);
    instruction.replaceAllUsesWith(
        builder.CreateBitCast(bits, instruction.getType()));
    instruction.eraseFromParent();
    hasChanged = true;
  }
  return preserveGraph(hasChanged);
}
