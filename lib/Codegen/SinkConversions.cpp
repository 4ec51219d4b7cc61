// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/SinkConversions.h"

#include "lib/Codegen/InlineAccess.h"
#include "lib/Codegen/PreserveGraph.h"
#include "lib/Codegen/SinkToUsers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;

/// Whether inline PTX is an exact quotient or square root: "sqrt.rn.f32".
static bool isExactFunction(StringRef ptx) {
  for (StringRef name : {"div.r", "rcp.r", "sqrt.r"})
    if (ptx.contains(name))
      return true;
  return false;
}

/// Whether the instruction becomes branches: those around the slow path of an
/// exact quotient or square root, or those of a call.
static bool becomesBranches(const Instruction &instruction) {
  if (isa<BinaryOperator>(instruction))
    return instruction.getOpcode() == Instruction::FDiv;
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    return intrinsic->getIntrinsicID() == Intrinsic::sqrt;
  auto *call = dyn_cast<CallInst>(&instruction);
  return call && (!call->isInlineAsm() ||
                  isExactFunction(codegen::getInlinePtx(*call)));
}

/// The instructions that widen a half to `value`, the last one first: an
/// extension, or the upper half of a word, as which bf16 is an f32. Nothing
/// where others need a part of them.
static SmallVector<Instruction *, 2> findWidening(Instruction &value) {
  if (isa<FPExtInst>(value) &&
      value.getOperand(0)->getType()->getScalarSizeInBits() == 16)
    return {&value};
  Instruction *bits;
  if (value.getType()->isFloatTy() &&
      match(&value, m_BitCast(m_OneUse(m_Instruction(bits)))) &&
      bits->getParent() == value.getParent() &&
      match(bits, m_CombineOr(m_Shl(m_Value(), m_SpecificInt(16)),
                              m_And(m_Value(), m_SpecificInt(0xffff0000)))))
    return {&value, bits};
  return {};
}

static bool sink(BasicBlock &block) {
  // How many that become branches come before each instruction.
  DenseMap<const Instruction *, unsigned> branchesBefore;
  unsigned branches = 0;
  for (Instruction &instruction : block) {
    branchesBefore[&instruction] = branches;
    branches += becomesBranches(instruction);
  }
  SmallPtrSet<Instruction *, 32> sunk;
  for (Instruction &instruction : block) {
    SmallVector<Instruction *, 2> widening = findWidening(instruction);
    Instruction *user =
        widening.empty() ? nullptr : codegen::findFirstUser(instruction);
    if (user && branchesBefore[user] > branchesBefore[widening.back()])
      sunk.insert_range(widening);
  }
  return codegen::sinkToUsers(block, sunk);
}

PreservedAnalyses codegen::SinkConversions::run(Function &function,
                                                FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (BasicBlock &block : function)
    hasChanged |= sink(block);
  return preserveGraph(hasChanged);
}
