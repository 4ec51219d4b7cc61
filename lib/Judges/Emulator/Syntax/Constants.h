// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant expressions (PTX ISA, "Constant Expressions"): C's operators on
// integers of 64 bits, signed and unsigned. In: tokens. Out: the value.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_CONSTANTS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_CONSTANTS_H

#include "lib/Judges/Emulator/Syntax/Cursor.h"
#include "lib/Judges/Emulator/Syntax/Numbers.h"

namespace tilewright::emulator {

/// Parses an integer expression, up to ?:.
bool parseConstant(Cursor &cursor, Constant &result);

/// As parseConstant, but the value must lie between 0 and `limit`; `what` names
/// it for the message: "a number of threads".
bool parseCount(Cursor &cursor, uint64_t limit, std::string_view what,
                uint64_t &result);

/// Parses any number of "+ term" and "- term" and sums them; without any: 0.
bool parseAddend(Cursor &cursor, int64_t &result);

/// Whether an integer or floating-point constant begins here.
bool startsConstant(const Cursor &cursor);

/// Parses an integer expression (`integer`), or a floating-point number with or
/// without signs (`floating`).
bool parseNumber(Cursor &cursor, std::optional<Constant> &integer,
                 std::optional<FloatOperand> &floating);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_CONSTANTS_H
