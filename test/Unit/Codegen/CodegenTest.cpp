// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// translateToPTX: what the PTX says, that it is the same every time, and that
// LLVM's errors come back as diagnostics.

#include "TestModule.h"

#include "lib/Codegen/LLVMToPTX.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <thread>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::test;

static const char *saxpy = R"(
llvm.func @helper(%a: f32, %b: f32) -> f32 {
  %r = llvm.fadd %a, %b : f32
  llvm.return %r : f32
}
llvm.func @saxpy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %a: f32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>,
                nvvm.maxnreg = 64 : i32} {
  %i = nvvm.read.ptx.sreg.tid.x : i32
  %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %vx = llvm.load %px : !llvm.ptr<1> -> f32
  %vy = llvm.load %py : !llvm.ptr<1> -> f32
  %m = llvm.fmul %a, %vx : f32
  %s = llvm.call @helper(%m, %vy) : (f32, f32) -> f32
  llvm.store %s, %py : f32, !llvm.ptr<1>
  llvm.return
}
)";

static const target::Target &get(const char *name) {
  return *target::lookup(name);
}

/// Compiles `text`; "" after an error.
static std::string compile(const std::string &text,
                           const target::Target &target,
                           const codegen::CodegenOptions &options = {}) {
  TestModules modules;
  OwningOpRef<ModuleOp> module = modules.parse(text);
  if (!module)
    return "";
  FailureOr<codegen::PtxCode> ptx =
      codegen::translateToPTX(*module, target, options);
  EXPECT_TRUE(succeeded(ptx)) << modules.takeDiagnostics();
  if (failed(ptx))
    return "";
  std::string version = ".version " + target::formatPtxVersion(ptx->version);
  EXPECT_NE(ptx->text.find(version + "\n"), std::string::npos) << ptx->text;
  return ptx->text;
}

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Codegen, HeaderNamesTheTargetAndItsLowestVersion) {
  for (const target::Target &target : target::allTargets()) {
    std::string ptx = compile(saxpy, target);
    EXPECT_TRUE(contains(
        ptx, ".version " + target::formatPtxVersion(target.lowestPtxVersion)))
        << ptx;
    EXPECT_TRUE(contains(ptx, ".target " + std::string(target.chip) + "\n"))
        << ptx;
  }
}

TEST(Codegen, VersionRisesWithTheInstructionsUsed) {
  std::string ldmatrix = R"(
llvm.func @k(%p: !llvm.ptr<1>, %s: !llvm.ptr<3>) attributes {nvvm.kernel} {
  %r = nvvm.ldmatrix %s {num = 1 : i32, layout = #nvvm.mma_layout<row>,
    shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
    eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
  llvm.store %r, %p : i32, !llvm.ptr<1>
  llvm.return
})";
  EXPECT_TRUE(contains(compile(ldmatrix, get("sm_75")), ".version 6.5"));
  EXPECT_TRUE(contains(compile(ldmatrix, get("sm_80")), ".version 7.0"));
  codegen::CodegenOptions options;
  options.minimumPtxVersion = 78;
  EXPECT_TRUE(contains(compile(saxpy, get("sm_80"), options), ".version 7.8"));
}

TEST(Codegen, KernelAttributesReachPTX) {
  std::string ptx = compile(saxpy, get("sm_80"));
  EXPECT_TRUE(contains(ptx, ".visible .entry saxpy")) << ptx;
  EXPECT_TRUE(contains(ptx, ".reqntid 128")) << ptx;
  EXPECT_TRUE(contains(ptx, ".maxnreg 64")) << ptx;
}

TEST(Codegen, OnlyKernelsStay) {
  EXPECT_FALSE(contains(compile(saxpy, get("sm_80")), "helper"));
}

TEST(Codegen, MultiplyAndAddAreNotFused) {
  std::string ptx = compile(saxpy, get("sm_80"));
  EXPECT_TRUE(contains(ptx, "mul.rn.f32")) << ptx;
  EXPECT_FALSE(contains(ptx, "fma.rn.f32")) << ptx;
}

TEST(Codegen, EveryOptimizationLevel) {
  for (unsigned level = 0; level <= 3; ++level) {
    codegen::CodegenOptions options;
    options.optimizationLevel = level;
    EXPECT_TRUE(contains(compile(saxpy, get("sm_70"), options),
                         ".visible .entry saxpy"))
        << level;
  }
}

