// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of instructions. In: tokens and scopes. Out: operands whose names
// are resolved, but for labels, which may stand later: those are handed on.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_OPERANDS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_OPERANDS_H

#include "lib/Judges/Emulator/Syntax/Scopes.h"

namespace tilewright::emulator {

/// Parses the operands of one function (PTX ISA, "Instruction Operands").
class OperandParser {
public:
  OperandParser(Cursor &cursor, Scopes &scopes, Function &function)
      : cursor(cursor), scopes(scopes), function(function) {}

  /// The register of a guard, behind '@'.
  bool parseGuard(RegisterOperand &guard);

  /// Parses operands up to ';', which it skips, into `instruction`, whose name
  /// is set. Once the instruction lies where it stays, settleSymbols must
  /// follow: moving it is allowed, since its operands do not move then.
  bool parseOperands(Instruction &instruction);
  void settleSymbols(Instruction &instruction);

private:
  bool parseOperand(bool isCall, Operand &operand);
  bool parseSimple(Operand &operand);
  bool parseConstantOperand(Operand &operand);
  bool parseNamed(Operand &operand);
  bool parseSpecial(std::string_view name, TextLocation location,
                    Operand &operand);
  bool parseNegated(Operand &operand);
  bool parsePairRest(Operand &operand);
  bool parseElements(TokenKind close, std::string_view what,
                     std::vector<Operand> &elements);
  bool parseAddress(AddressOperand &address);
  bool parseBase(AddressOperand &address);
  bool parseCoordinates(std::vector<Operand> &coordinates);
  RegisterOperand registerOf(std::string_view name, Symbol &symbol);
  void settle(Operand &operand);

  Cursor &cursor;
  Scopes &scopes;
  Function &function;
  /// Reused, so that an instruction's own list has the right size at once.
  std::vector<Operand> scratch;
  /// Names of the present instruction, in the order of its operands.
  std::vector<LabelUse> uses;
  size_t nextUse = 0;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_OPERANDS_H
