// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the inline PTX that the lowering writes, above all that of accesses to
// memory under a predicate or with cache hints.

#ifndef TILEWRIGHT_LIB_CODEGEN_INLINEACCESS_H
#define TILEWRIGHT_LIB_CODEGEN_INLINEACCESS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace llvm {
class CallInst;
class Instruction;
class Value;
} // namespace llvm

namespace tilewright::codegen {

/// The inline PTX that `instruction` is; empty where it is anything else.
llvm::StringRef getInlinePtx(const llvm::Instruction &instruction);

/// One access: "mov.b32 $0, 0; @$2 ld.global.b32 $0, [$1+64];".
struct InlineAccess {
  /// "ld.global.b32".
  llvm::StringRef opcode;
  /// Where: so many bytes behind a pointer.
  llvm::Value *pointer = nullptr;
  int64_t distance = 0;
  /// Null where there is none.
  llvm::Value *predicate = nullptr;
  /// What the results are where the predicate is false, in their order: null is
  /// 0. Empty where nothing fills them.
  llvm::SmallVector<llvm::Value *> initial;
};

/// The access that `call` is; none where it is anything else.
std::optional<InlineAccess> parseInlineAccess(const llvm::CallInst &call);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_INLINEACCESS_H
