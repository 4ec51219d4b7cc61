// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in front of a function's body: parameters and performance
// directives. In: tokens. Out: the fields of Function.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_FUNCTIONHEADER_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_FUNCTIONHEADER_H

#include "lib/Judges/Emulator/Syntax/Scopes.h"

namespace tilewright::emulator {

/// At '(': parses `.param` and `.reg` declarations up to ')' into `parameters`,
/// a list of `function`, and declares their names in the innermost scope. Only
/// functions that are no kernels may have them in registers.
bool parseParameters(Cursor &cursor, Scopes &scopes, Function &function,
                     std::vector<Parameter> &parameters);

/// At '(': the same of a prototype, whose names mean nothing.
bool parsePrototypeParameters(Cursor &cursor);

/// Parses the directives between parameters and body (PTX ISA, "Performance-
/// Tuning Directives", "Cluster Dimension Directives").
bool parsePerformanceDirectives(Cursor &cursor, Function &function);

/// Behind `.pragma`: strings and ';'. They mean nothing here.
bool skipPragma(Cursor &cursor);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_FUNCTIONHEADER_H
