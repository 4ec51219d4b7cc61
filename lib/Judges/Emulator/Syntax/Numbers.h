// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of PTX text (PTX ISA, "Constants"). In: a Number token's text.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_NUMBERS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_NUMBERS_H

#include "lib/Judges/Emulator/Syntax/Syntax.h"

#include <string_view>

namespace tilewright::emulator {

/// An integer of 64 bits, as constant expressions compute with.
struct Constant {
  uint64_t bits = 0;
  /// .u64; else .s64.
  bool isUnsigned = false;
};

/// Whether the text is a floating-point number: 0f, 0d, or decimal with a point
/// or an exponent.
bool isFloat(std::string_view text);

/// Reads an integer: hexadecimal 0x, octal 0, binary 0b, decimal; with or
/// without the suffix U. Nothing if it is malformed or exceeds 64 bits.
std::optional<Constant> readInteger(std::string_view text);

/// Reads a floating-point number, exactly as FloatOperand says. Nothing if it
/// is malformed or out of a double's range.
std::optional<FloatOperand> readFloat(std::string_view text);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_NUMBERS_H