TEST(Codegen, LeavesTheModuleAsItIs) {
  TestModules modules;
  OwningOpRef<ModuleOp> module = modules.parse(saxpy);
  std::string before, after;
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  llvm::raw_string_ostream beforeStream(before), afterStream(after);
  module->print(beforeStream, flags);
  codegen::CodegenOptions options;
  options.lineInfo = true;
  ASSERT_TRUE(
      succeeded(codegen::translateToPTX(*module, get("sm_80"), options)));
  module->print(afterStream, flags);
  EXPECT_EQ(before, after);
}

TEST(Codegen, LineTablesOnRequestUnderThePrefixMap) {
  std::string text = std::string(R"(
llvm.func @k(%p: !llvm.ptr<1>, %i: i32) attributes {nvvm.kernel} {
  llvm.store %i, %p : i32, !llvm.ptr<1> loc("/home/me/src/k.py":17:3)
  llvm.return loc("/home/me/src/k.py":18:1)
} loc("/home/me/src/k.py":16:1)
)");
  EXPECT_FALSE(contains(compile(text, get("sm_80")), ".loc"));
  codegen::CodegenOptions options;
  options.lineInfo = true;
  std::string ptx = compile(text, get("sm_80"), options);
  EXPECT_TRUE(contains(ptx, ".loc\t1 17 3")) << ptx;
  EXPECT_TRUE(contains(ptx, "/home/me/src/k.py")) << ptx;

  options.pathPrefixMap = {{"/home/m", "wrong"}, {"/home/me", "source"}};
  std::string mapped = compile(text, get("sm_80"), options);
  EXPECT_TRUE(contains(mapped, "\"source/src/k.py\"")) << mapped;
  EXPECT_FALSE(contains(mapped, "/home")) << mapped;
}

TEST(Codegen, LLVMIRIsOptimizedText) {
  TestModules modules;
  OwningOpRef<ModuleOp> module = modules.parse(saxpy);
  FailureOr<std::string> text =
      codegen::translateToLLVMIR(*module, get("sm_80"));
  ASSERT_TRUE(succeeded(text));
  EXPECT_TRUE(contains(*text, "define ptx_kernel void @saxpy")) << *text;
  EXPECT_TRUE(contains(*text, "target triple = \"nvptx64-nvidia-cuda\""));
  EXPECT_FALSE(contains(*text, "@helper")) << *text;
}

TEST(Codegen, TimingsAddUp) {
  TestModules modules;
  OwningOpRef<ModuleOp> module = modules.parse(saxpy);
  codegen::CodegenTimings timings;
  ASSERT_TRUE(
      succeeded(codegen::translateToPTX(*module, get("sm_80"), {}, &timings)));
  EXPECT_GT(timings.translation, 0);
  EXPECT_GT(timings.optimization, 0);
  EXPECT_GT(timings.emission, 0);
}

