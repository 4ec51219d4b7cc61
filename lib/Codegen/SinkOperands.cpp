// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/SinkOperands.h"

#include "lib/Codegen/InlineAccess.h"
#include "lib/Codegen/PreserveGraph.h"
#include "lib/Codegen/SinkToUsers.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace tilewright;

/// wgmma.fence, which a left operand's words pass.
static bool isFence(const Instruction &instruction) {
  return codegen::getInlinePtx(instruction).starts_with("wgmma.fence");
}

/// Whether the instruction may be anywhere behind its operands. A part of what
/// an instruction gives that may not is as good as that one's own result.
static bool mayMove(const Instruction &instruction) {
  if (auto *part = dyn_cast<ExtractValueInst>(&instruction)) {
    auto *whole = dyn_cast<Instruction>(part->getAggregateOperand());
    return whole && mayMove(*whole);
  }
  return !isa<PHINode>(instruction) && !instruction.isTerminator() &&
         !instruction.mayReadOrWriteMemory() &&
         !instruction.mayHaveSideEffects();
}

static unsigned countBits(const Value &value) {
  return value.getType()->getPrimitiveSizeInBits().getFixedValue();
}

/// What the words that pass `fence` are computed by, in its block, where that
/// takes fewer bits than they have; else nothing.
static SetVector<Instruction *> findExpansion(CallInst &fence) {
  SetVector<Instruction *> found, given;
  unsigned bits = 0;
  auto add = [&](Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() != fence.getParent())
      return;
    (mayMove(*instruction) ? found : given).insert(instruction);
  };
  for (Value *word : fence.args()) {
    bits += countBits(*word);
    add(word);
  }
  for (size_t next = 0; next < found.size(); ++next)
    for (Value *operand : found[next]->operands())
      add(operand);
  unsigned needed = 0;
  for (Instruction *instruction : given)
    needed += countBits(*instruction);
  return needed < bits ? found : SetVector<Instruction *>();
}

static bool sink(BasicBlock &block) {
  SmallPtrSet<Instruction *, 32> expansions;
  for (Instruction &instruction : block)
    if (isFence(instruction))
      for (Instruction *each : findExpansion(cast<CallInst>(instruction)))
        expansions.insert(each);
  return codegen::sinkToUsers(block, expansions);
}

PreservedAnalyses codegen::SinkOperands::run(Function &function,
                                             FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (BasicBlock &block : function)
    hasChanged |= sink(block);
  return preserveGraph(hasChanged);
}
