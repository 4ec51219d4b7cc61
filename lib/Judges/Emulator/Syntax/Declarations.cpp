// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses declarations of variables (PTX ISA, "Variables").

#include "lib/Judges/Emulator/Syntax/Declarations.h"
#include "lib/Judges/Emulator/Syntax/Constants.h"
#include "lib/Judges/Emulator/Syntax/Initializers.h"
#include "lib/Judges/Emulator/Syntax/Types.h"

#include <bit>

using namespace tilewright::emulator;

static bool parseAlignment(Cursor &cursor, uint32_t &alignment) {
  TextLocation location = cursor.location();
  uint64_t value;
  if (!parseCount(cursor, 1u << 30, "an alignment", value))
    return false;
  if (!std::has_single_bit(value))
    return cursor.fail(location,
                       join({"expects a power of two as alignment, but got ",
                             std::to_string(value)}));
  alignment = static_cast<uint32_t>(value);
  return true;
}

/// Behind `.ptr`: the space and the alignment of what it points to.
static bool parsePointee(Cursor &cursor, uint32_t &alignment) {
  while (cursor.is(TokenKind::Directive)) {
    bool isSpace = stateSpaceNamed(cursor.current().text).has_value() ||
                   cursor.isDirective("generic");
    bool isAlignment = cursor.isDirective("align");
    if (!isSpace && !isAlignment)
      return true;
    cursor.advance();
    if (isAlignment && !parseAlignment(cursor, alignment))
      return false;
  }
  return true;
}

static bool skipAttribute(Cursor &cursor) {
  if (!cursor.is(TokenKind::LeftParenthesis))
    return cursor.unexpected("'('");
  return cursor.skipBalanced(TokenKind::LeftParenthesis,
                             TokenKind::RightParenthesis, "')'");
}

/// One directive of an element type.
static bool parseElementDirective(Cursor &cursor, ElementType &element,
                                  std::optional<DataType> &type) {
  if (cursor.acceptDirective("align"))
    return parseAlignment(cursor, element.alignment);
  if (cursor.acceptDirective("attribute"))
    return skipAttribute(cursor);
  if (cursor.acceptDirective("ptr")) {
    element.isPointer = true;
    return parsePointee(cursor, element.pointeeAlignment);
  }
  if (cursor.isDirective("v2") || cursor.isDirective("v4")) {
    element.vectorWidth = cursor.isDirective("v2") ? 2 : 4;
    cursor.advance();
    return true;
  }
  std::optional<DataType> named = dataTypeNamed(cursor.current().text);
  if (!named || type || *named == DataType::Predicate)
    return cursor.unexpected(type ? "a name" : "a type");
  type = named;
  cursor.advance();
  return true;
}

bool tilewright::emulator::parseElementType(Cursor &cursor,
                                            ElementType &element) {
  std::optional<DataType> type;
  TextLocation location = cursor.location();
  while (cursor.is(TokenKind::Directive))
    if (!parseElementDirective(cursor, element, type))
      return false;
  if (!type)
    return cursor.unexpected("a type");
  element.type = *type;
  if (element.vectorWidth > 1 && element.bytes() > 16)
    return cursor.fail(location,
                       join({"expects a vector of at most 128 bits, but got ",
                             std::to_string(element.bytes() * 8)}));
  return true;
}

bool tilewright::emulator::parseArrayShape(Cursor &cursor,
                                           const ElementType &element,
                                           ArrayShape &shape) {
  constexpr size_t dimensionLimit = 32;
  shape.bytes = element.bytes();
  while (cursor.is(TokenKind::LeftBracket)) {
    TextLocation location = cursor.location();
    cursor.advance();
    if (shape.dimensions.size() == dimensionLimit)
      return cursor.fail(location, "expects an array of at most 32 dimensions");
    uint64_t count = 0;
    bool isUnsized =
        shape.dimensions.empty() && cursor.is(TokenKind::RightBracket);
    if (!isUnsized) {
      location = cursor.location();
      if (!parseCount(cursor, INT64_MAX, "an array size", count))
        return false;
      if (count == 0)
        return cursor.fail(location, "expects an array size other than 0");
      if (shape.bytes > INT64_MAX / count)
        return cursor.fail(location,
                           "expects an array of less than 2^63 bytes");
      shape.bytes *= count;
    }
    if (!cursor.expect(TokenKind::RightBracket, "']'"))
      return false;
    shape.dimensions.push_back(count);
  }
  if (shape.isUnsized())
    shape.bytes = 0;
  return true;
}

