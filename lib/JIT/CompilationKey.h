// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compiled kernel depends on, as the key of its cache entry.

#ifndef TILEWRIGHT_LIB_JIT_COMPILATIONKEY_H
#define TILEWRIGHT_LIB_JIT_COMPILATIONKEY_H

#include "runtime/Cache/Key.h"
#include "tilewright/Compiler.h"

namespace tilewright::jit {

/// Everything that the bytes of an artifact depend on, and nothing else: no
/// path (but where line tables hold it), time, device or number of threads.
struct CompilationInputs {
  /// buildIdentity().
  std::string compiler;
  /// codegen::assemblerIdentity(), or why there is none; empty where no machine
  /// code is asked for.
  std::string assembler;
  std::string text;
  /// What line tables call the source: after the prefix map, and only where
  /// there are line tables.
  std::string sourceName;
  std::vector<std::pair<std::string, std::string>> pathPrefixMap;
  std::vector<std::string> targets;
  unsigned numWarps = 0;
  bool machineCode = false, lineTables = false;
};

CompilationInputs getInputs(std::string_view text, std::string_view name,
                            const CompileOptions &options);

runtime::CacheKey makeKey(const CompilationInputs &inputs);

} // namespace tilewright::jit

#endif // TILEWRIGHT_LIB_JIT_COMPILATIONKEY_H
