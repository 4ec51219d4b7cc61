// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens of PTX text. What begins with a dot is one token with its colons, so
// that ".mbarrier::complete_tx::bytes" needs no work above.

#include "lib/Judges/Emulator/Syntax/Lexer.h"

#include <array>

using namespace tilewright::emulator;

namespace {

enum CharacterClass : uint8_t { Other = 0, Space = 1, Start = 2, Digit = 4 };

constexpr std::array<uint8_t, 256> makeClasses() {
  std::array<uint8_t, 256> classes{};
  for (unsigned c = 'a'; c <= 'z'; ++c)
    classes[c] = classes[c - 'a' + 'A'] = Start;
  for (unsigned c = '0'; c <= '9'; ++c)
    classes[c] = Digit;
  classes['_'] = classes['$'] = Start;
  classes[' '] = classes['\t'] = classes['\r'] = Space;
  classes['\n'] = classes['\v'] = classes['\f'] = Space;
  return classes;
}

constexpr std::array<uint8_t, 256> characterClasses = makeClasses();

} // namespace

static bool isOf(char character, unsigned classes) {
  return characterClasses[static_cast<unsigned char>(character)] & classes;
}

TextLocation Lexer::locationOf(const char *place) const {
  return {line, static_cast<uint32_t>(place - lineStart + 1)};
}

Token Lexer::tokenTo(TokenKind kind, const char *begin) const {
  return {
      kind, {begin, static_cast<size_t>(position - begin)}, locationOf(begin)};
}

Token Lexer::invalid(const char *begin, std::string_view why) {
  message = why;
  return tokenTo(TokenKind::Invalid, begin);
}

/// At "/*". False if its end is missing; then it stays where it is.
bool Lexer::skipComment() {
  const char *place = position + 2;
  const char *start = lineStart;
  uint32_t lines = line;
  for (; end - place >= 2; ++place) {
    if (place[0] == '*' && place[1] == '/') {
      position = place + 2;
      lineStart = start;
      line = lines;
      return true;
    }
    if (*place == '\n') {
      start = place + 1;
      ++lines;
    }
  }
  return false;
}

/// Skips white space and comments; false at a comment without an end.
bool Lexer::skipSpace() {
  while (position != end) {
    if (isOf(*position, Space)) {
      if (*position++ == '\n') {
        lineStart = position;
        ++line;
      }
      continue;
    }
    if (*position != '/' || end - position < 2)
      return true;
    if (position[1] == '/') {
      while (position != end && *position != '\n')
        ++position;
    } else if (position[1] != '*') {
      return true;
    } else if (!skipComment()) {
      return false;
    }
  }
  return true;
}

Token Lexer::lexWord() {
  const char *begin = position++;
  while (position != end && isOf(*position, Start | Digit))
    ++position;
  return tokenTo(TokenKind::Identifier, begin);
}

Token Lexer::lexDirective() {
  const char *dot = position++;
  const char *begin = position;
  while (position != end) {
    if (isOf(*position, Start | Digit))
      ++position;
    else if (end - position >= 3 && position[0] == ':' && position[1] == ':' &&
             isOf(position[2], Start | Digit))
      position += 3;
    else
      break;
  }
  if (position == begin)
    return invalid(dot, "expects a name behind '.'");
  Token token = tokenTo(TokenKind::Directive, begin);
  token.location = locationOf(dot);
  return token;
}

/// Takes all that could belong to a number, and the sign of a decimal exponent.
/// "0x1E+2" is a sum.
Token Lexer::lexNumber() {
  const char *begin = position++;
  bool isDecimal = *begin != '0' || position == end || !isOf(*position, Start);
  while (position != end) {
    char character = *position;
    bool isSign = (character == '+' || character == '-') && isDecimal &&
                  (position[-1] == 'e' || position[-1] == 'E');
    if (!isSign && character != '.' && !isOf(character, Start | Digit))
      break;
    ++position;
  }
  return tokenTo(TokenKind::Number, begin);
}

Token Lexer::lexString() {
  const char *quote = position++;
  const char *begin = position;
  while (position != end && *position != '"' && *position != '\n') {
    bool isEscape =
        *position == '\\' && end - position >= 2 && position[1] != '\n';
    position += isEscape ? 2 : 1;
  }
  if (position == end || *position != '"')
    return invalid(quote, "expects '\"' at the end of a string");
  Token token = tokenTo(TokenKind::String, begin);
  token.location = locationOf(quote);
  ++position;
  return token;
}

/// The token that begins with these two characters, or Invalid.
TokenKind Lexer::punctuation(char first, char second, unsigned &length) const {
  auto pick = [&](char follower, TokenKind two, TokenKind one) {
    if (second != follower)
      return one;
    length = 2;
    return two;
  };
  length = 1;
  switch (first) {
  case ',':
    return TokenKind::Comma;
  case ';':
    return TokenKind::Semicolon;
  case ':':
    return TokenKind::Colon;
  case '(':
    return TokenKind::LeftParenthesis;
  case ')':
    return TokenKind::RightParenthesis;
  case '{':
    return TokenKind::LeftBrace;
  case '}':
    return TokenKind::RightBrace;
  case '[':
    return TokenKind::LeftBracket;
  case ']':
    return TokenKind::RightBracket;
  case '@':
    return TokenKind::At;
  case '?':
    return TokenKind::Question;
  case '+':
    return TokenKind::Plus;
  case '-':
    return TokenKind::Minus;
  case '*':
    return TokenKind::Star;
  case '/':
    return TokenKind::Slash;
  case '%':
    return TokenKind::Percent;
  case '~':
    return TokenKind::Tilde;
  case '^':
    return TokenKind::Caret;
  case '=':
    return pick('=', TokenKind::EqualEqual, TokenKind::Equal);
  case '!':
    return pick('=', TokenKind::ExclamationEqual, TokenKind::Exclamation);
  case '&':
    return pick('&', TokenKind::AmpersandAmpersand, TokenKind::Ampersand);
  case '|':
    return pick('|', TokenKind::PipePipe, TokenKind::Pipe);
  case '<':
    return pick('<', TokenKind::LessLess,
                pick('=', TokenKind::LessEqual, TokenKind::Less));
  case '>':
    return pick('>', TokenKind::GreaterGreater,
                pick('=', TokenKind::GreaterEqual, TokenKind::Greater));
  default:
    return TokenKind::Invalid;
  }
}

Token Lexer::lexPunctuation() {
  const char *begin = position;
  unsigned length;
  TokenKind kind =
      punctuation(*begin, end - begin >= 2 ? begin[1] : '\0', length);
  position += length;
  if (kind == TokenKind::Invalid)
    return invalid(begin, "expects no such character");
  return tokenTo(kind, begin);
}

Token Lexer::next() {
  if (!skipSpace()) {
    const char *begin = position;
    Token token = invalid(begin, "expects '*/' at the end of a comment");
    position = end;
    return token;
  }
  if (position == end)
    return tokenTo(TokenKind::End, position);
  if (isOf(*position, Start))
    return lexWord();
  if (isOf(*position, Digit))
    return lexNumber();
  if (*position == '.')
    return lexDirective();
  if (*position == '"')
    return lexString();
  bool isWord =
      *position == '%' && end - position >= 2 && isOf(position[1], Start);
  return isWord ? lexWord() : lexPunctuation();
}
