// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function's body. In: tokens behind '{'. Out: the function's registers,
// variables, instructions and labels.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_BODY_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_BODY_H

#include "lib/Judges/Emulator/Syntax/Declarations.h"

namespace tilewright::emulator {

/// At '{': parses up to the '}' that belongs to it, which it skips. The
/// innermost scope is the function's own, which it leaves open.
bool parseBody(Cursor &cursor, Scopes &scopes, InitializerBudget &budget,
               Function &function);

/// Behind `.section`: skips its name and what is between its braces.
bool skipSection(Cursor &cursor);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_BODY_H
