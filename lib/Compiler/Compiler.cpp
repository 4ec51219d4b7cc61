// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiler.h over Compilation.h.

#include "lib/Compiler/Compiler.h"

#include "lib/Compiler/Compilation.h"
#include "lib/Compiler/ParseModule.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright;

std::vector<std::string> compiler::supportedTargets() {
  std::vector<std::string> names;
  for (const target::Target &target : target::allTargets())
    names.emplace_back(target.name);
  return names;
}

std::string compiler::version() {
  return "tilewright " TILEWRIGHT_VERSION " (LLVM " LLVM_VERSION_STRING ")";
}

std::string compiler::toString(const tilewright::Diagnostic &diagnostic) {
  std::string text;
  if (!diagnostic.file.empty())
    text = diagnostic.file + ":" + std::to_string(diagnostic.line) + ":" +
           std::to_string(diagnostic.column) + ": ";
  return text + diagnostic.message;
}

namespace {

/// The file, line and column behind a location.
FileLineColLoc findFileLocation(Location location) {
  FileLineColLoc found;
  location->walk([&](Location nested) {
    if (auto file = dyn_cast<FileLineColLoc>(nested)) {
      found = file;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

tilewright::Diagnostic::Severity toSeverity(DiagnosticSeverity severity) {
  using Severity = tilewright::Diagnostic::Severity;
  switch (severity) {
  case DiagnosticSeverity::Note:
    return Severity::Note;
  case DiagnosticSeverity::Warning:
    return Severity::Warning;
  case DiagnosticSeverity::Error:
    return Severity::Error;
  case DiagnosticSeverity::Remark:
    return Severity::Remark;
  }
  llvm_unreachable("all severities are listed");
}

tilewright::Diagnostic toDiagnostic(mlir::Diagnostic &diagnostic) {
  tilewright::Diagnostic result;
  result.severity = toSeverity(diagnostic.getSeverity());
  result.message = diagnostic.str();
  if (FileLineColLoc location = findFileLocation(diagnostic.getLocation())) {
    result.file = location.getFilename().str();
    result.line = location.getLine();
    result.column = location.getColumn();
  }
  return result;
}

/// Parses `text` and hands the module to `work`, whose result it gives; nothing
/// where something failed.
template <typename Result>
std::optional<Result>
compileText(std::string_view text, const CompileOptions &options,
            llvm::function_ref<FailureOr<Result>(ModuleOp)> work) {
  if (std::optional<std::string> problem = compiler::findProblem(options)) {
    if (options.onDiagnostic)
      options.onDiagnostic({.message = std::move(*problem)});
    return std::nullopt;
  }
  compiler::CompilerContext owner(options.threads);
  MLIRContext &context = owner.get();
  compiler::enableRemarks(context, options.remarks);
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (!options.onDiagnostic)
      return success();
    options.onDiagnostic(toDiagnostic(diagnostic));
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      options.onDiagnostic(toDiagnostic(note));
    return success();
  });
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(StringRef(text), options.sourceName),
      llvm::SMLoc());
  OwningOpRef<ModuleOp> module = compiler::parseModule(sources, context);
  if (!module)
    return std::nullopt;
  FailureOr<Result> result = work(*module);
  if (failed(result))
    return std::nullopt;
  return std::move(*result);
}

} // namespace

std::optional<runtime::Artifact>
compiler::compile(std::string_view text, const CompileOptions &options) {
  return compileText<runtime::Artifact>(text, options, [&](ModuleOp module) {
    return compileModule(module, options, /*configure=*/nullptr);
  });
}

std::optional<std::vector<std::string>>
compiler::emit(std::string_view text, Emit form,
               const CompileOptions &options) {
  return compileText<std::vector<std::string>>(
      text, options, [&](ModuleOp module) {
        return emitModule(module, form, options, /*configure=*/nullptr,
                          llvm::sys::path::stem(options.sourceName));
      });
}

std::optional<std::vector<std::string>>
compiler::emit(std::string_view text, std::span<const Emit> forms,
               const CompileOptions &options) {
  CompileOptions own = options;
  own.targets.resize(std::min<size_t>(own.targets.size(), 1));
  return compileText<std::vector<std::string>>(text, own, [&](ModuleOp module) {
    return makeForms(module, ArrayRef(forms.data(), forms.size()), own,
                     /*configure=*/nullptr);
  });
}
