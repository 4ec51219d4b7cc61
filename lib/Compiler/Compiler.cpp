// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public API over Compilation.h.

#include "tilewright/Compiler.h"

#include "lib/Compiler/Compilation.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright;

std::vector<std::string> tilewright::supportedTargets() {
  std::vector<std::string> names;
  for (const target::Target &target : target::allTargets())
    names.emplace_back(target.name);
  return names;
}

std::string tilewright::compilerVersion() {
  return "tilewright " TILEWRIGHT_VERSION " (LLVM " LLVM_VERSION_STRING ")";
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

} // namespace

std::optional<std::vector<std::string>>
tilewright::compile(std::string_view text, std::string_view name, Emit emit,
                    const CompileOptions &options) {
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
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(StringRef(text), StringRef(name)),
      llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return std::nullopt;
  FailureOr<std::vector<std::string>> outputs = compiler::compileModule(
      *module, emit, options, [](PassManager &) { return success(); });
  if (failed(outputs))
    return std::nullopt;
  return std::move(*outputs);
}
