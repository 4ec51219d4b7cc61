// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens of PTX text. In: the text. Out: one token after another, each with
// its place. Numbers are delimited, not read (Numbers.h), strings not
// unescaped.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_LEXER_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_LEXER_H

#include "lib/Judges/Emulator/Syntax/Syntax.h"

#include <string_view>

namespace tilewright::emulator {

enum class TokenKind : uint8_t {
  /// The end of the text.
  End,
  /// No token of PTX; Lexer::problem() says why.
  Invalid,
  /// A name, its percent sign included: "mad", "%r1", "$L__BB0_1", "_".
  Identifier,
  /// ".name", or ".name::name" (modifiers); the text is without the dot.
  Directive,
  /// What begins with a digit.
  Number,
  /// The text is without the quotes.
  String,
  Comma,
  Semicolon,
  Colon,
  LeftParenthesis,
  RightParenthesis,
  LeftBrace,
  RightBrace,
  LeftBracket,
  RightBracket,
  At,
  Equal,
  Question,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Tilde,
  Exclamation,
  Less,
  Greater,
  LessEqual,
  GreaterEqual,
  EqualEqual,
  ExclamationEqual,
  LessLess,
  GreaterGreater,
  Ampersand,
  AmpersandAmpersand,
  Pipe,
  PipePipe,
  Caret,
};

struct Token {
  TokenKind kind = TokenKind::End;
  /// A part of the lexer's text.
  std::string_view text;
  TextLocation location;
};

/// Reads tokens (PTX ISA, "Syntax"). The text must outlive it and its tokens.
class Lexer {
public:
  explicit Lexer(std::string_view text)
      : position(text.data()), end(text.data() + text.size()),
        lineStart(text.data()) {}

  /// The next token; End for ever once the text is read.
  Token next();

  /// What is wrong with the last Invalid token, as in SyntaxError.
  std::string_view problem() const { return message; }

private:
  bool skipSpace();
  bool skipComment();
  TextLocation locationOf(const char *place) const;
  Token tokenTo(TokenKind kind, const char *begin) const;
  Token invalid(const char *begin, std::string_view why);
  Token lexWord();
  Token lexDirective();
  Token lexNumber();
  Token lexString();
  Token lexPunctuation();
  TokenKind punctuation(char first, char second, unsigned &length) const;

  const char *position;
  const char *end;
  const char *lineStart;
  uint32_t line = 1;
  std::string_view message;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_LEXER_H
