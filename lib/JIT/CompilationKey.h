// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compiled kernel depends on, as the key of its cache entry.

#ifndef TILEWRIGHT_LIB_JIT_COMPILATIONKEY_H
#define TILEWRIGHT_LIB_JIT_COMPILATIONKEY_H

#include "runtime/Cache/Key.h"
#include "tilewright/CompileOptions.h"

namespace tilewright::jit {

/// Everything that the bytes of an artifact depend on: no path (but where line
/// tables hold it), time, device or number of threads.
struct CompilationInputs {
  /// buildIdentity().
  std::string compiler;
  /// codegen::assemblerIdentity(), or why there is none; empty where no machine
  /// code is asked for.
  std::string assembler;
  std::string text;
  /// Of these, the rows with an effect.
  CompileOptions options;
};

CompilationInputs getInputs(std::string_view text,
                            const CompileOptions &options);

runtime::CacheKey makeKey(const CompilationInputs &inputs);

} // namespace tilewright::jit

#endif // TILEWRIGHT_LIB_JIT_COMPILATIONKEY_H
