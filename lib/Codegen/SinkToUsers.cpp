// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/SinkToUsers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace tilewright;

Instruction *codegen::findFirstUser(const Instruction &instruction) {
  Instruction *first = nullptr;
  for (const User *user : instruction.users()) {
    auto *next = const_cast<Instruction *>(cast<Instruction>(user));
    if (next->getParent() != instruction.getParent() || isa<PHINode>(next))
      return nullptr;
    if (!first || next->comesBefore(first))
      first = next;
  }
  return first;
}

/// From the block's end on, so that users have been moved before; what has the
/// same first user stays in its order.
bool codegen::sinkToUsers(BasicBlock &block,
                          const SmallPtrSetImpl<Instruction *> &sunk) {
  bool hasChanged = false;
  DenseMap<Instruction *, Instruction *> places;
  for (Instruction &instruction : make_early_inc_range(reverse(block))) {
    Instruction *user =
        sunk.contains(&instruction) ? findFirstUser(instruction) : nullptr;
    if (!user)
      continue;
    Instruction *&place = places.try_emplace(user, user).first->second;
    if (instruction.getNextNode() != place) {
      instruction.moveBefore(place->getIterator());
      hasChanged = true;
    }
    place = &instruction;
  }
  return hasChanged;
}
