// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's assembler behind both of its forms. The tests that need it are
// skipped, with the reason, where it is missing.

#include "TestModule.h"

#include "lib/Codegen/Assemble.h"
#include "lib/Codegen/LLVMToPTX.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <thread>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::test;

static std::string message(llvm::Error error) {
  return llvm::toString(std::move(error));
}

/// A kernel with static shared memory, as PTX for `target`.
static std::string makePTX(const target::Target &target) {
  TestModules modules;
  OwningOpRef<ModuleOp> module = modules.parse(R"(
llvm.mlir.global internal @buffer() {addr_space = 3 : i32, alignment = 16 : i64}
  : !llvm.array<512 x i32>
llvm.func @reverse(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %b = llvm.mlir.addressof @buffer : !llvm.ptr<3>
  %n = llvm.mlir.constant(511 : i32) : i32
  %i = nvvm.read.ptx.sreg.tid.x : i32
  %o = llvm.sub %n, %i : i32
  %x = llvm.getelementptr %b[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %y = llvm.getelementptr %b[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %i, %x : i32, !llvm.ptr<3>
  nvvm.barrier
  %r = llvm.load %y : !llvm.ptr<3> -> i32
  %q = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %r, %q : i32, !llvm.ptr<1>
  llvm.return
})");
  FailureOr<codegen::PtxCode> ptx = codegen::translateToPTX(*module, target);
  EXPECT_TRUE(succeeded(ptx)) << modules.takeDiagnostics();
  return succeeded(ptx) ? ptx->text : "";
}

namespace {
class Assemble : public testing::TestWithParam<codegen::AssemblerKind> {
protected:
  void SetUp() override {
    options.assembler = GetParam();
    llvm::Expected<std::string> identity = codegen::assemblerIdentity(options);
    if (!identity)
      GTEST_SKIP() << message(identity.takeError());
    std::string expected = GetParam() == codegen::AssemblerKind::Library
                               ? "libnvJitLink 1"
                               : "ptxas ";
    EXPECT_EQ(identity->substr(0, expected.size()), expected) << *identity;
  }
  codegen::AssembleOptions options;
};
} // namespace

TEST_P(Assemble, EveryTargetsPTX) {
  for (const target::Target &target : target::allTargets()) {
    llvm::Expected<codegen::AssembledCode> code =
        codegen::assemble(makePTX(target), target, options);
    ASSERT_TRUE(bool(code)) << message(code.takeError());
    EXPECT_EQ(StringRef(code->cubin.data(), 4), "\x7f"
                                                "ELF");
    EXPECT_TRUE(code->assembledFor == target.chip ||
                (target.name == "sm_70" && code->assembledFor == "sm_75"))
        << code->assembledFor;
    ASSERT_EQ(code->kernels.size(), 1u) << code->log;
    EXPECT_EQ(code->kernels[0].name, "reverse");
    EXPECT_GT(code->kernels[0].registers, 3u) << code->log;
    EXPECT_EQ(code->kernels[0].barriers, 1u) << code->log;
    EXPECT_EQ(code->kernels[0].spillStoreBytes, 0u);
    // Hopper's assembler counts 1 KB of its own.
    EXPECT_EQ(code->kernels[0].sharedMemoryBytes % 1024, 0u) << code->log;
    EXPECT_GE(code->kernels[0].sharedMemoryBytes, 2048u) << code->log;
  }
}

TEST_P(Assemble, ErrorsCarryTheLog) {
  const target::Target &target = *target::lookup("sm_80");
  llvm::Expected<codegen::AssembledCode> code = codegen::assemble(
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { "
      "frobnicate.u32 %r1; }\n",
      target, options);
  ASSERT_FALSE(bool(code));
  std::string text = message(code.takeError());
  EXPECT_NE(text.find("frobnicate"), std::string::npos) << text;
  EXPECT_NE(text.find("sm_80"), std::string::npos) << text;
}

TEST_P(Assemble, SameCubinFromFourThreads) {
  const target::Target &target = *target::lookup("sm_86");
  std::string ptx = makePTX(target);
  std::vector<std::vector<char>> cubins(4);
  std::vector<std::thread> threads;
  for (std::vector<char> &cubin : cubins)
    threads.emplace_back([&] {
      llvm::Expected<codegen::AssembledCode> code =
          codegen::assemble(ptx, target, options);
      if (code)
        cubin = code->cubin;
      else
        llvm::consumeError(code.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_FALSE(cubins[0].empty());
  for (const std::vector<char> &cubin : cubins)
    EXPECT_EQ(cubin, cubins[0]);
}

/// A kernel of 64 products and sums, without a word on their rounding.
static std::string makeProducts() {
  std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry k(.param .u64 p) {\n"
                     ".reg .b64 %p; .reg .f32 %x, %y, %s;\n"
                     "ld.param.u64 %p, [p]; ld.global.f32 %s, [%p];\n";
  for (unsigned i = 1; i <= 64; ++i)
    text += "ld.volatile.global.f32 %x, [%p + " + std::to_string(4 * i) +
            "]; mul.f32 %y, %x, %x; add.f32 %s, %s, %y;\n";
  return text + "st.global.f32 [%p], %s; ret; }\n";
}

/// A product of a warp group whose sums are divided.
static const char productAndDivision[] = R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) .reqntid 128 {
  .reg .b64 %p, %d; .reg .f32 %a, %b, %c, %e;
  ld.param.u64 %p, [p];
  ld.global.u64 %d, [%p];
  mov.f32 %a, 0f00000000; mov.f32 %b, %a; mov.f32 %c, %a; mov.f32 %e, %a;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%a, %b, %c, %e}, %d, %d, 1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  div.rn.f32 %a, %a, %b;
  div.rn.f32 %c, %c, %e;
  st.global.v2.f32 [%p], {%a, %c};
  ret;
})";

/// A warp group that takes registers.
static const char moreRegisters[] = R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) .reqntid 128 .maxnreg 168 {
  .reg .b64 %p;
  ld.param.u64 %p, [p];
  setmaxnreg.inc.sync.aligned.u32 240;
  st.global.u64 [%p], %p;
  ret;
})";

/// Two products of a warp group whose sums take all of a thread's registers.
static std::string makeLargeProducts() {
  auto name = [](char sums, unsigned index) {
    return std::string("%") + sums + std::to_string(index);
  };
  auto forEach = [&](auto write) {
    std::string text;
    for (char sums : {'a', 'b'})
      for (unsigned index = 0; index < 128; ++index)
        text += write(name(sums, index), std::to_string(4 * index));
    return text;
  };
  std::string text =
      ".version 8.0\n.target sm_90a\n.address_size 64\n"
      ".visible .entry k(.param .u64 p) .reqntid 128 .maxnreg 168 {\n"
      ".reg .b64 %p, %d; .reg .f32 %a<128>, %b<128>;\n"
      "ld.param.u64 %p, [p]; ld.global.u64 %d, [%p];\n";
  text += forEach([](const std::string &sum, const std::string &offset) {
    return "ld.global.f32 " + sum + ", [%p + " + offset + "];\n";
  });
  text += "wgmma.fence.sync.aligned;\n";
  for (char sums : {'a', 'b'}) {
    text += "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {";
    for (unsigned index = 0; index < 128; ++index)
      text += (index ? ", " : "") + name(sums, index);
    text += "}, %d, %d, 1, 1, 1, 0, 0;\n";
  }
  text += "wgmma.commit_group.sync.aligned;\n"
          "wgmma.wait_group.sync.aligned 0;\n";
  text += forEach([](const std::string &sum, const std::string &offset) {
    return "st.global.f32 [%p + " + offset + "], " + sum + ";\n";
  });
  return text + "ret; }\n";
}

/// No other assembler has more registers: it is not asked for the same again.
TEST_P(Assemble, DoesNotCallRegistersLost) {
  const target::Target &target = *target::lookup("sm_90a");
  llvm::Expected<codegen::AssembledCode> code =
      codegen::assemble(makeLargeProducts(), target, options);
  ASSERT_TRUE(bool(code)) << message(code.takeError());
  EXPECT_NE(code->log.find("C7511"), std::string::npos) << code->log;
  EXPECT_EQ(code->lost, "");
}

TEST_P(Assemble, SaysWhatIsLost) {
  const target::Target &target = *target::lookup("sm_90a");
  for (auto [ptx, what] :
       {std::pair(productAndDivision, "wait for each other"),
        std::pair(moreRegisters, "registers that they begin with")})
    for (bool isForced : {true, false}) {
      codegen::AssembleOptions chosen = options;
      if (!isForced)
        chosen.assembler = codegen::AssemblerKind::Any;
      llvm::Expected<codegen::AssembledCode> code =
          codegen::assemble(ptx, target, chosen);
      ASSERT_TRUE(bool(code)) << message(code.takeError());
      bool isLibrary = GetParam() == codegen::AssemblerKind::Library;
      if (isForced && isLibrary)
        EXPECT_NE(code->lost.find(what), std::string::npos) << code->log;
      else
        EXPECT_EQ(code->lost, "") << code->log;
    }
}

/// What loses something is left out, if that is asked for.
TEST_P(Assemble, LeavesOutWhatIsNotWhole) {
  const target::Target &target = *target::lookup("sm_90a");
  bool isLibrary = GetParam() == codegen::AssemblerKind::Library;
  options.onlyWhole = true;
  for (const char *ptx : {moreRegisters, productAndDivision}) {
    llvm::Expected<codegen::AssembledCode> code =
        codegen::assemble(ptx, target, options);
    ASSERT_TRUE(bool(code)) << message(code.takeError());
    EXPECT_EQ(code->cubin.empty(), isLibrary);
    EXPECT_EQ(code->lost.empty(), !isLibrary);
    // The first is not even tried.
    EXPECT_EQ(code->log.empty(), isLibrary && ptx == moreRegisters);
  }
}

TEST_P(Assemble, FusesUnlessForbidden) {
  const target::Target &target = *target::lookup("sm_80");
  auto measure = [&](bool fuse) -> size_t {
    options.fuse = fuse;
    llvm::Expected<codegen::AssembledCode> code =
        codegen::assemble(makeProducts(), target, options);
    if (code)
      return code->cubin.size();
    ADD_FAILURE() << message(code.takeError());
    return 0;
  };
  // An instruction has 16 bytes.
  EXPECT_GE(measure(false), measure(true) + 60 * 16);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Assemble,
                         testing::Values(codegen::AssemblerKind::Library,
                                         codegen::AssemblerKind::Program),
                         [](const auto &info) {
                           return info.param == codegen::AssemblerKind::Library
                                      ? "Library"
                                      : "Program";
                         });

TEST(AssembleError, SaysWhereItSearched) {
  codegen::AssembleOptions options;
  options.cudaRoot = "/no/such/toolkit";
  llvm::Expected<codegen::AssembledCode> code =
      codegen::assemble("", *target::lookup("sm_80"), options);
  ASSERT_FALSE(bool(code));
  std::string text = message(code.takeError());
  EXPECT_NE(text.find("/no/such/toolkit/lib64/libnvJitLink.so.13"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("/no/such/toolkit/bin/ptxas"), std::string::npos) << text;
  EXPECT_EQ(text.find("expects CUDA's assembler (libnvJitLink or ptxas of CUDA "
                      "12 or 13), but found none; set TILEWRIGHT_CUDA_ROOT to "
                      "the folder of a CUDA toolkit; searched: "),
            0u)
      << text;
}

TEST(AssembleError, ProgramThatTellsNoVersion) {
  llvm::SmallString<128> root;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("toolkit", root));
  std::string folder = (root + "/bin").str(), program = folder + "/ptxas";
  ASSERT_FALSE(llvm::sys::fs::create_directory(folder));
  {
    std::error_code failed;
    llvm::raw_fd_ostream file(program, failed);
    ASSERT_FALSE(failed);
    file << "#!/bin/sh\necho nothing of use\n";
  }
  ASSERT_FALSE(
      llvm::sys::fs::setPermissions(program, llvm::sys::fs::all_perms));
  codegen::AssembleOptions options;
  options.cudaRoot = root.str();
  options.assembler = codegen::AssemblerKind::Program;
  llvm::Expected<std::string> identity = codegen::assemblerIdentity(options);
  ASSERT_FALSE(bool(identity));
  EXPECT_EQ(message(identity.takeError()),
            "expects a version from '" + program +
                " --version', but got: nothing of use\n");
  llvm::sys::fs::remove_directories(root);
}

TEST(AssembleLog, ReadsBothReports) {
  std::vector<codegen::KernelResources> kernels = codegen::parseAssemblerLog(
      "ptxas info    : Compiling entry function 'k2' for 'sm_75'\n"
      "ptxas info    : Function properties for k2\n"
      "    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 2 barriers, 96 bytes smem, 360 "
      "bytes cmem[0]\n"
      "ptxas info    : Function properties for k1\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes "
      "spill loads\n"
      "ptxas info    : Used 5 registers, used 1 barriers, 360 bytes cmem[0]\n"
      "info    : Function properties for 'k1':\n"
      "info    : used 5 registers, used 1 barriers, 0 stack, 2048 bytes smem, "
      "360 bytes cmem[0], 0 bytes lmem\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "k1");
  EXPECT_EQ(kernels[0].registers, 5u);
  EXPECT_EQ(kernels[0].sharedMemoryBytes, 2048u);
  EXPECT_EQ(kernels[1].name, "k2");
  EXPECT_EQ(kernels[1].registers, 40u);
  EXPECT_EQ(kernels[1].barriers, 2u);
  EXPECT_EQ(kernels[1].stackBytes, 16u);
  EXPECT_EQ(kernels[1].spillStoreBytes, 12u);
  EXPECT_EQ(kernels[1].spillLoadBytes, 8u);
  EXPECT_EQ(kernels[1].sharedMemoryBytes, 96u);
}
