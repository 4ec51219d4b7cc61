// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/SinkAddresses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Pass.h"

using namespace llvm;
using namespace tilewright;

/// Whether `user` reads or writes memory at the address that it is given.
static bool takesAddress(const Instruction *user) {
  return isa<IntrinsicInst>(user) && user->mayReadOrWriteMemory();
}

/// Has uses of `address` in other blocks take a copy of it there; whether there
/// are any.
static bool sink(GetElementPtrInst *address) {
  SmallMapVector<BasicBlock *, SmallVector<Use *, 4>, 4> uses;
  for (Use &use : address->uses()) {
    auto *user = cast<Instruction>(use.getUser());
    if (takesAddress(user) && user->getParent() != address->getParent())
      uses[user->getParent()].push_back(&use);
  }
  for (auto &[block, members] : uses) {
    // One for all of the block: selection folds it into each of them.
    Instruction *copy = address->clone();
    copy->insertBefore(block->getFirstInsertionPt());
    for (Use *use : members)
      use->set(copy);
  }
  return !uses.empty();
}

namespace {
struct SinkAddresses : FunctionPass {
  static char ID;
  SinkAddresses() : FunctionPass(ID) {}

  StringRef getPassName() const override {
    return "Compute addresses at constant distances where they are used";
  }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
  }

  bool runOnFunction(Function &function) override {
    bool isChanged = false;
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      if (auto *address = dyn_cast<GetElementPtrInst>(&instruction);
          address && address->hasAllConstantIndices()) {
        isChanged |= sink(address);
        if (address->use_empty())
          address->eraseFromParent();
      }
    return isChanged;
  }
};
char SinkAddresses::ID = 0;
} // namespace

FunctionPass *codegen::createSinkAddresses() { return new SinkAddresses(); }
