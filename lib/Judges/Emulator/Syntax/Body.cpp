// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the statements of a body (PTX ISA, "Statements"): instructions, labels
// and directives, and scopes without recursion.

#include "lib/Judges/Emulator/Syntax/Body.h"
#include "lib/Judges/Emulator/Syntax/Constants.h"
#include "lib/Judges/Emulator/Syntax/FunctionHeader.h"
#include "lib/Judges/Emulator/Syntax/Operands.h"
#include "lib/Judges/Emulator/Syntax/Types.h"

#include <iterator>

using namespace tilewright::emulator;

/// Scopes of a function inside one another.
static constexpr size_t scopeLimit = 64;
/// Declared registers of a function.
static constexpr uint64_t registerLimit = 1 << 20;

namespace {

class BodyParser {
public:
  BodyParser(Cursor &cursor, Scopes &scopes, InitializerBudget &budget,
             Function &function)
      : cursor(cursor), scopes(scopes), budget(budget), function(function),
        operands(cursor, scopes, function) {}

  bool parse();

private:
  bool parseStatement();
  bool parseScopeBegin();
  bool parseDirective();
  bool parseRegisters();
  bool parseRegisterName(DataType type);
  bool parseRange(std::string_view prefix, TextLocation location,
                  DataType type);
  bool parseLocation();
  bool parseLocationDetail();
  bool parseNamedStatement();
  bool parseLabel(std::string_view name, TextLocation location);
  bool parseBranchTargets(std::string_view name, TextLocation location);
  bool parsePrototype(std::string_view name, TextLocation location);
  bool parseCallTargets(std::string_view name, TextLocation location);
  bool parseGuarded();
  bool parseInstruction(std::string_view name, Instruction instruction);

  Cursor &cursor;
  Scopes &scopes;
  InitializerBudget &budget;
  Function &function;
  OperandParser operands;
  SourceLocation source;
  uint64_t declaredRegisters = 0;
  std::vector<std::string> modifiers;
};

} // namespace

bool BodyParser::parseScopeBegin() {
  if (scopes.depth() > scopeLimit)
    return cursor.fail(cursor.location(),
                       join({"expects at most ", std::to_string(scopeLimit),
                             " scopes inside one another"}));
  cursor.advance();
  scopes.open();
  return true;
}

/// Behind '<': "count>".
bool BodyParser::parseRange(std::string_view prefix, TextLocation location,
                            DataType type) {
  // No expression: '>' ends the number.
  std::optional<Constant> count;
  if (cursor.is(TokenKind::Number))
    count = readInteger(cursor.current().text);
  if (!count)
    return cursor.unexpected("a number of registers");
  if (count->bits > registerLimit - declaredRegisters)
    return cursor.unexpected(join({"at most ", std::to_string(registerLimit),
                                   " registers of a function"}));
  declaredRegisters += count->bits;
  cursor.advance();
  return cursor.expect(TokenKind::Greater, "'>'") &&
         scopes.declareRange(prefix, location,
                             static_cast<uint32_t>(count->bits), type);
}

bool BodyParser::parseRegisterName(DataType type) {
  TextLocation location = cursor.location();
  std::string_view name;
  if (!cursor.expectIdentifier(name, "a register's name"))
    return false;
  if (cursor.accept(TokenKind::Less))
    return parseRange(name, location, type);
  if (++declaredRegisters > registerLimit)
    return cursor.fail(location,
                       join({"expects at most ", std::to_string(registerLimit),
                             " registers of a function"}));
  return scopes.declare(name, location, {SymbolKind::Register, type});
}

/// Behind `.reg`.
bool BodyParser::parseRegisters() {
  std::optional<DataType> type;
  if (cursor.is(TokenKind::Directive))
    type = dataTypeNamed(cursor.current().text);
  if (!type)
    return cursor.unexpected("a type of registers");
  cursor.advance();
  do
    if (!parseRegisterName(*type))
      return false;
  while (cursor.accept(TokenKind::Comma));
  return cursor.expect(TokenKind::Semicolon, "';'");
}

