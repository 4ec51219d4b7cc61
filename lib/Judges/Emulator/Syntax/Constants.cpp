// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and computes constant expressions. Signs in front of a floating-point
// number are all there is of floating-point arithmetic.

#include "lib/Judges/Emulator/Syntax/Constants.h"

using namespace tilewright::emulator;

/// Parentheses, unary operators and ?: inside one another.
static constexpr unsigned nestingLimit = 200;

static bool parseBinary(Cursor &cursor, unsigned lowest, Constant &result);

/// How tightly a binary operator binds; 0: it is none.
static unsigned precedence(TokenKind kind) {
  switch (kind) {
  case TokenKind::PipePipe:
    return 1;
  case TokenKind::AmpersandAmpersand:
    return 2;
  case TokenKind::Pipe:
    return 3;
  case TokenKind::Caret:
    return 4;
  case TokenKind::Ampersand:
    return 5;
  case TokenKind::EqualEqual:
  case TokenKind::ExclamationEqual:
    return 6;
  case TokenKind::Less:
  case TokenKind::Greater:
  case TokenKind::LessEqual:
  case TokenKind::GreaterEqual:
    return 7;
  case TokenKind::LessLess:
  case TokenKind::GreaterGreater:
    return 8;
  case TokenKind::Plus:
  case TokenKind::Minus:
    return 9;
  case TokenKind::Star:
  case TokenKind::Slash:
  case TokenKind::Percent:
    return 10;
  default:
    return 0;
  }
}

static constexpr unsigned productPrecedence = 10;

static bool isLess(Constant left, Constant right) {
  if (left.isUnsigned || right.isUnsigned)
    return left.bits < right.bits;
  return static_cast<int64_t>(left.bits) < static_cast<int64_t>(right.bits);
}

/// The quotient or remainder; `right` is not 0.
static uint64_t divide(Constant left, Constant right, bool remainder) {
  if (left.isUnsigned || right.isUnsigned)
    return remainder ? left.bits % right.bits : left.bits / right.bits;
  // The least integer divided by -1 overflows in C++.
  if (right.bits == UINT64_MAX)
    return remainder ? 0 : 0 - left.bits;
  auto signedLeft = static_cast<int64_t>(left.bits);
  auto signedRight = static_cast<int64_t>(right.bits);
  return static_cast<uint64_t>(remainder ? signedLeft % signedRight
                                         : signedLeft / signedRight);
}

static Constant arithmetic(TokenKind kind, Constant left, Constant right) {
  bool isUnsigned = left.isUnsigned || right.isUnsigned;
  switch (kind) {
  case TokenKind::Pipe:
    return {left.bits | right.bits, isUnsigned};
  case TokenKind::Caret:
    return {left.bits ^ right.bits, isUnsigned};
  case TokenKind::Ampersand:
    return {left.bits & right.bits, isUnsigned};
  case TokenKind::Plus:
    return {left.bits + right.bits, isUnsigned};
  case TokenKind::Minus:
    return {left.bits - right.bits, isUnsigned};
  case TokenKind::Star:
    return {left.bits * right.bits, isUnsigned};
  case TokenKind::Slash:
    return {divide(left, right, false), isUnsigned};
  default:
    return {divide(left, right, true), isUnsigned};
  }
}

