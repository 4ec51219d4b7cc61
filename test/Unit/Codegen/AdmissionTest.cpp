// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target verifier against LLVM itself: over every target and every row of
// the table, what the verifier admits must be selected (LLVM aborts this very
// process where it cannot), and what it refuses it must refuse for the lack
// that the row names.

#include "AdmissionSamples.h"
#include "TestModule.h"

#include "lib/Codegen/Assemble.h"
#include "lib/Codegen/LLVMToPTX.h"
#include "lib/Judges/Emulator/Machine/GlobalMemory.h"
#include "lib/Judges/Emulator/Machine/Program.h"

#include "gtest/gtest.h"

#include <csignal>
#include <map>
#include <unistd.h>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::test;

TEST(Admission, EveryRowHasASample) {
  for (const tilegpu::AdmissionRule &rule : tilegpu::admissionRules())
    EXPECT_FALSE(samplesFor(rule).empty()) << rule.name.str();
}

TEST(Admission, EverySampleParses) {
  TestModules modules;
  for (const tilegpu::AdmissionRule &rule : tilegpu::admissionRules())
    for (const Sample &sample : samplesFor(rule))
      EXPECT_TRUE(modules.parse(kernelText(sample)))
          << sample.name << "\n"
          << modules.takeDiagnostics();
}

/// Rows, by how their names begin, that the emulator does not run, and why. One
/// that is not needed is an error.
static const std::pair<StringRef, StringRef> notEmulated[] = {
    {"nvvm.read.ptx.sreg.", "registers that name the hardware"},
};

/// What the emulator does not know of `ptx`; nothing, where it knows all.
static std::string findUnknown(const std::string &ptx) {
  emulator::GlobalMemory memory;
  emulator::SyntaxError error;
  if (emulator::Program::create(ptx, memory, error))
    return "";
  return error.message;
}

/// The reason in `notEmulated` for a row, or "".
static StringRef findReason(StringRef row) {
  for (auto [name, reason] : notEmulated)
    if (row.starts_with(name))
      return reason;
  return "";
}

// What is admitted may be emitted; then the emulator, which every numeric test
// runs on, has to know it. Inline PTX is not made to be right here: what passes
// write is run by the tests of the operations.
TEST(Admission, TheEmulatorRunsWhatIsAdmitted) {
  std::map<StringRef, bool> needed;
  for (auto [name, reason] : notEmulated)
    needed[reason] = false;
  TestModules modules;
  for (const target::Target &target : target::allTargets())
    for (const tilegpu::AdmissionRule &rule : tilegpu::admissionRules())
      for (const Sample &sample : samplesFor(rule)) {
        OwningOpRef<ModuleOp> module = modules.parse(kernelText(sample));
        if (rule.subject == tilegpu::AdmissionSubject::Mnemonic || !module ||
            failed(tilegpu::verifyForTarget(*module, target)))
          continue;
        FailureOr<codegen::PtxCode> ptx =
            codegen::translateToPTX(*module, target, {});
        std::string unknown = succeeded(ptx) ? findUnknown(ptx->text) : "";
        StringRef reason = findReason(rule.name);
        EXPECT_TRUE(unknown.empty() || !reason.empty())
            << sample.name << " for " << std::string(target.name) << ": "
            << unknown;
        if (!unknown.empty())
          needed[reason] = true;
      }
  modules.takeDiagnostics();
  for (auto [reason, isNeeded] : needed)
    EXPECT_TRUE(isNeeded) << reason.str() << ": the emulator runs it";
}

// LLVM's abort would not say which sample it met.
static std::string currentSample;
static void printSample(int) {
  (void)!write(2, currentSample.data(), currentSample.size());
}

namespace {
class AdmissionOnTarget
    : public testing::TestWithParam<const target::Target *> {};
} // namespace

