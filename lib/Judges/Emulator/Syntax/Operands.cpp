// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses operands. A register gets its number when it is first used.

#include "lib/Judges/Emulator/Syntax/Operands.h"
#include "lib/Judges/Emulator/Syntax/Constants.h"
#include "lib/Judges/Emulator/Syntax/Types.h"

#include <algorithm>
#include <iterator>

using namespace tilewright::emulator;

RegisterOperand OperandParser::registerOf(std::string_view name,
                                          Symbol &symbol) {
  if (symbol.index == Symbol::none) {
    symbol.index = static_cast<uint32_t>(function.registers.size());
    function.registers.push_back({std::string(name), symbol.type});
  }
  return {symbol.index};
}

bool OperandParser::parseGuard(RegisterOperand &guard) {
  bool isNegated = cursor.accept(TokenKind::Exclamation);
  TextLocation location = cursor.location();
  std::string_view name;
  if (!cursor.expectIdentifier(name, "a predicate"))
    return false;
  Symbol *symbol = scopes.find(name);
  if (!symbol || symbol->kind != SymbolKind::Register ||
      symbol->type != DataType::Predicate)
    return cursor.unexpected("a declared predicate", name, location);
  guard = registerOf(name, *symbol);
  guard.isNegated = isNegated;
  return true;
}

/// Behind the name of a special register: the element of one that has four.
bool OperandParser::parseSpecial(std::string_view name, TextLocation location,
                                 Operand &operand) {
  std::string special(name.substr(1));
  if (cursor.is(TokenKind::Directive)) {
    special += '.';
    special += cursor.current().text;
    cursor.advance();
  }
  if (!isSpecialRegister(special))
    return cursor.unexpected("a declared register or a special register",
                             join({"%", special}), location);
  std::vector<std::string> &named = function.specialRegisters;
  if (std::find(named.begin(), named.end(), special) == named.end())
    named.push_back(special);
  operand.value = SpecialRegisterOperand{std::move(special)};
  return true;
}

bool OperandParser::parseNamed(Operand &operand) {
  std::string_view name = cursor.current().text;
  TextLocation location = cursor.location();
  cursor.advance();
  if (name == "_") {
    operand.value = SinkOperand{};
    return true;
  }
  Symbol *symbol = scopes.find(name);
  if (symbol && symbol->kind == SymbolKind::Register) {
    operand.value = registerOf(name, *symbol);
    return true;
  }
  if (!symbol && name[0] == '%')
    return parseSpecial(name, location, operand);
  // Its name comes from settleSymbols.
  SymbolOperand reference;
  uses.push_back({name, location});
  if (!parseAddend(cursor, reference.addend))
    return false;
  operand.value = std::move(reference);
  return true;
}

bool OperandParser::parseConstantOperand(Operand &operand) {
  std::optional<Constant> integer;
  std::optional<FloatOperand> floating;
  if (!parseNumber(cursor, integer, floating))
    return false;
  if (floating)
    operand.value = *floating;
  else
    operand.value = IntegerOperand{integer->bits};
  return true;
}

/// At '!': a negated register, or an expression.
bool OperandParser::parseNegated(Operand &operand) {
  Cursor ahead = cursor;
  ahead.advance();
  if (!ahead.is(TokenKind::Identifier) || startsConstant(ahead))
    return parseConstantOperand(operand);
  cursor.advance();
  std::string_view name = cursor.current().text;
  Symbol *symbol = scopes.find(name);
  if (!symbol || symbol->kind != SymbolKind::Register)
    return cursor.unexpected("a declared register");
  RegisterOperand negated = registerOf(name, *symbol);
  negated.isNegated = true;
  operand.value = negated;
  cursor.advance();
  return true;
}

/// A register, number or name.
bool OperandParser::parseSimple(Operand &operand) {
  if (cursor.is(TokenKind::Exclamation))
    return parseNegated(operand);
  if (startsConstant(cursor))
    return parseConstantOperand(operand);
  if (cursor.is(TokenKind::Identifier))
    return parseNamed(operand);
  return cursor.unexpected("an operand");
}

/// At '|', behind the first of two results.
bool OperandParser::parsePairRest(Operand &operand) {
  auto isResult = [](const Operand &result) {
    return std::holds_alternative<RegisterOperand>(result.value) ||
           std::holds_alternative<SinkOperand>(result.value);
  };
  PairOperand pair;
  pair.elements.reserve(2);
  if (!isResult(operand))
    return cursor.unexpected("','");
  pair.elements.push_back({std::move(operand.value)});
  cursor.advance();
  TextLocation location = cursor.location();
  if (!parseSimple(pair.elements.emplace_back()))
    return false;
  if (!isResult(pair.elements.back()))
    return cursor.fail(location, "expects a register or '_' behind '|'");
  operand.value = std::move(pair);
  return true;
}

