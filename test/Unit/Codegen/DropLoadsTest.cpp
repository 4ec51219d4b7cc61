// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loads of inline PTX are dropped, and what is there instead.

#include "lib/Codegen/DropLoads.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

/// The body of a function of %p, %mask and %other that returns %out, once loads
/// are dropped.
static std::string drop(const std::string &type, const std::string &body) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(
      "define " + type + " @f(ptr addrspace(1) %p, i1 %mask, i32 %other) {\n" +
          body + "ret " + type + " %out\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  Function &function = *module->getFunction("f");
  FunctionAnalysisManager analyses;
  codegen::DropLoads().run(function, analyses);
  EXPECT_FALSE(verifyFunction(function, &errs()));
  std::string text;
  raw_string_ostream stream(text);
  for (Instruction &instruction : function.getEntryBlock())
    stream << instruction << "\n";
  return text;
}

static const std::string pair = "{ i32, i32 }";

/// A load of two words, whose registers hold %other and 0 before.
static std::string loadPair(const std::string &mask) {
  return "%out = call { i32, i32 } asm sideeffect "
         "\"mov.b32 $0, $4;\\0A\\09mov.b32 $1, 0;\\0A\\09@$3 ld.global.v2.b32 "
         "{$0, $1}, [$2+16];\", \"=&r,=&r,l,b,r\"(ptr addrspace(1) %p, i1 " +
         mask + ", i32 %other)\n";
}

TEST(DropLoads, WhatIsNeverLoadedIsWhatTheRegistersHold) {
  EXPECT_EQ(drop(pair, loadPair("false")),
            "  %1 = insertvalue { i32, i32 } poison, i32 %other, 0\n"
            "  %2 = insertvalue { i32, i32 } %1, i32 0, 1\n"
            "  ret { i32, i32 } %2\n");
  EXPECT_EQ(drop("i32", "%out = call i32 asm sideeffect \"mov.b32 $0, 0;"
                        "\\0A\\09@$2 ld.global.b32 $0, [$1];\", \"=&r,l,b\"("
                        "ptr addrspace(1) %p, i1 false)\n"),
            "  ret i32 0\n");
}

TEST(DropLoads, OthersStay) {
  EXPECT_NE(drop(pair, loadPair("%mask")).find("ld.global"), std::string::npos);
  EXPECT_NE(drop(pair, loadPair("true")).find("ld.global"), std::string::npos);
  // The predicate is the load's, not another operand.
  std::string plain = "%out = call i32 asm sideeffect \"ld.global.b32 $0, "
                      "[$1];\", \"=r,l,b\"(ptr addrspace(1) %p, i1 false)\n";
  EXPECT_NE(drop("i32", plain).find("ld.global"), std::string::npos);
  std::string other = "%out = call i32 asm sideeffect \"mov.b32 $0, 0;"
                      "\\0A\\09@$2 add.u32 $0, $0, 1;\", \"=&r,l,b\"("
                      "ptr addrspace(1) %p, i1 false)\n";
  EXPECT_NE(drop("i32", other).find("add.u32"), std::string::npos);
}
