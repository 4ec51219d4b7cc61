// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Jit.h"

#include "lib/JIT/CompilationKey.h"

using namespace tilewright;
using runtime::Artifact;
using runtime::Error;
using runtime::ErrorCode;
using runtime::Result;

std::string tilewright::describe(const Diagnostic &diagnostic) {
  std::string text;
  if (!diagnostic.file.empty())
    text = diagnostic.file + ":" + std::to_string(diagnostic.line) + ":" +
           std::to_string(diagnostic.column) + ": ";
  return text + diagnostic.message;
}

/// Compiles; errors and their notes become the error's text.
static Result<Artifact> compileAfresh(std::string_view text,
                                      std::string_view name,
                                      const CompileOptions &given,
                                      const runtime::CacheKey &key) {
  std::string problems;
  CompileOptions options = given;
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    if (given.onDiagnostic)
      given.onDiagnostic(diagnostic);
    if (diagnostic.severity == Diagnostic::Severity::Error)
      problems += (problems.empty() ? "" : "\n") + describe(diagnostic);
  };
  auto compiled = compile(text, name, Emit::Artifact, options);
  if (!compiled)
    return Error{ErrorCode::InvalidArgument, std::move(problems)};
  const std::string &bytes = compiled->front();
  Result<Artifact> artifact = runtime::parseArtifact(
      {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  if (artifact)
    artifact->key = runtime::toHex(key);
  return artifact;
}

Result<std::shared_ptr<const Artifact>>
Jit::compile(std::string_view text, std::string_view name,
             const CompileOptions &options) {
  runtime::CacheKey key = jit::makeKey(jit::getInputs(text, name, options));
  return store.get(key,
                   [&] { return compileAfresh(text, name, options, key); });
}