static bool parseLineNumber(Cursor &cursor, uint32_t &number) {
  uint64_t value;
  if (!parseCount(cursor, UINT32_MAX, "a number", value))
    return false;
  number = static_cast<uint32_t>(value);
  return true;
}

/// Behind ',' in `.loc`: "function_name LABEL+N" or "inlined_at FILE LINE
/// COLUMN", which are checked and dropped.
bool BodyParser::parseLocationDetail() {
  if (!cursor.is(TokenKind::Identifier) ||
      (cursor.current().text != "function_name" &&
       cursor.current().text != "inlined_at"))
    return cursor.unexpected("'function_name' or 'inlined_at'");
  bool isInlined = cursor.current().text == "inlined_at";
  cursor.advance();
  if (isInlined) {
    SourceLocation ignored;
    return parseLineNumber(cursor, ignored.file) &&
           parseLineNumber(cursor, ignored.line) &&
           parseLineNumber(cursor, ignored.column);
  }
  if (!cursor.accept(TokenKind::Identifier) &&
      !cursor.accept(TokenKind::Directive))
    return cursor.unexpected("a label or a section");
  int64_t offset;
  return parseAddend(cursor, offset);
}

/// Behind `.loc`.
bool BodyParser::parseLocation() {
  if (!parseLineNumber(cursor, source.file) ||
      !parseLineNumber(cursor, source.line) ||
      !parseLineNumber(cursor, source.column))
    return false;
  while (cursor.accept(TokenKind::Comma))
    if (!parseLocationDetail())
      return false;
  return true;
}

bool tilewright::emulator::skipSection(Cursor &cursor) {
  if (!cursor.accept(TokenKind::Directive) &&
      !cursor.accept(TokenKind::Identifier))
    return cursor.unexpected("a section's name");
  if (!cursor.is(TokenKind::LeftBrace))
    return cursor.unexpected("'{'");
  return cursor.skipBalanced(TokenKind::LeftBrace, TokenKind::RightBrace,
                             "'}'");
}

bool BodyParser::parseDirective() {
  if (cursor.acceptDirective("loc"))
    return parseLocation();
  if (cursor.acceptDirective("reg"))
    return parseRegisters();
  if (cursor.acceptDirective("pragma"))
    return skipPragma(cursor);
  if (cursor.acceptDirective("section"))
    return skipSection(cursor);
  Linkage linkage;
  while (acceptLinkage(cursor, linkage))
    continue;
  if (cursor.is(TokenKind::Directive) && stateSpaceNamed(cursor.current().text))
    return parseVariables(cursor, scopes, linkage, budget, function.variables);
  return cursor.unexpected("a directive of a body");
}

/// Behind the colon.
bool BodyParser::parseLabel(std::string_view name, TextLocation location) {
  if (cursor.acceptDirective("branchtargets"))
    return parseBranchTargets(name, location);
  if (cursor.acceptDirective("callprototype"))
    return parsePrototype(name, location);
  if (cursor.acceptDirective("calltargets"))
    return parseCallTargets(name, location);
  const Symbol *label = scopes.declare(name, location, {SymbolKind::Label});
  if (!label)
    return false;
  function.labels.push_back({std::string(label->flatName),
                             static_cast<uint32_t>(function.body.size())});
  return true;
}

bool BodyParser::parseBranchTargets(std::string_view name,
                                    TextLocation location) {
  const Symbol *list =
      scopes.declare(name, location, {SymbolKind::BranchTargets});
  if (!list)
    return false;
  Function::BranchTargets targets{std::string(list->flatName), {}};
  std::vector<LabelUse> uses;
  do {
    LabelUse use{{}, cursor.location(), LabelUse::Need::Label};
    if (!cursor.expectIdentifier(use.name, "a label"))
      return false;
    uses.push_back(use);
  } while (cursor.accept(TokenKind::Comma));
  // The names do not move any more: moving a vector keeps its elements.
  targets.targets.resize(uses.size());
  for (size_t i = 0; i < uses.size(); ++i) {
    uses[i].target = &targets.targets[i];
    scopes.use(uses[i]);
  }
  function.branchTargets.push_back(std::move(targets));
  return cursor.expect(TokenKind::Semicolon, "';'");
}

