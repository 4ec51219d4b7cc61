// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses a module: version and target, variables, functions, files and
// sections. Texture types are refused.

#include "lib/Judges/Emulator/Syntax/Parser.h"
#include "lib/Judges/Emulator/Syntax/Body.h"
#include "lib/Judges/Emulator/Syntax/Constants.h"
#include "lib/Judges/Emulator/Syntax/FunctionHeader.h"
#include "lib/Judges/Emulator/Syntax/Types.h"

#include <charconv>

using namespace tilewright::emulator;

namespace {

class ModuleParser {
public:
  ModuleParser(std::string_view text, SyntaxError &error)
      : cursor(text, error), scopes(cursor),
        budget{(uint64_t(1) << 20) + 64 * uint64_t(text.size())} {}

  bool parse();
  Module module;

private:
  bool parseVersion();
  bool parseTarget();
  bool parseAddressSize();
  bool parseFile();
  bool parseAliasedName(std::string &name);
  bool parseAlias();
  bool parseDirective();
  bool parseFunction(const Linkage &linkage);
  bool parseSignature(Function &function, std::string_view &name);
  bool reserveFunction(std::string_view name, const Function &function,
                       uint32_t &index);

  Cursor cursor;
  Scopes scopes;
  InitializerBudget budget;
};

} // namespace

bool ModuleParser::parseVersion() {
  if (!cursor.acceptDirective("version"))
    return cursor.unexpected("'.version'");
  std::string_view text = cursor.current().text;
  unsigned major = 0, minor = 0;
  const char *end = text.data() + text.size();
  auto [point, majorProblem] = std::from_chars(text.data(), end, major);
  bool hasPoint = cursor.is(TokenKind::Number) && majorProblem == std::errc() &&
                  point != end && *point == '.';
  if (!hasPoint)
    return cursor.unexpected("a version like '8.0'");
  auto [stop, minorProblem] = std::from_chars(point + 1, end, minor);
  if (minorProblem != std::errc() || stop != end)
    return cursor.unexpected("a version like '8.0'");
  bool isSupported =
      major >= 6 && minor < 10 && (major < 9 || (major == 9 && minor == 0));
  if (!isSupported)
    return cursor.unexpected("a version from 6.0 to 9.0");
  module.version = major * 10 + minor;
  cursor.advance();
  return true;
}

/// `.target sm_80, debug`, in any order (PTX ISA, ".target").
bool ModuleParser::parseTarget() {
  TextLocation location = cursor.location();
  if (!cursor.acceptDirective("target"))
    return cursor.unexpected("'.target'");
  std::string_view target;
  do {
    std::string_view name;
    if (!cursor.expectIdentifier(name, "a target or an option"))
      return false;
    if (name.starts_with("sm_"))
      target = name;
  } while (cursor.accept(TokenKind::Comma));
  if (target.empty())
    return cursor.fail(location, "expects a target like 'sm_80'");
  module.target = target;
  return true;
}

/// Behind `.address_size`.
bool ModuleParser::parseAddressSize() {
  std::string_view text = cursor.current().text;
  if (!cursor.is(TokenKind::Number) || (text != "32" && text != "64"))
    return cursor.unexpected("32 or 64");
  module.addressBits = text == "32" ? 32 : 64;
  cursor.advance();
  return true;
}

/// What a string in quotes stands for: assemblers escape quotes, backslashes
/// and odd bytes (in octal).
static std::string unescape(std::string_view text) {
  auto isOctal = [&](size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '7';
  };
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    if (!isOctal(i + 1) || !isOctal(i + 2) || !isOctal(i + 3)) {
      result += text[++i];
      continue;
    }
    unsigned value = 0;
    for (size_t digit = i + 1; digit <= i + 3; ++digit)
      value = value * 8 + static_cast<unsigned>(text[digit] - '0');
    result += static_cast<char>(value);
    i += 3;
  }
  return result;
}

/// Behind `.file`: number, name, and what compilers add (a folder in front, the
/// time and size, a checksum).
bool ModuleParser::parseFile() {
  uint64_t number;
  if (!parseCount(cursor, 0xffff, "a file's number", number))
    return false;
  if (!cursor.is(TokenKind::String))
    return cursor.unexpected("a file's name");
  std::string name = unescape(cursor.current().text);
  cursor.advance();
  if (cursor.is(TokenKind::String)) {
    name += '/';
    name += unescape(cursor.current().text);
    cursor.advance();
  }
  while (cursor.accept(TokenKind::Comma))
    if (!cursor.expect(TokenKind::Number, "a time or a size"))
      return false;
  if (cursor.is(TokenKind::Identifier) && cursor.current().text == "md5") {
    cursor.advance();
    if (!cursor.expect(TokenKind::Number, "a checksum"))
      return false;
  }
  if (module.files.size() <= number)
    module.files.resize(number + 1);
  module.files[number] = std::move(name);
  return true;
}

