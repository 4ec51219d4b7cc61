// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/RegisterLimit.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

static constexpr StringLiteral directive = ".maxnreg ";

/// Where the entry's limit begins, and where its digits end; none where it has
/// none.
static std::optional<std::pair<size_t, size_t>>
findRegisterLimit(StringRef ptx, StringRef kernel) {
  size_t entry = ptx.find((".entry " + kernel + "(").str());
  if (entry == StringRef::npos)
    return std::nullopt;
  // Directives stand between the parameters and the body.
  size_t body = ptx.find('{', entry), limit = ptx.find(directive, entry);
  if (limit == StringRef::npos || limit > body)
    return std::nullopt;
  size_t end = limit + directive.size();
  while (end < ptx.size() && isDigit(ptx[end]))
    ++end;
  return std::pair(limit, end);
}

bool tilewright::codegen::setRegisterLimit(std::string &ptx, StringRef kernel,
                                           unsigned registers) {
  auto limit = findRegisterLimit(ptx, kernel);
  if (!limit)
    return false;
  size_t begin = limit->first + directive.size();
  ptx.replace(begin, limit->second - begin, std::to_string(registers));
  return true;
}

bool tilewright::codegen::dropRegisterLimit(std::string &ptx,
                                            StringRef kernel) {
  auto limit = findRegisterLimit(ptx, kernel);
  if (!limit)
    return false;
  ptx.erase(limit->first, limit->second - limit->first);
  return true;
}
