// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initial values of variables. In: what stands behind '='. Out: bytes, and
// where addresses go between them.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_INITIALIZERS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_INITIALIZERS_H

#include "lib/Judges/Emulator/Syntax/Declarations.h"

namespace tilewright::emulator {

/// Parses a number, an address, or braces, into `variable`, whose size it sets
/// if the array has none.
bool parseInitializer(Cursor &cursor, Scopes &scopes,
                      const ElementType &element, const ArrayShape &shape,
                      InitializerBudget &budget, Variable &variable);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_INITIALIZERS_H