/// "(results) _ (parameters) directives;". The call's own lists say as much.
bool BodyParser::parsePrototype(std::string_view name, TextLocation location) {
  if (!scopes.declare(name, location, {SymbolKind::Prototype}))
    return false;
  bool hasResults = cursor.is(TokenKind::LeftParenthesis);
  if (hasResults && !parsePrototypeParameters(cursor))
    return false;
  std::string_view placeholder;
  Function ignored;
  if (!cursor.expectIdentifier(placeholder, "'_'"))
    return false;
  if (cursor.is(TokenKind::LeftParenthesis) &&
      !parsePrototypeParameters(cursor))
    return false;
  return parsePerformanceDirectives(cursor, ignored) &&
         cursor.expect(TokenKind::Semicolon, "';'");
}

bool BodyParser::parseCallTargets(std::string_view name,
                                  TextLocation location) {
  if (!scopes.declare(name, location, {SymbolKind::Prototype}))
    return false;
  do {
    const Symbol *target = cursor.is(TokenKind::Identifier)
                               ? scopes.find(cursor.current().text)
                               : nullptr;
    if (!target || target->kind != SymbolKind::Function)
      return cursor.unexpected("a declared function");
    cursor.advance();
  } while (cursor.accept(TokenKind::Comma));
  return cursor.expect(TokenKind::Semicolon, "';'");
}

/// Behind the name; the guard and the location are set.
bool BodyParser::parseInstruction(std::string_view name,
                                  Instruction instruction) {
  instruction.name = name;
  instruction.source = source;
  modifiers.clear();
  while (cursor.is(TokenKind::Directive)) {
    modifiers.emplace_back(cursor.current().text);
    cursor.advance();
  }
  instruction.modifiers.assign(std::make_move_iterator(modifiers.begin()),
                               std::make_move_iterator(modifiers.end()));
  if (!operands.parseOperands(instruction))
    return false;
  function.body.push_back(std::move(instruction));
  operands.settleSymbols(function.body.back());
  return true;
}

/// A label or an instruction.
bool BodyParser::parseNamedStatement() {
  Instruction instruction;
  instruction.location = cursor.location();
  std::string_view name = cursor.current().text;
  cursor.advance();
  if (cursor.accept(TokenKind::Colon))
    return parseLabel(name, instruction.location);
  return parseInstruction(name, std::move(instruction));
}

/// At '@'.
bool BodyParser::parseGuarded() {
  Instruction instruction;
  instruction.location = cursor.location();
  cursor.advance();
  std::string_view name;
  return operands.parseGuard(instruction.guard.emplace()) &&
         cursor.expectIdentifier(name, "an instruction") &&
         parseInstruction(name, std::move(instruction));
}

bool BodyParser::parseStatement() {
  switch (cursor.current().kind) {
  case TokenKind::LeftBrace:
    return parseScopeBegin();
  case TokenKind::Directive:
    return parseDirective();
  case TokenKind::At:
    return parseGuarded();
  case TokenKind::Identifier:
    return parseNamedStatement();
  default:
    return cursor.unexpected("an instruction, a label, a directive or '}'");
  }
}

bool BodyParser::parse() {
  cursor.advance();
  size_t outermost = scopes.depth();
  for (;;) {
    if (!cursor.is(TokenKind::RightBrace)) {
      if (!parseStatement())
        return false;
      continue;
    }
    cursor.advance();
    if (scopes.depth() == outermost)
      return true;
    if (!scopes.close())
      return false;
  }
}

bool tilewright::emulator::parseBody(Cursor &cursor, Scopes &scopes,
                                     InitializerBudget &budget,
                                     Function &function) {
  return BodyParser(cursor, scopes, budget, function).parse();
}
