// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_SINKTOUSERS_H
#define TILEWRIGHT_LIB_CODEGEN_SINKTOUSERS_H

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class Instruction;
} // namespace llvm

namespace tilewright::codegen {

/// The first user in the instruction's own block; null where there is none, or
/// others are elsewhere.
llvm::Instruction *findFirstUser(const llvm::Instruction &instruction);

/// Moves those of `block` that are in `sunk`, and may be anywhere behind their
/// operands, right before their first users. Returns whether any has moved.
bool sinkToUsers(llvm::BasicBlock &block,
                 const llvm::SmallPtrSetImpl<llvm::Instruction *> &sunk);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_SINKTOUSERS_H
