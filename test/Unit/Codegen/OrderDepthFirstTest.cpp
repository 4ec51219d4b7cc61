// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order a block is executed whose tiles do not fit the registers.

#include "lib/Codegen/OrderDepthFirst.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

/// The loads and stores of a kernel of two blocks that copies eight elements
/// from %x to `target`, loading all of them first, and loads %next for the
/// second block; a thread has so many `registers`.
static std::string order(const std::string &target, unsigned registers) {
  std::string body, stores;
  for (unsigned i = 0; i < 8; ++i) {
    std::string n = std::to_string(i);
    auto address = [&](const std::string &name, const std::string &base) {
      return "%" + name + n + " = getelementptr float, ptr addrspace(1) " +
             base + ", i64 " + n + "\n";
    };
    body += address("p", "%x") + "%v" + n +
            " = load float, ptr addrspace(1) %p" + n + "\n";
    stores += address("q", target) + "store float %v" + n +
              ", ptr addrspace(1) %q" + n + "\n";
  }
  SMDiagnostic error;
  LLVMContext context;
  std::unique_ptr<Module> module = parseAssemblyString(
      "define ptx_kernel void @kernel(ptr addrspace(1) %x, ptr addrspace(1) "
      "%y, ptr addrspace(1) %z, i64 %i) \"nvvm.maxnreg\"=\"" +
          std::to_string(registers) +
          "\" {\n%shifted = getelementptr float, ptr addrspace(1) %x, i64 %i\n"
          "%next = load i32, ptr addrspace(1) %z\n"
          "%cast = bitcast i32 %next to float\n" +
          body + stores +
          "br label %second\nsecond:\nstore float %cast, ptr addrspace(1) %z\n"
          "ret void\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  Function &kernel = *module->getFunction("kernel");
  FunctionAnalysisManager analyses;
  codegen::OrderDepthFirst().run(kernel, analyses);
  std::string text;
  for (const Instruction &instruction : kernel.getEntryBlock())
    if (isa<LoadInst>(instruction))
      text += instruction.getName() == "next" ? 'n' : 'l';
    else if (isa<StoreInst>(instruction))
      text += 's';
  return text;
}

TEST(OrderDepthFirst, StoresFollowTheirLoads) {
  // Six of twelve registers are for what is loaded: for the next block, for the
  // next store, for two more; an address takes the others.
  EXPECT_EQ(order("%y", 12), "nlllslslslslslsss");
}

TEST(OrderDepthFirst, WhatFitsStaysAsItIs) {
  EXPECT_EQ(order("%y", 16), "nllllllllssssssss");
}

TEST(OrderDepthFirst, InPlaceEachElementIsLoadedBeforeItIsStored) {
  EXPECT_EQ(order("%x", 12), "nlllslslslslslsss");
}

TEST(OrderDepthFirst, StoresThatMayMeetLoadsWaitForThem) {
  EXPECT_EQ(order("%shifted", 12), "nllllllllssssssss");
}
