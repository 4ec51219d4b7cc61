// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One compilation, stage by stage, on MLIR types: what the driver and
// Compiler.h share.
//
// Comes in: a parsed module of tile IR. Goes out: an artifact, or the text or
// bytes of any later form. Diagnostics go to the context's handler.

#ifndef TILEWRIGHT_LIB_COMPILER_COMPILATION_H
#define TILEWRIGHT_LIB_COMPILER_COMPILATION_H

#include "dialects/Target/Target.h"
#include "lib/Codegen/Assemble.h"
#include "lib/Codegen/LLVMToPTX.h"
#include "lib/Compiler/CopyChoice.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Artifact.h"
#include "tilewright/CompileOptions.h"
#include "llvm/Support/ThreadPool.h"

#include <optional>

namespace tilewright::compiler {

/// Applied to every pass manager before it runs, for a driver's own flags; null
/// where there are none.
using ConfigurePassManager =
    llvm::function_ref<llvm::LogicalResult(mlir::PassManager &)>;

/// Adds every dialect and translation that a compilation needs.
void registerDialects(mlir::DialectRegistry &registry);

/// A context with the dialects of a compilation, on `threads` threads, whose
/// diagnostics are for users: the user's line without the operation's generic
/// form.
class CompilerContext {
public:
  explicit CompilerContext(unsigned threads);
  mlir::MLIRContext &get() { return *context; }

private:
  // Outlives the context, which uses it.
  std::optional<llvm::DefaultThreadPool> pool;
  std::optional<mlir::MLIRContext> context;
};

/// How long the compilation for one target took, in seconds.
struct StageTimes {
  std::string target;
  /// The passes of our dialects, up to the LLVM dialect.
  double passes = 0;
  /// LLVM's part.
  codegen::CodegenTimings codegen;
  /// CUDA's assembler.
  double assembly = 0;
};

/// Has the remarks of passes emitted as diagnostics of `context`.
void enableRemarks(mlir::MLIRContext &context, Remarks remarks);

/// The module for one target in one form; its work is a clone of the source.
class Compilation {
public:
  Compilation(mlir::ModuleOp source, const target::Target &target,
              const CompileOptions &options, ConfigurePassManager configure)
      : source(source), module(source.clone()), target(target),
        options(options), configure(configure), numWarps(options.numWarps) {
    times.target = target.name;
  }

  /// Runs the stages up to `emit`, the LLVM dialect at the most, that have not
  /// run yet.
  llvm::LogicalResult lower(Emit emit);
  /// Text of the module as it is.
  std::string print();
  /// PTX of a module in the LLVM dialect; `llvmIR`, if given, gets the
  /// optimised LLVM IR that it is made of.
  mlir::FailureOr<codegen::PtxCode> emitPTX(std::string *llvmIR = nullptr);
  /// Optimised LLVM IR of a module in the LLVM dialect.
  mlir::FailureOr<std::string> emitLLVM();
  /// Assembles PTX; `onlyWhole` as AssembleOptions have it. Where code spills
  /// under a limit that leaves room for other CTAs, `ptx` gets a higher one.
  /// Errors are emitted at the module.
  mlir::FailureOr<codegen::AssembledCode> assemble(codegen::PtxCode &ptx,
                                                   bool onlyWhole);
  /// Adds the target's images, kernels and variants to `artifact`, and verifies
  /// it; `assembled` is empty where there is to be no machine code.
  llvm::LogicalResult addTo(runtime::Artifact &artifact,
                            const codegen::PtxCode &ptx,
                            const codegen::AssembledCode &assembled);
  /// Chooses ahead of lowering what is left to estimates, on a module of its
  /// own: so that remarks are of what is compiled alone.
  void choose();
  /// How long all that took so far.
  const StageTimes &stageTimes() const { return times; }

  /// The module as it is now.
  mlir::ModuleOp getModule() { return *module; }
  const target::Target &getTarget() const { return target; }
  const CompileOptions &getOptions() const { return options; }
  /// What was given to be compiled.
  mlir::ModuleOp getSource() const { return source; }

private:
  llvm::LogicalResult check();
  bool applyChoice(PipelineOptions &pipeline);
  llvm::LogicalResult addTileGPUPasses(mlir::PassManager &manager,
                                       PipelineOptions &pipeline);
  codegen::AssembleOptions assembleOptions(bool onlyWhole) const;
  std::optional<codegen::AssembledCode>
  tryAssembling(llvm::StringRef ptx, bool onlyWhole,
                codegen::AssemblerKind assembler);
  mlir::FailureOr<codegen::AssembledCode> assembleOnce(llvm::StringRef ptx,
                                                       bool onlyWhole);
  codegen::CodegenOptions codegenOptions() const;
  void addKernels(runtime::Artifact &artifact, llvm::ArrayRef<uint32_t> images,
                  const codegen::AssembledCode &assembled);

  mlir::ModuleOp source;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  const target::Target &target;
  const CompileOptions &options;
  ConfigurePassManager configure;
  /// Of a program: as the options say until tile IR is lowered.
  unsigned numWarps;
  /// Whether the limits on registers have been held against what an assembler
  /// makes of them.
  bool hasSettledLimits = false;
  /// The last stage that has run, if any has.
  std::optional<Emit> reached;
  /// Who brings the tiles of functions in which that is left to estimates.
  std::optional<CopyChoice> choice;
  StageTimes times;
};

/// Compiles `source` for every target of `options`. `times` gets an entry for
/// each target that was begun, the one that failed included.
mlir::FailureOr<runtime::Artifact>
compileModule(mlir::ModuleOp source, const CompileOptions &options,
              ConfigurePassManager configure,
              std::vector<StageTimes> *times = nullptr);

/// Makes the forms that are wanted, of one target each, by one compilation: a
/// string for each, in their order.
mlir::FailureOr<std::vector<std::string>> makeForms(Compilation &compilation,
                                                    llvm::ArrayRef<Emit> forms);

/// As above; `options` names one target.
mlir::FailureOr<std::vector<std::string>>
makeForms(mlir::ModuleOp source, llvm::ArrayRef<Emit> forms,
          const CompileOptions &options, ConfigurePassManager configure);

/// An artifact as bytes: one of the forms Artifact and ArtifactJSON. Errors are
/// emitted at `source`.
mlir::FailureOr<std::string> writeArtifact(mlir::ModuleOp source,
                                           const runtime::Artifact &artifact,
                                           Emit form);

/// As `compileModule`, but to one form: as many strings as it has outputs.
/// `headerName` is the C header's name without `.h`.
mlir::FailureOr<std::vector<std::string>>
emitModule(mlir::ModuleOp source, Emit form, const CompileOptions &options,
           ConfigurePassManager configure, llvm::StringRef headerName,
           std::vector<StageTimes> *times = nullptr);

/// What an artifact says, as JSON.
std::string describeArtifact(const runtime::Artifact &artifact);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_COMPILATION_H