/// What a comparison, logical operator or shift gives; the first two are .s64.
static std::optional<Constant> compareOrShift(TokenKind kind, Constant left,
                                              Constant right) {
  switch (kind) {
  case TokenKind::PipePipe:
    return Constant{left.bits || right.bits, false};
  case TokenKind::AmpersandAmpersand:
    return Constant{left.bits && right.bits, false};
  case TokenKind::EqualEqual:
    return Constant{left.bits == right.bits, false};
  case TokenKind::ExclamationEqual:
    return Constant{left.bits != right.bits, false};
  case TokenKind::Less:
    return Constant{isLess(left, right), false};
  case TokenKind::Greater:
    return Constant{isLess(right, left), false};
  case TokenKind::LessEqual:
    return Constant{!isLess(right, left), false};
  case TokenKind::GreaterEqual:
    return Constant{!isLess(left, right), false};
  case TokenKind::LessLess:
    return Constant{left.bits << right.bits, left.isUnsigned};
  case TokenKind::GreaterGreater:
    if (left.isUnsigned)
      return Constant{left.bits >> right.bits, true};
    return Constant{
        static_cast<uint64_t>(static_cast<int64_t>(left.bits) >> right.bits),
        false};
  default:
    return std::nullopt;
  }
}

/// Computes left OPERATOR right; `location` is the right one's.
static bool compute(Cursor &cursor, TextLocation location, TokenKind kind,
                    Constant right, Constant &left) {
  bool isShift =
      kind == TokenKind::LessLess || kind == TokenKind::GreaterGreater;
  if (isShift && right.bits >= 64)
    return cursor.fail(location, "expects a shift of less than 64 bits");
  bool isDivision = kind == TokenKind::Slash || kind == TokenKind::Percent;
  if (isDivision && right.bits == 0)
    return cursor.fail(location, "expects a divisor other than 0");
  std::optional<Constant> result = compareOrShift(kind, left, right);
  left = result ? *result : arithmetic(kind, left, right);
  return true;
}

/// Behind '(': "expression)", or "type) operand", which is a cast.
static bool parseParenthesized(Cursor &cursor, Constant &result);

/// One more level; false, with an error, if there are too many.
static bool enter(Cursor &cursor) {
  if (++cursor.nesting <= nestingLimit)
    return true;
  return cursor.fail(cursor.location(),
                     join({"expects at most ", std::to_string(nestingLimit),
                           " expressions inside one another"}));
}

static bool parsePrimary(Cursor &cursor, Constant &result) {
  if (cursor.accept(TokenKind::LeftParenthesis))
    return parseParenthesized(cursor, result);
  const Token &token = cursor.current();
  if (token.kind == TokenKind::Identifier && token.text == "WARP_SZ") {
    result = {32, false};
    cursor.advance();
    return true;
  }
  if (token.kind != TokenKind::Number)
    return cursor.unexpected("an integer");
  std::optional<Constant> integer = readInteger(token.text);
  if (!integer)
    return cursor.unexpected("an integer of 64 bits");
  result = *integer;
  cursor.advance();
  return true;
}

static bool parseUnary(Cursor &cursor, Constant &result) {
  TokenKind kind = cursor.current().kind;
  if (kind != TokenKind::Plus && kind != TokenKind::Minus &&
      kind != TokenKind::Tilde && kind != TokenKind::Exclamation)
    return parsePrimary(cursor, result);
  cursor.advance();
  if (!enter(cursor) || !parseUnary(cursor, result))
    return false;
  --cursor.nesting;
  if (kind == TokenKind::Minus)
    result.bits = 0 - result.bits;
  else if (kind == TokenKind::Tilde)
    result.bits = ~result.bits;
  else if (kind == TokenKind::Exclamation)
    result = {result.bits == 0, false};
  return true;
}

static bool parseParenthesized(Cursor &cursor, Constant &result) {
  bool isUnsigned = cursor.isDirective("u64");
  bool isCast = isUnsigned || cursor.isDirective("s64");
  if (!enter(cursor))
    return false;
  if (isCast)
    cursor.advance();
  else if (!parseConstant(cursor, result))
    return false;
  if (!cursor.expect(TokenKind::RightParenthesis, "')'"))
    return false;
  if (isCast) {
    if (!parseUnary(cursor, result))
      return false;
    result.isUnsigned = isUnsigned;
  }
  --cursor.nesting;
  return true;
}

