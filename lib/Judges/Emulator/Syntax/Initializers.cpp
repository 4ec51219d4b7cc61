// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses initial values (PTX ISA, "Initializers"). Each dimension has its
// braces; what they leave out is zero.

#include "lib/Judges/Emulator/Syntax/Initializers.h"
#include "lib/Judges/Emulator/Syntax/Constants.h"

#include <bit>

using namespace tilewright::emulator;

namespace {

class InitializerParser {
public:
  InitializerParser(Cursor &cursor, Scopes &scopes, const ElementType &element,
                    const ArrayShape &shape, InitializerBudget &budget,
                    Variable &variable);

  bool parseElement(size_t level, uint64_t begin);

private:
  bool parseScalar(uint64_t offset);
  bool parseAddress(uint64_t offset);
  bool parseAddressByte(uint64_t offset);
  bool parseGenericSymbol(Variable::Relocation &relocation);
  bool parseSymbol(Variable::Relocation &relocation);
  bool writeFloat(TextLocation location, FloatOperand value, uint64_t offset);
  bool write(TextLocation location, uint64_t bits, uint64_t offset);

  Cursor &cursor;
  Scopes &scopes;
  InitializerBudget &budget;
  Variable &variable;
  unsigned scalarBytes;
  /// The bytes of an element of each level of braces; the vector is a level.
  std::vector<uint64_t> elementBytes;
  /// The bytes of the whole; UINT64_MAX while the array has no size.
  uint64_t extent;
};

} // namespace

InitializerParser::InitializerParser(Cursor &cursor, Scopes &scopes,
                                     const ElementType &element,
                                     const ArrayShape &shape,
                                     InitializerBudget &budget,
                                     Variable &variable)
    : cursor(cursor), scopes(scopes), budget(budget), variable(variable),
      scalarBytes(bitWidth(element.type) / 8),
      extent(shape.isUnsized() ? UINT64_MAX : shape.bytes) {
  uint64_t bytes = scalarBytes;
  if (element.vectorWidth > 1) {
    elementBytes.push_back(bytes);
    bytes *= element.vectorWidth;
  }
  for (size_t level = shape.dimensions.size(); level-- > 0;) {
    elementBytes.insert(elementBytes.begin(), bytes);
    bytes *= shape.dimensions[level];
  }
}

/// At the array or number of this level that begins at this byte.
bool InitializerParser::parseElement(size_t level, uint64_t begin) {
  if (level == elementBytes.size())
    return parseScalar(begin);
  uint64_t size = elementBytes[level];
  uint64_t end = level ? begin + elementBytes[level - 1] : extent;
  uint64_t position = begin;
  if (!cursor.expect(TokenKind::LeftBrace, "'{'"))
    return false;
  bool isEmpty = cursor.is(TokenKind::RightBrace);
  while (!isEmpty) {
    if (position == end)
      return cursor.unexpected("'}' behind the last element");
    if (!parseElement(level + 1, position))
      return false;
    position += size;
    if (!cursor.accept(TokenKind::Comma))
      break;
  }
  if (level == 0)
    variable.bytes = extent == UINT64_MAX ? position : extent;
  return cursor.expect(TokenKind::RightBrace, "'}'");
}

bool InitializerParser::parseScalar(uint64_t offset) {
  if (cursor.is(TokenKind::Identifier) && !startsConstant(cursor))
    return parseAddress(offset);
  if (cursor.is(TokenKind::Number)) {
    Cursor ahead = cursor;
    ahead.advance();
    if (ahead.is(TokenKind::LeftParenthesis))
      return parseAddressByte(offset);
  }
  TextLocation location = cursor.location();
  std::optional<Constant> integer;
  std::optional<FloatOperand> floating;
  if (!parseNumber(cursor, integer, floating))
    return false;
  if (floating)
    return writeFloat(location, *floating, offset);
  if (variable.type == DataType::F32 || variable.type == DataType::F64)
    return cursor.fail(location, "expects a floating-point number as initial "
                                 "value, but got an integer");
  return write(location, integer->bits, offset);
}

/// Elements of `.f32` and `.b32` take single precision, and double precision
/// rounded to it; `.f64` takes double precision. Other bits take the low bits
/// of the number as it is written, which is what assemblers store and so what a
/// GPU reads: LLVM writes the half 1.0 as `.b16 h = 0d3FF0000000000000`, and
/// the variable then is 0.
bool InitializerParser::writeFloat(TextLocation location, FloatOperand value,
                                   uint64_t offset) {
  switch (variable.type) {
  case DataType::F64:
    if (!value.isDouble)
      return cursor.fail(location, "expects a number of double precision as "
                                   "initial value of '.f64'");
    return write(location, value.bits, offset);
  case DataType::F32:
  case DataType::B32:
    if (value.isDouble)
      value.bits = std::bit_cast<uint32_t>(
          static_cast<float>(std::bit_cast<double>(value.bits)));
    return write(location, value.bits, offset);
  case DataType::B8:
  case DataType::B16:
  case DataType::B64:
    return write(location, value.bits, offset);
  default:
    return cursor.fail(location, "expects an integer as initial value, but got "
                                 "a floating-point number");
  }
}

