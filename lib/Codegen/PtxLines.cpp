// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/PtxLines.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tilewright::codegen;

/// The next word of `text`, which is taken off it.
static StringRef takeWord(StringRef &text) {
  text = text.ltrim();
  StringRef word = text.take_until([](char c) { return isSpace(c); });
  text = text.drop_front(word.size());
  return word;
}

/// What LLVM writes between quotes: other bytes as octal numbers.
static std::string readQuoted(StringRef text) {
  std::string result;
  for (size_t at = 0; at < text.size() && text[at] != '"'; ++at) {
    unsigned code;
    if (text[at] != '\\')
      result += text[at];
    else if (!text.substr(at + 1, 3).getAsInteger(8, code))
      result += char(code), at += 3;
    else if (++at < text.size())
      result += text[at];
  }
  return result;
}

/// The name of file number `number`, by the directive `.file 1 "name"`.
static std::string findFile(StringRef ptx, unsigned number) {
  for (StringRef line : split(ptx, '\n')) {
    unsigned found;
    if (takeWord(line) == ".file" && !takeWord(line).getAsInteger(10, found) &&
        found == number)
      return readQuoted(line.ltrim().drop_front());
  }
  return "";
}

PtxOrigin tilewright::codegen::findPtxOrigin(StringRef ptx, unsigned line) {
  PtxOrigin origin;
  unsigned file = 0;
  for (StringRef text : split(ptx, '\n')) {
    if (line-- == 0)
      break;
    size_t entry = text.find(".entry ");
    if (entry != StringRef::npos) {
      origin = PtxOrigin();
      origin.kernel = text.drop_front(entry + 7).take_until(
          [](char c) { return c == '('; });
    }
    if (takeWord(text) != ".loc" || takeWord(text).getAsInteger(10, file) ||
        takeWord(text).getAsInteger(10, origin.line) ||
        takeWord(text).getAsInteger(10, origin.column))
      continue;
  }
  if (origin.line)
    origin.file = findFile(ptx, file);
  return origin;
}

std::optional<unsigned> tilewright::codegen::findPtxLine(StringRef message) {
  constexpr StringLiteral marker = ", line ";
  size_t at = message.find(marker);
  unsigned line;
  if (at == StringRef::npos)
    return std::nullopt;
  message = message.drop_front(at + marker.size());
  if (message.consumeInteger(10, line))
    return std::nullopt;
  return line;
}
