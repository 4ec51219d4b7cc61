// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which maxima and minima become unsigned.

#include "lib/Codegen/UnsignExtrema.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

/// The maxima and minima that become of `body`, in their order.
static std::string unsign(const std::string &body) {
  SMDiagnostic error;
  LLVMContext context;
  std::unique_ptr<Module> module =
      parseAssemblyString("declare i32 @llvm.smax.i32(i32, i32)\n"
                          "declare i32 @llvm.smin.i32(i32, i32)\n"
                          "define i32 @f(i1 %a, i1 %b, i32 %i) {\n"
                          "%x = zext i1 %a to i32\n"
                          "%y = zext i1 %b to i32\n" +
                              body + "ret i32 %r\n}\n",
                          error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  Function &function = *module->getFunction("f");
  FunctionAnalysisManager analyses;
  codegen::UnsignExtrema().run(function, analyses);
  EXPECT_FALSE(verifyFunction(function, &errs()));
  std::string names;
  for (const Instruction &instruction : instructions(function))
    if (auto *extremum = dyn_cast<MinMaxIntrinsic>(&instruction))
      names +=
          extremum->getCalledFunction()->getName().substr(5, 4).str() + " ";
  return names;
}

TEST(UnsignExtrema, OfBooleans) {
  EXPECT_EQ(unsign("%m = call i32 @llvm.smax.i32(i32 %x, i32 %y)\n"
                   "%r = call i32 @llvm.smin.i32(i32 %m, i32 %x)\n"),
            "umax umin ");
}

TEST(UnsignExtrema, NotOfWhatMayBeNegative) {
  EXPECT_EQ(unsign("%m = call i32 @llvm.smax.i32(i32 %x, i32 %i)\n"
                   "%n = call i32 @llvm.smin.i32(i32 %y, i32 %i)\n"
                   "%r = add i32 %m, %n\n"),
            "smax smin ");
}
