// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses small texts for the tests. A header is put in front on the same line,
// so that line numbers are the text's own.

#ifndef TILEWRIGHT_TEST_UNIT_EMULATOR_SYNTAX_PARSE_H
#define TILEWRIGHT_TEST_UNIT_EMULATOR_SYNTAX_PARSE_H

#include "lib/Judges/Emulator/Syntax/Parser.h"

#include "gtest/gtest.h"

#include <string>

namespace tilewright::emulator {

/// "line:column: message" of an error.
inline std::string describe(const SyntaxError &error) {
  return std::to_string(error.location.line) + ":" +
         std::to_string(error.location.column) + ": " + error.message;
}

/// The module of a whole text; an empty one and a failed test on an error.
inline Module parseModule(const std::string &text) {
  SyntaxError error;
  std::optional<Module> module = parsePtx(text, error);
  EXPECT_TRUE(module) << describe(error) << "\n" << text;
  return module ? std::move(*module) : Module();
}

/// The error of a whole text, or "none".
inline std::string errorOf(const std::string &text) {
  SyntaxError error;
  return parsePtx(text, error) ? "none" : describe(error);
}

inline const std::string header = ".version 8.0\n.target sm_80\n";

/// The text behind a version and a target, from line 3.
inline Module parseDeclarations(const std::string &text) {
  return parseModule(header + text);
}

/// A kernel with registers of each type around the text, which begins line 5.
inline std::string kernelWith(const std::string &body) {
  return header +
         ".func callee(.param .b32 a); .global .b32 array[8];\n"
         ".entry kernel(.param .b64 pointer) { .reg .pred %p<4>; "
         ".reg .b32 %r<8>; .reg .b64 %rd<4>;\n" +
         body + "\n}\n";
}

/// The kernel's function.
inline Function parseBody(const std::string &body) {
  Module module = parseModule(kernelWith(body));
  return module.functions.empty() ? Function()
                                  : std::move(module.functions.back());
}

/// The operand if it is of this kind; null and a failed test if not.
template <typename Kind>
const Kind *as(const Operand &operand) {
  const Kind *value = std::get_if<Kind>(&operand.value);
  EXPECT_TRUE(value) << "another kind of operand: " << operand.value.index();
  return value;
}

/// The name of the register that the operand is, or "".
inline std::string registerName(const Function &function,
                                const Operand &operand) {
  const auto *use = as<RegisterOperand>(operand);
  return use ? function.registers.at(use->index).name : "";
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_UNIT_EMULATOR_SYNTAX_PARSE_H
