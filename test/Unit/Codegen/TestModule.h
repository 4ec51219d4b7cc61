// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses modules for the tests of lib/Codegen and collects diagnostics.

#ifndef TILEWRIGHT_TEST_UNIT_CODEGEN_TESTMODULE_H
#define TILEWRIGHT_TEST_UNIT_CODEGEN_TESTMODULE_H

#include "lib/Codegen/LLVMToPTX.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <string>

namespace tilewright::test {

/// A context of its own, with its diagnostics as text ("file:line: message").
class TestModules {
public:
  TestModules()
      : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          llvm::raw_string_ostream stream(diagnostics);
          stream << diagnostic.getLocation() << ": " << diagnostic << "\n";
          for (mlir::Diagnostic &note : diagnostic.getNotes())
            stream << "note: " << note << "\n";
        }) {
    context.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    return mlir::parseSourceString<mlir::ModuleOp>(
        text, mlir::ParserConfig(&context), "kernel.mlir");
  }

  std::string takeDiagnostics() { return std::exchange(diagnostics, ""); }

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    codegen::registerCodegenTranslations(registry);
    return registry;
  }

  mlir::MLIRContext context;
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_UNIT_CODEGEN_TESTMODULE_H
