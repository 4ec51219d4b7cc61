// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright compile`.

#include "lib/Codegen/StageTimer.h"
#include "lib/Compiler/Compilation.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Support/ToolUtilities.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Output.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
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
  cl::list<std::string> targets{
      "target", cl::value_desc("sm_XX[,sm_YY]"), cl::CommaSeparated,
      cl::cat(category),
      cl::desc(
          "GPUs to compile for (default sm_80); see 'tilewright targets'")};
  cl::opt<unsigned> numWarps{"num-warps", cl::value_desc("N"), cl::init(4),
                             cl::cat(category),
                             cl::desc("Warps of a CTA (default 4)")};
  cl::opt<unsigned> numStages{
      "num-stages", cl::value_desc("N"), cl::init(1), cl::cat(category),
      cl::desc("Stages of software pipelining that loops may have (default 1; "
               "accepted, and not used yet)")};
  cl::opt<Emit> emit{
      "emit", cl::init(Emit::Artifact), cl::cat(category),
      cl::desc("What to write (default artifact):"),
      cl::values(clEnumValN(Emit::Tile, "tile", "tile IR, cleaned up"),
                 clEnumValN(Emit::TileGPU, "tilegpu",
                            "tensors with layouts, shared memory and barriers"),
                 clEnumValN(Emit::LayoutReport, "layout-report",
                            "a table of the layout conversions"),
                 clEnumValN(Emit::LLVMDialect, "llvm-dialect",
                            "MLIR's LLVM and NVVM dialects"),
                 clEnumValN(Emit::LLVM, "llvm", "optimised LLVM IR"),
                 clEnumValN(Emit::PTX, "ptx", "PTX"),
                 clEnumValN(Emit::Cubin, "cubin", "machine code"),
                 clEnumValN(Emit::Artifact, "artifact",
                            "code for all targets and what launching it takes"),
                 clEnumValN(Emit::ArtifactJSON, "artifact-json",
                            "what the artifact says, without code"),
                 clEnumValN(Emit::CHeader, "c-header",
                            "a C header, and beside it a C source, with the "
                            "code and a typed launch function"))};
  cl::opt<bool> lineTables{"line-tables", cl::init(true), cl::cat(category),
                           cl::desc("Keep source lines (default true)")};
  cl::list<std::string> pathPrefixMap{
      "path-prefix-map", cl::value_desc("OLD=NEW"), cl::cat(category),
      cl::desc("Replace a prefix of the paths in line tables")};
  cl::opt<std::string> cudaRoot{
      "cuda-root", cl::value_desc("folder"), cl::cat(category),
      cl::desc("CUDA toolkit whose assembler to use")};
  cl::opt<Remarks> remarks{
      "remarks",
      cl::ValueOptional,
      cl::init(Remarks::None),
      cl::cat(category),
      cl::desc("Print remarks on how the kernel is compiled:"),
      cl::values(clEnumValN(Remarks::All, "", "all of them"),
                 clEnumValN(Remarks::All, "all", "all of them"),
                 clEnumValN(Remarks::Missed, "missed",
                            "what could be faster, and why it is not"))};
  cl::opt<unsigned> threads{"threads", cl::value_desc("N"), cl::init(1),
                            cl::cat(category),
                            cl::desc("Threads to compile with (default 1)")};
  cl::opt<bool> timing{
      "timing", cl::cat(category),
      cl::desc("Print how long each stage took, in ms, to standard error "
               "(--mlir-timing: each pass)")};
};

/// The options, or nothing after a message.
std::optional<CompileOptions> makeOptions(const CompileCommandLine &line) {
  CompileOptions options;
  if (!line.targets.empty())
    options.targets.assign(line.targets.begin(), line.targets.end());
  for (const std::string &name : options.targets)
    if (!target::lookup(name)) {
      fail(target::unknownTargetMessage(name));
      return std::nullopt;
    }
  if (line.numWarps == 0 || line.numWarps > 32 ||
      !llvm::isPowerOf2_32(line.numWarps)) {
    fail("expects --num-warps to be a power of two from 1 to 32, but got " +
         llvm::Twine(line.numWarps.getValue()));
    return std::nullopt;
  }
  options.numWarps = line.numWarps;
  options.lineTables = line.lineTables;
  options.cudaRoot = line.cudaRoot;
  if (line.emit == Emit::CHeader) {
    llvm::StringRef name = llvm::sys::path::filename(line.output);
    if (!name.consume_back(".h") || name.empty()) {
      fail("expects -o NAME.h for --emit=c-header, but got '" + line.output +
           "'");
      return std::nullopt;
    }
    options.cName = name.str();
  }
  options.threads = line.threads;
  options.remarks = line.remarks;
  for (llvm::StringRef entry : line.pathPrefixMap) {
    auto [from, to] = entry.split('=');
    if (from.size() == entry.size()) {
      fail("expects --path-prefix-map=OLD=NEW, but got '" + entry + "'");
      return std::nullopt;
    }
    options.pathPrefixMap.emplace_back(from.str(), to.str());
  }
  return options;
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

int compileSource(const CompileCommandLine &line,
                  const CompileOptions &options) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      mlir::openInputFile(line.input, &error);
  if (!buffer)
    return fail(error);
  bool isOneFile = compiler::isOneOutput(line.emit);
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
    module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  }
  if (!module)
    return 1;

  DefaultTimingManager timing;
  applyDefaultTimingManagerCLOptions(timing);
  TimingScope scope = timing.getRootScope();
  std::vector<compiler::StageTimes> times;
  FailureOr<std::vector<std::string>> outputs = compiler::compileModule(
      *module, line.emit, options,
      [&](PassManager &manager) {
        manager.enableTiming(scope);
        return applyPassManagerCLOptions(manager);
      },
      &times);
  if (line.timing)
    printTimes(parsing, times);
  if (failed(outputs))
    return 1;
  if (line.emit == Emit::CHeader)
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
  std::optional<CompileOptions> options = makeOptions(line);
  if (!options)
    return 1;
  return compileSource(line, *options);
}