bool tilewright::emulator::acceptLinkage(Cursor &cursor, Linkage &linkage) {
  bool isExternal = cursor.isDirective("extern");
  if (!isExternal && !cursor.isDirective("visible") &&
      !cursor.isDirective("weak") && !cursor.isDirective("common"))
    return false;
  cursor.advance();
  linkage.isExternal |= isExternal;
  return true;
}

/// Fails unless a variable of this space may have an initial value.
static bool checkInitialized(Cursor &cursor, const Variable &variable) {
  if (variable.isExternal)
    return cursor.fail(cursor.location(),
                       "expects no initial value of an external variable");
  if (variable.space == StateSpace::Global ||
      variable.space == StateSpace::Constant)
    return true;
  return cursor.fail(cursor.location(), "expects an initial value only of "
                                        "'.global' and '.const' variables");
}

/// Fails unless an array without a size may stand there: an external one, or
/// the variable arguments of a call.
static bool checkSized(Cursor &cursor, const Variable &variable,
                       const ArrayShape &shape) {
  if (!shape.isUnsized() || variable.isExternal ||
      variable.space == StateSpace::Parameter)
    return true;
  return cursor.fail(variable.location,
                     "expects a size or an initial value of an array that is "
                     "not external");
}

/// The array and the initial value behind a name.
static bool parseDeclarator(Cursor &cursor, Scopes &scopes,
                            const ElementType &element,
                            InitializerBudget &budget, Variable &variable) {
  ArrayShape shape;
  if (!parseArrayShape(cursor, element, shape))
    return false;
  variable.bytes = shape.bytes;
  if (!cursor.is(TokenKind::Equal))
    return checkSized(cursor, variable, shape);
  if (!checkInitialized(cursor, variable))
    return false;
  cursor.advance();
  return parseInitializer(cursor, scopes, element, shape, budget, variable);
}

/// What the module already has of this name, if the two are one variable: all
/// declarations but one are external (PTX ISA, ".extern").
static const Symbol *findDeclared(const Scopes &scopes, std::string_view name,
                                  const Variable &variable,
                                  const std::vector<Variable> &variables) {
  if (scopes.depth() != 1)
    return nullptr;
  const Symbol *symbol = scopes.findInnermost(name);
  if (!symbol || symbol->kind != SymbolKind::Variable)
    return nullptr;
  const Variable &declared = variables[symbol->index];
  return declared.isExternal || variable.isExternal ? symbol : nullptr;
}

/// One variable, whose space, type and so on are set.
static bool parseVariable(Cursor &cursor, Scopes &scopes,
                          const ElementType &element, InitializerBudget &budget,
                          Variable variable, std::vector<Variable> &variables) {
  variable.location = cursor.location();
  std::string_view name;
  if (!cursor.expectIdentifier(name, "a name"))
    return false;
  const Symbol *symbol = findDeclared(scopes, name, variable, variables);
  bool isNew = !symbol;
  if (isNew)
    symbol = scopes.declare(
        name, variable.location,
        {SymbolKind::Variable, element.type, uint32_t(variables.size())});
  if (!symbol)
    return false;
  variable.name = symbol->flatName;
  uint32_t index = symbol->index;
  if (!parseDeclarator(cursor, scopes, element, budget, variable))
    return false;
  if (isNew)
    variables.push_back(std::move(variable));
  else if (!variable.isExternal)
    variables[index] = std::move(variable);
  return true;
}

bool tilewright::emulator::parseVariables(Cursor &cursor, Scopes &scopes,
                                          const Linkage &linkage,
                                          InitializerBudget &budget,
                                          std::vector<Variable> &variables) {
  StateSpace space = *stateSpaceNamed(cursor.current().text);
  cursor.advance();
  ElementType element;
  if (!parseElementType(cursor, element))
    return false;
  Variable variable;
  variable.space = space;
  variable.type = element.type;
  variable.alignment = element.effectiveAlignment();
  variable.isExternal = linkage.isExternal;
  do
    if (!parseVariable(cursor, scopes, element, budget, variable, variables))
      return false;
  while (cursor.accept(TokenKind::Comma));
  return cursor.expect(TokenKind::Semicolon, "';'");
}
