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
#include "llvm/Support/Regex.h"

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

/// What is read and written by instructions of their own, at a constant
/// distance from an address, in a loop that the address is computed before.
static const char *matrices = R"(
llvm.func @matrices(%near: !llvm.ptr<3>, %from: !llvm.ptr<1>, %count: i32)
    attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %i = nvvm.read.ptx.sreg.tid.x : i32
  %mine = llvm.getelementptr %near[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %far = llvm.getelementptr %mine[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %farther = llvm.getelementptr %mine[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  llvm.br ^loop(%zero, %zero : i32, i32)
^loop(%n: i32, %sum: i32):
  nvvm.cp.async.shared.global %far, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.barrier0
  %r = nvvm.ldmatrix %farther {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
  %more = llvm.add %sum, %r : i32
  %next = llvm.add %n, %one : i32
  %goesOn = llvm.icmp "slt" %next, %count : i32
  llvm.cond_br %goesOn, ^loop(%next, %more : i32, i32), ^end
^end:
  llvm.store %more, %from : i32, !llvm.ptr<1>
  llvm.return
}
)";

TEST(Codegen, DistancesStandInTheInstructions) {
  std::string ptx = compile(matrices, get("sm_80"));
  auto lineOf = [&](const char *opcode) {
    size_t begin = ptx.find(opcode);
    return begin == std::string::npos
               ? ""
               : ptx.substr(begin, ptx.find('\n', begin) - begin);
  };
  EXPECT_TRUE(contains(lineOf("cp.async.cg"), "+4096]")) << ptx;
  EXPECT_TRUE(contains(lineOf("ldmatrix"), "+8192]")) << ptx;
}

/// The product of a program's column of two matrices, of `end` rows.
static std::string multiplyColumns(const std::string &end) {
  return R"(
llvm.func @columns(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>,
                %count: i64, %stride: i64) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %hundred = llvm.mlir.constant(100 : i64) : i64
  %none = llvm.mlir.constant(0.0 : f32) : f32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %program = nvvm.read.ptx.sreg.ctaid.x : i32
  %program64 = llvm.sext %program : i32 to i64
  %first = llvm.mul %program64, %stride : i64
  %fa = llvm.getelementptr %a[%first] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %fb = llvm.getelementptr %b[%first] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  llvm.br ^loop(%zero, %none : i64, f32)
^loop(%n: i64, %sum: f32):
  %row = llvm.mul %n, %stride : i64
  %ra = llvm.getelementptr %fa[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %rb = llvm.getelementptr %fb[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %pa = llvm.getelementptr %ra[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %pb = llvm.getelementptr %rb[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load volatile %pa : !llvm.ptr<1> -> f32
  %y = llvm.load volatile %pb : !llvm.ptr<1> -> f32
  %product = llvm.fmul %x, %y : f32
  %more = llvm.fadd %sum, %product : f32
  %next = llvm.add %n, %one : i64
  %goesOn = llvm.icmp "slt" %next, )" +
         end + R"( : i64
  llvm.cond_br %goesOn, ^loop(%next, %more : i64, f32), ^end
^end:
  llvm.store %more, %out : f32, !llvm.ptr<1>
  llvm.return
}
)";
}

/// The operands of the additions that make the addresses of the loads, in
/// order.
static std::vector<std::pair<std::string, std::string>>
listAddresses(const std::string &ptx) {
  std::vector<std::pair<std::string, std::string>> sums;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(ptx).split(lines, '\n');
  llvm::Regex load("ld\\.volatile.*\\[(%rd[0-9]+)\\]");
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef> parts;
    if (!load.match(line, &parts))
      continue;
    llvm::Regex sum("add\\.s64.*" + parts[1].str() +
                    ", (%rd[0-9]+), (%rd[0-9]+);");
    for (llvm::StringRef other : lines)
      if (sum.match(other, &parts)) {
        sums.emplace_back(parts[1].str(), parts[2].str());
        break;
      }
  }
  return sums;
}

TEST(Codegen, TensorsOfALoopShareTheirDistance) {
  std::string ptx = compile(multiplyColumns("%count"), get("sm_80"));
  auto sums = listAddresses(ptx);
  // LLVM unrolls the loop.
  ASSERT_FALSE(sums.empty()) << ptx;
  ASSERT_EQ(sums.size() % 2, 0u) << ptx;
  auto isArgument = [&](const std::string &name) {
    return llvm::Regex("ld\\.param\\.b64[^\n]*" + name + ",").match(ptx);
  };
  for (size_t i = 0; i < sums.size(); i += 2) {
    EXPECT_NE(sums[i].first, sums[i + 1].first) << ptx;
    EXPECT_EQ(sums[i].second, sums[i + 1].second) << ptx;
    EXPECT_TRUE(isArgument(sums[i].first)) << ptx;
    EXPECT_TRUE(isArgument(sums[i + 1].first)) << ptx;
  }
}

TEST(Codegen, TheAssemblerLeavesCountedLoops) {
  const char *pragma = ".pragma \"nounroll\";";
  std::string known = compile(multiplyColumns("%hundred"), get("sm_80"));
  EXPECT_TRUE(contains(known, pragma)) << known;
  std::string unknown = compile(multiplyColumns("%count"), get("sm_80"));
  EXPECT_FALSE(contains(unknown, pragma)) << unknown;
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