/// Operators that bind at least as tightly as `lowest`.
static bool parseBinary(Cursor &cursor, unsigned lowest, Constant &result) {
  if (!parseUnary(cursor, result))
    return false;
  for (;;) {
    TokenKind kind = cursor.current().kind;
    unsigned level = precedence(kind);
    if (level == 0 || level < lowest)
      return true;
    cursor.advance();
    TextLocation location = cursor.location();
    Constant right;
    if (!parseBinary(cursor, level + 1, right) ||
        !compute(cursor, location, kind, right, result))
      return false;
  }
}

bool tilewright::emulator::parseConstant(Cursor &cursor, Constant &result) {
  if (!parseBinary(cursor, 1, result))
    return false;
  if (!cursor.accept(TokenKind::Question))
    return true;
  Constant first, second;
  if (!enter(cursor) || !parseConstant(cursor, first) ||
      !cursor.expect(TokenKind::Colon, "':'") || !parseConstant(cursor, second))
    return false;
  --cursor.nesting;
  bool isUnsigned = first.isUnsigned || second.isUnsigned;
  result = {result.bits ? first.bits : second.bits, isUnsigned};
  return true;
}

bool tilewright::emulator::parseCount(Cursor &cursor, uint64_t limit,
                                      std::string_view what, uint64_t &result) {
  TextLocation location = cursor.location();
  Constant value;
  if (!parseConstant(cursor, value))
    return false;
  bool isNegative = !value.isUnsigned && value.bits >> 63 != 0;
  if (!isNegative && value.bits <= limit) {
    result = value.bits;
    return true;
  }
  std::string got = isNegative
                        ? std::to_string(static_cast<int64_t>(value.bits))
                        : std::to_string(value.bits);
  return cursor.fail(location,
                     join({"expects ", what, " of at most ",
                           std::to_string(limit), ", but got ", got}));
}

bool tilewright::emulator::parseAddend(Cursor &cursor, int64_t &result) {
  uint64_t sum = 0;
  while (cursor.is(TokenKind::Plus) || cursor.is(TokenKind::Minus)) {
    bool isNegative = cursor.is(TokenKind::Minus);
    cursor.advance();
    Constant term;
    if (!parseBinary(cursor, productPrecedence, term))
      return false;
    sum += isNegative ? 0 - term.bits : term.bits;
  }
  result = static_cast<int64_t>(sum);
  return true;
}

bool tilewright::emulator::startsConstant(const Cursor &cursor) {
  switch (cursor.current().kind) {
  case TokenKind::Number:
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Tilde:
  case TokenKind::Exclamation:
  case TokenKind::LeftParenthesis:
    return true;
  case TokenKind::Identifier:
    return cursor.current().text == "WARP_SZ";
  default:
    return false;
  }
}

/// Reads the number that the cursor is at, with its sign.
static bool finishFloat(Cursor &cursor, bool isNegative,
                        std::optional<FloatOperand> &result) {
  result = readFloat(cursor.current().text);
  if (!result)
    return cursor.unexpected("a floating-point number");
  if (isNegative)
    result->bits ^= result->isDouble ? uint64_t(1) << 63 : uint64_t(1) << 31;
  cursor.advance();
  return true;
}

bool tilewright::emulator::parseNumber(Cursor &cursor,
                                       std::optional<Constant> &integer,
                                       std::optional<FloatOperand> &floating) {
  // A copy costs little: it looks for a floating-point number behind the signs.
  bool isNegative = false;
  Cursor ahead = cursor;
  while (ahead.is(TokenKind::Plus) || ahead.is(TokenKind::Minus)) {
    isNegative ^= ahead.is(TokenKind::Minus);
    ahead.advance();
  }
  if (ahead.is(TokenKind::Number) && isFloat(ahead.current().text)) {
    while (!cursor.is(TokenKind::Number))
      cursor.advance();
    return finishFloat(cursor, isNegative, floating);
  }
  Constant value;
  if (!parseConstant(cursor, value))
    return false;
  integer = value;
  return true;
}
