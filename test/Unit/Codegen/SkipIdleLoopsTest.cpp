// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops are skipped by threads that do nothing in them.

#include "lib/Codegen/SkipIdleLoops.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

/// A load to %name under `predicate`, and a store of %x.
static std::string load(const std::string &name, const std::string &predicate) {
  return "%" + name +
         " = call i32 asm sideeffect \"mov.b32 $0, 0;\\0A\\09@$2 ld.global.b32 "
         "$0, [$1];\", \"=&r,l,b\"(ptr addrspace(1) %q, i1 " +
         predicate + ")\n";
}
static std::string store(const std::string &predicate) {
  return "call void asm sideeffect \"@$2 st.global.b32 [$0], $1;\", \"l,r,b\""
         "(ptr addrspace(1) %q, i32 %x, i1 " +
         predicate + ")\n";
}

/// The function of a loop of `count` iterations with `body`, once threads skip
/// it; `behind` follows.
static std::string run(const std::string &body, const std::string &behind = "",
                       const std::string &count = "8") {
  SMDiagnostic error;
  LLVMContext context;
  std::unique_ptr<Module> module = parseAssemblyString(
      "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
      "define i32 @f(ptr addrspace(1) %p, i32 %n, i1 %mask) {\nentry:\n"
      "%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "%first = icmp eq i32 %tid, 0\n"
      "%same = icmp eq i32 %tid, 0\n"
      "%second = icmp eq i32 %tid, 1\n"
      "br label %loop\n"
      "loop:\n"
      "%i = phi i32 [ 0, %entry ], [ %next, %loop ]\n"
      "%q = getelementptr i32, ptr addrspace(1) %p, i32 %i\n" +
          body +
          "%next = add i32 %i, 1\n"
          "%again = icmp ult i32 %next, " +
          count +
          "\n"
          "br i1 %again, label %loop, label %behind\n"
          "behind:\n" +
          behind + "ret i32 0\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  Function &function = *module->getFunction("f");
  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  codegen::SkipIdleLoops().run(function, functions);
  EXPECT_FALSE(verifyFunction(function, &errs()));
  std::string text;
  raw_string_ostream(text) << function;
  return text;
}

static bool isSkipped(const std::string &text) {
  return StringRef(text).contains("br i1 %first, label %entry.split, label "
                                  "%behind");
}

static bool isToBeUnrolled(const std::string &text) {
  return StringRef(text).contains("!llvm.loop");
}

TEST(SkipIdleLoops, WhereOneThreadLoadsAndStores) {
  std::string text = run(load("x", "%first") + store("%same"));
  EXPECT_TRUE(isSkipped(text)) << text;
  EXPECT_TRUE(isToBeUnrolled(text)) << text;
  EXPECT_EQ(StringRef(text).count("i1 true)"), 2u) << text;
}

TEST(SkipIdleLoops, WhatIsMaskedToo) {
  std::string text = run(load("x", "%first") +
                         "%isSet = icmp ne i32 %x, 0\n"
                         "%both = and i1 %isSet, %same\n" +
                         store("%both"));
  EXPECT_TRUE(isSkipped(text)) << text;
  EXPECT_TRUE(StringRef(text).contains("and i1 %isSet, true")) << text;
}

TEST(SkipIdleLoops, LongLoopsAreNotUnrolled) {
  std::string body = load("x", "%first") + store("%first");
  for (const char *count : {"10000", "%n"}) {
    std::string text = run(body, "", count);
    EXPECT_TRUE(isSkipped(text)) << text;
    EXPECT_FALSE(isToBeUnrolled(text)) << text;
  }
}

TEST(SkipIdleLoops, NotWhereOthersDoSomething) {
  std::string body = load("x", "%first");
  for (const char *other :
       {"store i32 %x, ptr addrspace(1) %q\n",
        "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"}) {
    std::string text = run(body + other);
    EXPECT_FALSE(isSkipped(text)) << text;
  }
  for (const char *predicate : {"%second", "%mask", "true"}) {
    std::string text = run(body + store(predicate));
    EXPECT_FALSE(isSkipped(text)) << text;
  }
}

TEST(SkipIdleLoops, NotWhereOthersNeedSomething) {
  std::string text =
      run(load("x", "%first") + store("%first"),
          "%last = phi i32 [ %x, %loop ]\n"
          "call void asm sideeffect \"use $0;\", \"r\"(i32 %last)\n");
  EXPECT_FALSE(isSkipped(text)) << text;
  text = run(load("x", "%first") + store("%first"),
             "call void asm sideeffect \"use $0;\", \"r\"(i32 %x)\n");
  EXPECT_FALSE(isSkipped(text)) << text;
}

TEST(SkipIdleLoops, NotWhatNobodyAccesses) {
  std::string text = run("%x = add i32 %i, 1\n");
  EXPECT_FALSE(isSkipped(text)) << text;
}
