// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of one translation: verify, complete the MLIR module (inline PTX
// of NVVM's own ops, debug scopes), translate, link, optimise, check, emit.

#include "lib/Codegen/LLVMToPTX.h"

#include "lib/Codegen/LLVMChecks.h"
#include "lib/Codegen/Optimize.h"
#include "lib/Codegen/SinkAddresses.h"
#include "lib/Codegen/StageTimer.h"
#include "passes/TileGPUToLLVM/VerifyTarget/MatrixIntrinsics.h"
#include "passes/TileGPUToLLVM/VerifyTarget/VerifyTarget.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <mutex>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

// Only the NVPTX back end is linked, so LLVM's "all targets" helpers are not
// at hand.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

void codegen::registerCodegenTranslations(DialectRegistry &registry) {
  registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

//===----------------------------------------------------------------------===//
// The target machine
//===----------------------------------------------------------------------===//

/// Level 3 has no code generation of its own: for NVPTX it only adds value
/// numbering, which finds nothing more after optimizeKernels.
static llvm::CodeGenOptLevel codeGenLevel(unsigned level) {
  return level == 0   ? llvm::CodeGenOptLevel::None
         : level == 1 ? llvm::CodeGenOptLevel::Less
                      : llvm::CodeGenOptLevel::Default;
}

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(ModuleOp module, const target::Target &target,
                    target::PtxVersion ptxVersion, unsigned level) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });

  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *backEnd =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backEnd)
    return module.emitError() << "LLVM has no NVPTX back end: " << error;

  llvm::TargetOptions options;
  options.MCOptions.AsmVerbose = false;
  std::string features = "+ptx" + std::to_string(ptxVersion);
  std::unique_ptr<llvm::TargetMachine> machine(backEnd->createTargetMachine(
      triple, target.chip, features, options, /*RM=*/std::nullopt,
      /*CM=*/std::nullopt, codeGenLevel(level)));
  if (!machine)
    return module.emitError() << "LLVM cannot compile for '" << target.chip
                              << "' with '" << features << "'";
  return std::move(machine);
}

//===----------------------------------------------------------------------===//
// The MLIR module
//===----------------------------------------------------------------------===//

/// Turns NVVM ops that have no LLVM intrinsic into inline PTX and, for line
/// tables, gives every function a debug scope.
static LogicalResult completeModule(ModuleOp module, bool lineInfo) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
#ifdef NDEBUG
  manager.enableVerifier(false);
#endif
  manager.addPass(createConvertNVVMToLLVMPass());
  if (lineInfo) {
    LLVM::DIScopeForLLVMFuncOpPassOptions options;
    options.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass(options));
  }
  return manager.run(module);
}

//===----------------------------------------------------------------------===//
// The LLVM module
//===----------------------------------------------------------------------===//

static bool isKernel(const llvm::GlobalValue &value) {
  const auto *function = dyn_cast<llvm::Function>(&value);
  return function &&
         function->getCallingConv() == llvm::CallingConv::PTX_Kernel;
}

/// All lanes of a warp must execute a matrix instruction together, which LLVM's
/// intrinsics for them do not say: without this a call may sink into a branch.
static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (function.getName().starts_with(tilegpu::matrixIntrinsicPrefix))
      for (llvm::User *user : function.users())
        if (auto *call = dyn_cast<llvm::CallInst>(user))
          call->setConvergent();
}