/// The name of a variable or function, and what is added to it.
bool InitializerParser::parseSymbol(Variable::Relocation &relocation) {
  TextLocation location = cursor.location();
  std::string_view name;
  if (!cursor.expectIdentifier(name, "a variable or function"))
    return false;
  const Symbol *symbol = scopes.find(name);
  if (!symbol || (symbol->kind != SymbolKind::Variable &&
                  symbol->kind != SymbolKind::Function))
    return cursor.unexpected("a declared variable or function", name, location);
  relocation.symbol = symbol->flatName;
  return parseAddend(cursor, relocation.addend);
}

/// "symbol" or "generic(symbol)".
bool InitializerParser::parseGenericSymbol(Variable::Relocation &relocation) {
  relocation.isGeneric = cursor.is(TokenKind::Identifier) &&
                         cursor.current().text == "generic" &&
                         !scopes.find("generic");
  if (!relocation.isGeneric)
    return parseSymbol(relocation);
  cursor.advance();
  int64_t addend;
  if (!cursor.expect(TokenKind::LeftParenthesis, "'('") ||
      !parseSymbol(relocation) ||
      !cursor.expect(TokenKind::RightParenthesis, "')'") ||
      !parseAddend(cursor, addend))
    return false;
  relocation.addend = static_cast<int64_t>(
      static_cast<uint64_t>(relocation.addend) + static_cast<uint64_t>(addend));
  return true;
}

bool InitializerParser::parseAddress(uint64_t offset) {
  TextLocation location = cursor.location();
  Variable::Relocation relocation{offset, {}, 0, false};
  if (!parseGenericSymbol(relocation))
    return false;
  if (scalarBytes != 8)
    return cursor.fail(location,
                       join({"expects an address in an element of 64 bits, but "
                             "the element has ",
                             std::to_string(scalarBytes * 8)}));
  variable.relocations.push_back(std::move(relocation));
  return write(location, 0, offset);
}

/// At "0xFF00(symbol)": the byte of the address that the mask covers.
bool InitializerParser::parseAddressByte(uint64_t offset) {
  TextLocation location = cursor.location();
  std::optional<Constant> mask = readInteger(cursor.current().text);
  unsigned shift = mask && mask->bits ? std::countr_zero(mask->bits) : 0;
  if (!mask || shift % 8 != 0 || mask->bits >> shift != 0xff)
    return cursor.unexpected("a mask of one byte, 0xFF to 0xFF00000000000000");
  if (scalarBytes != 1)
    return cursor.fail(location,
                       join({"expects a byte of an address in an element of 8 "
                             "bits, but the element has ",
                             std::to_string(scalarBytes * 8)}));
  Variable::Relocation relocation{offset, {}, 0, false, 1, uint8_t(shift / 8)};
  cursor.advance();
  if (!cursor.expect(TokenKind::LeftParenthesis, "'('") ||
      !parseGenericSymbol(relocation) ||
      !cursor.expect(TokenKind::RightParenthesis, "')'"))
    return false;
  variable.relocations.push_back(std::move(relocation));
  return write(location, 0, offset);
}

/// Stores the low bytes, the lowest first.
bool InitializerParser::write(TextLocation location, uint64_t bits,
                              uint64_t offset) {
  uint64_t growth = offset + scalarBytes - variable.initializer.size();
  if (growth > budget.bytesLeft)
    return cursor.fail(location, "expects initial values that are not much "
                                 "longer than the text");
  budget.bytesLeft -= growth;
  variable.initializer.resize(offset + scalarBytes);
  for (unsigned byte = 0; byte < scalarBytes; ++byte)
    variable.initializer[offset + byte] =
        static_cast<uint8_t>(bits >> 8 * byte);
  return true;
}

bool tilewright::emulator::parseInitializer(Cursor &cursor, Scopes &scopes,
                                            const ElementType &element,
                                            const ArrayShape &shape,
                                            InitializerBudget &budget,
                                            Variable &variable) {
  if (element.type == DataType::B128)
    return cursor.fail(cursor.location(),
                       "expects no initial value of a type of 128 bits");
  if (bitWidth(element.type) == 16 && element.type != DataType::B16 &&
      element.type != DataType::U16 && element.type != DataType::S16)
    return cursor.fail(cursor.location(),
                       "expects no initial value of a half type, but of its "
                       "bits: '.b16'");
  return InitializerParser(cursor, scopes, element, shape, budget, variable)
      .parseElement(0, 0);
}
