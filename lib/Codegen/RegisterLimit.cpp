// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/RegisterLimit.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

bool tilewright::codegen::setRegisterLimit(std::string &ptx, StringRef kernel,
                                           unsigned registers) {
  size_t entry = ptx.find((".entry " + kernel + "(").str());
  if (entry == std::string::npos)
    return false;
  // Directives stand between the parameters and the body.
  constexpr StringLiteral directive = ".maxnreg ";
  size_t body = ptx.find('{', entry), limit = ptx.find(directive, entry);
  if (limit == std::string::npos || limit > body)
    return false;
  size_t begin = limit + directive.size(), end = begin;
  while (end < ptx.size() && isDigit(ptx[end]))
    ++end;
  ptx.replace(begin, end - begin, std::to_string(registers));
  return true;
}
