// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of LLVM's functions, run on text.

#ifndef TILEWRIGHT_TEST_UNIT_CODEGEN_FUNCTIONPASS_H
#define TILEWRIGHT_TEST_UNIT_CODEGEN_FUNCTIONPASS_H

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

namespace tilewright::test {

/// Runs `pass`, which asks for no analyses, on function `f` of a module, and
/// has `look` see what becomes of it. It is valid LLVM IR before and after.
template <typename Pass>
void runOnText(const std::string &text, Pass pass,
               llvm::function_ref<void(const llvm::Function &)> look) {
  llvm::SMDiagnostic error;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  llvm::Function &function = *module->getFunction("f");
  llvm::FunctionAnalysisManager analyses;
  pass.run(function, analyses);
  EXPECT_FALSE(llvm::verifyFunction(function, &llvm::errs()));
  look(function);
}

/// The names of the instructions of its first block in their order, once `pass`
/// has run.
template <typename Pass>
std::string listNames(const std::string &text, Pass pass) {
  std::string names;
  runOnText(text, pass, [&](const llvm::Function &function) {
    for (const llvm::Instruction &instruction : function.getEntryBlock())
      names += instruction.getName();
  });
  return names;
}

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_UNIT_CODEGEN_FUNCTIONPASS_H
