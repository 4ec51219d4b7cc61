// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types' names in PTX text; bitWidth() is declared in Syntax.h.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_TYPES_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_TYPES_H

#include "lib/Judges/Emulator/Syntax/Syntax.h"

#include <string_view>

namespace tilewright::emulator {

/// The type that the directive's name ("u32", "pred") stands for, if any.
std::optional<DataType> dataTypeNamed(std::string_view name);

/// The state space of variables that the name ("global", "param") stands for.
std::optional<StateSpace> stateSpaceNamed(std::string_view name);

/// Whether it is the name, without the percent sign, of a special register, or
/// of an element of one: "tid.x" (PTX ISA, "Special Registers").
bool isSpecialRegister(std::string_view name);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_TYPES_H
