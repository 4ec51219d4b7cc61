// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/AssemblyText.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

namespace {
/// Goes through the text once, a token at a time.
class StatementReader {
public:
  explicit StatementReader(ElementwiseInlineAsmOp op)
      : op(op), rest(op.getAsmString()) {}

  LogicalResult read() {
    while (!(rest = rest.ltrim()).empty())
      if (failed(takeToken()))
        return failure();
    if (openVectors || !words.empty())
      return fail("a ';' behind every statement", words);
    if (openScopes)
      return fail("as many '}' as '{'", op.getAsmString());
    return success();
  }

private:
  LogicalResult fail(const Twine &expected, StringRef found) {
    return op.emitOpError("expects ")
           << expected << " in the assembly, but got '" << found << "'";
  }

  LogicalResult takeToken() {
    if (rest.starts_with("//") || rest.starts_with("/*"))
      return takeComment();
    if (rest.starts_with("\""))
      return takeString();
    switch (char letter = rest.front()) {
    case '{':
      return takeOpeningBrace();
    case '}':
      return takeClosingBrace();
    case ';':
      return takeEnd();
    case ':':
      return takeColon();
    default:
      takeWord(letter);
      return success();
    }
  }

  LogicalResult takeComment() {
    StringRef end = rest.starts_with("//") ? "\n" : "*/";
    size_t at = rest.drop_front(2).find(end);
    if (at == StringRef::npos && end == "*/")
      return fail("comments that end", rest);
    rest = at == StringRef::npos ? StringRef()
                                 : rest.drop_front(2 + at + end.size());
    return success();
  }

  LogicalResult takeString() {
    size_t end = rest.find('"', 1);
    if (end == StringRef::npos)
      return fail("strings that end", rest);
    words += rest.take_front(end + 1);
    rest = rest.drop_front(end + 1);
    return success();
  }

  /// A scope, or a list of registers where a statement has begun.
  LogicalResult takeOpeningBrace() {
    rest = rest.drop_front();
    ++(words.empty() ? openScopes : openVectors);
    return success();
  }

  LogicalResult takeClosingBrace() {
    if (openVectors == 0 && !words.empty())
      return fail("a ';' behind every statement", words);
    unsigned &open = openVectors ? openVectors : openScopes;
    if (open == 0)
      return fail("as many '}' as '{'", op.getAsmString());
    --open;
    rest = rest.drop_front();
    return success();
  }

  LogicalResult takeEnd() {
    if (openVectors)
      return fail("as many '}' as '{'", words);
    if (failed(verifyDirective()))
      return failure();
    words.clear();
    rest = rest.drop_front();
    return success();
  }

  /// Behind one word it makes a label; others are in the middle of names.
  LogicalResult takeColon() {
    StringRef colons = rest.take_front(rest.starts_with("::") ? 2 : 1);
    rest = rest.drop_front(colons.size());
    if (colons.size() == 2 || words.empty() || words.front() == '.' ||
        words.find(' ') != std::string::npos) {
      words += colons;
      return success();
    }
    if (!mayRepeat())
      return fail("labels within braces, or with ${:uid} in their names (the "
                  "text is written for every run),",
                  words);
    words.clear();
    return success();
  }

  /// A name, a number, an operand, or a sign; words of a statement are kept
  /// with blanks between.
  void takeWord(char letter) {
    size_t size = 1;
    auto isPart = [](char each) {
      return llvm::isAlnum(each) || StringRef("_.%$").contains(each);
    };
    if (isPart(letter)) {
      size = 0;
      while (size < rest.size() && isPart(rest[size])) {
        size_t end = rest.drop_front(size).starts_with("${")
                         ? rest.find('}', size)
                         : StringRef::npos;
        size = end == StringRef::npos ? size + 1 : end + 1;
      }
    }
    bool goesOn = words.empty() || words.back() == ':';
    words += (goesOn ? "" : " ") + rest.take_front(size).str();
    rest = rest.drop_front(size);
  }

  /// Whether what the statement defines may be there several times.
  bool mayRepeat() const {
    return openScopes > 0 || words.find("${:uid}") != std::string::npos;
  }

  /// PTX ISA, "Directive Statements": those of function bodies.
  LogicalResult verifyDirective() {
    if (words.empty() || words.front() != '.')
      return success();
    StringRef name = StringRef(words).drop_front();
    name = name.take_while([](char each) { return llvm::isAlnum(each); });
    if (llvm::is_contained(
            {"pragma", "branchtargets", "calltargets", "callprototype", "loc"},
            name))
      return success();
    if (!llvm::is_contained({"reg", "local", "param", "shared"}, name))
      return fail("no directive but .reg, .local, .param, .shared, .pragma and "
                  "those of calls",
                  "." + name.str());
    if (!mayRepeat())
      return fail("variables within braces, or with ${:uid} in their names "
                  "(the text is written for every run),",
                  words);
    return success();
  }

  ElementwiseInlineAsmOp op;
  StringRef rest;
  /// The statement so far.
  std::string words;
  unsigned openScopes = 0, openVectors = 0;
};
} // namespace

LogicalResult tt::verifyAssemblyStatements(ElementwiseInlineAsmOp op) {
  return StatementReader(op).read();
}