/// Behind an opening token: operands up to the closing one.
bool OperandParser::parseElements(TokenKind close, std::string_view what,
                                  std::vector<Operand> &elements) {
  if (cursor.accept(close))
    return true;
  do
    if (!parseSimple(elements.emplace_back()))
      return false;
  while (cursor.accept(TokenKind::Comma));
  return cursor.expect(close, what);
}

bool OperandParser::parseBase(AddressOperand &address) {
  if (startsConstant(cursor)) {
    Constant constant;
    if (!parseConstant(cursor, constant))
      return false;
    address.base = IntegerOperand{constant.bits};
    return true;
  }
  if (!cursor.is(TokenKind::Identifier))
    return cursor.unexpected("a register, a variable or a number");
  std::string_view name = cursor.current().text;
  Symbol *symbol = scopes.find(name);
  if (symbol && symbol->kind == SymbolKind::Register)
    address.base = registerOf(name, *symbol);
  else if (symbol && (symbol->kind == SymbolKind::Variable ||
                      symbol->kind == SymbolKind::Parameter))
    address.base = SymbolOperand{std::string(symbol->flatName)};
  else
    return cursor.unexpected("a declared register or variable");
  cursor.advance();
  return parseAddend(cursor, address.offset);
}

/// Behind ',' in an address: a vector, or single operands (a sampler).
bool OperandParser::parseCoordinates(std::vector<Operand> &coordinates) {
  if (!cursor.accept(TokenKind::LeftBrace))
    return parseSimple(coordinates.emplace_back());
  return parseElements(TokenKind::RightBrace, "'}'", coordinates);
}

/// Behind '['.
bool OperandParser::parseAddress(AddressOperand &address) {
  if (!parseBase(address))
    return false;
  while (cursor.accept(TokenKind::Comma))
    if (!parseCoordinates(address.coordinates))
      return false;
  return cursor.expect(TokenKind::RightBracket, "']'");
}

bool OperandParser::parseOperand(bool isCall, Operand &operand) {
  if (cursor.accept(TokenKind::LeftBracket))
    return parseAddress(operand.value.emplace<AddressOperand>());
  if (cursor.accept(TokenKind::LeftBrace))
    return parseElements(TokenKind::RightBrace, "'}'",
                         operand.value.emplace<VectorOperand>().elements);
  if (isCall && cursor.accept(TokenKind::LeftParenthesis))
    return parseElements(TokenKind::RightParenthesis, "')'",
                         operand.value.emplace<ListOperand>().elements);
  return parseSimple(operand) &&
         (!cursor.is(TokenKind::Pipe) || parsePairRest(operand));
}

bool OperandParser::parseOperands(Instruction &instruction) {
  bool isCall = instruction.name == "call";
  scratch.clear();
  uses.clear();
  if (!cursor.is(TokenKind::Semicolon)) {
    do
      if (!parseOperand(isCall, scratch.emplace_back()))
        return false;
    while (cursor.accept(TokenKind::Comma));
  }
  if (!cursor.expect(TokenKind::Semicolon, "',' or ';'"))
    return false;
  if (instruction.name == "bra" && !uses.empty())
    uses.back().need = LabelUse::Need::Label;
  if (instruction.name == "brx" && !uses.empty())
    uses.back().need = LabelUse::Need::BranchTargets;
  instruction.operands.assign(std::make_move_iterator(scratch.begin()),
                              std::make_move_iterator(scratch.end()));
  return true;
}

/// In the order in which parseNamed meets names.
void OperandParser::settle(Operand &operand) {
  auto settleAll = [this](std::vector<Operand> &elements) {
    for (Operand &element : elements)
      settle(element);
  };
  if (auto *symbol = std::get_if<SymbolOperand>(&operand.value)) {
    LabelUse &use = uses[nextUse++];
    use.target = &symbol->name;
    scopes.use(use);
  } else if (auto *vector = std::get_if<VectorOperand>(&operand.value)) {
    settleAll(vector->elements);
  } else if (auto *list = std::get_if<ListOperand>(&operand.value)) {
    settleAll(list->elements);
  } else if (auto *address = std::get_if<AddressOperand>(&operand.value)) {
    settleAll(address->coordinates);
  }
}

void OperandParser::settleSymbols(Instruction &instruction) {
  if (uses.empty())
    return;
  nextUse = 0;
  for (Operand &operand : instruction.operands)
    settle(operand);
}