/// Links what the module declares from bitcode files. Linked functions become
/// internal, as everything but the kernels does.
static LogicalResult linkLibraries(ModuleOp module, llvm::Module &llvmModule,
                                   ArrayRef<std::string> paths) {
  for (const std::string &path : paths) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return module.emitError() << "cannot read the bitcode library '" << path
                                << "': " << buffer.getError().message();
    auto library = llvm::getOwningLazyBitcodeModule(std::move(*buffer),
                                                    llvmModule.getContext());
    if (!library)
      return module.emitError() << "cannot read the bitcode library '" << path
                                << "': " << llvm::toString(library.takeError());
    // The library's own triple and layout spell the same machine differently.
    (*library)->setTargetTriple(llvmModule.getTargetTriple());
    (*library)->setDataLayout(llvmModule.getDataLayout());
    if (llvm::Linker::linkModules(llvmModule, std::move(*library),
                                  llvm::Linker::LinkOnlyNeeded))
      return module.emitError()
             << "cannot link the bitcode library '" << path << "'";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// One translation
//===----------------------------------------------------------------------===//

namespace {
/// The state of one translation; its members die in the order that LLVM needs
/// (the module before its context).
struct Translation {
  target::PtxVersion ptxVersion = 0;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  OwningOpRef<ModuleOp> copy;
  std::unique_ptr<llvm::Module> module;
};
} // namespace

/// Runs everything up to the optimised LLVM module.
static LogicalResult run(Translation &translation, ModuleOp module,
                         const target::Target &target,
                         const CodegenOptions &options,
                         DiagnosticState &diagnostics,
                         CodegenTimings *timings) {
  unsigned level = std::min(options.optimizationLevel, 3u);
  {
    StageTimer timer(timings ? &timings->translation : nullptr);
    if (failed(tilegpu::verifyForTarget(module, target)))
      return failure();
    translation.ptxVersion = std::max(
        tilegpu::requiredPtxVersion(module, target), options.minimumPtxVersion);
    FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
        createTargetMachine(module, target, translation.ptxVersion, level);
    if (failed(machine))
      return failure();
    translation.machine = std::move(*machine);

    translation.copy = module.clone();
    if (failed(completeModule(*translation.copy, options.lineInfo)))
      return failure();
    installDiagnosticHandler(translation.context, diagnostics);
    translation.module = translateModuleToLLVMIR(
        *translation.copy, translation.context, "tilewright");
    if (!translation.module || diagnostics.sawError)
      return failure();
    llvm::Module &llvmModule = *translation.module;
    llvmModule.setTargetTriple(translation.machine->getTargetTriple());
    llvmModule.setDataLayout(translation.machine->createDataLayout());
    mapSourcePaths(llvmModule, options.pathPrefixMap);
    if (failed(linkLibraries(module, llvmModule, options.bitcodeLibraries)) ||
        failed(checkCallees(module, llvmModule)))
      return failure();
    if (llvm::none_of(llvmModule, isKernel))
      return module.emitError() << "expects at least one kernel, a function "
                                   "with 'nvvm.kernel', but got none";
    llvm::internalizeModule(llvmModule, isKernel);
    markConvergent(llvmModule);
  }
  StageTimer timer(timings ? &timings->optimization : nullptr);
  optimizeKernels(*translation.module, *translation.machine, target, level);
  if (diagnostics.sawError)
    return failure();
  return checkSelectable(module, *translation.module);
}

namespace {
/// Takes what a target machine adds for code generation, but for some passes.
///
/// Straight-line strength reduction finds nothing in tiles' code, and its time
/// grows with the square of a block's length: it asks of each addition and
/// product whether the rest of its block has undefined behaviour. Of 8,000
/// instructions it takes 90 % of the whole of code generation.
///
/// Strength reduction of loops carries a pointer for each tensor, two registers
/// that count throughout the loop, where arguments are read from constant
/// memory and tensors share their distances from these (ShareOffsets.h).
///
/// Reassociation of sums changed the code of 6 of 196 kernels, by less than 2
/// %, and EarlyCSE behind it and behind straight-line strength reduction that
/// of none; together they take 4 % of a product's compile time.
///
/// Sinking of machine instructions holds all that polynomials are made of until
/// the block that takes their results: of 32 angles' sines and cosines, stored
/// at the end, 255 registers for 106, and 3,264 instructions for 2,152. Where
/// there are loops, though, it brings what they begin with from behind the
/// branches of copies to its use: recurrences take 1.11 and 1.14 of the time
/// without on an H200, at as many instructions.
///
/// Addresses are sunk behind LLVM's own pass that does so, the last one to move
/// them.
class EmissionPasses : public llvm::legacy::PassManagerBase {
public:
  explicit EmissionPasses(bool sinks) : sinks(sinks) {}

  void add(llvm::Pass *pass) override {
    const llvm::PassInfo *info = llvm::Pass::lookupPassInfo(pass->getPassID());
    StringRef name = info ? info->getPassArgument() : StringRef();
    bool cleansUp = name == "early-cse" && isBehindDropped;
    isBehindDropped =
        name == "slsr" || name == "nary-reassociate" || name == "loop-reduce";
    if (cleansUp || isBehindDropped || (name == "machine-sink" && !sinks)) {
      delete pass;
      return;
    }
    passes.add(pass);
    if (name == "codegenprepare")
      passes.add(createSinkAddresses());
  }
  void run(llvm::Module &module) { passes.run(module); }

private:
  llvm::legacy::PassManager passes;
  /// Whether machine instructions are sunk.
  const bool sinks;
  /// Whether the pass before was dropped.
  bool isBehindDropped = false;
};
} // namespace

static bool hasLoops(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    SmallVector<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>>
        edges;
    if (!function.isDeclaration())
      llvm::FindFunctionBackedges(function, edges);
    return !edges.empty();
  });
}

static std::string print(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, /*AAW=*/nullptr);
  return text;
}

FailureOr<codegen::PtxCode>
codegen::translateToPTX(ModuleOp module, const target::Target &target,
                        const CodegenOptions &options, CodegenTimings *timings,
                        std::string *llvmIR) {
  DiagnosticState diagnostics(module);
  Translation translation;
  if (failed(run(translation, module, target, options, diagnostics, timings)))
    return failure();
  if (llvmIR)
    *llvmIR = print(*translation.module);

  StageTimer timer(timings ? &timings->emission : nullptr);
  llvm::SmallString<0> text;
  {
    llvm::raw_svector_ostream stream(text);
    EmissionPasses passes(hasLoops(*translation.module));
    if (translation.machine->addPassesToEmitFile(
            passes, stream, /*DwoOut=*/nullptr,
            llvm::CodeGenFileType::AssemblyFile, /*DisableVerify=*/true))
      return module.emitError()
             << "LLVM cannot emit PTX for '" << target.chip << "'";
    passes.run(*translation.module);
  }
  if (diagnostics.sawError)
    return failure();
  return PtxCode{std::string(text.str()), translation.ptxVersion};
}

FailureOr<std::string> codegen::translateToLLVMIR(ModuleOp module,
                                                  const target::Target &target,
                                                  const CodegenOptions &options,
                                                  CodegenTimings *timings) {
  DiagnosticState diagnostics(module);
  Translation translation;
  if (failed(run(translation, module, target, options, diagnostics, timings)))
    return failure();
  return print(*translation.module);
}
