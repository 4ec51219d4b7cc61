// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses parameters and performance directives.

#include "lib/Judges/Emulator/Syntax/FunctionHeader.h"
#include "lib/Judges/Emulator/Syntax/Constants.h"
#include "lib/Judges/Emulator/Syntax/Declarations.h"

using namespace tilewright::emulator;

namespace {
/// A parameter as it stands in a list.
struct ListedParameter {
  Parameter parameter;
  std::string_view name;
  TextLocation location;
  bool isRegister = false;
};
} // namespace

static bool parseParameter(Cursor &cursor, ListedParameter &listed) {
  listed.isRegister = cursor.acceptDirective("reg");
  if (!listed.isRegister && !cursor.acceptDirective("param"))
    return cursor.unexpected("'.param'");
  ElementType element;
  if (!parseElementType(cursor, element))
    return false;
  listed.location = cursor.location();
  if (!cursor.expectIdentifier(listed.name, "a parameter's name"))
    return false;
  ArrayShape shape;
  if (!parseArrayShape(cursor, element, shape))
    return false;
  bool isScalar = element.vectorWidth == 1 && shape.dimensions.empty();
  if (listed.isRegister && (!isScalar || element.bytes() > 8))
    return cursor.fail(listed.location, "expects a parameter in a register to "
                                        "be one number of at most 64 bits");
  Parameter &parameter = listed.parameter;
  parameter.name = listed.name;
  parameter.type = element.type;
  parameter.bytes = shape.bytes;
  parameter.alignment = element.effectiveAlignment();
  parameter.isAggregate = !isScalar;
  parameter.isPointer = element.isPointer;
  parameter.pointeeAlignment = element.pointeeAlignment;
  return true;
}

/// The list, handing each parameter to `take`, which may fail.
template <typename Take>
static bool parseParameterList(Cursor &cursor, Take take) {
  if (!cursor.expect(TokenKind::LeftParenthesis, "'('"))
    return false;
  if (cursor.accept(TokenKind::RightParenthesis))
    return true;
  do {
    ListedParameter listed;
    if (!parseParameter(cursor, listed) || !take(std::move(listed)))
      return false;
  } while (cursor.accept(TokenKind::Comma));
  return cursor.expect(TokenKind::RightParenthesis, "')'");
}

bool tilewright::emulator::parseParameters(Cursor &cursor, Scopes &scopes,
                                           Function &function,
                                           std::vector<Parameter> &parameters) {
  return parseParameterList(cursor, [&](ListedParameter listed) {
    Symbol symbol{SymbolKind::Parameter};
    if (listed.isRegister) {
      if (function.isKernel)
        return cursor.fail(listed.location,
                           "expects the parameters of a kernel in '.param'");
      symbol = {SymbolKind::Register, listed.parameter.type,
                static_cast<uint32_t>(function.registers.size())};
      function.registers.push_back(
          {listed.parameter.name, listed.parameter.type});
      listed.parameter.registerIndex = symbol.index;
    }
    parameters.push_back(std::move(listed.parameter));
    // "_" has no name.
    return listed.name == "_" ||
           scopes.declare(listed.name, listed.location, symbol);
  });
}

bool tilewright::emulator::parsePrototypeParameters(Cursor &cursor) {
  return parseParameterList(cursor,
                            [](const ListedParameter &) { return true; });
}

/// One to three numbers; those that are missing are 1.
static bool parseThreeCounts(Cursor &cursor, uint32_t (&counts)[3]) {
  uint32_t read[3] = {1, 1, 1};
  for (uint32_t &count : read) {
    uint64_t value;
    if (!parseCount(cursor, UINT32_MAX, "a number", value))
      return false;
    count = static_cast<uint32_t>(value);
    if (!cursor.accept(TokenKind::Comma)) {
      std::copy(std::begin(read), std::end(read), counts);
      return true;
    }
  }
  return cursor.unexpected("at most three numbers");
}

static bool parseOneCount(Cursor &cursor, uint32_t &count) {
  uint64_t value;
  if (!parseCount(cursor, UINT32_MAX, "a number", value))
    return false;
  count = static_cast<uint32_t>(value);
  return true;
}

bool tilewright::emulator::skipPragma(Cursor &cursor) {
  do
    if (!cursor.expect(TokenKind::String, "a string"))
      return false;
  while (cursor.accept(TokenKind::Comma));
  return cursor.expect(TokenKind::Semicolon, "';'");
}

bool tilewright::emulator::parsePerformanceDirectives(Cursor &cursor,
                                                      Function &function) {
  uint32_t ignored;
  bool isGood = true;
  while (isGood && cursor.is(TokenKind::Directive)) {
    if (cursor.acceptDirective("maxntid"))
      isGood = parseThreeCounts(cursor, function.maximumThreads);
    else if (cursor.acceptDirective("reqntid"))
      isGood = parseThreeCounts(cursor, function.requiredThreads);
    else if (cursor.acceptDirective("reqnctapercluster"))
      isGood = parseThreeCounts(cursor, function.requiredCluster);
    else if (cursor.acceptDirective("minnctapersm"))
      isGood = parseOneCount(cursor, function.minimumCtas);
    else if (cursor.acceptDirective("maxnreg"))
      isGood = parseOneCount(cursor, function.maximumRegisters);
    else if (cursor.acceptDirective("maxclusterrank") ||
             cursor.acceptDirective("maxnctapersm") ||
             cursor.acceptDirective("abi_preserve") ||
             cursor.acceptDirective("abi_preserve_control"))
      isGood = parseOneCount(cursor, ignored);
    else if (cursor.acceptDirective("pragma"))
      isGood = skipPragma(cursor);
    else if (!cursor.acceptDirective("noreturn") &&
             !cursor.acceptDirective("explicitcluster") &&
             !cursor.acceptDirective("blocksareclusters"))
      return cursor.unexpected("a performance directive, '{' or ';'");
  }
  return isGood;
}
