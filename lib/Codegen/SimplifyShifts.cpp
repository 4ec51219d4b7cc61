// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/SimplifyShifts.h"

#include "lib/Codegen/PreserveGraph.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;

/// How deep the values are that a shifted one is made of, at most.
static constexpr unsigned mostDepth = 6;

/// A value with the same `wanted` bits as `value`, of as few parts as can be:
/// itself where none can be left out.
static Value *keepBits(Value *value, const APInt &wanted, IRBuilder<> &builder,
                       const DataLayout &layout, unsigned depth = 0) {
  KnownBits known = computeKnownBits(value, layout);
  if (wanted.isSubsetOf(known.Zero | known.One))
    return ConstantInt::get(value->getType(), known.One & wanted);
  if (depth == mostDepth)
    return value;
  auto keep = [&](Value *part, const APInt &bits) {
    return keepBits(part, bits, builder, layout, depth + 1);
  };
  Value *lhs, *rhs;
  if (match(value, m_Or(m_Value(lhs), m_Value(rhs)))) {
    Value *left = keep(lhs, wanted), *right = keep(rhs, wanted);
    if (left == lhs && right == rhs)
      return value;
    if (match(left, m_Zero()))
      return right;
    if (match(right, m_Zero()))
      return left;
    bool isDisjoint = cast<PossiblyDisjointInst>(value)->isDisjoint();
    return builder.CreateOr(left, right, "", isDisjoint);
  }
  if (match(value, m_ZExt(m_Value(lhs)))) {
    Value *kept =
        keep(lhs, wanted.trunc(lhs->getType()->getScalarSizeInBits()));
    return kept == lhs ? value : builder.CreateZExt(kept, value->getType());
  }
  return value;
}

PreservedAnalyses codegen::SimplifyShifts::run(Function &function,
                                               FunctionAnalysisManager &) {
  const DataLayout &layout = function.getDataLayout();
  bool hasChanged = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    Value *shifted;
    const APInt *amount;
    if (!match(&instruction, m_LShr(m_Value(shifted), m_APInt(amount))) ||
        !shifted->getType()->isIntegerTy())
      continue;
    unsigned width = shifted->getType()->getIntegerBitWidth();
    if (amount->uge(width))
      continue;
    IRBuilder<> builder(&instruction);
    APInt wanted = APInt::getBitsSetFrom(width, amount->getZExtValue());
    Value *kept = keepBits(shifted, wanted, builder, layout);
    if (kept == shifted)
      continue;
    // (What is left out need not be 0, so that the shift is not exact.)
    instruction.replaceAllUsesWith(
        builder.CreateLShr(kept, instruction.getOperand(1)));
    instruction.eraseFromParent();
    hasChanged = true;
  }
  return preserveGraph(hasChanged);
}
