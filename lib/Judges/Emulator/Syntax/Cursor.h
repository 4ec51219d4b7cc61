// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The token that the parser looks at, and the error that it stops with. All
// parse functions return whether they succeeded; the first failure is kept.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_CURSOR_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_CURSOR_H

#include "lib/Judges/Emulator/Syntax/Lexer.h"

#include <initializer_list>
#include <string>

namespace tilewright::emulator {

class Cursor {
public:
  /// Both must outlive it.
  Cursor(std::string_view text, SyntaxError &error)
      : lexer(text), error(error), token(lexer.next()) {}

  const Token &current() const { return token; }
  TextLocation location() const { return token.location; }
  bool is(TokenKind kind) const { return token.kind == kind; }
  bool isDirective(std::string_view name) const {
    return is(TokenKind::Directive) && token.text == name;
  }

  void advance() { token = lexer.next(); }
  /// Skips the token if it is of this kind; says whether it was.
  bool accept(TokenKind kind);
  bool acceptDirective(std::string_view name);
  /// As accept, but fails if it is not; `what` names it: "';'".
  bool expect(TokenKind kind, std::string_view what);
  /// Gives an identifier's text.
  bool expectIdentifier(std::string_view &name, std::string_view what);
  /// At an opening token: skips to behind the closing one that belongs to it.
  bool skipBalanced(TokenKind open, TokenKind close, std::string_view what);

  /// Keeps the error, if it is the first. Always false.
  bool fail(TextLocation location, std::string message);
  /// "expects WHAT, but got" the present token. Always false.
  bool unexpected(std::string_view what);
  /// "expects WHAT, but got 'TEXT'", at some place. Always false.
  bool unexpected(std::string_view what, std::string_view text,
                  TextLocation location);

  /// How deep expressions are nested.
  unsigned nesting = 0;

private:
  Lexer lexer;
  SyntaxError &error;
  Token token;
  bool hasFailed = false;
};

/// The text in quotes for a message: long ones cut, odd bytes as '?'.
std::string quote(std::string_view text);

/// The pieces in one string.
std::string join(std::initializer_list<std::string_view> pieces);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_CURSOR_H
