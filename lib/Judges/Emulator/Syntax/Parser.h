// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_PARSER_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_PARSER_H

#include "lib/Judges/Emulator/Syntax/Syntax.h"

#include <string_view>

namespace tilewright::emulator {

/// Parses PTX text, ISA 6.0 to 9.0. On failure fills `error` and gives nothing.
/// Any bytes may come: it neither crashes nor hangs, and takes memory in
/// proportion to the text.
std::optional<Module> parsePtx(std::string_view text, SyntaxError &error);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_PARSER_H