TEST_P(AdmissionOnTarget, AdmittedRowsCompileAndOthersAreRefused) {
  const target::Target &target = *GetParam();
  std::signal(SIGABRT, printSample);
  codegen::AssembleOptions assembler;
  assembler.assembler = codegen::AssemblerKind::Library;
  assembler.optimizationLevel = 0;
  llvm::Expected<std::string> identity = codegen::assemblerIdentity(assembler);
  bool assembles = bool(identity);
  if (!assembles)
    llvm::outs() << "not assembled: " << llvm::toString(identity.takeError())
                 << "\n";
  TestModules modules;
  unsigned admitted = 0, refused = 0;
  for (const tilegpu::AdmissionRule &rule : tilegpu::admissionRules()) {
    bool expected = !rule.needs || target.has(*rule.needs);
    for (const Sample &sample : samplesFor(rule)) {
      currentSample = sample.name + " for " + std::string(target.name) + "\n";
      OwningOpRef<ModuleOp> module = modules.parse(kernelText(sample));
      ASSERT_TRUE(module) << sample.name;
      bool verified = succeeded(tilegpu::verifyForTarget(*module, target));
      std::string diagnostics = modules.takeDiagnostics();
      if (!verified) {
        ++refused;
        EXPECT_NE(diagnostics.find("lacks it"), std::string::npos)
            << sample.name << ": " << diagnostics;
        // Matrix shapes are refused by the target's own table.
        if (rule.name != "nvvm.mma.sync")
          EXPECT_FALSE(expected) << sample.name << ": " << diagnostics;
        continue;
      }
      ++admitted;
      EXPECT_TRUE(expected) << sample.name;
      codegen::CodegenOptions options;
      FailureOr<codegen::PtxCode> ptx =
          codegen::translateToPTX(*module, target, options);
      ASSERT_TRUE(succeeded(ptx))
          << sample.name << ": " << modules.takeDiagnostics();
      // Inline PTX is not made to be right here, and plain LLVM operations
      // are LLVM's own affair.
      if (!assembles || !rule.name.contains("nvvm."))
        continue;
      llvm::Expected<codegen::AssembledCode> code =
          codegen::assemble(ptx->text, target, assembler);
      EXPECT_TRUE(bool(code)) << sample.name << ": "
                              << llvm::toString(code.takeError()) << ptx->text;
    }
  }
  EXPECT_GT(admitted, 400u);
  EXPECT_TRUE(refused > 0 || target.name == "sm_90a") << refused;
}

INSTANTIATE_TEST_SUITE_P(Targets, AdmissionOnTarget, testing::ValuesIn([] {
                           std::vector<const target::Target *> targets;
                           for (const target::Target &target :
                                target::allTargets())
                             targets.push_back(&target);
                           return targets;
                         }()),
                         [](const auto &info) {
                           return std::string(info.param->name);
                         });

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

namespace {
struct Refusal {
  const char *target;
  const char *body;
  const char *message;
  const char *declarations = "";
};
} // namespace

