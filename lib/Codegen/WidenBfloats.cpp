// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/WidenBfloats.h"

#include "lib/Codegen/PreserveGraph.h"
#include "lib/Codegen/VectorWords.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;

/// What `instruction` is, if it widens an f32 that was rounded to bf16 for that
/// alone: the word of the pair of it, as the upper half, and zero.
static Value *roundInPlace(Instruction &instruction) {
  Value *rounded, *number;
  if (!match(&instruction, m_FPExt(m_Value(rounded))) ||
      !match(rounded, m_FPTrunc(m_Value(number))) ||
      !instruction.getType()->isFloatTy() ||
      !rounded->getType()->isBFloatTy() || !number->getType()->isFloatTy() ||
      !all_of(rounded->users(),
              [](User *user) { return isa<FPExtInst>(user); }))
    return nullptr;
  IRBuilder<> builder(&instruction);
  Value *pair = builder.CreateIntrinsic(
      Intrinsic::nvvm_ff2bf16x2_rn,
      {number, ConstantFP::getZero(builder.getFloatTy())});
  return builder.CreateBitCast(
      builder.CreateBitCast(pair, builder.getInt32Ty()), builder.getFloatTy());
}

PreservedAnalyses codegen::WidenBfloats::run(Function &function,
                                             FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    if (Value *inPlace = convertsPairs ? roundInPlace(instruction) : nullptr) {
      instruction.replaceAllUsesWith(inPlace);
      instruction.eraseFromParent();
      hasChanged = true;
      continue;
    }
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
    Value *word = codegen::getWord(vector, index / 2, builder);
    Value *bits = index % 2 == 0 ? builder.CreateShl(word, 16)
                                 : builder.CreateAnd(word, 0xffff0000);
    instruction.replaceAllUsesWith(
        builder.CreateBitCast(bits, instruction.getType()));
    instruction.eraseFromParent();
    hasChanged = true;
  }
  return preserveGraph(hasChanged);
}
