// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/tilewright/Output.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;

int driver::fail(const llvm::Twine &message) {
  llvm::errs() << "tilewright: error: " << message << "\n";
  return 1;
}

void driver::printDiagnostic(const Diagnostic &diagnostic) {
  const char *const names[] = {"note", "remark", "warning", "error"};
  const char *severity = names[static_cast<unsigned>(diagnostic.severity)];
  if (!diagnostic.file.empty())
    llvm::errs() << diagnostic.file << ":" << diagnostic.line << ":"
                 << diagnostic.column << ": ";
  llvm::errs() << severity << ": " << diagnostic.message << "\n";
}

int driver::writeOutput(llvm::StringRef name, llvm::StringRef content) {
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file =
      mlir::openOutputFile(name, &error);
  if (!file)
    return fail(error);
  file->os() << content;
  file->os().flush();
  if (std::error_code code = file->os().error()) {
    file->os().clear_error();
    return fail("cannot write '" + name + "': " + code.message());
  }
  file->keep();
  return 0;
}