TEST(Refusal, SaysWhatIsLackingAtTheOperation) {
  const Refusal refusals[] = {
      {"sm_75", "nvvm.cp.async.commit.group",
       "operation 'nvvm.cp.async.commit.group' needs cp.async, but target "
       "sm_75 lacks it"},
      {"sm_80", "%x = llvm.intr.sin(%f) : (f32) -> f32",
       "operation 'llvm.intr.sin' is not known to compile"},
      {"sm_80", "%x = llvm.intr.exp2(%d) : (f64) -> f64",
       "expects f16, bf16 or f32, but got 'f64'"},
      {"sm_80", "%x = llvm.call_intrinsic \"llvm.tanh.f32\"(%f) : (f32) -> f32",
       "intrinsic 'llvm.tanh.f32' is not known to compile"},
      {"sm_80",
       "%x = llvm.call_intrinsic \"llvm.nvvm.tcgen05.wait.ld\"() : () -> i32",
       "intrinsic 'llvm.nvvm.tcgen05.wait.ld' is not known to compile"},
      {"sm_70",
       "%x = llvm.inline_asm \"{ .reg .b32 t;\\0A @p ldmatrix.sync.aligned "
       "$0; }\", \"=r\" : () -> i32",
       "instruction 'ldmatrix.sync.aligned' needs ldmatrix, but target sm_70 "
       "lacks it"},
      {"sm_80", "%x = llvm.zext %i : i32 to i128",
       "expects integers of at most 64 bits"},
      {"sm_80", "%x = llvm.fpext %f : f32 to f128", "but got 'f128'"},
      {"sm_80", "%x = llvm.mlir.zero : vector<[4]xi32>",
       "but got 'vector<[4]xi32>'"},
      {"sm_80", "%x = llvm.alloca %i x i32 : (i32) -> !llvm.ptr",
       "expects a constant number of elements"},
      {"sm_80",
       "%v = llvm.mlir.zero : vector<8xbf16>\n%x = llvm.atomicrmw fadd %p, %v "
       "monotonic : !llvm.ptr<1>, vector<8xbf16>",
       "expects an atomic access of 8, 16, 32 or 64 bits, but got "
       "'vector<8xbf16>'"},
      {"sm_80", "llvm.fence syncscope(\"agent\") acquire",
       "expects the memory scope"},
      {"sm_80", "llvm.fence syncscope(\"cluster\") acquire",
       "needs clusters, but target sm_80 lacks it"},
      {"sm_80", "%x = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<1>",
       "expects a cast from or to generic pointers"},
      {"sm_90a", "%x = llvm.addrspacecast %g : !llvm.ptr to !llvm.ptr<9>",
       "but got '!llvm.ptr<9>'"},
      {"sm_90a", "nvvm.memory.barrier <cluster>", "there is no membar"},
      {"sm_80",
       "%x = nvvm.mma.sync A[%hh, %hh] B[%hh, %hh] C[%f, %f, %f, %f, %f, %f, "
       "%f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = "
       "#nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : "
       "(vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, "
       "f32, f32, f32, f32, f32)>",
       "shape m8n8k4 on f16 and f16 needs mma.m8n8k4, but target sm_80 lacks "
       "it"},
      {"sm_80", "%x = llvm.mlir.addressof @m : !llvm.ptr<3>",
       "expects shared memory without an initial value",
       "llvm.mlir.global internal @m(5 : i32) {addr_space = 3 : i32} : i32\n"},
      {"sm_80", "llvm.call %g(%i) : !llvm.ptr, (i32) -> ()",
       "expects a direct call"},
      {"sm_75", "nvvm.prefetch level = L2, %q : !llvm.ptr<1>",
       "operation 'nvvm.prefetch' is not known to compile"},
      {"sm_80", "",
       "operation 'llvm.func' needs clusters, but target sm_80 lacks it",
       "llvm.func @c() attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: "
       "2, 1, 1>} {\nllvm.return\n}\n"},
      {"sm_80", "", "is not known to compile",
       "llvm.mlir.global internal @m(5 : i32) {addr_space = 1 : i32} : i32\n"
       "llvm.mlir.alias external @a : i32 {\n%0 = llvm.mlir.addressof @m : "
       "!llvm.ptr<1>\nllvm.return %0 : !llvm.ptr<1>\n}\n"},
  };
  TestModules modules;
  for (const Refusal &refusal : refusals) {
    OwningOpRef<ModuleOp> module =
        modules.parse(kernelText({"", refusal.body, "", refusal.declarations}));
    ASSERT_TRUE(module) << refusal.body << modules.takeDiagnostics();
    EXPECT_TRUE(failed(
        tilegpu::verifyForTarget(*module, *target::lookup(refusal.target))))
        << refusal.body;
    std::string diagnostics = modules.takeDiagnostics();
    EXPECT_NE(diagnostics.find(refusal.message), std::string::npos)
        << refusal.body << "\n"
        << diagnostics;
  }
}
