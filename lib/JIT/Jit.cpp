// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/JIT/Jit.h"

#include "lib/Compiler/Compiler.h"
#include "lib/JIT/CompilationKey.h"

using namespace tilewright;
using runtime::Artifact;
using runtime::Error;
using runtime::ErrorCode;
using runtime::Result;

/// Compiles; errors and their notes become the error's text.
static Result<Artifact> compileAfresh(std::string_view text,
                                      const CompileOptions &given,
                                      const runtime::CacheKey &key) {
  std::string problems;
  CompileOptions options = given;
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    if (given.onDiagnostic)
      given.onDiagnostic(diagnostic);
    if (diagnostic.severity == Diagnostic::Severity::Error)
      problems +=
          (problems.empty() ? "" : "\n") + compiler::toString(diagnostic);
  };
  std::optional<Artifact> artifact = compiler::compile(text, options);
  if (!artifact)
    return Error{ErrorCode::InvalidArgument, std::move(problems)};
  artifact->key = runtime::toHex(key);
  return std::move(*artifact);
}

Result<std::shared_ptr<const Artifact>>
Jit::compile(std::string_view text, const CompileOptions &options) {
  runtime::CacheKey key = jit::makeKey(jit::getInputs(text, options));
  return store.get(key, [&] { return compileAfresh(text, options, key); });
}
