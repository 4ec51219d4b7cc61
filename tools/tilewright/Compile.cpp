// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright compile`.

#include "lib/Codegen/StageTimer.h"
#include "lib/Compiler/Compilation.h"
#include "lib/Compiler/ParseModule.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Support/ToolUtilities.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/CompileFlags.h"
#include "tools/tilewright/Output.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright;
using driver::fail;
using driver::writeOutput;
namespace cl = llvm::cl;

namespace {

/// The command line of `tilewright compile`.
struct CompileCommandLine {
  cl::OptionCategory category{"Options of tilewright compile"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<kernel.mlir or ->"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{
      "o", cl::value_desc("file"), cl::init("-"), cl::cat(category),
      cl::desc("Where to write; '-' is standard output. With several targets "
               "and a form that is one file each, %t stands for the target")};
  driver::CompileFlags options{category};
  cl::opt<Emit> emit{"emit", cl::init(Emit::Artifact), cl::cat(category),
                     cl::desc("What to write (default artifact):")};
  cl::opt<bool> timing{
      "timing", cl::cat(category),
      cl::desc("Print how long each stage took, in ms, to standard error "
               "(--mlir-timing: each pass)")};

  CompileCommandLine() { driver::addValues(emit, emitForms); }
};

/// The name of the C header, that of the output without `.h`; "" for other
/// forms, nothing after a message.
std::optional<std::string> findHeaderName(const CompileCommandLine &line) {
  if (line.emit != Emit::CHeader)
    return "";
  llvm::StringRef name = llvm::sys::path::filename(line.output);
  if (name.consume_back(".h") && !name.empty())
    return name.str();
  fail("expects -o NAME.h for --emit=c-header, but got '" + line.output + "'");
  return std::nullopt;
}

/// One line for each stage of each target: `timing: TARGET STAGE MS`.
void printTimes(double parsing, llvm::ArrayRef<compiler::StageTimes> times) {
  auto print = [](llvm::StringRef target, llvm::StringRef stage,
                  double seconds) {
    llvm::errs() << "timing: " << target << " " << stage << " "
                 << llvm::format("%.2f", 1e3 * seconds) << "\n";
  };
  print("all", "parse", parsing);
  for (const compiler::StageTimes &each : times) {
    print(each.target, "passes", each.passes);
    print(each.target, "llvm-translate", each.codegen.translation);
    print(each.target, "llvm-optimize", each.codegen.optimization);
    print(each.target, "llvm-emit", each.codegen.emission);
    print(each.target, "assemble", each.assembly);
  }
}

/// `pattern` with the target's name for %t.
std::string outputName(llvm::StringRef pattern, llvm::StringRef target) {
  std::string name = pattern.str();
  for (size_t at = name.find("%t"); at != std::string::npos;
       at = name.find("%t", at + target.size()))
    name.replace(at, 2, target.str());
  return name;
}

/// Writes NAME.h, and NAME.c beside it.
int writeCSources(llvm::StringRef header, llvm::ArrayRef<std::string> outputs) {
  llvm::SmallString<128> source(header);
  llvm::sys::path::replace_extension(source, "c");
  if (int status = writeOutput(header, outputs[0]))
    return status;
  return writeOutput(source, outputs[1]);
}

int compileSource(const CompileCommandLine &line, const CompileOptions &options,
                  llvm::StringRef headerName) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      mlir::openInputFile(line.input, &error);
  if (!buffer)
    return fail(error);
  bool isOneFile = describe(line.emit).outputs != Outputs::EachTarget;
  if (!isOneFile && options.targets.size() > 1 &&
      !llvm::StringRef(line.output).contains("%t"))
    return fail("expects %t in -o for the names of several targets, but got '" +
                line.output + "'");

  compiler::CompilerContext owner(options.threads);
  MLIRContext &context = owner.get();
  compiler::enableRemarks(context, options.remarks);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  double parsing = 0;
  OwningOpRef<ModuleOp> module;
  {
    codegen::StageTimer timer(&parsing);
    module = compiler::parseModule(sources, context);
  }
  if (!module)
    return 1;

  DefaultTimingManager timing;
  applyDefaultTimingManagerCLOptions(timing);
  TimingScope scope = timing.getRootScope();
  std::vector<compiler::StageTimes> times;
  FailureOr<std::vector<std::string>> outputs = compiler::emitModule(
      *module, line.emit, options,
      [&](PassManager &manager) {
        manager.enableTiming(scope);
        return applyPassManagerCLOptions(manager);
      },
      headerName, &times);
  if (line.timing)
    printTimes(parsing, times);
  if (failed(outputs))
    return 1;
  if (describe(line.emit).outputs == Outputs::Two)
    return writeCSources(line.output, *outputs);
  for (auto [index, output] : llvm::enumerate(*outputs)) {
    llvm::StringRef target;
    if (!isOneFile)
      target = options.targets[index];
    if (int status = writeOutput(outputName(line.output, target), output))
      return status;
  }
  return 0;
}

} // namespace

int driver::runCompile(int argc, const char *const *argv) {
  // LLVM's libraries register options of their own; none is this command's.
  cl::ResetCommandLineParser();
  CompileCommandLine line;
  cl::OptionCategory compilerCategory("Looking into the compiler");
  registerPassManagerCLOptions();
  registerMLIRContextCLOptions();
  registerAsmPrinterCLOptions();
  registerDefaultTimingManagerCLOptions();
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (llvm::is_contained(option->Categories, &cl::getGeneralCategory()))
      option->addCategory(compilerCategory);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Compiles tile IR to code for one or several GPUs. A module that "
          "names its target (tilegpu.target) is tilegpu IR: it begins behind "
          "the choice of layouts.\n\n"
          "  tilewright compile kernel.ttir --target=sm_80 --emit=ptx -o -\n",
          &llvm::errs()))
    return 1;
  std::optional<CompileOptions> options = line.options.parse(line.input);
  if (!options)
    return 1;
  std::optional<std::string> headerName = findHeaderName(line);
  if (!headerName)
    return 1;
  return compileSource(line, *options, *headerName);
}
