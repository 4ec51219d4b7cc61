// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of inline assembly: that it is whole statements, which may stand
// several times in a function. Private to this folder.

#ifndef TILEWRIGHT_DIALECTS_TRITON_ASSEMBLYTEXT_H
#define TILEWRIGHT_DIALECTS_TRITON_ASSEMBLYTEXT_H

#include "dialects/Triton/Triton.h"

namespace tilewright::tt {

/// Emits an error where the text is not made of statements that end, in scopes
/// that close; where a directive is not one of a function's body; or where a
/// label or a variable would be defined twice, as the text is written for every
/// run: one that is neither within braces nor has `${:uid}` in its name. What
/// instructions there are is the assembler's to know.
llvm::LogicalResult verifyAssemblyStatements(ElementwiseInlineAsmOp op);

} // namespace tilewright::tt

#endif // TILEWRIGHT_DIALECTS_TRITON_ASSEMBLYTEXT_H