TEST(Codegen, SameBytesTwiceAndFromEightThreads) {
  codegen::CodegenOptions options;
  options.lineInfo = true;
  for (const char *name : {"sm_70", "sm_90a"}) {
    std::string expected = compile(saxpy, get(name), options);
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(compile(saxpy, get(name), options), expected);
    std::vector<std::string> results(8);
    std::vector<std::thread> threads;
    for (std::string &result : results)
      threads.emplace_back(
          [&] { result = compile(saxpy, get(name), options); });
    for (std::thread &thread : threads)
      thread.join();
    for (const std::string &result : results)
      EXPECT_EQ(result, expected);
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The diagnostics of a translation that must fail.
static std::string failToCompile(const std::string &text,
                                 const codegen::CodegenOptions &options = {}) {
  TestModules modules;
  OwningOpRef<ModuleOp> module = modules.parse(text);
  if (!module)
    return "does not parse: " + modules.takeDiagnostics();
  EXPECT_TRUE(failed(codegen::translateToPTX(*module, get("sm_80"), options)));
  return modules.takeDiagnostics();
}

TEST(CodegenError, BadInlineAsmConstraintIsADiagnostic) {
  std::string diagnostics = failToCompile(R"(
llvm.func @k(%p: !llvm.ptr<1>, %i: i32) attributes {nvvm.kernel} {
  %r = llvm.inline_asm has_side_effects "mov.u32 $0, $1;", "=x,r" %i
    : (i32) -> i32
  llvm.store %r, %p : i32, !llvm.ptr<1>
  llvm.return
})");
  EXPECT_TRUE(contains(diagnostics, "LLVM: ")) << diagnostics;
  EXPECT_TRUE(contains(diagnostics, "constraint 'x'")) << diagnostics;
  EXPECT_TRUE(contains(diagnostics, "kernel.mlir")) << diagnostics;
}

TEST(CodegenError, UndefinedFunctionsNameLibdevice) {
  std::string text = R"(
llvm.func @__nv_sinf(f32) -> f32
llvm.func @k(%p: !llvm.ptr<1>, %f: f32) attributes {nvvm.kernel} {
  %r = llvm.call @__nv_sinf(%f) : (f32) -> f32
  llvm.store %r, %p : f32, !llvm.ptr<1>
  llvm.return
})";
  std::string diagnostics = failToCompile(text);
  EXPECT_TRUE(contains(diagnostics, "expects a definition of '__nv_sinf', but "
                                    "got only its declaration"))
      << diagnostics;
  EXPECT_TRUE(contains(diagnostics, "libdevice")) << diagnostics;

  codegen::CodegenOptions options;
  options.bitcodeLibraries = {"no-such-file.bc"};
  EXPECT_TRUE(contains(failToCompile(text, options),
                       "cannot read the bitcode library 'no-such-file.bc'"));
}

TEST(CodegenError, LinksLibdeviceWhereThereIsOne) {
  const char *path = "/usr/local/cuda/nvvm/libdevice/libdevice.10.bc";
  if (!llvm::sys::fs::exists(path))
    GTEST_SKIP() << "no " << path;
  codegen::CodegenOptions options;
  options.bitcodeLibraries = {path};
  std::string ptx = compile(R"(
llvm.func @__nv_sinf(f32) -> f32
llvm.func @__nv_powf(f32, f32) -> f32
llvm.func @k(%p: !llvm.ptr<1>, %f: f32) attributes {nvvm.kernel} {
  %r = llvm.call @__nv_sinf(%f) : (f32) -> f32
  %q = llvm.call @__nv_powf(%r, %f) : (f32, f32) -> f32
  llvm.store %q, %p : f32, !llvm.ptr<1>
  llvm.return
})",
                            get("sm_75"), options);
  EXPECT_TRUE(contains(ptx, ".visible .entry k")) << ptx;
  EXPECT_FALSE(contains(ptx, ".extern")) << ptx;
}

TEST(CodegenError, NoKernel) {
  EXPECT_TRUE(contains(failToCompile("llvm.func @f() {\nllvm.return\n}"),
                       "expects at least one kernel, a function with "
                       "'nvvm.kernel', but got none"));
}

/// A bitcode library with `float @helper(float)`, which calls llvm.sin.
static void writeLibrary(StringRef path) {
  llvm::LLVMContext context;
  llvm::Module module("library", context);
  llvm::Type *type = llvm::Type::getFloatTy(context);
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(type, {type}, /*isVarArg=*/false),
      llvm::Function::ExternalLinkage, "helper", module);
  llvm::IRBuilder<> builder(
      llvm::BasicBlock::Create(context, "entry", function));
  builder.CreateRet(
      builder.CreateUnaryIntrinsic(llvm::Intrinsic::sin, function->getArg(0)));
  std::error_code failed;
  llvm::raw_fd_ostream file(path, failed);
  ASSERT_FALSE(failed);
  llvm::WriteBitcodeToFile(module, file);
}

TEST(CodegenError, CallsThatLLVMCannotSelect) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("library", "bc", path));
  writeLibrary(path);
  codegen::CodegenOptions options;
  options.bitcodeLibraries = {path.str().str()};
  std::string diagnostics = failToCompile(R"(
llvm.func @helper(f32) -> f32
llvm.func @k(%p: !llvm.ptr<1>, %f: f32) attributes {nvvm.kernel} {
  %r = llvm.call @helper(%f) : (f32) -> f32
  llvm.store %r, %p : f32, !llvm.ptr<1>
  llvm.return
})",
                                          options);
  llvm::sys::fs::remove(path);
  EXPECT_TRUE(contains(diagnostics,
                       "expects code that NVPTX can compile, but got a call of "
                       "'llvm.sin.f32' in function 'k'"))
      << diagnostics;
}

TEST(CodegenError, ForeignOperationsAreRefused) {
  EXPECT_TRUE(contains(failToCompile(R"(
llvm.func @k(%f: f32) attributes {nvvm.kernel} {
  %0 = builtin.unrealized_conversion_cast %f : f32 to i32
  llvm.return
})"),
                       "is not known to compile"));
}