/// `.entry name (parameters) directives`, or `.func (results) name ...`.
bool ModuleParser::parseSignature(Function &function, std::string_view &name) {
  function.isKernel = cursor.isDirective("entry");
  cursor.advance();
  while (cursor.acceptDirective("attribute")) {
    if (!cursor.is(TokenKind::LeftParenthesis))
      return cursor.unexpected("'('");
    if (!cursor.skipBalanced(TokenKind::LeftParenthesis,
                             TokenKind::RightParenthesis, "')'"))
      return false;
  }
  if (!function.isKernel && cursor.is(TokenKind::LeftParenthesis) &&
      !parseParameters(cursor, scopes, function, function.results))
    return false;
  function.location = cursor.location();
  if (!cursor.expectIdentifier(name, "a function's name"))
    return false;
  function.name = name;
  if (cursor.is(TokenKind::LeftParenthesis) &&
      !parseParameters(cursor, scopes, function, function.parameters))
    return false;
  return parsePerformanceDirectives(cursor, function);
}

/// Finds the place of a function that is declared again, or makes a new one.
bool ModuleParser::reserveFunction(std::string_view name,
                                   const Function &function, uint32_t &index) {
  const Symbol *symbol = scopes.findOutermost(name);
  if (symbol && symbol->kind == SymbolKind::Function) {
    index = symbol->index;
    const Function &declared = module.functions[index];
    if (declared.isKernel == function.isKernel &&
        (declared.isExternal || function.isExternal))
      return true;
  }
  index = static_cast<uint32_t>(module.functions.size());
  if (!scopes.declareOutermost(name, function.location,
                               {SymbolKind::Function, DataType::B64, index}))
    return false;
  module.functions.emplace_back().isExternal = true;
  return true;
}

/// At `.entry` or `.func`.
bool ModuleParser::parseFunction(const Linkage &linkage) {
  Function function;
  std::string_view name;
  scopes.open();
  if (!parseSignature(function, name))
    return false;
  bool hasBody = cursor.is(TokenKind::LeftBrace);
  if (hasBody && linkage.isExternal)
    return cursor.unexpected("';' behind an external function");
  function.isExternal = !hasBody;
  uint32_t index;
  if (!reserveFunction(name, function, index))
    return false;
  bool isGood = hasBody ? parseBody(cursor, scopes, budget, function)
                        : cursor.expect(TokenKind::Semicolon, "'{' or ';'");
  if (!isGood || !scopes.close())
    return false;
  // A declaration behind the definition says nothing new.
  if (module.functions[index].isExternal)
    module.functions[index] = std::move(function);
  return true;
}

bool ModuleParser::parseAliasedName(std::string &name) {
  const Symbol *symbol = cursor.is(TokenKind::Identifier)
                             ? scopes.findOutermost(cursor.current().text)
                             : nullptr;
  if (!symbol || symbol->kind != SymbolKind::Function)
    return cursor.unexpected("a declared function");
  name = cursor.current().text;
  cursor.advance();
  return true;
}

/// Behind `.alias`: "name, target;", both declared (PTX ISA, ".alias").
bool ModuleParser::parseAlias() {
  Module::Alias alias;
  alias.location = cursor.location();
  if (!parseAliasedName(alias.name) ||
      !cursor.expect(TokenKind::Comma, "','") ||
      !parseAliasedName(alias.target))
    return false;
  module.aliases.push_back(std::move(alias));
  return cursor.expect(TokenKind::Semicolon, "';'");
}

/// A directive of the module, but for the two that come first.
bool ModuleParser::parseDirective() {
  if (cursor.isDirective("target"))
    return parseTarget();
  if (cursor.acceptDirective("address_size"))
    return parseAddressSize();
  if (cursor.acceptDirective("file"))
    return parseFile();
  if (cursor.acceptDirective("section"))
    return skipSection(cursor);
  if (cursor.acceptDirective("pragma"))
    return skipPragma(cursor);
  if (cursor.acceptDirective("alias"))
    return parseAlias();
  Linkage linkage;
  while (acceptLinkage(cursor, linkage))
    continue;
  if (cursor.isDirective("entry") || cursor.isDirective("func"))
    return parseFunction(linkage);
  if (cursor.is(TokenKind::Directive) && !cursor.isDirective("param") &&
      stateSpaceNamed(cursor.current().text))
    return parseVariables(cursor, scopes, linkage, budget, module.variables);
  return cursor.unexpected("a directive of a module");
}

bool ModuleParser::parse() {
  if (!parseVersion() || !parseTarget())
    return false;
  while (!cursor.is(TokenKind::End))
    if (!parseDirective())
      return false;
  return true;
}

std::optional<Module> tilewright::emulator::parsePtx(std::string_view text,
                                                     SyntaxError &error) {
  ModuleParser parser(text, error);
  if (!parser.parse())
    return std::nullopt;
  return std::move(parser.module);
}
