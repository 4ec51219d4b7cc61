// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/ParserLimits.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;

namespace {
/// The brackets of a text that are open.
class OpenBrackets {
public:
  void open(char bracket) { brackets.push_back(bracket); }

  /// Closes the last one of a kind, and what is open within it: an arrow or a
  /// comparison is no bracket.
  void close(char bracket) {
    size_t at = brackets.find_last_of(bracket);
    bool isWithinOthers = bracket == '<' && at != std::string::npos &&
                          brackets.find_last_of("([{") != std::string::npos &&
                          brackets.find_last_of("([{") > at;
    if (at != std::string::npos && !isWithinOthers)
      brackets.resize(at);
  }

  size_t depth() const { return brackets.size(); }

private:
  std::string brackets;
};
} // namespace

/// What is left behind the comment or the string that `text` begins with, or
/// all of it.
static StringRef skipCommentOrString(StringRef text) {
  if (text.starts_with("//"))
    return text.drop_until([](char letter) { return letter == '\n'; });
  if (!text.starts_with("\""))
    return text;
  size_t end = 1;
  while (end < text.size() && text[end] != '"' && text[end] != '\n')
    end += text[end] == '\\' ? 2 : 1;
  return text.drop_front(std::min(end + 1, text.size()));
}

/// Where `rest`, the end of `text`, begins.
static Location findPlace(StringRef text, StringRef rest, StringRef fileName,
                          MLIRContext &context) {
  StringRef before = text.drop_back(rest.size());
  unsigned line = before.count('\n') + 1;
  unsigned column = before.size() - (before.rfind('\n') + 1) + 1;
  return FileLineColLoc::get(&context, fileName, line, column);
}

LogicalResult compiler::verifyTextNesting(StringRef text, StringRef fileName,
                                          MLIRContext &context) {
  OpenBrackets brackets;
  for (StringRef rest = text; !rest.empty();) {
    StringRef behind = skipCommentOrString(rest);
    if (behind.size() != rest.size()) {
      rest = behind;
      continue;
    }
    size_t opened = StringRef("([{<").find(rest.front());
    size_t closed = StringRef(")]}>").find(rest.front());
    if (opened != StringRef::npos)
      brackets.open(rest.front());
    else if (rest.starts_with("->"))
      rest = rest.drop_front();
    else if (closed != StringRef::npos)
      brackets.close("([{<"[closed]);
    if (brackets.depth() > maximumNesting)
      return emitError(findPlace(text, rest, fileName, context))
             << "expects at most " << maximumNesting
             << " brackets within each other, but got more";
    rest = rest.drop_front();
  }
  return success();
}

LogicalResult compiler::verifyResultNumbers(StringRef text, StringRef fileName,
                                            MLIRContext &context) {
  auto isOfName = [](char letter) {
    return llvm::isAlnum(letter) || StringRef("_$.-").contains(letter);
  };
  for (StringRef rest = text; !rest.empty();) {
    StringRef behind = skipCommentOrString(rest);
    if (behind.size() != rest.size()) {
      rest = behind;
      continue;
    }
    if (rest.front() != '%') {
      rest = rest.drop_front();
      continue;
    }
    rest = rest.drop_front().drop_while(isOfName);
    if (!rest.starts_with("#"))
      continue;
    StringRef digits = rest.drop_front().take_while(llvm::isDigit);
    unsigned number = 0;
    if (!digits.empty() &&
        (digits.getAsInteger(10, number) || number >= maximumResults))
      return emitError(findPlace(text, rest, fileName, context))
             << "expects the number of a result, below " << maximumResults
             << ", but got " << digits;
  }
  return success();
}
