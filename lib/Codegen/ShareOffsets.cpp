// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/ShareOffsets.h"

#include "lib/Codegen/PreserveGraph.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

#include <map>

using namespace llvm;
using namespace tilewright;

namespace {

/// An index, and the bytes that it counts.
using Term = std::pair<Value *, uint64_t>;

/// What tells terms apart: extensions stand where they are used, so that equal
/// ones may be several instructions.
using TermKey = std::tuple<const Value *, unsigned, uint64_t>;

TermKey getKey(const Term &term) {
  if (auto *cast = dyn_cast<CastInst>(term.first))
    return {cast->getOperand(0), cast->getOpcode(), term.second};
  return {term.first, 0, term.second};
}

/// An address: what `last` computes, as the sum of an argument and terms.
struct Sum {
  GetElementPtrInst *last;
  Argument *argument;
  /// Those first that change in the fewest loops: their sum can be moved out of
  /// the others.
  SmallVector<Term, 4> terms;
};

/// Addresses of one loop at one distance from several arguments.
struct SameDistance {
  SmallVector<Sum, 4> sums;
  SmallPtrSet<Argument *, 4> arguments;
};

class Sharing {
public:
  Sharing(Function &function, const LoopInfo &loops)
      : layout(function.getDataLayout()), loops(loops) {
    for (Instruction &instruction : instructions(function))
      if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
        if (Loop *loop = loops.getLoopFor(address->getParent()))
          if (std::optional<Sum> sum = match(address, loop)) {
            std::vector<TermKey> keys;
            for (const Term &term : sum->terms)
              keys.push_back(getKey(term));
            groups[{loop, std::move(keys)}].add(std::move(*sum));
          }
  }

  bool run() {
    bool isChanged = false;
    for (auto &[key, group] : groups)
      if (group.arguments.size() > 1) {
        rewrite(group);
        isChanged = true;
      }
    return isChanged;
  }

private:
  struct Group : SameDistance {
    void add(Sum sum) {
      arguments.insert(sum.argument);
      sums.push_back(std::move(sum));
    }
  };

  /// Of elements of a known size, by one index of 64 bits.
  bool isOneStep(const GetElementPtrInst *address) const {
    return address->getNumIndices() == 1 &&
           address->getOperand(1)->getType()->isIntegerTy(64) &&
           !address->hasAllConstantIndices() &&
           !layout.getTypeAllocSize(address->getSourceElementType())
                .isScalable();
  }

  unsigned getDepth(Value *value) const {
    auto *instruction = dyn_cast<Instruction>(value);
    return instruction ? loops.getLoopDepth(instruction->getParent()) : 0;
  }

  /// The address as a sum of two terms or more, of which one changes in `loop`
  /// and one does not; none where it is no such sum.
  std::optional<Sum> match(GetElementPtrInst *address, const Loop *loop) const {
    Sum sum = {address, nullptr, {}};
    Value *pointer = address;
    while (auto *step = dyn_cast<GetElementPtrInst>(pointer)) {
      if (!isOneStep(step))
        return std::nullopt;
      sum.terms.emplace_back(
          step->getOperand(1),
          layout.getTypeAllocSize(step->getSourceElementType()));
      pointer = step->getPointerOperand();
    }
    sum.argument = dyn_cast<Argument>(pointer);
    auto isInvariant = [&](const Term &term) {
      return loop->isLoopInvariant(term.first);
    };
    if (!sum.argument || all_of(sum.terms, isInvariant) ||
        none_of(sum.terms, isInvariant))
      return std::nullopt;
    std::reverse(sum.terms.begin(), sum.terms.end());
    stable_sort(sum.terms, [&](const Term &a, const Term &b) {
      return getDepth(a.first) < getDepth(b.first);
    });
    return sum;
  }

  /// Where all terms count the same bytes their sum is one of elements, so that
  /// tensors of other element sizes may share it.
  static bool hasOneSize(const Sum &sum) {
    return all_of(sum.terms, [&](const Term &term) {
      return term.second == sum.terms.front().second;
    });
  }

  static Value *emitDistance(const Sum &sum, IRBuilder<> &builder) {
    bool isOfElements = hasOneSize(sum);
    Value *distance = nullptr;
    for (auto [index, bytes] : sum.terms) {
      Value *term = isOfElements
                        ? index
                        : builder.CreateMul(index, builder.getInt64(bytes));
      distance = distance ? builder.CreateAdd(distance, term) : term;
    }
    return distance;
  }

  /// Addresses come in the order of their instructions: the first of a block is
  /// where the block's distance is computed.
  void rewrite(Group &group) {
    SmallDenseMap<BasicBlock *, Value *> distances;
    for (Sum &sum : group.sums) {
      IRBuilder<> builder(sum.last);
      Value *&distance = distances[sum.last->getParent()];
      if (!distance)
        distance = emitDistance(sum, builder);
      Type *element = hasOneSize(sum) ? sum.last->getSourceElementType()
                                      : builder.getInt8Ty();
      Value *address = builder.CreateGEP(element, sum.argument, distance);
      sum.last->replaceAllUsesWith(address);
    }
  }

  const DataLayout &layout;
  const LoopInfo &loops;
  using Key = std::pair<Loop *, std::vector<TermKey>>;
  MapVector<Key, Group, std::map<Key, unsigned>> groups;
};

/// Computes indices before the loops that leave them as they are.
bool hoistIndices(const LoopInfo &loops) {
  bool isChanged = false;
  // Inner loops first.
  SmallVector<Loop *> all(loops.getLoopsInPreorder());
  for (Loop *loop : reverse(all))
    for (BasicBlock *block : loop->blocks())
      for (Instruction &instruction : *block)
        if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
          for (Value *index : address->indices())
            loop->makeLoopInvariant(index, isChanged);
  return isChanged;
}

} // namespace

PreservedAnalyses
codegen::ShareOffsets::run(Function &function,
                           FunctionAnalysisManager &analyses) {
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  bool isHoisted = hoistIndices(loops);
  return preserveGraph(Sharing(function, loops).run() || isHoisted);
}
