// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser's token and its messages.

#include "lib/Judges/Emulator/Syntax/Cursor.h"

using namespace tilewright::emulator;

std::string
tilewright::emulator::join(std::initializer_list<std::string_view> pieces) {
  std::string result;
  for (std::string_view piece : pieces)
    result += piece;
  return result;
}

std::string tilewright::emulator::quote(std::string_view text) {
  constexpr size_t longest = 60;
  std::string result = "'";
  for (char character : text.substr(0, longest))
    result += character >= ' ' && character <= '~' ? character : '?';
  return result + (text.size() > longest ? "...'" : "'");
}

bool Cursor::accept(TokenKind kind) {
  if (!is(kind))
    return false;
  advance();
  return true;
}

bool Cursor::acceptDirective(std::string_view name) {
  if (!isDirective(name))
    return false;
  advance();
  return true;
}

bool Cursor::expect(TokenKind kind, std::string_view what) {
  return accept(kind) || unexpected(what);
}

bool Cursor::expectIdentifier(std::string_view &name, std::string_view what) {
  if (!is(TokenKind::Identifier))
    return unexpected(what);
  name = token.text;
  advance();
  return true;
}

bool Cursor::skipBalanced(TokenKind open, TokenKind close,
                          std::string_view what) {
  size_t depth = 0;
  do {
    if (is(TokenKind::End) || is(TokenKind::Invalid))
      return unexpected(what);
    depth += is(open);
    depth -= is(close);
    advance();
  } while (depth != 0);
  return true;
}

bool Cursor::fail(TextLocation location, std::string message) {
  if (!hasFailed)
    error = {location, std::move(message)};
  hasFailed = true;
  return false;
}

bool Cursor::unexpected(std::string_view what, std::string_view text,
                        TextLocation location) {
  return fail(location, join({"expects ", what, ", but got ", quote(text)}));
}

bool Cursor::unexpected(std::string_view what) {
  switch (token.kind) {
  case TokenKind::End:
    return fail(token.location,
                join({"expects ", what, ", but got the end of the text"}));
  case TokenKind::Invalid:
    return fail(token.location,
                join({lexer.problem(), ", but got ", quote(token.text)}));
  case TokenKind::Directive:
    return unexpected(what, join({".", token.text}), token.location);
  default:
    return unexpected(what, token.text, token.location);
  }
}
