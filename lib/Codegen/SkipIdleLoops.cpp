// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/SkipIdleLoops.h"

#include "lib/Codegen/InlineAccess.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;

/// Instructions of all iterations of a loop that is to be unrolled, at most:
/// the assembler takes well under a second for them.
static constexpr uint64_t mostUnrolled = 4096;

/// Whether `value` says that a thread has a certain number, `thread`.
static bool isOfOneThread(Value *value, const APInt *&thread) {
  return match(
      value, m_SpecificICmp(ICmpInst::ICMP_EQ,
                            m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_x>(),
                            m_APInt(thread)));
}

namespace {
/// A loop that does something in one thread alone.
struct IdleLoop {
  Loop *loop = nullptr;
  /// The predicates of its accesses, without masks: all of one meaning.
  SmallSetVector<Value *, 2> predicates;

  /// Adds what `instruction`, one of the loop, does; whether it may be skipped.
  bool add(Instruction &instruction) {
    // What others need of the loop they would not have.
    for (User *user : instruction.users())
      if (!loop->contains(cast<Instruction>(user)))
        return false;
    if (instruction.isTerminator())
      return isa<BranchInst, SwitchInst>(instruction);
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!instruction.mayReadOrWriteMemory() &&
        !instruction.mayHaveSideEffects() && !(call && call->isConvergent()))
      return true;
    std::optional<codegen::InlineAccess> access;
    if (call)
      access = codegen::parseInlineAccess(*call);
    // Not copies, nor what arrives at barriers: loops of those wait for other
    // threads.
    return access && access->predicate &&
           (access->opcode.starts_with("ld.") ||
            access->opcode.starts_with("st.")) &&
           addPredicate(access->predicate);
  }

private:
  bool addPredicate(Value *predicate) {
    Value *mask, *other;
    if (match(predicate, m_LogicalAnd(m_Value(mask), m_Value(other))))
      return addPredicate(mask) || addPredicate(other);
    const APInt *thread, *known;
    if (!loop->isLoopInvariant(predicate) || !isOfOneThread(predicate, thread))
      return false;
    if (!predicates.empty() && isOfOneThread(predicates.front(), known) &&
        *thread != *known)
      return false;
    predicates.insert(predicate);
    return true;
  }
};
} // namespace

static std::optional<IdleLoop> findIdle(Loop *loop) {
  BasicBlock *exit = loop->getUniqueExitBlock();
  // The branch around the loop has nothing to merge behind it.
  if (!loop->getLoopPreheader() || !exit || !exit->phis().empty())
    return std::nullopt;
  IdleLoop idle;
  idle.loop = loop;
  for (BasicBlock *block : loop->blocks())
    for (Instruction &instruction : *block)
      if (!idle.add(instruction))
        return std::nullopt;
  if (idle.predicates.empty())
    return std::nullopt;
  return idle;
}

/// The outermost of such loops of `loops`.
static void findAll(ArrayRef<Loop *> loops, SmallVector<IdleLoop> &found) {
  for (Loop *loop : loops) {
    if (std::optional<IdleLoop> idle = findIdle(loop))
      found.push_back(std::move(*idle));
    else
      findAll(loop->getSubLoops(), found);
  }
}

/// Has `loop` unrolled where it is short.
static void unroll(Loop *loop, ScalarEvolution &evolution) {
  uint64_t size = 0;
  for (BasicBlock *block : loop->blocks())
    size += block->size();
  uint64_t count = evolution.getSmallConstantTripCount(loop);
  if (loop->isInnermost() && count && count * size <= mostUnrolled)
    addStringMetadataToLoop(loop, "llvm.loop.unroll.full");
}

static void skip(const IdleLoop &idle) {
  BasicBlock *before = idle.loop->getLoopPreheader();
  BasicBlock *exit = idle.loop->getUniqueExitBlock();
  SplitEdge(before, idle.loop->getHeader());
  Value *isActive = idle.predicates.front();
  IRBuilder<> builder(before->getTerminator());
  builder.CreateCondBr(isActive, before->getSingleSuccessor(), exit);
  before->getTerminator()->eraseFromParent();
  for (Value *predicate : idle.predicates)
    predicate->replaceUsesWithIf(builder.getTrue(), [&](Use &use) {
      return idle.loop->contains(cast<Instruction>(use.getUser()));
    });
}

PreservedAnalyses
codegen::SkipIdleLoops::run(Function &function,
                            FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<IdleLoop> found;
  findAll(loops.getTopLevelLoops(), found);
  if (found.empty())
    return PreservedAnalyses::all();
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (const IdleLoop &idle : found)
    unroll(idle.loop, evolution);
  for (const IdleLoop &idle : found)
    skip(idle);
  return PreservedAnalyses::none();
}
